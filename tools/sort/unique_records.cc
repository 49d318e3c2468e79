#include "tools/sort/unique_records.h"

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "tools/sort/order_error.h"
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

}  // namespace sstable::tools
