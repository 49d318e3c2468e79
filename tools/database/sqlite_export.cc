#include "tools/database/sqlite_export.h"

#include <sqlite3.h>

#include <cmath>
#include <cstddef>
#include <filesystem>
#include <new>
#include <optional>
#include <system_error>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "sstable/internal_key.h"
#include "util/atomic_file.h"
#include "util/escape.h"
#include "util/status_util.h"
#include "util/system.h"

namespace sstable::tools {
namespace {

namespace fs = std::filesystem;

constexpr char kEntries[] = R"(
CREATE TABLE entries(key BLOB, value BLOB, key_text TEXT, decoded_key TEXT, decoded_value TEXT);
)";
constexpr char kHistory[] = R"(
CREATE TABLE history(key BLOB, value BLOB, sequence INTEGER, type TEXT, live INTEGER, file TEXT,
                     offset INTEGER, key_text TEXT, decoded_key TEXT, decoded_value TEXT);
)";

std::string Quoted(const std::string& name) {
  return absl::StrCat("\"", absl::StrReplaceAll(name, {{"\"", "\"\""}}), "\"");
}

std::string JsonOf(const ValueTree& tree, size_t node = 0) {
  std::string json;
  tree.AppendJson(&json, node);
  return json;
}

// Returns a string unchanged if it can be a name in SQL; anything else as JSON.
std::string NameOf(const ValueTree& tree, size_t node) {
  const bool is_name = tree.kind(node) == ValueTree::Kind::kString &&
                       !absl::StrContains(tree.text(node), absl::string_view("\0", 1));
  return is_name ? std::string(tree.text(node)) : JsonOf(tree, node);
}

}  // namespace

void SqliteExport::Closer::operator()(sqlite3* db) const { sqlite3_close(db); }
void SqliteExport::Closer::operator()(sqlite3_stmt* statement) const {
  sqlite3_finalize(statement);
}

// The values of a row, in the order of its columns. They must stay valid until Insert(). A column
// that is skipped is NULL.
class SqliteExport::Row {
 public:
  explicit Row(sqlite3_stmt* statement) : statement_(statement) {}
  ~Row() {
    sqlite3_reset(statement_);
    sqlite3_clear_bindings(statement_);
  }

  Row& Blob(absl::string_view bytes) {
    return bytes.empty() ? Bound(sqlite3_bind_zeroblob(statement_, column_, 0))
                         : Bound(sqlite3_bind_blob64(statement_, column_, bytes.data(),
                                                     bytes.size(), SQLITE_STATIC));
  }
  Row& Text(absl::string_view text) {
    return Bound(sqlite3_bind_text64(statement_, column_, text.empty() ? "" : text.data(),
                                     text.size(), SQLITE_STATIC, SQLITE_UTF8));
  }
  Row& Integer(uint64_t number) {
    return Bound(sqlite3_bind_int64(statement_, column_, static_cast<sqlite3_int64>(number)));
  }
  // Binds an integer, if `number` is one.
  Row& Number(double number) {
    const bool is_integer = std::abs(number) < 0x1p53 && number == std::trunc(number);
    return is_integer ? Integer(static_cast<uint64_t>(static_cast<int64_t>(number)))
                      : Bound(sqlite3_bind_double(statement_, column_, number));
  }
  Row& Null() { return Bound(SQLITE_OK); }
  Row& BlobIf(bool has, absl::string_view bytes) { return has ? Blob(bytes) : Null(); }
  Row& TextIf(bool has, absl::string_view text) { return has ? Text(text) : Null(); }

  bool Insert() { return code_ == SQLITE_OK && sqlite3_step(statement_) == SQLITE_DONE; }

 private:
  Row& Bound(int code) {
    if (code_ == SQLITE_OK) code_ = code;
    ++column_;
    return *this;
  }

  sqlite3_stmt* const statement_;
  int column_ = 1;
  int code_ = SQLITE_OK;
};

SqliteExport::SqliteExport(std::string path, bool has_history)
    : path_(std::move(path)),
      has_history_(has_history),
      record_paths_(*EntryPath::ParseList("key.kind,key.database,key.store,key.key")) {}

absl::StatusOr<std::unique_ptr<SqliteExport>> SqliteExport::Create(const std::string& path,
                                                                   bool has_history) {
  if (sys::ToPath(path).filename().empty()) {
    return absl::InvalidArgumentError(absl::StrCat("'", path, "' is not the name of a file"));
  }
  std::error_code error;
  if (fs::exists(fs::symlink_status(sys::ToPath(path), error))) {
    return absl::AlreadyExistsError(
        absl::StrCat(path, ": exists; an export makes a new file, so choose another name"));
  }
  auto made = std::unique_ptr<SqliteExport>(new SqliteExport(path, has_history));
  RETURN_IF_ERROR(made->Begin());
  return made;
}

absl::Status SqliteExport::Begin() {
  std::string temporary_path;
  ASSIGN_OR_RETURN(file_, CreateFileAtomically(path_, &temporary_path));
  sqlite3* db = nullptr;
  const int code = sqlite3_open_v2(temporary_path.c_str(), &db,
                                   SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nullptr);
  if (db == nullptr) throw std::bad_alloc();
  db_.reset(db);
  if (code != SQLITE_OK) return Error();
  RETURN_IF_ERROR(Run(absl::StrCat("PRAGMA journal_mode = OFF; BEGIN EXCLUSIVE;", kEntries)));
  RETURN_IF_ERROR(Prepare("INSERT INTO entries VALUES(?,?,?,?,?)", &into_entries_));
  if (!has_history_) return absl::OkStatus();
  RETURN_IF_ERROR(Run(kHistory));
  return Prepare("INSERT INTO history VALUES(?,?,?,?,?,?,?,?,?,?)", &into_history_);
}

