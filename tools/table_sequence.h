// The tables that `sst build` writes: one, or a sequence that is cut where a table has a size.
//
// The names: OUT itself; of a sequence, OUT with a number before its extension, from
// out-000001.ldb on; in the folder of a database, those that LevelDB gives to tables.
#ifndef SSTABLE_TOOLS_TABLE_SEQUENCE_H_
#define SSTABLE_TOOLS_TABLE_SEQUENCE_H_

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "sstable/options.h"
#include "sstable/table_builder.h"
#include "table/block/key_order.h"
#include "tools/built_table.h"
#include "tools/cli/console.h"
#include "tools/table_output.h"

namespace sstable::tools {

struct TableSequenceOptions {
  std::string out;      // a path; "-": standard output
  uint64_t number = 0;  // of the first table, if `out` is to be the folder of a database; else 0
  uint64_t split_size = 0;  // bytes of blocks that are enough for a table; 0: there is one table
  const TableBuilderOptions* builder = nullptr;  // borrowed
  const TableOutputOptions* output = nullptr;    // borrowed: what may be replaced

  // InvalidArgument if the options don't fit together.
  absl::Status Check() const;
};

// Prints a line of JSON about each table of a database's folder, and at the end a summary.
//
// Pattern:   Begin Add* Finish, or SayComplete after an error. While it lives there is an
//            InterruptGuard. Destruction discards the table that is not complete.
// Ownership: borrows the options and the console.
// Errors:    those of TableBuilder and CheckReplaceable(). The tables before stay.
class TableSequence {
 public:
  TableSequence(const TableSequenceOptions* options, Console* console);

  // Creates the first table.
  absl::Status Begin();
  // Adds an entry, to a new table if the last one is large enough and has no entry of its user key.
  absl::Status Add(absl::string_view key, absl::string_view value);
  absl::Status Finish();
  // Says which tables of a sequence are there nevertheless, if any.
  void SayComplete() const;

 private:
  bool IsInDatabase() const { return options_.number > 0; }
  bool IsStandardOutput() const { return options_.out == "-" && !IsInDatabase(); }
  std::string Name(uint64_t index) const;
  // "a" or "a to b", of the complete tables.
  std::string Names() const;
  absl::Status CheckName() const;
  absl::Status BeginTable();
  absl::Status EndTable(bool has_more);

  const TableSequenceOptions& options_;
  Console* const console_;
  const KeyOrder order_;
  std::unique_ptr<TableBuilder> builder_;
  BuiltTable built_;           // in the folder of a database
  bool is_full_ = false;       // the table has the size that is enough
  std::string last_user_key_;  // of that table, then
  uint64_t table_count_ = 0;   // complete ones, as what follows
  uint64_t entry_count_ = 0;
  uint64_t size_ = 0;
};

}  // namespace sstable::tools

#endif  // SSTABLE_TOOLS_TABLE_SEQUENCE_H_
