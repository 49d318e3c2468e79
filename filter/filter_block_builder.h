// Makes the filter block of a table.
#ifndef SSTABLE_FILTER_FILTER_BLOCK_BUILDER_H_
#define SSTABLE_FILTER_FILTER_BLOCK_BUILDER_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "filter/filter_block.h"
#include "filter/filter_keys.h"
#include "filter/filter_policy.h"
#include "util/bytes.h"

namespace sstable {

// Groups keys by the window of the file in which their data block starts, one filter a window.
//
// Format:    filter/filter_block.h.
// Pattern:   (StartBlock AddKey*)* Finish, with block offsets that never fall.
// Ownership: borrows `policy`, which must outlive the builder; copies what it needs of the keys.
// Threads:   one at a time.
class FilterBlockBuilder {
 public:
  // `base_lg` is the binary logarithm of the window size, 0 to kMaxFilterBaseLg.
  explicit FilterBlockBuilder(const FilterPolicy* policy, int base_lg = kDefaultFilterBaseLg);
  FilterBlockBuilder(const FilterBlockBuilder&) = delete;
  FilterBlockBuilder& operator=(const FilterBlockBuilder&) = delete;

  // The keys added from here on are of the data block that starts at this offset in the file. Each
  // window before that one takes at least 4 bytes of the filter block, whether it has keys or not.
  void StartBlock(uint64_t block_offset);

  void AddKey(absl::string_view key) { keys_.Add(key); }
  // The same for several, of the same policy.
  void AddKeys(const FilterKeys& keys) { keys_.Append(keys); }

  // The contents of the filter block, which live as long as the builder. Nothing may be called
  // after it. InvalidArgument if they would have 4 GiB or more: their offsets have 32 bits.
  absl::StatusOr<absl::string_view> Finish();

 private:
  uint64_t filter_count() const { return offset_array_.size() / sizeof(uint32_t); }
  void GenerateFilter();

  int base_lg_;
  FilterKeys keys_;  // of the window being filled

  std::string filter_;  // scratch of GenerateFilter()
  ByteBuffer contents_;
  // Of the filters so far, fixed32 each. Finish() refuses a block whose offsets don't fit.
  ByteBuffer offset_array_;
};

}  // namespace sstable

#endif  // SSTABLE_FILTER_FILTER_BLOCK_BUILDER_H_
