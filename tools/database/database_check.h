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
  std::optional<uint64_t> last_sequence;  // nullopt: not known without reading the tables

  // Problems of the folder and of whole files. Problems at an offset in a log or MANIFEST are left
  // to the check of that file.
  std::vector<DatabaseProblem> problems;
};

// The number of files of databases that are kept open from reading the state until they are
// checked.
inline constexpr size_t kMaxHeldDescriptors = 200;

// Reads the state of the database in `folder`, and appends its files to `*files`: tables by number,
// logs, MANIFEST. Opens up to `*descriptors_left` of them, so that they can be read even after a
// program has removed them, and reduces that number. Errors: as for DatabaseView::Open(), including
// Aborted.
absl::StatusOr<DatabaseState> ReadDatabaseState(const std::string& folder,
                                                const TableInputOptions& input,
                                                size_t* descriptors_left,
                                                std::vector<InputFile>* files);

// Report whether a folder, log or MANIFEST is sound. For a folder, this is its state, and whether
// LevelDB finds the newest version of each key, for which all entries are read. For a log or
// MANIFEST, it is the checksums of the records, and whether each is a write batch or an edit.
ExitCode CheckDatabaseState(DatabaseState state, const ReportOptions& options, Console* console);
ExitCode CheckLog(const InputFile& input, const ReportOptions& options, Console* console);
ExitCode CheckManifest(const InputFile& input, const ReportOptions& options, Console* console);

}  // namespace sstable::tools

#endif  // SSTABLE_TOOLS_DATABASE_DATABASE_CHECK_H_
