// Opens the databases that a user names by their folders.
#ifndef SSTABLE_TOOLS_DATABASE_INPUT_H_
#define SSTABLE_TOOLS_DATABASE_INPUT_H_

#include <memory>
#include <set>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "sstable/database_view.h"
#include "tools/cli/console.h"
#include "tools/cli/exit_code.h"
#include "tools/decode/choose_decoder.h"
#include "tools/table_input.h"

namespace sstable::tools {

// The exit code that a problem leads to.
ExitCode ExitCodeOf(const DatabaseProblem& problem);

// The options with which commands open a database. `check_ranges`: see DatabaseViewOptions.
DatabaseViewOptions ViewOptions(const TableInputOptions& options, bool check_ranges);

// A view of a database, and what was wrong with it so far.
class DatabaseInput {
 public:
  // Opens the database in `folder`. Reports its problems: damage, and with --verbose the others.
  // Borrows the console. `check_ranges`: as DatabaseViewOptions has it.
  static absl::StatusOr<DatabaseInput> Open(const std::string& folder,
                                            const TableInputOptions& options, Console* console,
                                            bool check_ranges = false);

  const DatabaseView& view() const { return *view_; }

  // To read with: goes on after damage, and reports it. This object must stay where it is.
  ViewReadOptions ReadOptions();

  // Whether this was already reported.
  bool HasReported(const absl::Status& status) const {
    return reported_.count(std::string(status.message())) > 0;
  }

  // The worst of the problems that were met.
  ExitCode code() const { return code_; }

 private:
  void Report(const DatabaseProblem& problem);

  std::unique_ptr<DatabaseView> view_;
  std::set<std::string> reported_;  // messages: reading may meet a problem again
  Console* console_ = nullptr;
  ExitCode code_ = ExitCode::kOk;
};

// What decodes the entries of a database; see tools/decode/choose_decoder.h. Damage is not
// reported.
std::unique_ptr<EntryDecoder> DecoderFor(DecodedProgram program, const DatabaseView& view,
                                         Console* console);

}  // namespace sstable::tools

#endif  // SSTABLE_TOOLS_DATABASE_INPUT_H_
