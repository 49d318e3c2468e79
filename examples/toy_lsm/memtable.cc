#include "examples/toy_lsm/memtable.h"

#include <iterator>
#include <mutex>

#include "absl/status/status.h"
#include "examples/toy_lsm/write_batch.h"
#include "util/internal_key.h"
#include "util/status_util.h"

namespace toy_lsm {

class MemTable::Iterator final : public sstable::Iterator {
 public:
  explicit Iterator(const MemTable* table) : table_(table), it_(table->entries_.end()) {}

  bool Valid() const override { return it_ != table_->entries_.end(); }
  void SeekToFirst() override {
    const std::shared_lock<std::shared_mutex> lock(table_->mutex_);
    it_ = table_->entries_.begin();
  }
  void SeekToLast() override {
    const std::shared_lock<std::shared_mutex> lock(table_->mutex_);
    it_ = table_->entries_.end();
    if (!table_->entries_.empty()) --it_;
  }
  void Seek(absl::string_view target) override {
    const std::shared_lock<std::shared_mutex> lock(table_->mutex_);
    it_ = table_->entries_.lower_bound(target);
  }
  void Next() override {
    const std::shared_lock<std::shared_mutex> lock(table_->mutex_);
    ++it_;
  }
  void Prev() override {
    const std::shared_lock<std::shared_mutex> lock(table_->mutex_);
    it_ = it_ == table_->entries_.begin() ? table_->entries_.end() : std::prev(it_);
  }
  absl::string_view key() const override { return it_->first; }
  absl::string_view value() const override { return it_->second; }
  absl::Status status() const override { return absl::OkStatus(); }

 private:
  const MemTable* table_;
  decltype(entries_)::const_iterator it_;
};

absl::StatusOr<uint64_t> MemTable::Add(uint64_t sequence, absl::string_view batch) {
  constexpr size_t kNodeSize = 112;  // a node of the map with its two strings, about
  const std::lock_guard<std::shared_mutex> lock(mutex_);
  RETURN_IF_ERROR(WriteBatch::ForEach(batch, [this, &sequence](sstable::ValueType type,
                                                               absl::string_view key,
                                                               absl::string_view value) {
    // Where it belongs if keys come in order; else the hint costs one comparison.
    entries_.emplace_hint(entries_.end(), sstable::MakeInternalKey(key, sequence++, type), value);
    size_ += key.size() + value.size() + kNodeSize;
  }));
  return sequence - 1;
}

sstable::Presence MemTable::Find(absl::string_view key, uint64_t snapshot,
                                 std::string* value) const {
  if (size_ == 0) return sstable::Presence::kAbsent;
  const std::shared_lock<std::shared_mutex> lock(mutex_);
  const auto it =
      entries_.lower_bound(sstable::MakeInternalKey(key, snapshot, sstable::ValueType::kValue));
  if (it == entries_.end() || sstable::ExtractUserKey(it->first) != key) {
    return sstable::Presence::kAbsent;
  }
  if (sstable::ParseInternalKey(it->first)->type == sstable::ValueType::kDeletion) {
    return sstable::Presence::kDeleted;
  }
  *value = it->second;
  return sstable::Presence::kFound;
}

std::unique_ptr<sstable::Iterator> MemTable::NewIterator() const {
  return std::make_unique<Iterator>(this);
}

}  // namespace toy_lsm
