#include "tools/files/database_input.h"

#include <utility>

#include "tools/files/decoder_option.h"
#include "util/status_util.h"

namespace sstable::tools {

ExitCode ExitCodeOf(const DatabaseProblem& problem) {
  if (problem.is_unread) return ExitCode::kCannot;
  return problem.is_damage ? ExitCode::kDamagedOrAbsent : ExitCode::kOk;
}

DatabaseViewOptions ViewOptions(const TableInputOptions& options, bool check_ranges) {
  DatabaseViewOptions view_options;
  view_options.file_access = FileAccess::kRead;
  view_options.check_ranges = check_ranges;
  view_options.resume_within_log_block = true;  // as `sst salvage` does
  view_options.comparator = options.comparator;
  view_options.max_uncompressed_block_size = options.max_uncompressed_block_size;
  view_options.max_work = options.max_work;
  return view_options;
}

absl::StatusOr<DatabaseInput> DatabaseInput::Open(const std::string& folder,
                                                  const TableInputOptions& options,
                                                  Console* console, bool check_ranges) {
  DatabaseInput input;
  ASSIGN_OR_RETURN(input.view_, DatabaseView::Open(folder, ViewOptions(options, check_ranges)));
  input.console_ = console;
  for (const DatabaseProblem& problem : input.view_->FindProblems()) {
    if (problem.is_damage || options.verbose) input.Report(problem);
    input.reported_.insert(problem.message);
  }
  return input;
}

void DatabaseInput::Report(const DatabaseProblem& problem) {
  const bool is_new = reported_.insert(problem.message).second;
  if (is_new && console_ != nullptr) console_->Say(problem.message);
  code_ = Worst(code_, ExitCodeOf(problem));
}

ViewReadOptions DatabaseInput::ReadOptions() {
  ViewReadOptions options;
  options.on_damage = [this](const DatabaseProblem& problem) { Report(problem); };
  return options;
}

std::unique_ptr<EntryDecoder> DecoderFor(DecodedProgram program, const DatabaseView& view,
                                         Console* console) {
  if (view.comparator() == nullptr) return nullptr;
  return DecoderFor(program, view.folder(), NewDatabaseSource(&view), console);
}

}  // namespace sstable::tools
