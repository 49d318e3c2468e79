// Processes many files, several at a time, and reports them in order.
#ifndef SSTABLE_TOOLS_FILES_FILE_RUNNER_H_
#define SSTABLE_TOOLS_FILES_FILE_RUNNER_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "report/json.h"
#include "sstable/file.h"
#include "tools/cli/command_line.h"
#include "tools/cli/common_options.h"
#include "tools/cli/console.h"
#include "tools/cli/exit_code.h"
#include "tools/files/input_files.h"

namespace sstable::tools {

// Adds -j to the options of a command.
void AddJobsTo(CommandLine* command_line, uint64_t* jobs);

// The number of threads of a command that can also process several parts of a large table or
// database at once.
struct Threads {
  std::optional<uint64_t> count;  // in all; nullopt: as many as are useful, file by file

  uint64_t jobs() const { return count.value_or(1); }  // files at once
  // The number of threads for each of this many files or databases.
  uint64_t ForEachOf(size_t file_count) const;
};

// Returns how many of `threads` to use for a table. One is enough for a table so small that it is
// finished before a second thread starts, and for a table on a server, which is read ahead in
// order.
uint64_t ThreadsForTable(const RandomAccessFile& file, uint64_t threads);

// Adds -j to the options of a command that uses Threads.
void AddThreadsTo(CommandLine* command_line, Threads* threads);

// Processes one file; `console` is its own. Called in any thread, once for each file.
using FileWork = absl::FunctionRef<ExitCode(const InputFile& file, Console* console)>;

// Processes `files`, up to `jobs` of them at once, with a progress bar over all their bytes. The
// output does not depend on `jobs`; at most 16 MiB of it waits for its turn. Returns an exit code
// for each file; kOk for files after the output was closed.
std::vector<ExitCode> RunOnFiles(absl::Span<const InputFile> files, uint64_t jobs, FileWork work,
                                 Console* console);

// The summary after a report on many files.
class FilesSummary {
 public:
  // Adds files and the exit code of each. Keeps the names of files that are not ok.
  void Add(absl::Span<const InputFile> files, absl::Span<const ExitCode> codes);

  ExitCode worst() const;

  // Returns "3000 files: 2993 ok, 7 damaged", a line for each file that is not ok, and what to do.
  std::string Text(const Style& style) const;

  // Returns {"summary": {"files": 3000, "ok": 2993, "damaged": 7, "failed": 0, "damaged_files":
  // [...], "failed_files": [...]}}. "failed" counts files that can't be read.
  Json ToJson() const;

 private:
  uint64_t ok_ = 0;
  std::vector<std::string> damaged_, failed_;  // file names
};

// Ends a report on files with their summary, on standard output, if `many`. Returns the worst exit
// code.
ExitCode ReportSummary(const FilesSummary& summary, bool many, ReportFormat format,
                       Console* console);
ExitCode ReportSummary(const InputFiles& inputs, absl::Span<const ExitCode> codes,
                       ReportFormat format, Console* console);

}  // namespace sstable::tools

#endif  // SSTABLE_TOOLS_FILES_FILE_RUNNER_H_
