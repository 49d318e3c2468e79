// A map of bounded size that forgets what was not used for longest.
#ifndef SSTABLE_DB_LRU_MAP_H_
#define SSTABLE_DB_LRU_MAP_H_

#include <cstddef>
#include <list>
#include <unordered_map>
#include <utility>

namespace sstable {

// Threads: one at a time.
template <typename Key, typename Value>
class LruMap {
 public:
  // `capacity` is at least 1.
  explicit LruMap(size_t capacity) : capacity_(capacity) {}

  // Null if there is none. Valid until the next other call.
  const Value* Find(const Key& key) {
    const auto found = places_.find(key);
    if (found == places_.end()) return nullptr;
    items_.splice(items_.begin(), items_, found->second);
    return &found->second->second;
  }

  // `key` is not in the map.
  void Insert(const Key& key, Value value) {
    if (items_.size() == capacity_) EraseOldest();
    items_.emplace_front(key, std::move(value));
    places_[key] = items_.begin();
  }

  void Erase(const Key& key) {
    const auto found = places_.find(key);
    if (found == places_.end()) return;
    items_.erase(found->second);
    places_.erase(found);
  }

  // False if the map is empty.
  bool EraseOldest() {
    if (items_.empty()) return false;
    places_.erase(items_.back().first);
    items_.pop_back();
    return true;
  }

 private:
  using Items = std::list<std::pair<Key, Value>>;

  const size_t capacity_;
  Items items_;  // the last used first
  std::unordered_map<Key, typename Items::iterator> places_;
};

}  // namespace sstable

#endif  // SSTABLE_DB_LRU_MAP_H_
