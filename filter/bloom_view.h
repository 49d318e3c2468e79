// The bytes of a LevelDB Bloom filter.
#ifndef SSTABLE_FILTER_BLOOM_VIEW_H_
#define SSTABLE_FILTER_BLOOM_VIEW_H_

#include <cstddef>
#include <cstdint>

#include "absl/strings/string_view.h"
#include "util/coding.h"

namespace sstable {

inline constexpr int kMaxBloomProbes = 30;

// In a larger filter, a bit's number does not fit in 32 bits.
inline constexpr size_t kMaxProbeFilterSize = (size_t{1} << 29) - 1;

inline uint64_t CountBits(absl::string_view bytes) {
  uint64_t count = 0;
  size_t i = 0;
  for (; i + 8 <= bytes.size(); i += 8) {
    count += static_cast<uint64_t>(__builtin_popcountll(DecodeFixed64(bytes.data() + i)));
  }
  for (; i < bytes.size(); ++i) {
    count += static_cast<uint64_t>(__builtin_popcount(static_cast<unsigned char>(bytes[i])));
  }
  return count;
}

// Borrows the bytes, which need not be a valid filter.
class BloomView {
 public:
  explicit BloomView(absl::string_view filter) : bytes_(filter) {}

  // Too short to have bits: no key matches.
  bool is_empty() const { return bytes_.size() < 2; }
  // LevelDB reserves these probe counts for other encodings: every key may match.
  bool is_reserved() const { return probe_count() > kMaxBloomProbes; }
  // Kernels can probe it (filter/bloom_kernels.h).
  bool is_probeable() const {
    return !is_empty() && bytes_.size() <= kMaxProbeFilterSize && !is_reserved();
  }

  absl::string_view bits() const {
    return bytes_.substr(0, bytes_.empty() ? 0 : bytes_.size() - 1);
  }
  uint64_t bit_count() const { return 8 * uint64_t{bits().size()}; }
  int probe_count() const { return bytes_.empty() ? 0 : static_cast<uint8_t>(bytes_.back()); }
  bool IsSet(uint64_t bit) const { return (bytes_[bit / 8] & 1 << (bit % 8)) != 0; }

 private:
  absl::string_view bytes_;
};

}  // namespace sstable

#endif  // SSTABLE_FILTER_BLOOM_VIEW_H_
