// Prints the entries of a table or database, and the contents of its logs and MANIFEST.
#ifndef SSTABLE_TOOLS_DUMP_DUMPS_H_
#define SSTABLE_TOOLS_DUMP_DUMPS_H_

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

enum class Versions {
  kLive,  // the newest version of each key, with its user key, unless it is a deletion
  kAll,   // all versions, with internal keys; can't be reversed
};

// Prints the selected entries of the database in `folder`. Damage is reported and skipped. Uses one
// thread if there is a limit or the dump goes backward.
DumpResult DumpDatabase(const std::string& folder, const TableInputOptions& input,
                        const EntryOptions& options, Versions versions, uint64_t threads,
                        Console* console);

// Prints the selected changes of a log, as internal keys, in the order of the log; as text, with a
// line before each batch. Damage is reported and skipped.
DumpResult DumpLog(const InputFile& input, const EntryOptions& options, Console* console);

// Prints the records of a file in the form of a log, as values without keys. Damage is reported and
// skipped.
DumpResult DumpRawLog(const InputFile& input, const EntryOptions& options, Console* console);

// Prints the edits in a MANIFEST, as text or jsonl.
DumpResult DumpManifest(const InputFile& input, RecordFormat format, Console* console);

}  // namespace sstable::tools

#endif  // SSTABLE_TOOLS_DUMP_DUMPS_H_
