#include "sqlite/key_range.h"

#include <algorithm>
#include <cstddef>
#include <new>
#include <utility>

#include "absl/strings/str_cat.h"

SQLITE_EXTENSION_INIT3

namespace sstable {
namespace {

absl::string_view Bytes(sqlite3_value* value) {
  const void* const bytes = sqlite3_value_blob(value);  // null if there are none
  return {static_cast<const char*>(bytes), static_cast<size_t>(sqlite3_value_bytes(value))};
}

}  // namespace

void KeyRange::Add(bool is_text, bool may_be_numeric, int op, sqlite3_value* value) {
  if (op == kIn) return AddList(is_text, value);
  const int type = sqlite3_value_type(value);
  if (type == SQLITE_NULL) {
    is_empty = true;
  } else if (type == (is_text ? SQLITE_TEXT : SQLITE_BLOB)) {
    AddBound(is_text && may_be_numeric, op, Bytes(value));
  } else if (op == SQLITE_INDEX_CONSTRAINT_EQ && (!is_text || type == SQLITE_BLOB)) {
    is_empty = true;  // a BLOB equals nothing else; TEXT may equal a number
  }
}

void KeyRange::AddList(bool is_text, sqlite3_value* list) {
  std::vector<std::string> wanted;
  sqlite3_value* value = nullptr;
  int code = sqlite3_vtab_in_first(list, &value);
  for (; code == SQLITE_OK; code = sqlite3_vtab_in_next(list, &value)) {
    KeyRange one;
    one.Add(is_text, false, SQLITE_INDEX_CONSTRAINT_EQ, value);
    if (one.is_empty) continue;
    if (one.keys.empty()) return;  // a number: any key may equal it
    wanted.push_back(std::move(one.keys.front()));
  }
  if (code != SQLITE_DONE) throw std::bad_alloc();
  is_empty |= wanted.empty();
  if (keys.empty()) keys = std::move(wanted);
}

// SQLite sorts numbers below TEXT, so TEXT that it interprets as a number is below all other TEXT.
// Such TEXT begins with a byte below ':'.
void KeyRange::AddBound(bool may_be_numeric, int op, absl::string_view key) {
  const absl::string_view nul("\0", 1);  // key + nul is the next key
  const std::string least = may_be_numeric ? ":" : "";
  switch (op) {
    case SQLITE_INDEX_CONSTRAINT_GT:
      return RaiseLower(absl::StrCat(key, nul));
    case SQLITE_INDEX_CONSTRAINT_GE:
      return RaiseLower(std::string(key));
    case SQLITE_INDEX_CONSTRAINT_LT:
      return LowerUpper(std::max(std::string(key), least));
    case SQLITE_INDEX_CONSTRAINT_LE:
      return LowerUpper(std::max(absl::StrCat(key, nul), least));
    default:
      keys = {std::string(key)};
  }
}

void KeyRange::RaiseLower(const std::string& bound) { lower = std::max(lower, bound); }

void KeyRange::LowerUpper(const std::string& bound) {
  upper = upper.has_value() ? std::min(*upper, bound) : bound;
}

}  // namespace sstable
