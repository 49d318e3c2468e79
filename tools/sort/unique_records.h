// Keeps one of the records with the same key; errors for records that can't follow one another.
#ifndef SSTABLE_TOOLS_SORT_UNIQUE_RECORDS_H_
#define SSTABLE_TOOLS_SORT_UNIQUE_RECORDS_H_

#include <functional>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "sstable/iterator.h"
#include "table/block/key_order.h"
#include "tools/records/record_reader.h"

namespace sstable::tools {

// The treatment of records with equal keys.
enum class Duplicates { kRefuse, kKeepFirst, kKeepLast };

// Returns the name of a place, for messages.
using NameOfPlace = std::function<std::string(const LinePlace&)>;

// Visits the first record of each key of an iterator. Borrows everything but the iterator.
class UniqueRecords {
 public:
  // The values of `sorted` are stored values (tools/sort/stored_value.h). With `refuse`, a second
  // record of a key is an error.
  UniqueRecords(std::unique_ptr<Iterator> sorted, const KeyOrder* order, bool refuse,
                const NameOfPlace* name_of);

  // Moves to the next record; returns false after the last one. Errors: the iterator's;
  // InvalidArgument, naming both places, for a duplicate key if that is refused.
  absl::StatusOr<bool> Next();
  absl::string_view key() const { return sorted_->key(); }
  absl::string_view stored_value() const { return sorted_->value(); }

 private:
  absl::Status DuplicateError() const;

  std::unique_ptr<Iterator> sorted_;
  const KeyOrder& order_;
  const bool refuse_;
  const NameOfPlace& name_of_;
  bool started_ = false;
  std::string last_key_;
  LinePlace last_place_;
};

// Errors for a record that can't follow another one in a table, with the places of both, given as
// in messages: "data.tsv:12".
absl::Status DuplicateKeyError(const KeyOrder& order, absl::string_view key,
                               absl::string_view place, absl::string_view first_place);

// For records that `sst build` was not asked to sort.
absl::Status KeyOrderError(const KeyOrder& order, absl::string_view key, absl::string_view place,
                           absl::string_view last_key, absl::string_view last_place);

}  // namespace sstable::tools

#endif  // SSTABLE_TOOLS_SORT_UNIQUE_RECORDS_H_
