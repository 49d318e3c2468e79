// Opens the databases whose folders a user names.
#ifndef SSTABLE_TOOLS_FILES_DATABASE_INPUT_H_
#define SSTABLE_TOOLS_FILES_DATABASE_INPUT_H_

#include <memory>
#include <set>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "decode/choose_decoder.h"
#include "sstable/database_view.h"
#include "tools/cli/console.h"
#include "tools/cli/exit_code.h"
#include "tools/files/decoder_option.h"
#include "tools/files/open_table.h"

namespace sstable::tools {

// Returns the exit code for a problem.
ExitCode ExitCodeOf(const DatabaseProblem& problem);

// Returns the options with which commands open a database. `check_ranges`: see DatabaseViewOptions.
DatabaseViewOptions ViewOptions(const TableInputOptions& options, bool check_ranges);

// A view of a database, and the problems found so far.
class DatabaseInput {
 public:
  // Opens the database in `folder`. Reports its problems: damage, and with --verbose the others.
  // Borrows the console; null: reports nothing. `check_ranges`: see DatabaseViewOptions.
  static absl::StatusOr<DatabaseInput> Open(const std::string& folder,
                                            const TableInputOptions& options, Console* console,
                                            bool check_ranges = false);

  const DatabaseView& view() const { return *view_; }

  // Returns options for reading that report damage and continue after it. This object must not be
  // moved.
  ViewReadOptions ReadOptions();

  // Returns true if this error was reported already.
  bool HasReported(const absl::Status& status) const {
    return reported_.count(std::string(status.message())) > 0;
  }

  // Returns the worst exit code of the problems so far.
  ExitCode code() const { return code_; }

 private:
  void Report(const DatabaseProblem& problem);

  std::unique_ptr<DatabaseView> view_;
  std::set<std::string> reported_;  // messages, since reading may find a problem again
  Console* console_ = nullptr;
  ExitCode code_ = ExitCode::kOk;
};

// Returns a decoder for the entries of a database; see decode/choose_decoder.h. Does not
// report damage.
std::unique_ptr<EntryDecoder> DecoderFor(DecodedProgram program, const DatabaseView& view,
                                         Console* console);

}  // namespace sstable::tools

#endif  // SSTABLE_TOOLS_FILES_DATABASE_INPUT_H_
