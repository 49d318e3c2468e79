#include "table/block/block_iterator.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "absl/strings/str_format.h"
#include "sstable/slice.h"
#include "table/block/block_search.h"
#include "util/status_util.h"

namespace sstable {

template <typename Step>
inline void BlockIterator::FailIfThrown(Step step) {
  try {
    step();
  } catch (...) {
    Fail(StatusOfException());
    throw;
  }
}

void BlockIterator::SeekToFirst() {
  Reset(block_);
  next_ = block_.begin();
  DecodeNext();
}

void BlockIterator::SeekToLast() {
  Reset(block_);
  if (block_.entries_size() == 0) return;
  FailIfThrown([&] { WalkTo(block_.restart_count() - 1, block_.end()); });
}

inline void BlockIterator::SeekInBlock(absl::string_view target) {
  entry_ = next_ = nullptr;
  run_.clear();
  status_ = absl::OkStatus();
  BlockSearchResult found;
  if (absl::Status status = SearchBlock(block_, *order_, order_->Split(target), &key_, &found);
      !status.ok()) {
    return Fail(std::move(status));
  }
  if (found.entry == nullptr) return;
  found.BuildKey(&key_);
  value_ = found.value.data();
  value_size_ = static_cast<uint32_t>(found.value.size());
  entry_ = found.entry;
  next_ = found.next;
}

void BlockIterator::Seek(Slice target) {
  FailIfThrown([&] {
    // The target is key(), which the search would overwrite.
    if (ABSL_PREDICT_FALSE(key_.Holds(target))) return Seek(std::string(target));
    SeekInBlock(target);
  });
}

inline void BlockIterator::StepBack() {
  const auto offset = static_cast<uint32_t>(entry_offset());
  if (offset == 0) {
    entry_ = nullptr;
    return;
  }
  if (run_.size() > 1 && run_.back().offset == offset) {
    const size_t kept = run_.back().shared;
    run_.pop_back();
    return TakeLastOfRun(kept);
  }
  // Finds the last restart point before this entry.
  uint32_t low = 0, high = block_.restart_count() - 1;
  while (low < high) {
    const uint32_t middle = low + (high - low + 1) / 2;
    if (block_.RestartOffset(middle) < offset) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  WalkTo(low, entry_);
}

void BlockIterator::Prev() {
  FailIfThrown([&] { StepBack(); });
}

void BlockIterator::WalkTo(uint32_t restart, const char* limit) {
  BlockEntry entry;
  if (absl::Status status = DecodeRestartEntry(block_, restart, &entry); !status.ok()) {
    return Fail(std::move(status));
  }
  const char* p = block_.begin() + block_.RestartOffset(restart);
  size_t key_size = 0;
  run_.clear();
  do {
    if (!DecodeEntry(p, end_, &entry) || entry.shared > key_size) {
      return Fail(EntryError(block_, p, key_size));
    }
    uint32_t writer = run_.empty() ? 0 : static_cast<uint32_t>(run_.size() - 1);
    while (entry.shared > 0 && run_[writer].shared >= entry.shared) writer = run_[writer].writer;
    run_.push_back({static_cast<uint32_t>(p - block_.begin()),
                    static_cast<uint32_t>(entry.suffix - block_.begin()), entry.shared, writer});
    key_size = size_t{entry.shared} + entry.unshared;
    p = entry.next();
  } while (p < limit);
  if (p != limit) {
    return Fail(absl::DataLossError(absl::StrFormat(
        "restart point %d at offset %d does not lead to the entry boundary at offset %d", restart,
        block_.RestartOffset(restart), limit - block_.begin())));
  }
  TakeLastOfRun(0);
}

// Restores the bytes of this key that the next entry does not share. Each is copied from the last
// entry that stores it instead of sharing it. So going back over a run copies at most as many bytes
// as the run has.
void BlockIterator::CopyShared(const RunEntry& entry, size_t kept, char* key) const {
  size_t end = entry.shared;
  for (uint32_t i = entry.writer; end > kept; i = run_[i].writer) {
    const RunEntry& writer = run_[i];
    const size_t start = std::max<size_t>(writer.shared, kept);
    std::memcpy(key + start, block_.begin() + writer.suffix + (start - writer.shared), end - start);
    end = start;
  }
}

void BlockIterator::TakeLastOfRun(size_t kept) {
  const RunEntry& last = run_.back();
  if (last.shared > kept) CopyShared(last, kept, key_.Resize(kept, last.shared));
  BlockEntry entry;  // all entries of a run were decoded before
  DecodeEntry(block_.begin() + last.offset, block_, &entry);
  Take(block_.begin() + last.offset, entry);
}

void BlockIterator::DecodeNext() {
  const char* const p = next_;
  if (p >= end_) {
    entry_ = nullptr;
    return;
  }
  __builtin_prefetch(p + kScanPrefetchDistance);
  BlockEntry entry;
  if (ABSL_PREDICT_FALSE(!DecodeEntry(p, end_, &entry) || entry.shared > key_.size())) {
    return FailAt(p);
  }
  FailIfThrown([&] { Take(p, entry); });
}

void BlockIterator::FailAt(const char* entry) { Fail(EntryError(block_, entry, key_.size())); }

void BlockIterator::Fail(absl::Status status) {
  entry_ = nullptr;
  status_ = std::move(status);
}

}  // namespace sstable
