// Makes the filter block of a table.
#ifndef SSTABLE_FILTER_FILTER_BLOCK_BUILDER_H_
#define SSTABLE_FILTER_FILTER_BLOCK_BUILDER_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "filter/filter_block.h"
#include "filter/filter_policy.h"

namespace sstable {

// Groups keys by the window of the file in which their data block starts, one filter a window.
//
// Format:    filter/filter_block.h.
// Pattern:   (StartBlock AddKey*)* Finish, with block offsets that never fall.
// Ownership: borrows `policy`, which must outlive the builder; copies what it needs of the keys:
//            for a Bloom policy the 4-byte hash, for others the key.
// Threads:   one at a time.
class FilterBlockBuilder {
 public:
  // `base_lg` is the binary logarithm of the window size, 0 to kMaxFilterBaseLg.
  explicit FilterBlockBuilder(const FilterPolicy* policy, int base_lg = kDefaultFilterBaseLg);
  FilterBlockBuilder(const FilterBlockBuilder&) = delete;
  FilterBlockBuilder& operator=(const FilterBlockBuilder&) = delete;

  // The keys added from here on are of the data block that starts at this offset in the file.
  void StartBlock(uint64_t block_offset);

  void AddKey(absl::string_view key);

  // The contents of the filter block, which live as long as the builder. InvalidArgument if they
  // would have 4 GiB or more: their offsets have 32 bits.
  absl::StatusOr<absl::string_view> Finish();

 private:
  bool HasPendingKeys() const { return !hashes_.empty() || !key_starts_.empty(); }
  void GenerateFilter();

  const FilterPolicy* policy_;
  const BloomTraits* bloom_;  // null if the policy needs whole keys
  int base_lg_;

  // Keys of the window being filled, in one of two forms.
  std::vector<uint32_t> hashes_;
  std::string keys_;                          // one behind the other
  std::vector<size_t> key_starts_;            // in keys_
  std::vector<absl::string_view> key_views_;  // scratch of GenerateFilter

  std::string contents_;
  std::vector<uint64_t> filter_offsets_;
};

}  // namespace sstable

#endif  // SSTABLE_FILTER_FILTER_BLOCK_BUILDER_H_
