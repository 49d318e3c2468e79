// What a snapshot sees of internal keys: of each user key the newest version, unless it is deleted.
#ifndef SSTABLE_EXAMPLES_TOY_LSM_DB_ITERATOR_H_
#define SSTABLE_EXAMPLES_TOY_LSM_DB_ITERATOR_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "table/iterator.h"
#include "table/merging_iterator.h"

namespace toy_lsm {

class DbIterator final : public sstable::Iterator {
 public:
  // `entries` are of internal keys; `source` is what must live as long as they do.
  DbIterator(std::unique_ptr<sstable::MergingIterator> entries, uint64_t snapshot,
             std::shared_ptr<const void> source)
      : source_(std::move(source)), entries_(std::move(entries)), snapshot_(snapshot) {}

  bool Valid() const override { return is_valid_; }
  void SeekToFirst() override;
  void SeekToLast() override;
  void Seek(absl::string_view target) override;
  void Next() override;
  void Prev() override;
  absl::string_view key() const override;
  absl::string_view value() const override { return is_behind_ ? value_ : entries_->value(); }
  absl::Status status() const override { return entries_->status(); }

 private:
  void FindForward(bool is_past_key);
  void FindBackward();

  const std::shared_ptr<const void> source_;
  const std::unique_ptr<sstable::MergingIterator> entries_;
  const uint64_t snapshot_;
  bool is_valid_ = false;
  // Forward, entries_ is on the entry that is shown. Backward it has gone to the one before all
  // versions of its key, since the newest is met last; then key_ and value_ are what is shown.
  bool is_behind_ = false;
  std::string key_, value_;
};

}  // namespace toy_lsm

#endif  // SSTABLE_EXAMPLES_TOY_LSM_DB_ITERATOR_H_
