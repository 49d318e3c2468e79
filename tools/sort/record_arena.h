// Records in a fixed amount of memory, or one larger record; sorted in place.
//
// Records are at the front of the memory, in the order in which they came. The array of their
// places is at the end and grows towards them. Sort() sorts this array.
//
//   | record 0 | record 1 | ... |  free  | ... | place 1 | place 0 |
//
//   record:  key size (4 bytes) | size of the stored value (4) | key | stored value
#ifndef SSTABLE_TOOLS_SORT_RECORD_ARENA_H_
#define SSTABLE_TOOLS_SORT_RECORD_ARENA_H_

#include <cstddef>
#include <cstdint>
#include <memory>

#include "absl/strings/string_view.h"
#include "sstable/iterator.h"
#include "table/block/key_order.h"
#include "tools/records/record_reader.h"

namespace sstable::tools {

// Which of the records with equal keys comes first.
enum class Ties { kOldestFirst, kNewestFirst };

// Borrows the order.
class RecordArena {
 public:
  // `size` is the size of the memory in bytes. The memory is allocated for the first record, and
  // the system provides each page when it is first written.
  RecordArena(size_t size, const KeyOrder* order) : order_(*order), size_(size) {}

  // Copies a record into the arena. Returns false if there is no room. If the arena is empty and
  // the record is larger than `size`, it allocates more memory, until it is cleared. Key and stored
  // value have less than 4 GiB each.
  bool Add(const Record& record);

  bool empty() const { return count_ == 0; }

  // Sorts the records. The iterator moves forward only, until the arena changes; its values are
  // stored values (tools/sort/stored_value.h).
  std::unique_ptr<Iterator> Sort(Ties ties);

  void Clear();
  // Clears the arena and frees its memory, until a record is added.
  void Release();

 private:
  class SortedIterator;
  struct Place {
    uint64_t prefix;  // 8 bytes of the key; ascends with the keys, but may be the same for several
    uint64_t offset;  // offset of the record
  };

  Place* places() const { return memory_.get() + capacity_ - count_; }
  const char* RecordOf(const Place& place) const;
  absl::string_view KeyOf(const Place& place) const;
  absl::string_view StoredValueOf(const Place& place) const;
  void SetPrefixes();
  static size_t CapacityOf(size_t size) { return size / sizeof(Place) + 1; }
  void Allocate(size_t size);

  const KeyOrder& order_;
  const size_t size_;  // bytes of memory, except for a larger record
  std::unique_ptr<Place[]> memory_;
  size_t capacity_ = 0;  // places that the memory has room for
  size_t used_ = 0;      // bytes of records
  size_t count_ = 0;     // number of records
  size_t shared_ = 0;    // size of the prefix that all user keys share
};

}  // namespace sstable::tools

#endif  // SSTABLE_TOOLS_SORT_RECORD_ARENA_H_
