// Prints the entries of a table.
#ifndef SSTABLE_TOOLS_TABLE_DUMP_H_
#define SSTABLE_TOOLS_TABLE_DUMP_H_

#include <cstdint>
#include <string>

#include "tools/cli/console.h"
#include "tools/cli/exit_code.h"
#include "tools/entry_printer.h"
#include "tools/table_input.h"

namespace sstable::tools {

// What became of a source of entries.
struct DumpResult {
  ExitCode code = ExitCode::kOk;  // the worst of what was met
  uint64_t printed = 0;           // entries
};

// Prints the entries of a table that `options` select, block by block. Damaged blocks
// are reported and skipped. Of a large table, up to `threads` threads read, and the output is that
// of one.
DumpResult DumpTable(const InputFile& file, const TableInputOptions& input,
                     const EntryOptions& options, uint64_t threads, Console* console);

}  // namespace sstable::tools

#endif  // SSTABLE_TOOLS_TABLE_DUMP_H_
