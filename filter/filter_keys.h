// The keys of a filter that is being built, in the form that its policy needs.
#ifndef SSTABLE_FILTER_FILTER_KEYS_H_
#define SSTABLE_FILTER_FILTER_KEYS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "filter/bloom.h"
#include "sstable/filter_policy.h"

namespace sstable {

// Ownership: borrows `policy`, which must outlive it. Copies what it needs of each key: the 4-byte
// hash for a Bloom policy, the whole key for others.
// Threads:   one at a time.
class FilterKeys {
 public:
  explicit FilterKeys(const FilterPolicy* policy)
      : policy_(policy), bloom_(BloomTraitsOf(*policy)) {}

  void Add(absl::string_view key) {
    if (bloom_.has_value()) {
      hashes_.push_back(BloomCreationHash(*bloom_, key));
    } else {
      AddWhole(key);
    }
  }

  size_t size() const { return hashes_.size() + ends_.size() - removed_; }  // one list is empty

  // Appends the filter of the first `count` keys to `*dst`, and removes them.
  void CreateFilter(size_t count, std::string* dst);

 private:
  void AddWhole(absl::string_view key);
  void Remove(size_t count);

  const FilterPolicy* policy_;
  const std::optional<BloomTraits> bloom_;  // nullopt if the policy needs whole keys

  // Only one of the two forms is used.
  std::vector<uint32_t> hashes_;
  std::string bytes_;         // the keys, one after another
  std::vector<size_t> ends_;  // where each key ends in bytes_

  size_t removed_ = 0;  // keys removed from the start of the lists; fewer than half
};

}  // namespace sstable

#endif  // SSTABLE_FILTER_FILTER_KEYS_H_
