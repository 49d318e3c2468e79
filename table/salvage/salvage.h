// Saves what is left of a damaged table, and says what is not.
#ifndef SSTABLE_TABLE_SALVAGE_SALVAGE_H_
#define SSTABLE_TABLE_SALVAGE_SALVAGE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "table/block/key_order.h"
#include "table/options.h"
#include "table/salvage/table_scan.h"
#include "table/table_reader.h"
#include "util/comparator.h"
#include "util/file.h"

namespace sstable {

class OrderEvidence;

struct SalvageOptions {
  std::optional<KeyKind> key_kind;              // nullopt: tell by looking
  std::optional<const Comparator*> comparator;  // of plain or user keys, not null; likewise

  std::optional<uint64_t> max_uncompressed_block_size;  // as TableReaderOptions has it
};

// Entries that were found, but that no table can have beside the others.
struct SalvageConflict {
  enum class Kind {
    kOtherValue,  // of a key whose first value in the file was kept
    kNoTag,       // a key that is no internal key, among those that are
  };
  Kind kind = Kind::kOtherValue;
  uint64_t block_offset = 0;  // in the file
  std::string key;
};

struct SalvageReport {
  uint64_t entries_saved = 0;
  uint64_t duplicates = 0;      // the same key and value once more: left out, nothing is lost
  uint64_t conflict_count = 0;  // entries left out
  std::vector<SalvageConflict> conflicts;  // the first kMaxConflicts of them
  uint64_t out_of_order_keys = 0;          // below the key before them in the file

  static constexpr size_t kMaxConflicts = 1000;
};

// Pattern:   Open VisitEntries?
// Ownership: holds a copy of the file in memory; borrows the comparator. Open() borrows the file
//            only while it runs.
// Threads:   one at a time.
class Salvager {
 public:
  // Reads all of the file; open it with FileAccess::kRead, as mapped bytes that can't be read raise
  // SIGBUS. Neither they nor damage are errors: scan() says what is lost. Errors:
  // ResourceExhausted for a file too large; Unimplemented for one with the magic of another format.
  static absl::StatusOr<std::unique_ptr<Salvager>> Open(const RandomAccessFile& file,
                                                        const SalvageOptions& options);

  // What is found, what is lost. Its `bytes` are the file's file_size bytes, then an index of
  // what was found. Lives as long as this object, as report() does.
  const TableScan& scan() const { return scan_; }
  uint64_t total_entries() const;  // in readable blocks

  // Whether the order of keys is known. If it is not, since it is neither bytewise nor the
  // reverse, entries come in the order of the index or else of the file, which is the writer's.
  bool order_known() const { return order_known_; }

  KeyKind key_kind() const { return reader_->order().kind(); }

  // Comparator and kind of keys for a table of the same entries, and what the old one was written
  // with, as far as its data blocks show: compression, block size and restart interval. No filter
  // policy. Reads all blocks once more. The comparator may be this object's, which must outlive the
  // builder then.
  TableBuilderOptions BuilderOptions() const;

  // Whether a new table should have a filter: the old one did, or its metaindex can't be read.
  // In an unknown order, keys of different bytes may be equal, so that only the former speaks
  // for it.
  bool wants_filter() const;

  // Passes every entry that is left to `visit`, so that a TableBuilder with BuilderOptions()
  // takes them: ascending, each key once; or in an order that is not known, no key twice in a row.
  // Views are good until `visit` returns. Where blocks overlap or are out of order, their entries
  // are sorted in memory. Errors: the first one of `visit`; those of reading a block again;
  // ResourceExhausted if sorting takes more than 64 times the file and 16 MiB.
  absl::Status VisitEntries(
      absl::FunctionRef<absl::Status(absl::string_view key, absl::string_view value)> visit);

  const SalvageReport& report() const { return report_; }

  // After VisitEntries(): whether all entries that the table ever had were visited, as far as a
  // file can show that.
  bool complete() const;

 private:
  struct Entry;

  Salvager(TableScan scan, const SalvageOptions& options);

  absl::Status OpenRebuilt(const std::string& name);
  absl::Status SettleKeys();
  void FindDisorder(OrderEvidence* evidence);
  void FindBounds();
  std::vector<std::vector<size_t>> GroupOverlapping() const;
  absl::Status ReadEntries(
      size_t block,
      absl::FunctionRef<absl::Status(absl::string_view key, absl::string_view value)> visit) const;
  bool IsWritable(absl::string_view key) const;
  bool IsSameUserKey(absl::string_view a, absl::string_view b) const;
  void AddConflict(SalvageConflict::Kind kind, size_t block, absl::string_view key);

  TableScan scan_;
  const SalvageOptions options_;
  std::unique_ptr<RandomAccessFile> file_;  // what is left, with an index of it
  std::unique_ptr<TableReader> reader_;     // of the same
  bool order_known_ = true;
  bool has_disorder_ = false;

  // By block, if keys are out of order: the lowest and the highest key, and whether they are
  // within it.
  std::vector<std::string> lowest_, highest_;
  std::vector<bool> block_has_disorder_;

  SalvageReport report_;
};

}  // namespace sstable

#endif  // SSTABLE_TABLE_SALVAGE_SALVAGE_H_
