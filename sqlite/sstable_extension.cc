// An extension of SQLite with two virtual tables, which are only read (docs/sql.md):
//
//   CREATE VIRTUAL TABLE t USING sstable('PATH');          the live entries of a folder or table
//   CREATE VIRTUAL TABLE t USING sstable_entries('PATH');  every version of every key
//
// The order of keys is known when a table is made, so a plan can rely on it; this is why PATH is no
// argument of a table-valued function. A statement sees the path as it is when the statement
// begins, or when the first of those that still run on the virtual table began. Rows are WITHOUT
// ROWID, since no number could identify them to SQLite, which combines the terms of an OR by rowid
// or primary key.
//
// A key is always a BLOB, since SQLite compares these bytewise. A BLOB equals no TEXT, and SQLite
// may be built so that LIKE and GLOB match no BLOB, so there is a column key_text beside it. SQLite
// checks every term again; a range may be wider than the term.
#include <sqlite3ext.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "sqlite/row_source.h"
#include "sstable/comparator.h"
#include "sstable/database_view.h"
#include "sstable/internal_key.h"
#include "util/escape.h"
#include "util/status_util.h"

SQLITE_EXTENSION_INIT1

namespace sstable {
namespace {

enum { kKey, kValue, kSequence, kType, kLive, kFile, kOffset, kKeyText, kJsonKey, kJsonValue };

constexpr int kIn = -1;  // an operator: all values of an IN at once

// Terms on key or key_text that narrow the range to read. A plan is the columns' names with these
// texts, joined by kAnd. SQLite itself adds bounds to a GLOB.
struct Term {
  int op;
  const char* text;
};
constexpr Term kTerms[] = {
    {SQLITE_INDEX_CONSTRAINT_EQ, "=?"}, {kIn, " IN ?"},
    {SQLITE_INDEX_CONSTRAINT_GT, ">?"}, {SQLITE_INDEX_CONSTRAINT_GE, ">=?"},
    {SQLITE_INDEX_CONSTRAINT_LT, "<?"}, {SQLITE_INDEX_CONSTRAINT_LE, "<=?"},
};
constexpr char kAnd[] = " AND ";
constexpr char kKeyName[] = "key";
constexpr char kKeyTextName[] = "key_text";

// Bits of idxNum.
constexpr int kNeedsEntry = 1;    // not only key and value
constexpr int kMayBeNumeric = 2;  // key_text may be compared as a number

struct Table : sqlite3_vtab {
  std::string path;
  bool has_history = false;           // sstable_entries
  bool is_utf8 = false;               // the encoding in which SQLite compares text
  const Comparator* order = nullptr;  // null: not known
  bool has_sequences = false;
  std::weak_ptr<RowSource> source;  // that of the statements being run

  bool is_bytewise() const { return order == BytewiseComparator(); }

  // Whether a search can find what a term selects.
  bool CanUse(sqlite3_index_info* info, int i) const {
    const auto& term = info->aConstraint[i];
    if (!term.usable || order == nullptr ||
        (term.op != SQLITE_INDEX_CONSTRAINT_EQ && !is_bytewise()))
      return false;
    return term.iColumn == kKey || (term.iColumn == kKeyText && is_utf8 &&
                                    absl::string_view(sqlite3_vtab_collation(info, i)) == "BINARY");
  }
};

absl::string_view Bytes(sqlite3_value* value) {
  const void* const bytes = sqlite3_value_blob(value);  // null if there are none
  return {static_cast<const char*>(bytes), static_cast<size_t>(sqlite3_value_bytes(value))};
}

// The keys that terms select: all of a range in bytewise order, or some in any order.
struct KeyRange {
  bool is_empty = false;
  std::vector<std::string> keys;     // if there are any, only these
  std::string lower;                 // first key
  std::optional<std::string> upper;  // first key beyond the range

