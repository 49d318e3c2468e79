// What a snapshot sees of internal keys: of each user key the newest version, unless it is deleted.
#ifndef SSTABLE_EXAMPLES_TOY_LSM_DB_ITERATOR_H_
#define SSTABLE_EXAMPLES_TOY_LSM_DB_ITERATOR_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "sstable/internal_key.h"
#include "sstable/iterator.h"
#include "sstable/merging_iterator.h"
#include "util/status_util.h"

namespace toy_lsm {

class DbIterator final : public sstable::Iterator {
 public:
  // `entries` are of internal keys; `source` is what must live as long as they do.
  DbIterator(std::unique_ptr<sstable::MergingIterator> entries, uint64_t snapshot,
             std::shared_ptr<const void> source)
      : source_(std::move(source)), entries_(std::move(entries)), snapshot_(snapshot) {}

  bool Valid() const override { return is_valid_; }
  void SeekToFirst() override {
    Move([this] {
      entries_->SeekToFirst();
      FindForward(/*is_past_key=*/false);
    });
  }
  void SeekToLast() override {
    Move([this] {
      entries_->SeekToLast();
      FindBackward();
    });
  }
  void Seek(absl::string_view target) override {
    Move([&] {
      entries_->Seek(sstable::MakeInternalKey(target, snapshot_, sstable::ValueType::kValue));
      FindForward(/*is_past_key=*/false);
    });
  }
  void Next() override {
    Move([this] {
      if (!is_behind_) TakeKey();
      entries_->Valid() ? entries_->Next() : entries_->SeekToFirst();  // not Valid(): it was first
      FindForward(/*is_past_key=*/true);
    });
  }
  void Prev() override {
    Move([this] {
      if (!is_behind_) {
        TakeKey();
        while (entries_->Valid() && UserKey() == key_) entries_->Prev();
      }
      FindBackward();
    });
  }
  absl::string_view key() const override { return is_behind_ ? key_ : UserKey(); }
  absl::string_view value() const override { return is_behind_ ? value_ : entries_->value(); }
  absl::Status status() const override { return thrown_.ok() ? entries_->status() : thrown_; }

 private:
  // Does a step. If it ends by an exception, the iterator is on no entry and has that status.
  template <typename Step>
  void Move(Step step) {
    thrown_ = absl::OkStatus();
    try {
      step();
    } catch (...) {
      is_valid_ = false;
      thrown_ = sstable::StatusOfException();
      throw;
    }
  }

  // Of the entry that entries_ is on.
  absl::string_view UserKey() const { return sstable::ExtractUserKey(entries_->key()); }
  bool IsVisible() const { return sstable::ExtractTag(entries_->key()) >> 8 <= snapshot_; }
  bool IsValue() const { return sstable::ExtractTag(entries_->key()) % 256 != 0; }
  void TakeKey() { key_.assign(UserKey().data(), UserKey().size()); }

  // To the first entry from here on that the snapshot sees and no deletion hides. The versions of
  // key_ are left out if `is_past_key`.
  void FindForward(bool is_past_key) {
    is_behind_ = false;
    for (; entries_->Valid(); entries_->Next()) {
      if (!IsVisible() || (is_past_key && UserKey() == key_)) continue;
      if (IsValue()) break;
      TakeKey();
      is_past_key = true;
    }
    is_valid_ = entries_->Valid();
  }

  // Takes up the newest visible version of the key that entries_ is on, from the oldest one on; if
  // it is a deletion, that of the key before, and so on.
  void FindBackward() {
    is_behind_ = true;
    bool is_found = false;
    for (; entries_->Valid(); entries_->Prev()) {
      if (is_found && UserKey() != key_) break;
      if (!IsVisible()) continue;
      is_found = IsValue();
      if (!is_found) continue;
      TakeKey();
      value_.assign(entries_->value().data(), entries_->value().size());
    }
    is_valid_ = is_found && entries_->status().ok();
  }

  const std::shared_ptr<const void> source_;
  const std::unique_ptr<sstable::MergingIterator> entries_;
  const uint64_t snapshot_;
  bool is_valid_ = false;
  // Forward, entries_ is on the entry that is shown. Backward it has gone to the one before all
  // versions of its key, since the newest is met last; then key_ and value_ are what is shown.
  bool is_behind_ = false;
  std::string key_, value_;
  absl::Status thrown_;
};

}  // namespace toy_lsm

#endif  // SSTABLE_EXAMPLES_TOY_LSM_DB_ITERATOR_H_
