// Prints the entries of a database.
#ifndef SSTABLE_TOOLS_DUMP_DATABASE_DUMP_H_
#define SSTABLE_TOOLS_DUMP_DATABASE_DUMP_H_

#include <cstdint>
#include <string>

#include "tools/cli/console.h"
#include "tools/dump/entry_printer.h"
#include "tools/dump/table_dump.h"
#include "tools/files/open_table.h"

namespace sstable::tools {

enum class Versions {
  kLive,  // the newest version of each key, with its user key, unless it is a deletion
  kAll,   // all versions, with internal keys; can't be reversed
};

// Prints the selected entries of the database in `folder`. Damage is reported and skipped. Uses one
// thread if there is a limit or the dump goes backward.
DumpResult DumpDatabase(const std::string& folder, const TableInputOptions& input,
                        const EntryOptions& options, Versions versions, uint64_t threads,
                        Console* console);

}  // namespace sstable::tools

#endif  // SSTABLE_TOOLS_DUMP_DATABASE_DUMP_H_
