// The history of a database as an iterator over internal keys, for sstable/c.h.
#ifndef SSTABLE_C_HISTORY_ENTRIES_H_
#define SSTABLE_C_HISTORY_ENTRIES_H_

#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "sstable/database_view.h"
#include "sstable/internal_key.h"
#include "sstable/iterator.h"
#include "sstable/slice.h"

namespace sstable {

// Forward only: SeekToLast() and Prev() fail with Unimplemented.
class HistoryEntries final : public Iterator {
 public:
  HistoryEntries(std::unique_ptr<HistoryIterator> history, const Comparator* internal_order)
      : history_(std::move(history)), order_(*internal_order) {}

  bool Valid() const override { return !failed_ && history_->Valid(); }
  void SeekToFirst() override {
    failed_ = false;
    history_->SeekToFirst();
    BuildKey();
  }
  void SeekToLast() override { failed_ = true; }
  void Seek(Slice target) override {
    failed_ = false;
    history_->Seek(ExtractUserKey(target));
    for (BuildKey(); Valid() && order_.Compare(key_, target) < 0;) Next();
  }
  void Next() override {
    history_->Next();
    BuildKey();
  }
  void Prev() override { failed_ = true; }
  absl::string_view key() const override { return key_; }
  absl::string_view value() const override { return history_->entry().value; }
  absl::Status status() const override {
    return failed_ ? absl::UnimplementedError("a history goes forward only") : history_->status();
  }

 private:
  void BuildKey() {
    if (!history_->Valid()) return;
    const HistoryIterator::Entry& entry = history_->entry();
    key_ = MakeInternalKey(entry.key, entry.sequence, entry.type);
  }

  const std::unique_ptr<HistoryIterator> history_;
  const Comparator& order_;
  std::string key_;
  bool failed_ = false;
};

}  // namespace sstable

#endif  // SSTABLE_C_HISTORY_ENTRIES_H_
