// Opens the tables that a user names, and determines their kind of keys.
#ifndef SSTABLE_TOOLS_FILES_OPEN_TABLE_H_
#define SSTABLE_TOOLS_FILES_OPEN_TABLE_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "sstable/comparator.h"
#include "sstable/experimental/key_guess.h"
#include "table/block/limits.h"
#include "table/inspect/opened_table.h"
#include "tools/cli/command_line.h"
#include "tools/cli/console.h"
#include "tools/files/input_files.h"

namespace sstable::tools {

// The options of all commands that read tables.
struct TableInputOptions {
  std::optional<KeyKind> key_kind;         // nullopt: detect
  const Comparator* comparator = nullptr;  // null: detect
  std::optional<uint64_t> max_uncompressed_block_size;
  uint32_t max_work = kDefaultMaxWork;
  bool verbose = false;

  // Adds the options for what a file does not record.
  void AddTableOptionsTo(CommandLine* command_line);
  // Adds these options and --verbose.
  void AddTo(CommandLine* command_line, const std::string& more_verbose = "",
             const std::string& verbose_names = "-v,--verbose");
};

// Opens a table to read with pread(2), so that a file that shrinks meanwhile causes an error, not a
// crash. Standard input and nameless pipes are read into memory; a named pipe is refused. For files
// on a web server, see remote/http_file.h. Reports the assumptions about the keys if they are not
// certain, or always with --verbose. Reading advances the progress bar. Errors: from opening
// the file; DataLoss if it is not a table.
absl::StatusOr<OpenedTable> OpenTable(const InputFile& file, const TableInputOptions& options,
                                      Console* console);

// Returns OK if it is certain whether the keys are plain or internal, or if there are none.
// Otherwise returns FailedPrecondition, or InvalidArgument if they are not of the kind that --keys
// says. `user` names what depends on it, such as "the filter".
absl::Status CheckKindIsCertain(const OpenedTable& table, absl::string_view user);

}  // namespace sstable::tools

#endif  // SSTABLE_TOOLS_FILES_OPEN_TABLE_H_
