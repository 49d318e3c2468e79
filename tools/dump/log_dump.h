// Prints the contents of a database's logs and MANIFEST.
#ifndef SSTABLE_TOOLS_DUMP_LOG_DUMP_H_
#define SSTABLE_TOOLS_DUMP_LOG_DUMP_H_

#include <string>

#include "tools/cli/console.h"
#include "tools/dump/entry_printer.h"
#include "tools/dump/table_dump.h"

namespace sstable::tools {

// Prints the selected changes of a log, as internal keys, in the order of the log; as text, with a
// line before each batch. Damage is reported and skipped.
DumpResult DumpLog(const InputFile& input, const EntryOptions& options, Console* console);

// Prints the records of a file in the form of a log, as values without keys. Damage is reported and
// skipped.
DumpResult DumpRawLog(const InputFile& input, const EntryOptions& options, Console* console);

// Prints the edits in a MANIFEST, as text or jsonl.
DumpResult DumpManifest(const InputFile& input, RecordFormat format, Console* console);

}  // namespace sstable::tools

#endif  // SSTABLE_TOOLS_DUMP_LOG_DUMP_H_
