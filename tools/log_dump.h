// Prints what a database's logs and MANIFEST hold.
#ifndef SSTABLE_TOOLS_LOG_DUMP_H_
#define SSTABLE_TOOLS_LOG_DUMP_H_

#include <string>

#include "tools/cli/console.h"
#include "tools/entry_printer.h"
#include "tools/table_dump.h"

namespace sstable::tools {

// Prints the changes in the log at `path` that `options` select, as internal keys in the order of
// the log; in text after a line for each batch. Damage is reported and skipped.
DumpResult DumpLog(const std::string& path, const EntryOptions& options, Console* console);

// Prints the edits in the MANIFEST at `path`, in text or jsonl.
DumpResult DumpManifest(const std::string& path, RecordFormat format, Console* console);

}  // namespace sstable::tools

#endif  // SSTABLE_TOOLS_LOG_DUMP_H_
