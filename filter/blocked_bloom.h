// The lines of a blocked Bloom filter, and the implementations that probe them. All give the same
// answers.
#ifndef SSTABLE_FILTER_BLOCKED_BLOOM_H_
#define SSTABLE_FILTER_BLOCKED_BLOOM_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "absl/strings/string_view.h"
#include "filter/scaled_hash.h"
#include "sstable/experimental/table_filter.h"
#include "sstable/filter_policy.h"

namespace sstable {

inline constexpr size_t kBlockedBloomLineSize = 64;  // bytes
inline constexpr int kMaxBlockedBloomProbes = 16;

// Probe i, counted from 0, is the top bits of the low half of the hash times (2^32 / golden
// ratio)^(i + 1). All of this is part of the file format.
inline constexpr int kBlockedBloomBitShift = 23;  // 32 - 9: nine bits select one of a line's 512
constexpr std::array<uint32_t, kMaxBlockedBloomProbes> BlockedBloomStepPowers() {
  std::array<uint32_t, kMaxBlockedBloomProbes> powers = {};
  uint32_t power = 1;
  for (uint32_t& p : powers) p = power *= 0x9e3779b9;
  return powers;
}
alignas(64) inline constexpr auto kBlockedBloomStepPowers = BlockedBloomStepPowers();

// Borrows the lines, which are complete. There is at least one probe.
class BlockedBloomLines : public TableFilter {
 public:
  BlockedBloomLines(absl::string_view lines, int probe_count)
      : lines_(lines.data()),
        line_count_(lines.size() / kBlockedBloomLineSize),
        probe_count_(probe_count) {}

  void Prefetch(uint64_t hash) const final { __builtin_prefetch(Line(hash)); }

 protected:
  const char* Line(uint64_t hash) const {
    return lines_ + kBlockedBloomLineSize * Scale(hash, line_count_);
  }
  int probe_count() const { return probe_count_; }

 private:
  const char* lines_;
  uint64_t line_count_;
  int probe_count_;
};

std::unique_ptr<const TableFilter> NewPortableBlockedBloom(absl::string_view lines,
                                                           int probe_count);

// Returns the vector implementation that suits this machine, or the portable one.
std::unique_ptr<const TableFilter> NewBestBlockedBloom(absl::string_view lines, int probe_count);

}  // namespace sstable

#endif  // SSTABLE_FILTER_BLOCKED_BLOOM_H_
