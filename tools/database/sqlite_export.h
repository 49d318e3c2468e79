// Writes the entries of a database to a new SQLite database.
#ifndef SSTABLE_TOOLS_DATABASE_SQLITE_EXPORT_H_
#define SSTABLE_TOOLS_DATABASE_SQLITE_EXPORT_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "decode/entry_decoder.h"
#include "decode/entry_query.h"
#include "sstable/database_view.h"
#include "sstable/file.h"

struct sqlite3;
struct sqlite3_stmt;

namespace sstable::tools {

// Fills the tables that docs/sql.md describes, in one transaction: entries, history if it is
// wanted, and one for each object store of IndexedDB. The file appears when it is complete, as with
// CreateFileAtomically().
//
// Pattern: Create, Add*, Commit.
// Errors:  SQLite errors, with the file's name.
class SqliteExport {
 public:
  // Errors: AlreadyExists if the file exists; InvalidArgument if `path` can't name a file.
  static absl::StatusOr<std::unique_ptr<SqliteExport>> Create(const std::string& path,
                                                              bool has_history);

  // Adds a version of a key. Versions must come in the order of HistoryIterator: whenever the
  // object store changes, a new table begins. Without history, only live versions are added.
  // `decoder` may be null.
  absl::Status Add(const HistoryIterator::Entry& entry, const EntryDecoder* decoder);
  absl::Status Commit();  // then `path` exists

  uint64_t live_count() const { return live_count_; }
  uint64_t version_count() const { return version_count_; }  // in the history
  size_t store_count() const { return table_names_.size(); }
  // Records whose store has no table, because kMaxStores have one. They are still in `entries`.
  uint64_t record_without_table_count() const { return record_without_table_count_; }
  static constexpr size_t kMaxStores = 10000;  // an empty table takes 4 KiB

 private:
  struct Closer {
    void operator()(sqlite3* db) const;
    void operator()(sqlite3_stmt* statement) const;
  };
  using Statement = std::unique_ptr<sqlite3_stmt, Closer>;
  class Row;

  SqliteExport(std::string path, bool has_history);
  absl::Status Begin();
  absl::Status Error() const;
  absl::Status Run(const std::string& sql);
  absl::Status Prepare(const std::string& sql, Statement* statement);
  absl::Status AddRecord(const DecodedEntry& entry, absl::string_view decoded_value);
  absl::Status CreateStore(const std::string& name);

  const std::string path_;
  const bool has_history_;
  std::unique_ptr<WritableFile> file_;  // SQLite writes it; removed unless Commit() closes it
  const std::vector<EntryPath> record_paths_;  // paths of the parts of an IndexedDB record's key
  std::unique_ptr<sqlite3, Closer> db_;        // outlives the statements
  Statement into_entries_, into_history_, into_store_;
  std::string store_;                       // the store that into_store_ writes, as JSON
  std::map<std::string, int> table_names_;  // with the last number appended to each name
  uint64_t live_count_ = 0;
  uint64_t version_count_ = 0;
  uint64_t record_without_table_count_ = 0;
};

}  // namespace sstable::tools

#endif  // SSTABLE_TOOLS_DATABASE_SQLITE_EXPORT_H_
