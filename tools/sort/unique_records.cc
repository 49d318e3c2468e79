#include "tools/sort/unique_records.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "sstable/comparator.h"
#include "table/block/show_key.h"
#include "tools/sort/stored_value.h"
#include "util/status_util.h"

namespace sstable::tools {

UniqueRecords::UniqueRecords(std::unique_ptr<Iterator> sorted, const KeyOrder* order, bool refuse,
                             const NameOfPlace* name_of)
    : sorted_(std::move(sorted)), order_(*order), refuse_(refuse), name_of_(*name_of) {}

absl::StatusOr<bool> UniqueRecords::Next() {
  if (!started_) {
    started_ = true;
    sorted_->SeekToFirst();
  } else {
    last_key_.assign(key().data(), key().size());
    last_place_ = DecodeStored(key(), stored_value()).place;
    for (sorted_->Next(); sorted_->Valid() && order_.Compare(key(), last_key_) == 0;
         sorted_->Next()) {
      if (refuse_) return DuplicateError();
    }
  }
  if (sorted_->Valid()) return true;
  RETURN_IF_ERROR(sorted_->status());
  return false;
}

absl::Status UniqueRecords::DuplicateError() const {
  return DuplicateKeyError(order_, key(), name_of_(DecodeStored(key(), stored_value()).place),
                           name_of_(last_place_));
}

absl::Status DuplicateKeyError(const KeyOrder& order, absl::string_view key,
                               absl::string_view place, absl::string_view first_place) {
  return absl::InvalidArgumentError(
      absl::StrCat(place, ": key ", ShowKey(order, key), " was already given, at ", first_place));
}

absl::Status KeyOrderError(const KeyOrder& order, absl::string_view key, absl::string_view place,
                           absl::string_view last_key, absl::string_view last_place) {
  return absl::InvalidArgumentError(absl::StrCat(
      place, ": key ", ShowKey(order, key, last_key), " comes before ",
      ShowKey(order, last_key, key), " of ", last_place, " by ", order.user_comparator().Name(),
      "; --sort sorts the records; --comparator as-is keeps their order, for a table in another "
      "order"));
}

}  // namespace sstable::tools
