// The keys that the terms of a query select.
#ifndef SSTABLE_SQLITE_KEY_RANGE_H_
#define SSTABLE_SQLITE_KEY_RANGE_H_

#include <sqlite3ext.h>

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace sstable {

// An operator besides SQLITE_INDEX_CONSTRAINT_*: an IN, with all its values at once.
constexpr int kIn = -1;

// Either a range of keys in bytewise order, or a list of keys in any order. May include more keys
// than the query's terms select, since SQLite checks the terms again.
struct KeyRange {
  bool is_empty = false;
  std::vector<std::string> keys;     // if not empty, only these keys
  std::string lower;                 // first key
  std::optional<std::string> upper;  // the range ends before this key

  // Narrows the range by a term. The key is compared as TEXT if `is_text`, else as a BLOB; if
  // `may_be_numeric`, SQLite may compare the TEXT as a number.
  void Add(bool is_text, bool may_be_numeric, int op, sqlite3_value* value);

 private:
  void AddList(bool is_text, sqlite3_value* list);
  void AddBound(bool may_be_numeric, int op, absl::string_view key);
  void RaiseLower(const std::string& bound);
  void LowerUpper(const std::string& bound);
};

}  // namespace sstable

#endif  // SSTABLE_SQLITE_KEY_RANGE_H_
