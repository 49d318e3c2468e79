#include "examples/toy_lsm/db_iterator.h"

#include "util/internal_key.h"

namespace toy_lsm {

void DbIterator::SeekToFirst() {
  entries_->SeekToFirst();
  FindForward(/*is_past_key=*/false);
}

void DbIterator::SeekToLast() {
  entries_->SeekToLast();
  FindBackward();
}

void DbIterator::Seek(absl::string_view target) {
  entries_->Seek(sstable::MakeInternalKey(target, snapshot_, sstable::ValueType::kValue));
  FindForward(/*is_past_key=*/false);
}

void DbIterator::Next() {
  if (!is_behind_) {
    key_.assign(key().data(), key().size());
    entries_->Next();
  } else if (entries_->Valid()) {
    entries_->Next();
  } else {
    entries_->SeekToFirst();
  }
  FindForward(/*is_past_key=*/true);
}

void DbIterator::Prev() {
  if (!is_behind_) {
    key_.assign(key().data(), key().size());
    while (entries_->Valid() && sstable::ExtractUserKey(entries_->key()) == key_) entries_->Prev();
  }
  FindBackward();
}

absl::string_view DbIterator::key() const {
  return is_behind_ ? absl::string_view(key_) : sstable::ExtractUserKey(entries_->key());
}

// To the first entry from here on that the snapshot sees and no deletion hides. The versions of
// key_ are left out if `is_past_key`.
void DbIterator::FindForward(bool is_past_key) {
  is_behind_ = false;
  for (; entries_->Valid(); entries_->Next()) {
    const absl::string_view internal_key = entries_->key();
    const absl::string_view user_key = sstable::ExtractUserKey(internal_key);
    const uint64_t tag = sstable::ExtractTag(internal_key);
    if (tag >> 8 > snapshot_ || (is_past_key && user_key == key_)) continue;
    if (tag % 256 == static_cast<uint64_t>(sstable::ValueType::kValue)) break;
    key_.assign(user_key.data(), user_key.size());
    is_past_key = true;
  }
  is_valid_ = entries_->Valid();
}

// Takes up the newest visible version of the key that entries_ is on, from the oldest one on; if it
// is a deletion, that of the key before, and so on.
void DbIterator::FindBackward() {
  is_behind_ = true;
  bool is_found = false;
  for (; entries_->Valid(); entries_->Prev()) {
    const absl::string_view internal_key = entries_->key();
    const absl::string_view user_key = sstable::ExtractUserKey(internal_key);
    const uint64_t tag = sstable::ExtractTag(internal_key);
    if (is_found && user_key != key_) break;
    if (tag >> 8 > snapshot_) continue;
    is_found = tag % 256 == static_cast<uint64_t>(sstable::ValueType::kValue);
    if (!is_found) continue;
    const absl::string_view value = entries_->value();
    key_.assign(user_key.data(), user_key.size());
    value_.assign(value.data(), value.size());
  }
  is_valid_ = is_found && entries_->status().ok();
}

}  // namespace toy_lsm