  void Add(bool is_text, bool may_be_numeric, int op, sqlite3_value* value) {
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

 private:
  void AddList(bool is_text, sqlite3_value* list) {
    std::vector<std::string> wanted;
    sqlite3_value* value = nullptr;
    int code = sqlite3_vtab_in_first(list, &value);
    for (; code == SQLITE_OK; code = sqlite3_vtab_in_next(list, &value)) {
      KeyRange one;
      one.Add(is_text, false, SQLITE_INDEX_CONSTRAINT_EQ, value);
      if (one.is_empty) continue;
      if (one.keys.empty()) return;  // any key may equal a number
      wanted.push_back(std::move(one.keys.front()));
    }
    if (code != SQLITE_DONE) throw std::bad_alloc();
    is_empty |= wanted.empty();
    if (keys.empty()) keys = std::move(wanted);
  }
  // A number is below every TEXT, so text that looks like one is, too. It begins below ':'.
  void AddBound(bool may_be_numeric, int op, absl::string_view key) {
    const absl::string_view nul("\0", 1);  // appended, gives the next key
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
  void RaiseLower(const std::string& bound) { lower = std::max(lower, bound); }
  void LowerUpper(const std::string& bound) {
    upper = upper.has_value() ? std::min(*upper, bound) : bound;
  }
};

int CodeOf(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kOk:
      return SQLITE_OK;
    case absl::StatusCode::kDataLoss:
      return SQLITE_CORRUPT_VTAB;
    case absl::StatusCode::kNotFound:
      return SQLITE_CANTOPEN;
    case absl::StatusCode::kAborted:
      return SQLITE_BUSY;
    default:
      return SQLITE_ERROR;
  }
}

// Calls `function`. Leaves its error, or that of an exception, to SQLite.
template <typename Function>
int Guard(char** message, Function function) {
  try {
    const absl::Status status = function();
    if (!status.ok()) {
      sqlite3_free(*message);
      *message = sqlite3_mprintf("%s", std::string(status.message()).c_str());
    }
    return CodeOf(status);
  } catch (const std::bad_alloc&) {
    return SQLITE_NOMEM;
  } catch (const std::exception&) {
    return SQLITE_INTERNAL;
  }
}

struct Cursor : sqlite3_vtab_cursor {
  const Table& table() const { return *static_cast<const Table*>(pVtab); }

  absl::Status Filter(bool needs_entry, KeyRange wanted) {
    rows = nullptr;
    is_found = false;
    range = std::move(wanted);
    next_key = 0;
    looks_up = !needs_entry && table().is_bytewise();
    damage = absl::OkStatus();
    damage_count = 0;
    if (range.is_empty) return absl::OkStatus();
    if (!range.keys.empty()) {
      SortKeys();
      return ToNextKey();
    }
    source->ReportDamage(nullptr, on_damage);
    rows = source->NewRows(on_damage);
    if (range.lower.empty()) {
      rows->SeekToFirst();
    } else {
      rows->Seek(range.lower);
    }
    return ToRow() ? absl::OkStatus() : ToNextKey();
  }

  absl::Status Next() {
    is_found = false;
    const bool has_more = rows != nullptr && (range.keys.empty() || table().has_history);
    if (has_more) {
      rows->Next();
      if (ToRow()) return absl::OkStatus();
    }
    return ToNextKey();
  }

  bool AtEnd() const { return rows == nullptr && !is_found; }
  const HistoryIterator::Entry& entry() const { return is_found ? found : rows->entry(); }

  std::shared_ptr<RowSource> source;

 private:
  void SortKeys() {
    const auto compare = [this](const std::string& a, const std::string& b) {
      return table().order->Compare(a, b);
    };
    auto& keys = range.keys;
    std::sort(keys.begin(), keys.end(), [&](auto& a, auto& b) { return compare(a, b) < 0; });
    keys.erase(
        std::unique(keys.begin(), keys.end(), [&](auto& a, auto& b) { return compare(a, b) == 0; }),
        keys.end());
  }

  // Goes on to the first row of the next key that has one. After the last, returns what is wrong.
  absl::Status ToNextKey() {
    while (next_key < range.keys.size()) {
      const std::string& key = range.keys[next_key++];
      source->ReportDamage(&key, on_damage);
      if (looks_up) {
        LookUp(key);
        if (is_found) return absl::OkStatus();
        continue;
      }
      const int known = damage_count;
      if (rows == nullptr) rows = source->NewRows(on_damage);
      rows->Seek(key);
      const bool has_row = ToRow();
      // After damage it may be at an older version.
      if (has_row && (table().has_history || damage_count == known)) return absl::OkStatus();
    }
    rows = nullptr;
    return damage;
  }

