// An SQLite extension with two read-only virtual tables (docs/sql.md):
//
//   CREATE VIRTUAL TABLE t USING sstable('PATH');          the live entries of a folder or table
//   CREATE VIRTUAL TABLE t USING sstable_entries('PATH');  every version of every key
//
// PATH is an argument of CREATE VIRTUAL TABLE, not of a table-valued function, so that the order of
// keys is known when a query is planned. A statement reads the state of the path at its start,
// unless other statements are running on the virtual table; then it shares theirs. The tables are
// WITHOUT ROWID: SQLite combines the terms of an OR by rowid or primary key, and no number could
// serve as rowid.
//
// A key is a BLOB, since SQLite compares BLOBs bytewise. But no BLOB equals a TEXT, and SQLite may
// be built so that LIKE and GLOB never match a BLOB, so there is also a column key_text. SQLite
// checks every term again, so the range read may be wider than the term.
#include <sqlite3ext.h>

#include <cstdint>
#include <exception>
#include <memory>
#include <new>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "sqlite/key_range.h"
#include "sqlite/row_cursor.h"
#include "sqlite/row_source.h"
#include "sstable/database_view.h"
#include "sstable/internal_key.h"
#include "util/escape.h"
#include "util/status_util.h"

SQLITE_EXTENSION_INIT1

namespace sstable {
namespace {

enum { kKey, kValue, kSequence, kType, kLive, kFile, kOffset, kKeyText, kJsonKey, kJsonValue };

// Terms on key or key_text that narrow the range to read. A plan is text such as "key>? AND key<?".
// SQLite itself adds bounds for a GLOB.
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
constexpr int kNeedsEntry = 1;    // more than key and value
constexpr int kMayBeNumeric = 2;  // key_text may be compared as a number

// Returns true if a seek can find the rows that term `i` selects.
bool CanUse(const VirtualTable& table, sqlite3_index_info* info, int i) {
  const auto& term = info->aConstraint[i];
  if (!term.usable || table.order == nullptr ||
      (term.op != SQLITE_INDEX_CONSTRAINT_EQ && !table.is_bytewise()))
    return false;
  return term.iColumn == kKey || (term.iColumn == kKeyText && table.is_utf8 &&
                                  absl::string_view(sqlite3_vtab_collation(info, i)) == "BINARY");
}

// Calls `function`, and passes its error or exception to SQLite.
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

// Returns the text between the quotes.
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
    auto table = std::make_unique<VirtualTable>();
    table->path = Unquote(argv[3]);
    table->has_history = aux != nullptr;
    table->is_utf8 = HasUtf8(db);
    const auto source = RowSource::Open(table->path);
    if (!source.ok()) return source.status();
    table->order = (*source)->order();
    table->has_sequences = (*source)->has_sequences();
    sqlite3_vtab_config(db, SQLITE_VTAB_DIRECTONLY);  // a malicious schema must not read files
    const std::string schema = Schema(table->has_history, table->has_sequences);
    if (sqlite3_declare_vtab(db, schema.c_str()) != SQLITE_OK) {
      return absl::InternalError(sqlite3_errmsg(db));
    }
    *result = table.release();  // owned by SQLite until Disconnect()
    return absl::OkStatus();
  });
}

int Disconnect(sqlite3_vtab* vtab) {
  delete static_cast<VirtualTable*>(vtab);
  return SQLITE_OK;
}

int BestIndex(sqlite3_vtab* vtab, sqlite3_index_info* info) {
  return Guard(&vtab->zErrMsg, [&] {
    const VirtualTable& table = *static_cast<const VirtualTable*>(vtab);
    std::string plan;
    bool has_equality = false;
    bool has_list = false;
    int bounds = 0;
    for (int i = 0, used = 0; i < info->nConstraint; ++i) {
      if (!CanUse(table, info, i)) continue;
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
        // SQLite does not say what affinity the other operand has, unless it is a constant, which
        // has no affinity.
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
    // The number of rows is unknown. What matters is that more terms mean fewer rows, and that an
    // IN is cheaper than an OR of two equalities.
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
    auto* const table = static_cast<VirtualTable*>(vtab);
    std::shared_ptr<RowSource> source = table->source.lock();
    if (source == nullptr) {
      auto opened = RowSource::Open(table->path);
      if (!opened.ok()) return opened.status();
      source = *std::move(opened);
      if (source->order() != table->order || source->has_sequences() != table->has_sequences) {
        return absl::FailedPreconditionError(absl::StrCat(
            table->path,
            ": has another kind or order of keys than when the virtual table was made"));
      }
      table->source = source;
    }
    *result = new RowCursor(std::move(source));  // owned by SQLite until Close()
    return absl::OkStatus();
  });
}

int Close(sqlite3_vtab_cursor* cursor) {
  delete static_cast<RowCursor*>(cursor);
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
    return static_cast<RowCursor*>(cursor)->Filter((plan_bits & kNeedsEntry) != 0,
                                                   std::move(range));
  });
}

int Next(sqlite3_vtab_cursor* cursor) {
  return Guard(&cursor->pVtab->zErrMsg, [&] { return static_cast<RowCursor*>(cursor)->Next(); });
}

int AtEnd(sqlite3_vtab_cursor* cursor) { return static_cast<RowCursor*>(cursor)->AtEnd(); }

void ResultText(sqlite3_context* context, absl::string_view text) {
  sqlite3_result_text64(context, text.data(), text.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
}

void ResultBlob(sqlite3_context* context, absl::string_view bytes) {
  if (bytes.empty()) return sqlite3_result_zeroblob(context, 0);  // a null pointer would be NULL
  sqlite3_result_blob64(context, bytes.data(), bytes.size(), SQLITE_TRANSIENT);
}

void ResultColumn(const RowCursor& cursor, sqlite3_context* context, int column) {
  const HistoryIterator::Entry& entry = cursor.entry();
  const bool is_value = entry.type == ValueType::kValue;
  // Without a result, the column is NULL.
  if ((column == kSequence || column == kType) && !cursor.source().has_sequences()) return;
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
  const EntryDecoder* const decoder = cursor.source().decoder();
  if (decoder == nullptr) return;
  const bool is_key = column == kJsonKey;
  const DecodedEntry decoded = decoder->Decode(entry.key, is_key ? "" : entry.value);
  const ValueTree& tree = is_key ? decoded.key : decoded.value;
  if (!tree.empty()) ResultText(context, tree.Json());
}

int ColumnOf(sqlite3_vtab_cursor* cursor, sqlite3_context* context, int column) {
  return Guard(&cursor->pVtab->zErrMsg, [&] {
    ResultColumn(*static_cast<RowCursor*>(cursor), context, column);
    return absl::OkStatus();
  });
}

// No xRowid: the tables are WITHOUT ROWID.
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

// SQLite derives this function's name from the file name, sstable.so.
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
