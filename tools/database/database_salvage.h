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
  DecodedProgram decode = DecodedProgram::kNone;  // how to name keys
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

// Names keys in the report on a table or database that was salvaged.
class SalvagedKeys {
 public:
  // Opens `out`, if it was written and keys are to be named.
  SalvagedKeys(const std::string& out, bool is_written, const TableInputOptions& options,
               DecodedProgram program, Console* console);

  const EntryDecoder* decoder() const;  // null: no keys are named
  // Reports the choice of the decoder, or why there is none. Call it after reporting the result,
  // which matters more.
  void SayChoice(Console* console) const;

 private:
  const DecodedProgram program_;
  std::optional<absl::StatusOr<DecodedStream>> salvaged_;
};

}  // namespace sstable::tools

#endif  // SSTABLE_TOOLS_DATABASE_DATABASE_SALVAGE_H_