  // A lookup asks the filters of tables, and reads no more blocks than it has to.
  void LookUp(const std::string& key) {
    auto value = source->Get(key);
    if (!value.ok()) return on_damage(value.status());
    is_found = value->has_value();
    if (!is_found) return;
    found_value = *std::move(*value);
    found.key = key;
    found.value = found_value;
  }

  // Goes on to a row of the table. Returns false at the end of the range or key.
  bool ToRow() {
    for (; rows->Valid() && !IsBeyond(rows->entry().key); rows->Next()) {
      if (table().has_history || rows->entry().is_live) return true;
    }
    if (!rows->Valid() && !rows->status().ok()) on_damage(rows->status());
    return false;
  }
  bool IsBeyond(absl::string_view key) const {
    if (next_key > 0) return table().order->Compare(key, range.keys[next_key - 1]) != 0;
    return range.upper.has_value() && key >= *range.upper;
  }

  const RowSource::OnDamage on_damage = [this](const absl::Status& status) {
    sqlite3_log(CodeOf(status), "%s", std::string(status.message()).c_str());
    damage.Update(status);
    ++damage_count;
  };
  std::unique_ptr<HistoryIterator> rows;
  bool is_found = false;  // by LookUp()
  HistoryIterator::Entry found;
  std::string found_value;
  KeyRange range;
  size_t next_key = 0;  // in range.keys
  bool looks_up = false;
  absl::Status damage;  // the first
  int damage_count = 0;
};

// The text between the quotes.
std::string Unquote(absl::string_view text) {
  const char quote = text.empty() ? '\0' : text[0];
  if (text.size() < 2 || (quote != '\'' && quote != '"') || text.back() != quote) {
    return std::string(text);
  }
  const std::string twice(2, quote);
  return absl::StrJoin(absl::StrSplit(text.substr(1, text.size() - 2), twice),
                       absl::string_view(&quote, 1));
}

bool HasUtf8(sqlite3* db) {
  sqlite3_stmt* statement = nullptr;
  bool is_utf8 = false;
  if (sqlite3_prepare_v2(db, "PRAGMA encoding", -1, &statement, nullptr) == SQLITE_OK &&
      sqlite3_step(statement) == SQLITE_ROW) {
    const auto* const name = reinterpret_cast<const char*>(sqlite3_column_text(statement, 0));
    is_utf8 = name != nullptr && absl::string_view(name) == "UTF-8";
  }
  sqlite3_finalize(statement);
  return is_utf8;
}

std::string Schema(bool has_history, bool has_sequences) {
  const char* const hidden = has_history ? "" : " HIDDEN";
  const char* const primary_key = !has_history    ? "key"
                                  : has_sequences ? "key, sequence, type, file, offset"
                                                  : "key, file, offset";
  return absl::StrCat(
      "CREATE TABLE t(key BLOB, value BLOB, sequence INTEGER", hidden, ", type TEXT", hidden,
      ", live INTEGER", hidden, ", file TEXT", hidden, ", offset INTEGER", hidden,
      ", key_text TEXT HIDDEN, decoded_key TEXT HIDDEN, decoded_value TEXT HIDDEN, PRIMARY KEY(",
      primary_key, ")) WITHOUT ROWID");
}

// `aux` is not null for sstable_entries.
int Connect(sqlite3* db, void* aux, int argc, const char* const* argv, sqlite3_vtab** result,
            char** message) {
  return Guard(message, [&]() -> absl::Status {
    if (argc != 4) {
      return absl::InvalidArgumentError(
          absl::StrCat("expected CREATE VIRTUAL TABLE t USING ", argv[0], "('folder or table')"));
    }
    auto table = std::make_unique<Table>();
    table->path = Unquote(argv[3]);
    table->has_history = aux != nullptr;
    table->is_utf8 = HasUtf8(db);
    const auto source = RowSource::Open(table->path);
    if (!source.ok()) return source.status();
    table->order = (*source)->order();
    table->has_sequences = (*source)->has_sequences();
    sqlite3_vtab_config(db, SQLITE_VTAB_DIRECTONLY);  // a schema must not make others read files
    const std::string schema = Schema(table->has_history, table->has_sequences);
    if (sqlite3_declare_vtab(db, schema.c_str()) != SQLITE_OK) {
      return absl::InternalError(sqlite3_errmsg(db));
    }
    *result = table.release();  // SQLite's, until it calls Disconnect()
    return absl::OkStatus();
  });
}

int Disconnect(sqlite3_vtab* vtab) {
  delete static_cast<Table*>(vtab);
  return SQLITE_OK;
}

int BestIndex(sqlite3_vtab* vtab, sqlite3_index_info* info) {
  return Guard(&vtab->zErrMsg, [&] {
    const Table& table = *static_cast<const Table*>(vtab);
    std::string plan;
    bool has_equality = false;
    bool has_list = false;
    int bounds = 0;
    for (int i = 0, used = 0; i < info->nConstraint; ++i) {
      if (!table.CanUse(info, i)) continue;
      const auto& constraint = info->aConstraint[i];
      const bool is_equality = constraint.op == SQLITE_INDEX_CONSTRAINT_EQ;
      const int op = is_equality && sqlite3_vtab_in(info, i, 1) != 0 ? kIn : constraint.op;
      for (const Term& term : kTerms) {
        if (term.op != op) continue;
        info->aConstraintUsage[i].argvIndex = ++used;
        absl::StrAppend(&plan, plan.empty() ? "" : kAnd,
                        constraint.iColumn == kKey ? kKeyName : kKeyTextName, term.text);
        has_equality |= op == SQLITE_INDEX_CONSTRAINT_EQ;
        has_list |= op == kIn;
        ++bounds;
        // The affinity of what key_text is compared with is known only of a constant: it has none.
        sqlite3_value* constant = nullptr;
        if (constraint.iColumn == kKeyText && !is_equality &&
            sqlite3_vtab_rhs_value(info, i, &constant) != SQLITE_OK) {
          info->idxNum |= kMayBeNumeric;
        }
      }
    }
    info->idxStr = sqlite3_mprintf("%s", plan.c_str());
    if (info->idxStr == nullptr) throw std::bad_alloc();
    info->needToFreeIdxStr = 1;
    constexpr sqlite3_uint64 kOnlyKeyAndValue =
        1 << kKey | 1 << kValue | 1 << kKeyText | 1 << kJsonKey | 1 << kJsonValue;
    if (table.has_history || (info->colUsed & ~kOnlyKeyAndValue) != 0) info->idxNum |= kNeedsEntry;
    // How many rows there are is not known. What matters is that more terms make fewer, and that an
    // IN is better than the OR of two equalities.
    const int of_a_key = table.has_history ? 10 : 1;
    info->estimatedRows = has_equality  ? of_a_key
                          : has_list    ? 2 * of_a_key
                          : bounds == 0 ? 1000000
                          : bounds == 1 ? 250000
                                        : 10000;
    info->estimatedCost = static_cast<double>(info->estimatedRows) + 10;
    if (has_equality && !table.has_history) info->idxFlags |= SQLITE_INDEX_SCAN_UNIQUE;
    info->orderByConsumed = table.is_bytewise() && info->nOrderBy == 1 &&
                            info->aOrderBy[0].iColumn == kKey && !info->aOrderBy[0].desc;
    return absl::OkStatus();
  });
}

int Open(sqlite3_vtab* vtab, sqlite3_vtab_cursor** result) {
  return Guard(&vtab->zErrMsg, [&]() -> absl::Status {
    auto* const table = static_cast<Table*>(vtab);
    auto cursor = std::make_unique<Cursor>();
    cursor->source = table->source.lock();
    if (cursor->source == nullptr) {
      auto source = RowSource::Open(table->path);
      if (!source.ok()) return source.status();
      cursor->source = *std::move(source);
      if (cursor->source->order() != table->order ||
          cursor->source->has_sequences() != table->has_sequences) {
        return absl::FailedPreconditionError(absl::StrCat(
            table->path,
            ": has another kind or order of keys than when the virtual table was made"));
      }
      table->source = cursor->source;
    }
    *result = cursor.release();  // SQLite's, until it calls Close()
    return absl::OkStatus();
  });
}

int Close(sqlite3_vtab_cursor* cursor) {
  delete static_cast<Cursor*>(cursor);
  return SQLITE_OK;
}

int Filter(sqlite3_vtab_cursor* cursor, int plan_bits, const char* plan, int argc,
           sqlite3_value** argv) {
  return Guard(&cursor->pVtab->zErrMsg, [&] {
    KeyRange range;
    int used = 0;
    for (absl::string_view text : absl::StrSplit(plan, kAnd, absl::SkipEmpty())) {
      const bool is_text = absl::ConsumePrefix(&text, kKeyTextName);
      if (!is_text) absl::ConsumePrefix(&text, kKeyName);
      for (const Term& term : kTerms) {
        if (text != term.text || used == argc) continue;
        range.Add(is_text, (plan_bits & kMayBeNumeric) != 0, term.op, argv[used++]);
      }
    }
    return static_cast<Cursor*>(cursor)->Filter((plan_bits & kNeedsEntry) != 0, std::move(range));
  });
}

int Next(sqlite3_vtab_cursor* cursor) {
  return Guard(&cursor->pVtab->zErrMsg, [&] { return static_cast<Cursor*>(cursor)->Next(); });
}

int AtEnd(sqlite3_vtab_cursor* cursor) { return static_cast<Cursor*>(cursor)->AtEnd(); }

void ResultText(sqlite3_context* context, absl::string_view text) {
  sqlite3_result_text64(context, text.data(), text.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
}

void ResultBlob(sqlite3_context* context, absl::string_view bytes) {
  if (bytes.empty()) return sqlite3_result_zeroblob(context, 0);  // null is NULL for SQLite
  sqlite3_result_blob64(context, bytes.data(), bytes.size(), SQLITE_TRANSIENT);
}

void ResultColumn(const Cursor& cursor, sqlite3_context* context, int column) {
  const HistoryIterator::Entry& entry = cursor.entry();
  const bool is_value = entry.type == ValueType::kValue;
  // What has no result is NULL.
  if ((column == kSequence || column == kType) && !cursor.source->has_sequences()) return;
  switch (column) {
    case kKey:
      return ResultBlob(context, entry.key);
    case kValue:
      return is_value ? ResultBlob(context, entry.value) : void();
    case kSequence:
      return sqlite3_result_int64(context, static_cast<sqlite3_int64>(entry.sequence));
    case kType:
      return ResultText(context, is_value ? "value" : "deletion");
    case kLive:
      return sqlite3_result_int(context, entry.is_live);
    case kFile:
      return ResultText(context, entry.file);
    case kOffset:
      return sqlite3_result_int64(context, static_cast<sqlite3_int64>(entry.offset));
    case kKeyText:
      return IsUtf8(entry.key) ? ResultText(context, entry.key) : void();
  }
  const EntryDecoder* const decoder = cursor.source->decoder();
  if (decoder == nullptr) return;
  const bool is_key = column == kJsonKey;
  const DecodedEntry decoded = decoder->Decode(entry.key, is_key ? "" : entry.value);
  const ValueTree& tree = is_key ? decoded.key : decoded.value;
  if (!tree.empty()) ResultText(context, tree.Json());
}

int ColumnOf(sqlite3_vtab_cursor* cursor, sqlite3_context* context, int column) {
  return Guard(&cursor->pVtab->zErrMsg, [&] {
    ResultColumn(*static_cast<Cursor*>(cursor), context, column);
    return absl::OkStatus();
  });
}

// Without xRowid: tables are WITHOUT ROWID.
constexpr sqlite3_module Module() {
  sqlite3_module module = {};
  module.xCreate = Connect;
  module.xConnect = Connect;
  module.xBestIndex = BestIndex;
  module.xDisconnect = Disconnect;
  module.xDestroy = Disconnect;
  module.xOpen = Open;
  module.xClose = Close;
  module.xFilter = Filter;
  module.xNext = Next;
  module.xEof = AtEnd;
  module.xColumn = ColumnOf;
  return module;
}
constexpr sqlite3_module kModule = Module();

}  // namespace
}  // namespace sstable

// SQLite finds this by the name of the file, sstable.so.
extern "C" __attribute__((visibility("default"))) int sqlite3_sstable_init(
    sqlite3* db, char** message, const sqlite3_api_routines* api) {
  SQLITE_EXTENSION_INIT2(api);
  if (sqlite3_libversion_number() < 3038000) {
    *message = sqlite3_mprintf("this is SQLite %s, expected 3.38 or later", sqlite3_libversion());
    return SQLITE_ERROR;
  }
  static char history;
  const int code = sqlite3_create_module(db, "sstable", &sstable::kModule, nullptr);
  if (code != SQLITE_OK) return code;
  return sqlite3_create_module(db, "sstable_entries", &sstable::kModule, &history);
}
