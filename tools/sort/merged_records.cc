#include "tools/sort/merged_records.h"

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "sstable/iterator.h"
#include "sstable/slice.h"
#include "table/merging_iterator.h"
#include "tools/sort/stored_value.h"
#include "util/status_util.h"

namespace sstable::tools {

// The records of one input as an iterator over stored values, with one record per key. Moves
// forward only. To know the last record of a key, it reads one record ahead.
class MergedRecords::Input final : public Iterator {
 public:
  Input(RecordSource* source, uint32_t number, const KeyOrder* order, Duplicates duplicates,
        const NameOfPlace* name_of)
      : source_(*source),
        number_(number),
        order_(*order),
        duplicates_(duplicates),
        name_of_(*name_of) {}

  bool Valid() const override { return valid_; }
  void SeekToFirst() override {
    status_ = ReadAhead();
    Next();
  }
  void Next() override {
    if (status_.ok()) status_ = TakeAhead();
    valid_ = has_record_ && status_.ok();
  }
  absl::string_view key() const override { return key_; }
  absl::string_view value() const override { return stored_value_; }
  absl::Status status() const override { return status_; }

  // A forward merge does not use these.
  void SeekToLast() override { assert(false); }
  void Seek(Slice) override { assert(false); }
  void Prev() override { assert(false); }

 private:
  absl::Status ReadAhead() {
    ASSIGN_OR_RETURN(has_ahead_, source_.Next(&ahead_));
    ahead_.place.input = number_;
    return absl::OkStatus();
  }

  // Makes the record ahead the current one, and reads the other records of its key.
  absl::Status TakeAhead() {
    has_record_ = has_ahead_;
    if (has_ahead_) CopyAhead();
    while (has_ahead_) {
      RETURN_IF_ERROR(ReadAhead());
      if (!has_ahead_) break;
      const int order = order_.Compare(key_, ahead_.key);
      if (order < 0) break;
      if (order > 0 || duplicates_ == Duplicates::kRefuse) return ErrorAhead(order);
      if (duplicates_ == Duplicates::kKeepLast) CopyAhead();
    }
    return absl::OkStatus();
  }

  void CopyAhead() {
    key_.assign(ahead_.key.data(), ahead_.key.size());
    stored_value_.resize(kPlaceSize);
    EncodePlace(ahead_.place, stored_value_.data());
    stored_value_.append(ahead_.value.data(), ahead_.value.size());
  }

  absl::Status ErrorAhead(int order) const {
    const std::string place = name_of_(ahead_.place);
    const std::string last_place = name_of_(DecodeStored(key_, stored_value_).place);
    return order == 0 ? DuplicateKeyError(order_, ahead_.key, place, last_place)
                      : KeyOrderError(order_, ahead_.key, place, key_, last_place);
  }

  RecordSource& source_;
  const uint32_t number_;
  const KeyOrder& order_;
  const Duplicates duplicates_;
  const NameOfPlace& name_of_;

  bool valid_ = false;
  bool has_record_ = false;
  std::string key_;
  std::string stored_value_;
  bool has_ahead_ = false;
  Record ahead_;
  absl::Status status_;
};

// UniqueRecords keeps the first of equal keys, so with kKeepLast the last one given has to come
// first.
MergedRecords::MergedRecords(const std::vector<RecordSource*>& inputs, const KeyOrder* order,
                             Duplicates duplicates, NameOfPlace name_of)
    : name_of_(std::move(name_of)) {
  std::vector<std::unique_ptr<Iterator>> children;
  for (RecordSource* input : inputs) {
    children.push_back(std::make_unique<Input>(input, static_cast<uint32_t>(children.size()), order,
                                               duplicates, &name_of_));
  }
  if (duplicates == Duplicates::kKeepLast) std::reverse(children.begin(), children.end());
  records_.emplace(std::make_unique<MergingIterator>(&order->user_comparator(), order->kind(),
                                                     std::move(children)),
                   order, duplicates == Duplicates::kRefuse, &name_of_);
}

absl::StatusOr<bool> MergedRecords::Next(Record* record) {
  ASSIGN_OR_RETURN(const bool has_record, records_->Next());
  if (has_record) *record = DecodeStored(records_->key(), records_->stored_value());
  return has_record;
}

}  // namespace sstable::tools
