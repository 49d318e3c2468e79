#include <string>
#include <type_traits>
#include <utility>

#include "absl/base/attributes.h"
#include "absl/base/optimization.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "sstable/iterator.h"
#include "sstable/slice.h"
#include "sstable/table_iterator.h"
#include "table/block_run.h"
#include "table/merging_iterator.h"
#include "util/bytes.h"
#include "util/escape.h"
#include "util/status_util.h"

namespace sstable {
namespace {

// `Entries` is Iterator, or a class whose steps the compiler can inline.
template <typename Entries>
class SnapshotIterator final : public Iterator, public RunSource {
 public:
  SnapshotIterator(std::unique_ptr<Entries> entries, const Comparator* user_comparator,
                   uint64_t snapshot, std::shared_ptr<const void> source)
      : source_(std::move(source)),
        entries_(std::move(entries)),
        comparator_(*user_comparator),
        is_bytewise_(user_comparator == BytewiseComparator()),
        snapshot_(snapshot) {}

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
  void Seek(Slice target) override {
    Move([&] {
      entries_->Seek(MakeInternalKey(target, snapshot_, ValueType::kValue));
      FindForward(/*is_past_key=*/false);
    });
  }
  void Next() override {
    Move([this] {
      if (!is_before_) TakeKey();
      // If entries_ is not Valid(), it is before the first entry.
      entries_->Valid() ? entries_->Next() : entries_->SeekToFirst();
      FindForward(/*is_past_key=*/true);
    });
  }
  void Prev() override {
    Move([this] {
      if (!is_before_) {
        TakeKey();
        while (entries_->Valid() && IsSameKey()) entries_->Prev();
      }
      FindBackward();
    });
  }
  absl::string_view key() const override { return is_before_ ? key_.view() : UserKey(); }
  absl::string_view value() const override { return is_before_ ? value_ : entries_->value(); }
  absl::Status status() const override { return error_.ok() ? entries_->status() : error_; }

  TableIterator* BeginRun(uint64_t* snapshot) override {
    *snapshot = snapshot_;
    if (!is_valid_ || is_before_ || !is_bytewise_) return nullptr;
    if constexpr (std::is_same_v<Entries, TableIterator>) return entries_.get();
    if constexpr (std::is_same_v<Entries, MergingIterator>) return entries_->only_table();
    return nullptr;
  }
  void EndRun() override {
    if constexpr (std::is_same_v<Entries, MergingIterator>) entries_->NoteMove();
  }

 private:
  // Runs a step. If it throws, the iterator becomes invalid, with that exception's status.
  template <typename Step>
  void Move(Step step) {
    error_ = absl::OkStatus();
    try {
      step();
    } catch (...) {
      is_valid_ = false;
      error_ = StatusOfException();
      throw;
    }
    if (!error_.ok()) is_valid_ = false;
  }

  // The user key of the entry that entries_ is on.
  absl::string_view UserKey() const { return ExtractUserKey(entries_->key()); }
  bool IsSameKey() const {
    return is_bytewise_ ? AreEqualKeys(UserKey(), key_.view())
                        : comparator_.Compare(UserKey(), key_.view()) == 0;
  }
  bool IsVisible() const { return ExtractTag(entries_->key()) >> 8 <= snapshot_; }
  bool IsValue() const { return ExtractTag(entries_->key()) % 256 != 0; }
  void TakeKey() { key_.Assign(UserKey()); }

  // Returns true if entries_ is on an internal key; sets error_ if it is on any other key.
  bool HasEntry() {
    if (!entries_->Valid()) return false;
    if (ABSL_PREDICT_TRUE(ParseInternalKey(entries_->key()).has_value())) return true;
    error_ = NotAnInternalKey(entries_->key());
    return false;
  }
  ABSL_ATTRIBUTE_NOINLINE static absl::Status NotAnInternalKey(absl::string_view key) {
    return absl::DataLossError(absl::StrCat("key ", ShowBytes(key), " is not an internal key"));
  }

  // Moves forward to the first entry that is visible in the snapshot and not deleted. Skips the
  // versions of key_ if `is_past_key`.
  void FindForward(bool is_past_key) {
    is_before_ = false;
    for (; HasEntry(); entries_->Next()) {
      if (!IsVisible() || (is_past_key && IsSameKey())) continue;
      if (IsValue()) break;
      TakeKey();
      is_past_key = true;
    }
    is_valid_ = entries_->Valid();
  }

  // Moving backward, passes the versions of a key, the oldest first, and takes the newest visible
  // one. If that is a deletion, continues with the previous key.
  void FindBackward() {
    is_before_ = true;
    bool is_found = false;
    for (; HasEntry(); entries_->Prev()) {
      if (is_found && !IsSameKey()) break;
      if (!IsVisible()) continue;
      is_found = IsValue();
      if (!is_found) continue;
      TakeKey();
      value_.assign(entries_->value().data(), entries_->value().size());
    }
    is_valid_ = is_found && entries_->status().ok();
  }

  const std::shared_ptr<const void> source_;
  const std::unique_ptr<Entries> entries_;
  const Comparator& comparator_;
  const bool is_bytewise_;
  const uint64_t snapshot_;
  bool is_valid_ = false;
  // Moving forward, entries_ is on the current entry. Moving backward, it is before all versions of
  // its key, since the newest comes last; key_ and value_ then hold the current entry.
  bool is_before_ = false;
  KeyBuffer key_;
  std::string value_;
  absl::Status error_;
};

}  // namespace

std::unique_ptr<Iterator> NewSnapshotIterator(std::unique_ptr<Iterator> entries,
                                              const Comparator* user_comparator, uint64_t snapshot,
                                              std::shared_ptr<const void> source) {
  const auto over = [&](auto* known) -> std::unique_ptr<Iterator> {
    using Entries = std::remove_pointer_t<decltype(known)>;
    entries.release();
    return std::make_unique<SnapshotIterator<Entries>>(
        std::unique_ptr<Entries>(known), user_comparator, snapshot, std::move(source));
  };
  if (auto* const table = dynamic_cast<TableIterator*>(entries.get())) return over(table);
  if (auto* const merged = dynamic_cast<MergingIterator*>(entries.get())) return over(merged);
  return over(entries.get());
}

}  // namespace sstable