absl::Status SqliteExport::Error() const {
  const int error = sqlite3_system_errno(db_.get());
  return absl::UnavailableError(absl::StrCat(
      path_, ": SQLite can't write it: ", sqlite3_errmsg(db_.get()),
      error == 0 ? "" : absl::StrCat(" (", std::system_category().message(error), ")")));
}

absl::Status SqliteExport::Run(const std::string& sql) {
  const int code = sqlite3_exec(db_.get(), sql.c_str(), nullptr, nullptr, nullptr);
  return code == SQLITE_OK ? absl::OkStatus() : Error();
}

absl::Status SqliteExport::Prepare(const std::string& sql, Statement* statement) {
  sqlite3_stmt* prepared = nullptr;
  const int code = sqlite3_prepare_v2(db_.get(), sql.c_str(), -1, &prepared, nullptr);
  statement->reset(prepared);
  return code == SQLITE_OK ? absl::OkStatus() : Error();
}

absl::Status SqliteExport::Add(const HistoryIterator::Entry& entry, const EntryDecoder* decoder) {
  if (!entry.is_live && !has_history_) return absl::OkStatus();
  const bool is_value = entry.type == ValueType::kValue;
  const absl::string_view value = is_value ? entry.value : "";
  const bool is_text = IsUtf8(entry.key);
  DecodedEntry decoded;
  if (decoder != nullptr) decoded = decoder->Decode(entry.key, value);
  const bool has_key = !decoded.key.empty(), has_value = !decoded.value.empty();
  const std::string decoded_key = has_key ? decoded.key.Json() : "";
  const std::string decoded_value = has_value ? decoded.value.Json() : "";
  if (has_history_) {
    ++version_count_;
    const bool is_added = Row(into_history_.get())
                              .Blob(entry.key)
                              .BlobIf(is_value, value)
                              .Integer(entry.sequence)
                              .Text(is_value ? "value" : "deletion")
                              .Integer(entry.is_live)
                              .Text(entry.file)
                              .Integer(entry.offset)
                              .TextIf(is_text, entry.key)
                              .TextIf(has_key, decoded_key)
                              .TextIf(has_value, decoded_value)
                              .Insert();
    if (!is_added) return Error();
  }
  if (!entry.is_live) return absl::OkStatus();
  ++live_count_;
  const bool is_added_live = Row(into_entries_.get())
                                 .Blob(entry.key)
                                 .Blob(value)
                                 .TextIf(is_text, entry.key)
                                 .TextIf(has_key, decoded_key)
                                 .TextIf(has_value, decoded_value)
                                 .Insert();
  if (!is_added_live) return Error();
  return has_key ? AddRecord(decoded, decoded_value) : absl::OkStatus();
}

// Adds a live entry to the table of its object store, if it is a record of IndexedDB.
absl::Status SqliteExport::AddRecord(const DecodedEntry& entry, absl::string_view decoded_value) {
  EntryPath::Part parts[4];
  for (size_t i = 0; i < record_paths_.size(); ++i) {
    parts[i] = record_paths_[i].Find(entry, /*has_value=*/true);
    if (parts[i].presence != EntryPath::Presence::kPresent) return absl::OkStatus();
  }
  const ValueTree& tree = entry.key;
  if (tree.text(parts[0].node) != "record") return absl::OkStatus();
  const std::string store =
      absl::StrCat(JsonOf(tree, parts[1].node), "/", JsonOf(tree, parts[2].node));
  if (store != store_ || into_store_ == nullptr) {
    if (table_names_.size() == kMaxStores) {
      ++record_without_table_count_;
      return absl::OkStatus();
    }
    store_ = store;
    RETURN_IF_ERROR(
        CreateStore(absl::StrCat(NameOf(tree, parts[1].node), "/", NameOf(tree, parts[2].node))));
  }
  const size_t key = parts[3].node;
  const std::string json = JsonOf(tree, key);
  Row row(into_store_.get());
  switch (tree.kind(key)) {
    case ValueTree::Kind::kString:
      row.Text(tree.text(key));
      break;
    case ValueTree::Kind::kDouble:
      row.Number(tree.real(key));
      break;
    default:
      row.Text(json);
  }
  row.TextIf(!decoded_value.empty(), decoded_value);
  return row.Insert() ? absl::OkStatus() : Error();
}

// Creates a table, and prepares into_store_. In SQLite, names that differ only in case are the
// same, and a name must not begin with sqlite_.
absl::Status SqliteExport::CreateStore(const std::string& name) {
  const std::string wanted =
      absl::StartsWithIgnoreCase(name, "sqlite_") ? absl::StrCat("_", name) : name;
  std::string unique = wanted;
  while (!table_names_.emplace(absl::AsciiStrToLower(unique), 1).second) {
    unique = absl::StrCat(wanted, " (", ++table_names_[absl::AsciiStrToLower(wanted)], ")");
  }
  RETURN_IF_ERROR(Run(absl::StrCat("CREATE TABLE ", Quoted(unique), "(key, value TEXT)")));
  return Prepare(absl::StrCat("INSERT INTO ", Quoted(unique), " VALUES(?,?)"), &into_store_);
}

absl::Status SqliteExport::Commit() {
  RETURN_IF_ERROR(Run("COMMIT"));
  for (Statement* statement : {&into_entries_, &into_history_, &into_store_}) statement->reset();
  db_ = nullptr;
  RETURN_IF_ERROR(file_->Sync());
  return file_->Close();
}

}  // namespace sstable::tools
