// Prints the entries of a table's data blocks.
#ifndef SSTABLE_TOOLS_DUMP_BLOCK_DUMPER_H_
#define SSTABLE_TOOLS_DUMP_BLOCK_DUMPER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "table/inspect/opened_table.h"
#include "table/inspect/verified_scan.h"
#include "tools/cli/console.h"
#include "tools/cli/exit_code.h"
#include "tools/dump/entry_printer.h"

namespace sstable::tools {

// The result of dumping some data blocks.
struct DumpedBlocks {
  ExitCode code = ExitCode::kOk;
  uint64_t printed = 0;   // entries
  uint64_t odd_keys = 0;  // printed keys that are not of the table's kind

  void Add(const DumpedBlocks& other) {
    code = Worst(code, other.code);
    printed += other.printed;
    odd_keys += other.odd_keys;
  }
};

// Borrows the table and the options. Threads: one at a time.
class BlockDumper {
 public:
  using Blocks = VerifiedScan::Blocks;

  // Reports problems with the index to `console`, unless that is null.
  BlockDumper(const OpenedTable& table, const EntryOptions& options,
              std::shared_ptr<const EntryDecoder> decoder, Console* console);

  // The result of checking the index.
  ExitCode index_code() const { return index_code_; }

  // The blocks that can have entries in the range of the options.
  Blocks BlocksOfRange();

  // Prints the selected entries of `blocks`. Damage is reported and skipped.
  DumpedBlocks Forward(Blocks blocks, Console* console);
  // Prints the selected entries from the last to the first.
  DumpedBlocks Backward(Blocks blocks, Console* console);

  // Prints as many entries as the limit says, spread evenly over the table.
  DumpedBlocks Sample(Console* console);

  // Returns true if printing ended at the reader's limit of work.
  bool is_at_limit() const { return scan_.is_at_limit(); }

 private:
  using EntryVisitor = absl::FunctionRef<bool(absl::string_view key, absl::string_view value)>;

  const Comparator& user_comparator() const;
  void Begin(Console* console);
  DumpedBlocks End();
  bool Visit(size_t block, EntryVisitor visit);
  // Returns false at the limit, or if no more entries are wanted.
  bool Print(absl::string_view key, absl::string_view value, size_t block);
  void Report(const absl::Status& status);

  const TableReader& reader_;
  const bool searchable_;
  const EntryOptions& options_;
  const std::shared_ptr<const EntryDecoder> decoder_;
  Console* console_;  // null: report nothing
  std::optional<EntryPrinter> printer_;
  ExitCode code_ = ExitCode::kOk;
  // Declared after the members that Report() uses, since its constructor may report.
  VerifiedScan scan_;
  const ExitCode index_code_;
};

}  // namespace sstable::tools

#endif  // SSTABLE_TOOLS_DUMP_BLOCK_DUMPER_H_
