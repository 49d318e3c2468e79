// The reports of `sst check` on a database's folder, and on its files other than tables.
#ifndef SSTABLE_TOOLS_DATABASE_DATABASE_CHECK_H_
#define SSTABLE_TOOLS_DATABASE_DATABASE_CHECK_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "sstable/database_view.h"
#include "tools/cli/console.h"
#include "tools/cli/exit_code.h"
#include "tools/files/input_files.h"
#include "tools/files/report_command.h"

namespace sstable::tools {

// The state of a database's folder, without the contents of its files.
struct DatabaseState {
  std::string folder;
  StateSource source = StateSource::kFiles;
  std::string manifest_name;  // empty: there is none
  uint64_t tables = 0, logs = 0;
  std::optional<uint64_t> last_sequence;  // nullopt: only the tables show it

  // Problems of the folder and of whole files. Problems at an offset in a log or MANIFEST are left
  // to the check of that file.
  std::vector<DatabaseProblem> problems;
};

// The number of databases' files that are kept open from reading the state until they are checked.
inline constexpr size_t kMaxHeldDescriptors = 200;

// Reads the state of the database in `folder`, and appends its files to `*files`: tables by number,
// logs, MANIFEST. Opens them as long as `*descriptors_left` is not 0, so that a program that uses
// the database may remove them. Errors: those of DatabaseView::Open(), including Aborted.
absl::StatusOr<DatabaseState> ReadDatabaseState(const std::string& folder,
                                                const TableInputOptions& input,
                                                size_t* descriptors_left,
                                                std::vector<InputFile>* files);

// Report whether a folder, log or MANIFEST is sound. For a folder: its state, and whether LevelDB
// finds the newest version of each key, for which all entries are read. For the others: the
// checksums of their records, and whether each is a write batch or an edit.
ExitCode CheckDatabaseState(DatabaseState state, const ReportOptions& options, Console* console);
ExitCode CheckLog(const InputFile& input, const ReportOptions& options, Console* console);
ExitCode CheckManifest(const InputFile& input, const ReportOptions& options, Console* console);

}  // namespace sstable::tools

#endif  // SSTABLE_TOOLS_DATABASE_DATABASE_CHECK_H_
