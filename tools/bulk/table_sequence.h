// The tables that `sst build` writes: a single one, or a sequence of tables of about a given size.
//
// Names: OUT itself; in a sequence, OUT with a number before its extension, starting with
// out-000001.ldb; in the folder of a database, LevelDB's names for tables.
#ifndef SSTABLE_TOOLS_BULK_TABLE_SEQUENCE_H_
#define SSTABLE_TOOLS_BULK_TABLE_SEQUENCE_H_

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "sstable/options.h"
#include "sstable/table_builder.h"
#include "table/block/key_order.h"
#include "tools/bulk/built_table.h"
#include "tools/cli/console.h"
#include "tools/files/table_output.h"

namespace sstable::tools {

// The help of the option for TableSequenceOptions::split_size.
inline constexpr char kSplitSizeHelp[] =
    "Begin another table when data blocks reach BYTES. LevelDB's compactions do the same; filter "
    "and index are not counted";

struct TableSequenceOptions {
  std::string out;            // a path; "-": standard output
  bool out_is_first = false;  // `out` is the first argument, which users may mistake for an INPUT
  uint64_t number = 0;        // the first table's, if `out` is a database folder; else 0
  uint64_t split_size = 0;    // a table ends at this many bytes of blocks; 0: there is one table
  const TableBuilderOptions* builder = nullptr;  // borrowed
  const TableOutputOptions* output = nullptr;    // borrowed: what may be replaced

  // Returns InvalidArgument if the options are inconsistent.
  absl::Status Check() const;
};

// Prints a line of JSON for each table in a database's folder, and a summary at the end.
//
// Pattern:   Begin Add* Finish, or SayComplete after an error. The caller holds an InterruptGuard.
//            Destruction discards an incomplete table.
// Ownership: borrows the options and the console.
// Errors:    as for TableBuilder and CheckReplaceable(). Complete tables stay.
class TableSequence {
 public:
  TableSequence(const TableSequenceOptions* options, Console* console);

  // Creates the first table.
  absl::Status Begin();
  // Adds an entry. Begins a new table first if the current one is large enough and does not have
  // the entry's user key.
  absl::Status Add(absl::string_view key, absl::string_view value);
  absl::Status Finish();
  // Reports which tables of a sequence are complete, if any.
  void SayComplete() const;

 private:
  bool IsInDatabase() const { return options_.number > 0; }
  bool IsStandardOutput() const { return options_.out == "-" && !IsInDatabase(); }
  std::string Name(uint64_t index) const;
  // Returns "a" or "a to b", for the complete tables.
  std::string Names() const;
  absl::Status CheckName() const;
  absl::Status BeginTable();
  absl::Status EndTable(bool has_more);

  const TableSequenceOptions& options_;
  Console* const console_;
  const KeyOrder order_;
  std::unique_ptr<TableBuilder> builder_;
  BuiltTable built_;           // the report on the current table, in a database folder
  bool is_full_ = false;       // the current table is large enough
  std::string last_user_key_;  // last user key of the current table
  uint64_t table_count_ = 0;   // number of complete tables; below, their entries and bytes
  uint64_t entry_count_ = 0;
  uint64_t size_ = 0;
};

}  // namespace sstable::tools

#endif  // SSTABLE_TOOLS_BULK_TABLE_SEQUENCE_H_
