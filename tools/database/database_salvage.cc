#include "tools/database/database_salvage.h"

#include <cstdint>
#include <map>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "db/salvage/log_rescue.h"
#include "db/salvage/table_rescue.h"
#include "report/salvage_report.h"
#include "report/text/words.h"
#include "tools/cli/common_options.h"
#include "tools/cli/interrupt.h"
#include "tools/files/database_input.h"
#include "tools/files/decoder_option.h"
#include "tools/files/input_files.h"
#include "util/status_util.h"

namespace sstable::tools {
namespace {

void SayReport(const DatabaseSalvageReport& report, const std::string& folder,
               const std::string& new_folder, const EntryDecoder* decoder, Console* console) {
  const auto say = [&](absl::string_view text) { console->Say(absl::StrCat(folder, ": ", text)); };
  const bool is_log = report.files.front().name == folder;  // its texts already begin with the path
  const auto say_of_file = [&](const std::string& text) {
    is_log ? console->Say(text) : say(text);
  };
  say(SalvageVerdict(report, new_folder));
  for (const DatabaseProblem& problem : report.problems) console->Say(problem.message);
  for (const std::string& line : DescribeLosses(report, decoder)) say_of_file(line);
  std::map<RescuedFile::Outcome, uint64_t> counts;
  for (const RescuedFile& file : report.files) ++counts[file.outcome];
  std::string text;
  for (const auto& [outcome, count] : counts) {
    absl::StrAppend(&text, text.empty() ? "" : ", ", Count(count, "file"), " ",
                    OutcomeWord(outcome));
  }
  say(text);
  const std::string dropped = DescribeDroppedTables(report);
  if (!report.is_written && !dropped.empty()) {
    console->Say(absl::StrCat("what to do now: ", dropped));
  }
  if (is_log || !report.is_written) return;
  console->Say(absl::StrCat(new_folder, ": ", Count(report.entry_count, "entry"), " (",
                            Count(report.deletion_count, "deletion"), ") in ",
                            Count(report.tables.size(), "table"),
                            report.levels_kept ? ", on their old levels"
                                               : ", on levels determined from keys and sequences",
                            "; last sequence ", report.last_sequence));
  console->Say(absl::StrCat("what to do now: put ", new_folder,
                            " in the place of the old folder, and keep a copy of that",
                            dropped.empty() ? "" : "; first compare: ", dropped));
}

absl::StatusOr<DatabaseSalvageReport> SalvageLogFile(
    const std::string& path, const std::string& out, const DatabaseSalvageOptions& options,
    absl::FunctionRef<absl::StatusOr<std::unique_ptr<TableBuilder>>(TableBuilderOptions)> create) {
  TableBuilderOptions builder_options;
  builder_options.key_kind = KeyKind::kInternal;
  if (options.comparator != nullptr) builder_options.comparator = options.comparator;
  const SourceFolder no_folder;
  RescueContext context{no_folder, "", builder_options.comparator, options, 1};
  LogRescuer rescuer(&context);
  SourceFile source;
  source.name = path;
  ASSIGN_OR_RETURN(Rescued rescued, rescuer.Read(source));
  DatabaseSalvageReport report;
  report.comparator_name = std::string(builder_options.comparator->Name());
  report.lost = std::move(rescued.lost);
  report.problems = std::move(rescued.problems);
  if (options.comparator == nullptr) {
    report.problems.push_back({path, std::nullopt,
                               absl::StrCat(path, ": a log does not show the order of keys; ",
                                            report.comparator_name, " is assumed"),
                               /*is_damage=*/false});
  }
  report.entry_count = rescued.file.entry_count;
  report.deletion_count = rescuer.CountDeletions();
  report.last_sequence = rescuer.last_sequence();
  report.is_written = report.entry_count > 0 || report.complete();
  if (report.is_written) {
    ASSIGN_OR_RETURN(const std::unique_ptr<TableBuilder> builder, create(builder_options));
    RETURN_IF_ERROR(rescuer.AddTo(builder.get()));
    RETURN_IF_ERROR(builder->Finish());
    rescued.file.new_name = out;
    if (const std::string overwritten = rescuer.DescribeOverwritten(); !overwritten.empty()) {
      report.problems.push_back({path, std::nullopt, absl::StrCat(path, ": ", overwritten)});
    }
  }
  report.files.push_back(std::move(rescued.file));
  report.read_status = context.read_status;
  return report;
}

ExitCode Finish(const absl::StatusOr<DatabaseSalvageReport>& report, const std::string& source,
                const std::string& out, const DatabaseSalvageOptions& options,
                SalvageReporting reporting, Console* console) {
  console->progress().End();
  if (!report.ok()) {
    console->Fail(report.status());
    return ExitCode::kCannot;
  }
  TableInputOptions input;
  input.comparator = options.comparator;
  // Lost keys are shown as the program that wrote them would name them, if it is recognized.
  const bool is_asked = reporting.decode != DecodedProgram::kNone;
  const bool names_lost = reporting.format == ReportFormat::kText && !report->lost.empty();
  if (!is_asked && names_lost && IsFolder(out)) reporting.decode = DecodedProgram::kAuto;
  const SalvagedKeys keys(out, report->is_written, input, reporting.decode, console);
  if (reporting.format == ReportFormat::kJson) {
    WriteJson(DatabaseSalvageJson(*report, source, out, keys.decoder()), console);
  } else {
    SayReport(*report, source, out, keys.decoder(), console);
  }
  if (is_asked || keys.decoder() != nullptr) keys.SayChoice(console);
  ExitCode code = report->complete() ? ExitCode::kOk : ExitCode::kDamagedOrAbsent;
  for (const DatabaseProblem& problem : report->problems) code = Worst(code, ExitCodeOf(problem));
  return Worst(code, ExitCodeOf(report->read_status));
}

void ShowProgress(const std::string& source, DatabaseSalvageOptions* options, Console* console) {
  options->on_progress = [console](uint64_t size) {
    console->progress().Advance(size);
    return CheckInterrupted();
  };
  console->progress().Begin(absl::StrCat("salvaging ", source), 0);
}

}  // namespace

SalvagedKeys::SalvagedKeys(const std::string& out, bool is_written,
                           const TableInputOptions& options, DecodedProgram program,
                           Console* console)
    : program_(program) {
  if (program == DecodedProgram::kNone || !is_written) return;
  salvaged_ = DecodedStream::Open(out, options, program, console);
}

const EntryDecoder* SalvagedKeys::decoder() const {
  return salvaged_.has_value() && salvaged_->ok() ? (*salvaged_)->decoder() : nullptr;
}

void SalvagedKeys::SayChoice(Console* console) const {
  if (!salvaged_.has_value()) return;
  if (!salvaged_->ok()) {
    console->Say(absl::StrCat("keys are not decoded: ", salvaged_->status().message()));
    return;
  }
  tools::SayChoice(program_, (*salvaged_)->entries.name(), (*salvaged_)->chosen, console);
}

ExitCode SalvageToFolder(const std::vector<std::string>& paths, const std::string& new_folder,
                         DatabaseSalvageOptions options, SalvageReporting reporting,
                         Console* console) {
  absl::Status status = CheckIsNoUrl(new_folder);
  for (const std::string& path : paths) status.Update(CheckIsNoUrl(path));
  if (!status.ok()) {
    return console->Fail(status);
  }
  const InterruptGuard guard;
  const std::string source = paths.size() == 1 ? paths[0] : Count(paths.size(), "file");
  ShowProgress(source, &options, console);
  return Finish(paths.size() == 1 ? SalvageDatabase(paths[0], new_folder, options)
                                  : SalvageFiles(paths, new_folder, options),
                source, new_folder, options, reporting, console);
}

ExitCode SalvageLog(
    const std::string& path, const std::string& out, DatabaseSalvageOptions options,
    absl::FunctionRef<absl::StatusOr<std::unique_ptr<TableBuilder>>(TableBuilderOptions)> create,
    SalvageReporting reporting, Console* console) {
  const InterruptGuard guard;
  ShowProgress(path, &options, console);
  return Finish(SalvageLogFile(path, out, options, create), path, out, options, reporting, console);
}

}  // namespace sstable::tools
