// The keys of a filter to be, in the form that its policy makes filters of.
#ifndef SSTABLE_FILTER_FILTER_KEYS_H_
#define SSTABLE_FILTER_FILTER_KEYS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "filter/bloom.h"
#include "sstable/filter_policy.h"

namespace sstable {

// Ownership: borrows `policy`, which must outlive it; copies what it needs of the keys: for a Bloom
//            policy the 4-byte hash, for others the key.
// Threads:   one at a time.
class FilterKeys {
 public:
  explicit FilterKeys(const FilterPolicy* policy) : policy_(policy), bloom_(policy->bloom()) {}

  void Add(absl::string_view key) {
    if (bloom_ != nullptr) {
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
  const BloomTraits* bloom_;  // null if the policy needs whole keys

  // One of the two forms is in use.
  std::vector<uint32_t> hashes_;
  std::string bytes_;         // of the keys, one after another
  std::vector<size_t> ends_;  // of each key in bytes_

  size_t removed_ = 0;  // keys at the start of the lists; fewer than half of them
};

}  // namespace sstable

#endif  // SSTABLE_FILTER_FILTER_KEYS_H_
