// `sst salvage` for a folder, a log or loose files: runs the rescue, and reports it as text or
// JSON.
#ifndef SSTABLE_TOOLS_DATABASE_DATABASE_SALVAGE_H_
#define SSTABLE_TOOLS_DATABASE_DATABASE_SALVAGE_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "decode/choose_decoder.h"
#include "sstable/options.h"
#include "sstable/salvage.h"
#include "sstable/table_builder.h"
#include "tools/cli/common_options.h"
#include "tools/cli/console.h"
#include "tools/cli/exit_code.h"
#include "tools/files/entry_stream.h"
#include "tools/files/open_table.h"

namespace sstable::tools {

// How a rescue is reported.
struct SalvageReporting {
  ReportFormat format = ReportFormat::kText;
  DecodedProgram decode = DecodedProgram::kNone;  // names keys
};

// Salvages a folder, or several files. If a signal ends it, the new folder has no CURRENT.
ExitCode SalvageToFolder(const std::vector<std::string>& paths, const std::string& new_folder,
                         DatabaseSalvageOptions options, SalvageReporting reporting,
                         Console* console);

// Writes a table with the changes of a log. `create` is as in WriteSalvaged(); it gets the options
// of the table, which it may change.
ExitCode SalvageLog(
    const std::string& path, const std::string& out, DatabaseSalvageOptions options,
    absl::FunctionRef<absl::StatusOr<std::unique_ptr<TableBuilder>>(TableBuilderOptions)> create,
    SalvageReporting reporting, Console* console);

// Opens the table or database `out`, which was salvaged, to name keys in the report. Nullopt if
// keys are not named, or if it can't be opened, which is reported.
std::optional<DecodedStream> OpenSalvaged(const std::string& out, const TableInputOptions& options,
                                          DecodedProgram decode, Console* console);

}  // namespace sstable::tools

#endif  // SSTABLE_TOOLS_DATABASE_DATABASE_SALVAGE_H_
