// A blocked Bloom filter: the bits of a key are in one line of 64 bytes, so a lookup waits for
// memory once.
//
// Format: line[0] ... line[n - 1], 64 bytes each ++ u8 probe_count.
// Page:   docs/filter_block.md#blocked-bloom-filter.
#include "filter/blocked_bloom.h"

#include <algorithm>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "filter/scaled_hash.h"
#include "sstable/experimental/table_filter.h"
#include "sstable/filter_policy.h"
#include "util/huge_pages.h"

namespace sstable {
namespace {

constexpr size_t kLineSize = kBlockedBloomLineSize;
constexpr int kMaxProbes = kMaxBlockedBloomProbes;

uint32_t BitOf(uint64_t hash, int probe) {
  return (static_cast<uint32_t>(hash) * kBlockedBloomStepPowers[static_cast<size_t>(probe)]) >>
         kBlockedBloomBitShift;
}

class PortableBlockedBloom final : public BlockedBloomLines {
 public:
  using BlockedBloomLines::BlockedBloomLines;

  bool MayMatch(uint64_t hash) const override {
    const char* const line = Line(hash);
    uint32_t all = 1;  // no branch depends on a bit
    for (int i = 0; i < probe_count(); ++i) {
      const uint32_t bit = BitOf(hash, i);
      all &= static_cast<unsigned char>(line[bit / 8]) >> (bit % 8);
    }
    return (all & 1) != 0;
  }
};

class BlockedBloomPolicy final : public TableFilterPolicy {
 public:
  explicit BlockedBloomPolicy(int bits_per_key)
      : bits_per_key_(std::clamp(bits_per_key, 1, kMaxBlockedBloomBitsPerKey)) {}

  absl::string_view Name() const override { return "BlockedBloom1"; }

  void CreateFilter(absl::Span<uint64_t> hashes, std::string* dst) const override {
    constexpr uint64_t kLineBits = 8 * kLineSize;
    constexpr size_t kAhead = 16;  // lines are at random addresses: prefetch them
    const uint64_t bits = hashes.size() * static_cast<uint64_t>(bits_per_key_);
    const uint64_t line_count = std::max<uint64_t>(1, (bits + kLineBits - 1) / kLineBits);
    // Lines fill unevenly, so a few probes fewer than a Bloom filter's ln 2 per bit are best.
    const int probe_count = std::clamp((6 * bits_per_key_ + 5) / 10, 1, kMaxProbes);
    const size_t start = dst->size();
    ReserveInHugePages(line_count * kLineSize + 1, dst);
    dst->resize(start + line_count * kLineSize + 1, '\0');
    char* const lines = &(*dst)[start];
    dst->back() = static_cast<char>(probe_count);
    for (size_t n = 0; n < hashes.size(); ++n) {
      if (n + kAhead < hashes.size()) {
        __builtin_prefetch(lines + kLineSize * Scale(hashes[n + kAhead], line_count), 1);
      }
      char* const line = lines + kLineSize * Scale(hashes[n], line_count);
      for (int i = 0; i < probe_count; ++i) {
        const uint32_t bit = BitOf(hashes[n], i);
        line[bit / 8] = static_cast<char>(line[bit / 8] | 1 << (bit % 8));
      }
    }
  }

  absl::StatusOr<std::unique_ptr<const TableFilter>> Parse(
      absl::string_view contents) const override {
    if (contents.size() <= kLineSize || contents.size() % kLineSize != 1) {
      return absl::DataLossError(absl::StrCat("blocked Bloom filter has ", contents.size(),
                                              " bytes, expected lines of 64 and one byte"));
    }
    const int probe_count = static_cast<unsigned char>(contents.back());
    if (probe_count < 1 || probe_count > kMaxProbes) {
      return absl::DataLossError(absl::StrCat("blocked Bloom filter has ", probe_count,
                                              " probes, expected 1 to ", kMaxProbes));
    }
    contents.remove_suffix(1);
    return NewBestBlockedBloom(contents, probe_count);
  }

 private:
  const int bits_per_key_;
};

}  // namespace

std::unique_ptr<const TableFilter> NewPortableBlockedBloom(absl::string_view lines,
                                                           int probe_count) {
  return std::make_unique<PortableBlockedBloom>(lines, probe_count);
}

std::unique_ptr<const TableFilterPolicy> NewBlockedBloomPolicy(int bits_per_key) {
  return std::make_unique<BlockedBloomPolicy>(bits_per_key);
}

}  // namespace sstable
