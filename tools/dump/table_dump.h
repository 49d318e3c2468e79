// Prints the entries of a table.
#ifndef SSTABLE_TOOLS_DUMP_TABLE_DUMP_H_
#define SSTABLE_TOOLS_DUMP_TABLE_DUMP_H_

#include <cstdint>
#include <string>

#include "tools/cli/console.h"
#include "tools/cli/exit_code.h"
#include "tools/dump/entry_printer.h"
#include "tools/files/open_table.h"

namespace sstable::tools {

// The result of dumping a source of entries.
struct DumpResult {
  ExitCode code = ExitCode::kOk;  // the worst result so far
  uint64_t printed = 0;           // entries
};

// Prints the selected entries of a table, block by block. Damaged blocks are reported and skipped.
// Up to `threads` threads read a large table; the output does not depend on their number.
DumpResult DumpTable(const InputFile& file, const TableInputOptions& input,
                     const EntryOptions& options, uint64_t threads, Console* console);

}  // namespace sstable::tools

#endif  // SSTABLE_TOOLS_DUMP_TABLE_DUMP_H_
