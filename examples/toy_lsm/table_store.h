// Makes the tables of a database, opens them, and removes those that nobody needs.
#ifndef SSTABLE_EXAMPLES_TOY_LSM_TABLE_STORE_H_
#define SSTABLE_EXAMPLES_TOY_LSM_TABLE_STORE_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "examples/toy_lsm/options.h"
#include "filter/filter_policy.h"
#include "table/iterator.h"
#include "table/options.h"
#include "table/table_builder.h"
#include "table/table_reader.h"

namespace toy_lsm {

// What the manifest says of a table.
struct TableInfo {
  uint64_t number = 0;
  uint64_t file_size = 0;
  std::string smallest, largest;  // user keys
};

// Shared by the versions that have it, and so by what reads from those.
class Table {
 public:
  Table(TableInfo info, std::unique_ptr<sstable::TableReader> reader)
      : info_(std::move(info)), reader_(std::move(reader)) {}
  ~Table();
  Table(const Table&) = delete;
  Table& operator=(const Table&) = delete;

  const TableInfo& info() const { return info_; }
  const sstable::TableReader& reader() const { return *reader_; }

  // Its file goes with the last who shares it. Not before the manifest is without it.
  void MarkObsolete() { is_obsolete_ = true; }

 private:
  const TableInfo info_;
  const std::unique_ptr<sstable::TableReader> reader_;
  std::atomic<bool> is_obsolete_{false};
};
using TablePtr = std::shared_ptr<Table>;

// Threads: any. Lifetime: must outlive its tables.
class TableStore {
 public:
  TableStore(const Options& options, std::string folder);

  const std::string& folder() const { return folder_; }
  uint64_t TakeFileNumber() { return next_file_number_++; }  // of any kind of file
  void SetNextFileNumber(uint64_t number) { next_file_number_ = number; }

  absl::StatusOr<TablePtr> Open(TableInfo info) const;

  // Writes one table. Pattern: (Add)+ Finish.
  class Writer {
   public:
    absl::Status Add(absl::string_view internal_key, absl::string_view value);
    uint64_t file_size() const { return builder_->FileSize(); }
    absl::StatusOr<TablePtr> Finish();

   private:
    friend class TableStore;
    const TableStore* store_ = nullptr;
    TableInfo info_;
    std::unique_ptr<sstable::TableBuilder> builder_;
  };
  absl::StatusOr<std::unique_ptr<Writer>> NewWriter();

  // A table of all that `it` walks, which is at least one entry.
  absl::StatusOr<TablePtr> Write(sstable::Iterator* it);

 private:
  const std::string folder_;
  const std::unique_ptr<const sstable::FilterPolicy> filter_policy_;
  sstable::TableBuilderOptions builder_options_;
  sstable::TableReaderOptions reader_options_;
  std::atomic<uint64_t> next_file_number_{1};
};

}  // namespace toy_lsm

#endif  // SSTABLE_EXAMPLES_TOY_LSM_TABLE_STORE_H_
