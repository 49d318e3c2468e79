// Work on many files, several at a time, reported in the order of the files.
#ifndef SSTABLE_TOOLS_FILE_RUNNER_H_
#define SSTABLE_TOOLS_FILE_RUNNER_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "sstable/file.h"
#include "tools/cli/command_line.h"
#include "tools/cli/console.h"
#include "tools/cli/exit_code.h"
#include "tools/input_files.h"
#include "tools/records/json.h"

namespace sstable::tools {

// Adds -j to the options of a command.
void AddJobsTo(CommandLine* command_line, uint64_t* jobs);

// How many threads a command uses that also works on several parts of a large table at once.
struct Threads {
  std::optional<uint64_t> count;  // in all; nullopt: a file at a time, by as many as pay

  uint64_t jobs() const { return count.value_or(1); }  // files at once
  // For each of so many files.
  uint64_t ForEachOf(size_t file_count) const;
};

// How many of `threads` work on a table: one if it is so small that it is done before a second one
// has begun, or if a server has the file, which is read ahead in order.
uint64_t ThreadsForTable(const RandomAccessFile& file, uint64_t threads);

// Adds -j to the options of such a command.
void AddThreadsTo(CommandLine* command_line, Threads* threads);

// Works on one file; `console` is its own. Called by any thread, once for each file.
using FileWork = absl::FunctionRef<ExitCode(const InputFile& file, Console* console)>;

// Works on `files`, on up to `jobs` of them at once, with a progress bar over all their bytes.
// Output is the same whatever `jobs` is; what has to wait for its turn takes a few MiB at most.
// Returns an exit code for each file; kOk for those after which the output was closed.
std::vector<ExitCode> RunOnFiles(absl::Span<const InputFile> files, uint64_t jobs, FileWork work,
                                 Console* console);

// What is said in the end of many files.
class FilesSummary {
 public:
  // Adds files and the exit code of each. Keeps the names of those that are not ok.
  void Add(absl::Span<const InputFile> files, absl::Span<const ExitCode> codes);

  ExitCode worst() const;

  // "3000 files: 2993 ok, 7 damaged", and a line with the name of each that is not ok.
  std::string Text(const Style& style) const;

  // {"summary": {"files": 3000, "ok": 2993, "damaged": 7, "failed": 0, "damaged_files": [...],
  // "failed_files": [...]}}. Failed are those that can't be read.
  Json ToJson() const;

 private:
  uint64_t ok_ = 0;
  std::vector<std::string> damaged_, failed_;  // their names
};

// Ends a report on files with their summary, on standard output, if they are `many`. Returns the
// worst exit code.
ExitCode ReportSummary(const FilesSummary& summary, bool many, ReportFormat format,
                       Console* console);
ExitCode ReportSummary(const InputFiles& inputs, absl::Span<const ExitCode> codes,
                       ReportFormat format, Console* console);

}  // namespace sstable::tools

#endif  // SSTABLE_TOOLS_FILE_RUNNER_H_
