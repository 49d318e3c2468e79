#include "table/block_iterator.h"

#include <string>
#include <utility>

#include "absl/strings/str_format.h"
#include "table/block_search.h"

namespace sstable {

void BlockIterator::SeekToFirst() {
  Reset(block_);
  next_ = block_.begin();
  DecodeNext();
}

void BlockIterator::SeekToLast() {
  Reset(block_);
  if (block_.entries_size() > 0) WalkTo(block_.restart_count() - 1, block_.end());
}

void BlockIterator::Seek(absl::string_view target) {
  if (key_.Holds(target))
    return Seek(std::string(target));  // Seek(key()): the search overwrites it
  Reset(block_);
  BlockSearchResult found;
  if (absl::Status status = SearchBlock(block_, *order_, target, &key_, &found); !status.ok()) {
    return Fail(std::move(status));
  }
  if (found.entry == nullptr) return;
  found.TakeKey(&key_);
  value_ = found.value.data();
  value_size_ = static_cast<uint32_t>(found.value.size());
  entry_ = found.entry;
  next_ = found.next;
}

void BlockIterator::Prev() {
  // The last restart point before this entry.
  const auto limit = static_cast<uint32_t>(entry_ - block_.begin());
  if (limit == 0) {
    entry_ = nullptr;
    return;
  }
  uint32_t low = 0, high = block_.restart_count() - 1;
  while (low < high) {
    const uint32_t middle = low + (high - low + 1) / 2;
    if (block_.RestartOffset(middle) < limit) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  WalkTo(low, entry_);
}

void BlockIterator::WalkTo(uint32_t restart, const char* limit) {
  BlockEntry first;
  if (absl::Status status = DecodeRestartEntry(block_, restart, &first); !status.ok()) {
    return Fail(std::move(status));
  }
  next_ = block_.begin() + block_.RestartOffset(restart);
  key_.Clear();
  do {
    DecodeNext();
  } while (entry_ != nullptr && next_ < limit);
  if (entry_ != nullptr && next_ != limit) {
    Fail(absl::DataLossError(absl::StrFormat(
        "restart point %d at offset %d does not lead to the entry boundary at offset %d", restart,
        block_.RestartOffset(restart), limit - block_.begin())));
  }
}

void BlockIterator::FailAt(const char* entry) { Fail(EntryError(block_, entry, key_.size())); }

void BlockIterator::Fail(absl::Status status) {
  entry_ = nullptr;
  status_ = std::move(status);
}

}  // namespace sstable
