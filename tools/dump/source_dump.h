// Prints or counts the entries of any source that a user names: `sst dump`, `sample`, `grep` and
// `du`.
#ifndef SSTABLE_TOOLS_DUMP_SOURCE_DUMP_H_
#define SSTABLE_TOOLS_DUMP_SOURCE_DUMP_H_

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "tools/cli/command_line.h"
#include "tools/cli/console.h"
#include "tools/dump/dumps.h"
#include "tools/dump/entry_printer.h"
#include "tools/files/file_runner.h"
#include "tools/files/input_files.h"
#include "tools/files/open_table.h"

namespace sstable::tools {

// Selects what is printed of a source.
enum class Shown {
  kEntries,
  kCount,  // the number of its entries
  kName,   // its name, if it has entries
  kNothing,
};

// How to read the records of a log.
enum class LogRecords {
  kBatches,  // batches of changes
  kRaw,      // any bytes: each record is shown as a value without a key
};

// The options: which sources to read, which entries to print, and how.
struct SourceDump {
  TableInputOptions input;
  EntryOptions entries;
  bool history = false;  // for databases
  LogRecords records = LogRecords::kBatches;
  bool no_values = false;
  bool no_header = false;  // in csv
  std::optional<std::string> where, select;
  Shown shown = Shown::kEntries;
  Threads threads;

  // Adds --limit, --format, --encoding, --no-values, --history, --snapshot, --files, --decode,
  // --where, --select, -j and the options of the input.
  void AddTo(CommandLine* command_line, const std::string& verbose_names = "-v,--verbose");

  // Prints the entries of all files; in text with a heading for each if `has_headings` and there
  // are several. Finally reports which of several are damaged. Returns the worst exit code, and the
  // number of entries printed.
  DumpResult Run(InputFiles inputs, bool has_headings, Console* console);

 private:
  absl::Status ParseQuery();
  DumpResult DumpOne(const InputFile& file, uint64_t file_threads, Console* console) const;

  std::atomic<uint64_t> unjudged_{0};  // entries that may or may not satisfy --where
};

}  // namespace sstable::tools

#endif  // SSTABLE_TOOLS_DUMP_SOURCE_DUMP_H_
