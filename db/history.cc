#include "db/history.h"

#include <utility>

#include "sstable/internal_key.h"
#include "sstable/iterator.h"
#include "sstable/slice.h"
#include "table/merging_iterator.h"
#include "util/bytes.h"

namespace sstable {
namespace {

std::vector<std::unique_ptr<Iterator>> AsIterators(
    std::vector<std::unique_ptr<EntryWalk>> sources) {
  std::vector<std::unique_ptr<Iterator>> iterators;
  for (auto& source : sources) iterators.push_back(std::move(source));
  return iterators;
}

class MergedHistory final : public HistoryIterator {
 public:
  MergedHistory(std::vector<std::unique_ptr<EntryWalk>> sources, const Comparator* user_comparator)
      : comparator_(*user_comparator), is_bytewise_(user_comparator == BytewiseComparator()) {
    for (const auto& source : sources) sources_.push_back(source.get());
    merged_ = std::make_unique<MergingIterator>(user_comparator, KeyKind::kInternal,
                                                AsIterators(std::move(sources)));
  }

  bool Valid() const override { return merged_->Valid(); }
  void SeekToFirst() override {
    merged_->SeekToFirst();
    Show(/*is_new_key=*/true);
  }
  void Seek(Slice user_key) override {
    merged_->Seek(MakeInternalKey(user_key, kMaxSequence, ValueType::kValue));
    Show(/*is_new_key=*/true);
  }
  void Next() override {
    last_key_.Assign(entry_.key);
    merged_->Next();
    Show(/*is_new_key=*/merged_->Valid() && !IsLastKey(ExtractUserKey(merged_->key())));
  }
  const Entry& entry() const override { return entry_; }
  absl::Status status() const override { return merged_->status(); }

 private:
  bool IsLastKey(absl::string_view user_key) const {
    return is_bytewise_ ? AreEqualKeys(user_key, last_key_.view())
                        : comparator_.Compare(user_key, last_key_.view()) == 0;
  }
  void Show(bool is_new_key) {
    if (!merged_->Valid()) return;
    const auto key = ParseInternalKey(merged_->key());  // sources have only internal keys
    const EntryWalk::Place place = sources_[merged_->child_index()]->place();
    entry_ = {key->user_key,
              merged_->value(),
              key->sequence,
              key->type,
              is_new_key && key->type == ValueType::kValue,
              place.file,
              place.offset};
  }

  const Comparator& comparator_;
  const bool is_bytewise_;
  std::vector<const EntryWalk*> sources_;
  std::unique_ptr<MergingIterator> merged_;  // owns the sources
  KeyBuffer last_key_;
  Entry entry_;
};

class FailedHistory final : public HistoryIterator {
 public:
  explicit FailedHistory(absl::Status status) : status_(std::move(status)) {}
  bool Valid() const override { return false; }
  void SeekToFirst() override {}
  void Seek(Slice) override {}
  void Next() override {}
  const Entry& entry() const override { return entry_; }
  absl::Status status() const override { return status_; }

 private:
  const absl::Status status_;
  const Entry entry_;
};

}  // namespace

std::unique_ptr<HistoryIterator> NewHistory(std::vector<std::unique_ptr<EntryWalk>> sources,
                                            const Comparator* user_comparator) {
  return std::make_unique<MergedHistory>(std::move(sources), user_comparator);
}

std::unique_ptr<HistoryIterator> NewFailedHistory(absl::Status status) {
  return std::make_unique<FailedHistory>(std::move(status));
}

}  // namespace sstable
