// Writes and opens a database's tables, and removes those that are no longer needed.
#ifndef SSTABLE_EXAMPLES_TOY_LSM_TABLE_STORE_H_
#define SSTABLE_EXAMPLES_TOY_LSM_TABLE_STORE_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "examples/toy_lsm/options.h"
#include "sstable/database_files.h"
#include "sstable/experimental/table_filter.h"
#include "sstable/filter_policy.h"
#include "sstable/iterator.h"
#include "sstable/options.h"
#include "sstable/table_reader.h"

namespace toy_lsm {

// Shared by all versions that contain it, and thereby by their readers.
struct Table {
  ~Table();
  uint64_t size() const { return file.size; }

  sstable::TableFile file;              // without the level, which the version knows
  absl::string_view smallest, largest;  // user keys; views into `file`
  std::unique_ptr<sstable::TableReader> reader;
  // If true, the last owner removes the file. Set only after the manifest no longer lists it.
  mutable std::atomic<bool> is_obsolete{false};
};
using TablePtr = std::shared_ptr<const Table>;

// Threads: any. Lifetime: must outlive its tables.
class TableStore {
 public:
  TableStore(const Options& options, std::string folder);

  const std::string& folder() const { return folder_; }
  std::string Path(absl::string_view file_name) const {
    return absl::StrCat(folder_, "/", file_name);
  }
  uint64_t TakeFileNumber() { return next_file_number_++; }  // for files of any kind
  uint64_t next_file_number() const { return next_file_number_; }
  void SetNextFileNumber(uint64_t number) { next_file_number_ = number; }

  absl::StatusOr<TablePtr> Open(sstable::TableFile file) const;

  // Writes the entries for which `keep` returns true to tables that end at `max_size` bytes. All
  // versions of a key go into one table, so that a lookup never continues in the next table. An
  // error from `keep` ends the writing and is returned.
  using Keep = absl::FunctionRef<absl::StatusOr<bool>(absl::string_view internal_key)>;
  absl::StatusOr<std::vector<TablePtr>> Write(
      sstable::Iterator* entries, uint64_t max_size = std::numeric_limits<uint64_t>::max(),
      Keep keep = [](auto) { return true; });

 private:
  const std::string folder_;
  const std::unique_ptr<const sstable::FilterPolicy> filter_policy_;
  const std::unique_ptr<const sstable::TableFilterPolicy> table_filter_policy_;
  sstable::TableBuilderOptions builder_options_;
  sstable::TableReaderOptions reader_options_;
  std::atomic<uint64_t> next_file_number_{1};
};

}  // namespace toy_lsm

#endif  // SSTABLE_EXAMPLES_TOY_LSM_TABLE_STORE_H_
