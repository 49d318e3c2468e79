// Absent keys, to measure how often filters match them.
#ifndef SSTABLE_TABLE_INSPECT_ABSENT_KEYS_H_
#define SSTABLE_TABLE_INSPECT_ABSENT_KEYS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/string_view.h"
#include "sstable/comparator.h"
#include "sstable/internal_key.h"
#include "table/block/key_order.h"

namespace sstable {

// Makes absent keys that are close to the keys of a data block: each is one of them with its last
// byte incremented. Borrows `order`.
class Neighbours {
 public:
  explicit Neighbours(const KeyOrder* order) : order_(order) {}

  // `key` is the block's next key. Returns the neighbour of the previous key, if it is below `key`;
  // valid until the next call.
  std::optional<absl::string_view> Next(absl::string_view key) {
    const absl::string_view user_key = order_->UserKey(key);
    const Comparator& comparator = order_->user_comparator();
    has_neighbour_ = !neighbour_.empty() && comparator.Compare(last_, neighbour_) < 0 &&
                     comparator.Compare(neighbour_, user_key) < 0;
    std::swap(neighbour_, given_);
    last_.assign(user_key.data(), user_key.size());
    neighbour_ = last_;
    if (!last_.empty()) ++neighbour_.back();
    if (!has_neighbour_) return std::nullopt;
    // Filters don't see the tag.
    if (order_->kind() == KeyKind::kInternal) given_.append(kTagSize, '\0');
    return given_;
  }

 private:
  const KeyOrder* order_;
  bool has_neighbour_ = false;
  std::string last_;       // the previous key
  std::string neighbour_;  // the previous key's neighbour
  std::string given_;
};

// A pseudorandom sequence that is the same in each run. After Steele, Lea and Flood, "Fast
// splittable pseudorandom number generators", 2014.
class RandomNumbers {
 public:
  uint64_t Next() {
    state_ += 0x9e3779b97f4a7c15;
    uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }

 private:
  uint64_t state_ = 0;
};

}  // namespace sstable

#endif  // SSTABLE_TABLE_INSPECT_ABSENT_KEYS_H_
