// Opens the tables that a user names, and determines what kind of keys they have.
#ifndef SSTABLE_TOOLS_TABLE_INPUT_H_
#define SSTABLE_TOOLS_TABLE_INPUT_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "sstable/comparator.h"
#include "sstable/key_guess.h"
#include "table/block/limits.h"
#include "tools/cli/command_line.h"
#include "tools/cli/console.h"
#include "tools/input_files.h"
#include "tools/input_table.h"

namespace sstable::tools {

// The options of every command that reads tables.
struct TableInputOptions {
  std::optional<KeyKind> key_kind;              // nullopt: detect
  std::optional<const Comparator*> comparator;  // likewise
  std::optional<uint64_t> max_uncompressed_block_size;
  uint32_t max_work = kDefaultMaxWork;
  bool verbose = false;

  // Those that say what a file does not.
  void AddTableOptionsTo(CommandLine* command_line);
  // And --verbose.
  void AddTo(CommandLine* command_line,
             const std::string& verbose_help = "Say what is assumed about the keys, and why");
};

// Opens a table to read with pread(2), so that a file that shrinks meanwhile is an error and not a
// crash. Standard input and nameless pipes are read into memory as a whole; a named pipe is
// refused. Of a web server's, see remote/http_file.h. Reports what is assumed about the keys if it
// is not certain, or always with --verbose. Reading advances the progress bar. Errors: those of
// opening the file; DataLoss if it is not a table.
absl::StatusOr<InputTable> OpenTable(const InputFile& file, const TableInputOptions& options,
                                     Console* console);

}  // namespace sstable::tools

#endif  // SSTABLE_TOOLS_TABLE_INPUT_H_
