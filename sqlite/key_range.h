// The keys that the terms of a query select.
#ifndef SSTABLE_SQLITE_KEY_RANGE_H_
#define SSTABLE_SQLITE_KEY_RANGE_H_

#include <sqlite3ext.h>

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace sstable {

constexpr int kIn =
    -1;  // an operator beside SQLITE_INDEX_CONSTRAINT_*: all values of an IN at once

// All keys of a range in bytewise order, or some in any order. It may be wider than the terms,
// which SQLite checks again.
struct KeyRange {
  bool is_empty = false;
  std::vector<std::string> keys;     // if there are any, only these
  std::string lower;                 // first key
  std::optional<std::string> upper;  // first key beyond the range

  // Narrows the range by a term on the key as a BLOB, or as TEXT that SQLite may compare as a
  // number.
  void Add(bool is_text, bool may_be_numeric, int op, sqlite3_value* value);

 private:
  void AddList(bool is_text, sqlite3_value* list);
  void AddBound(bool may_be_numeric, int op, absl::string_view key);
  void RaiseLower(const std::string& bound);
  void LowerUpper(const std::string& bound);
};

}  // namespace sstable

#endif  // SSTABLE_SQLITE_KEY_RANGE_H_
