// The tables of a view: opened when they are needed, a few at a time.
#ifndef SSTABLE_DB_VIEW_TABLES_H_
#define SSTABLE_DB_VIEW_TABLES_H_

#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "db/file_pool.h"
#include "db/lru_map.h"
#include "sstable/database_view.h"
#include "sstable/options.h"
#include "sstable/table_reader.h"

namespace sstable {

// Threads:  Add() and FindRange() before all else, by one thread; then any number may use it.
// Lifetime: must outlive the readers that Open() returns.
class ViewTables {
 public:
  ViewTables(size_t max_open_files, const TableReaderOptions& options)
      : pool_(max_open_files), options_(options), readers_(kReaders) {}

  // Opens the file at `path` and appends `table`, with its file_size. If that fails, the table is
  // appended as well; the error is returned, and again by Open().
  absl::Status Add(DatabaseTable table, const std::string& path);

  // Appends a table that Open() will not open, but return `status`.
  void AddUnreadable(DatabaseTable table, absl::Status status);

  const std::vector<DatabaseTable>& tables() const { return tables_; }

  // Sets smallest and largest key of table `i` to those that the table has. They stay empty if they
  // can't be read. If they are not internal keys, Open() will return that error, too.
  absl::Status FindRange(size_t i);

  // Compares the first and last key of table `i` with those in tables(), if these are known.
  // Errors: DataLoss for other keys; NotFound and Aborted if the file was removed. A table that
  // can't be read is none: Open() says so.
  absl::Status CheckRange(size_t i) const;

  // DataLoss, with the file's name, if index keys of table `i` or keys of its first two data blocks
  // do not ascend. NotFound and Aborted as above.
  absl::Status CheckOrder(size_t i) const;
  void SetOutOfOrder(size_t i) { tables_[i].in_order = false; }

  // A reader of table `i`, whose first and last key are those in tables(), if these are known.
  // Errors: those of opening the file or table; DataLoss for other keys.
  absl::StatusOr<std::shared_ptr<const TableReader>> Open(size_t i) const;

 private:
  static constexpr size_t kReaders = 32;  // that are kept, beside those in use

  absl::StatusOr<std::shared_ptr<const TableReader>> OpenNow(size_t i) const;
  absl::StatusOr<std::unique_ptr<TableReader>> OpenUnchecked(size_t i) const;
  absl::Status CompareRange(size_t i, const TableReader& reader) const;

  FilePool pool_;
  const TableReaderOptions options_;
  std::vector<DatabaseTable> tables_;
  std::vector<absl::StatusOr<std::unique_ptr<RandomAccessFile>>> files_;
  mutable std::mutex mutex_;
  mutable LruMap<size_t, std::shared_ptr<const TableReader>> readers_;
};

}  // namespace sstable

#endif  // SSTABLE_DB_VIEW_TABLES_H_
