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
#include "report/text/words.h"
#include "tools/cli/common_options.h"
#include "tools/cli/interrupt.h"
#include "tools/files/database_input.h"
#include "tools/files/input_files.h"
#include "util/escape.h"
#include "util/status_util.h"

namespace sstable::tools {
namespace {

using Outcome = RescuedFile::Outcome;

// The word for it in JSON.
const char* OutcomeWord(Outcome outcome) {
  switch (outcome) {
    case Outcome::kCopied:
      return "copied";
    case Outcome::kLinked:
      return "linked";
    case Outcome::kRebuilt:
      return "rebuilt";
    case Outcome::kReplayed:
      return "replayed";
    case Outcome::kNothingLeft:
      return "nothing left";
    case Outcome::kMissing:
      return "missing";
    case Outcome::kLeftOut:
      break;
  }
  return "left out";
}

std::string DescribeFile(const RescuedFile& file) {
  std::string text = absl::StrCat(file.name, ": ", OutcomeWord(file.outcome));
  if (!file.new_name.empty()) {
    absl::StrAppend(&text, ", ", Count(file.entry_count, "entry"), " in ", file.new_name);
  }
  if (file.unverified_count > 0) {
    absl::StrAppend(&text, "; ", Count(file.unverified_count, "unverified entry"), " in ",
                    file.unverified_name);
  }
  if (!file.message.empty()) absl::StrAppend(&text, "; ", file.message);
  return text;
}

std::string DescribeLost(const LostEntries& lost) {
  std::string text = absl::StrCat("lost: ", lost.file);
  if (lost.size > 0) {
    absl::StrAppend(&text, ": at offset ", lost.offset, " (", Count(lost.size, "byte"), ")");
  }
  absl::StrAppend(&text, ": ", lost.reason);
  if (lost.first.has_value()) absl::StrAppend(&text, "; keys from ", ShowBytes(*lost.first));
  if (lost.last.has_value()) {
    absl::StrAppend(&text, lost.first.has_value() ? " to " : "; keys up to ",
                    ShowBytes(*lost.last));
  }
  if (lost.first_sequence.has_value()) {
    absl::StrAppend(&text, "; sequences from ", *lost.first_sequence);
    if (lost.last_sequence.has_value()) absl::StrAppend(&text, " to ", *lost.last_sequence);
  } else if (lost.last_sequence.has_value()) {
    absl::StrAppend(&text, "; sequences up to ", *lost.last_sequence);
  }
  if (lost.may_revive) {
    absl::StrAppend(&text,
                    "; deletions and newer values may be lost, so old values may have come back");
  }
  return text;
}

// The result in one sentence, for someone who reads no further.
std::string Verdict(const DatabaseSalvageReport& report, const std::string& out) {
  if (!report.is_written) {
    return absl::StrCat("nothing could be rescued: no entry is left, so ", out, " was not made");
  }
  const std::string entries = absl::StrCat(Count(report.entry_count, "entry"), ", in ", out);
  if (report.complete()) return absl::StrCat("everything was rescued: ", entries);
  if (!report.lost.empty()) {
    return absl::StrCat("not everything could be rescued: ", entries,
                        "; what is lost or may be lost follows");
  }
  return absl::StrCat("all that was found is rescued: ", entries,
                      "; why it may not be all follows");
}

void SayReport(const DatabaseSalvageReport& report, const std::string& folder,
               const std::string& new_folder, Console* console) {
  const auto say = [&](absl::string_view text) { console->Say(absl::StrCat(folder, ": ", text)); };
  const bool is_log = report.files.front().name == folder;  // the texts then begin with its path
  const auto say_of_file = [&](const std::string& text) {
    is_log ? console->Say(text) : say(text);
  };
  say(Verdict(report, new_folder));
  for (const DatabaseProblem& problem : report.problems) console->Say(problem.message);
  std::map<Outcome, uint64_t> counts;
  for (const RescuedFile& file : report.files) {
    ++counts[file.outcome];
    const bool is_whole = file.outcome == Outcome::kCopied || file.outcome == Outcome::kLinked;
    if (!is_whole || !file.message.empty()) say_of_file(DescribeFile(file));
  }
  for (const LostEntries& lost : report.lost) say_of_file(DescribeLost(lost));
  std::string text;
  for (const auto& [outcome, count] : counts) {
    absl::StrAppend(&text, text.empty() ? "" : ", ", Count(count, "file"), " ",
                    OutcomeWord(outcome));
  }
  say(text);
  if (is_log || !report.is_written) return;
  console->Say(absl::StrCat(new_folder, ": ", Count(report.entry_count, "entry"), " (",
                            Count(report.deletion_count, "deletion"), ") in ",
                            Count(report.tables.size(), "table"),
                            report.levels_kept ? ", on their old levels"
                                               : ", on levels determined from keys and sequences",
                            "; last sequence ", report.last_sequence));
  console->Say(absl::StrCat("what to do now: put ", new_folder,
                            " in the place of the old folder, of which you keep a copy"));
}

Json FileJson(const RescuedFile& file) {
  Json json = {{"file", JsonText(file.name)},
               {"outcome", OutcomeWord(file.outcome)},
               {"output", file.new_name.empty() ? Json() : Json(file.new_name)},
               {"entries", file.entry_count}};
  if (file.unverified_count > 0) {
    json["unverified_output"] = JsonText(file.unverified_name);
    json["unverified_entries"] = file.unverified_count;
  }
  if (!file.message.empty()) json["message"] = JsonText(file.message);
  return json;
}

Json LostJson(const LostEntries& lost) {
  Json json = {{"file", JsonText(lost.file)}, {"reason", JsonText(lost.reason)}};
  if (lost.size > 0) {
    json["offset"] = lost.offset;
    json["size"] = lost.size;
  }
  if (lost.first.has_value()) SetBytes("first_key", *lost.first, &json);
  if (lost.last.has_value()) SetBytes("last_key", *lost.last, &json);
  if (lost.first_sequence.has_value()) json["first_sequence"] = *lost.first_sequence;
  if (lost.last_sequence.has_value()) json["last_sequence"] = *lost.last_sequence;
  json["old_values_may_be_back"] = lost.may_revive;
  return json;
}

Json JsonReport(const DatabaseSalvageReport& report, const std::string& folder,
                const std::string& new_folder) {
  Json files = Json::array(), lost = Json::array(), problems = Json::array(),
       tables = Json::array();
  for (const RescuedFile& file : report.files) files.push_back(FileJson(file));
  for (const LostEntries& entries : report.lost) lost.push_back(LostJson(entries));
  for (const DatabaseProblem& problem : report.problems) {
    problems.push_back({{"file", problem.file.empty() ? Json() : Json(JsonText(problem.file))},
                        {"offset", problem.offset.has_value() ? Json(*problem.offset) : Json()},
                        {"message", JsonText(problem.message)},
                        {"damage", problem.is_damage}});
  }
  for (const TableFile& table : report.tables) {
    tables.push_back({{"level", table.level}, {"number", table.number}, {"size", table.size}});
  }
  return {{"folder", JsonText(folder)},
          {"output", report.is_written ? Json(JsonText(new_folder)) : Json()},
          {"complete", report.complete()},
          {"entries", report.entry_count},
          {"deletions", report.deletion_count},
          {"last_sequence", report.last_sequence},
          {"comparator", JsonText(report.comparator_name)},
          {"levels_kept", report.levels_kept},
          {"files", std::move(files)},
          {"lost", std::move(lost)},
          {"problems", std::move(problems)},
          {"tables", std::move(tables)}};
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
                const std::string& out, ReportFormat format, Console* console) {
  console->progress().End();
  if (!report.ok()) {
    console->Fail(report.status());
    return ExitCode::kCannot;
  }
  if (format == ReportFormat::kJson) {
    WriteJson(JsonReport(*report, source, out), console);
  } else {
    SayReport(*report, source, out, console);
  }
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

ExitCode SalvageToFolder(const std::vector<std::string>& paths, const std::string& new_folder,
                         DatabaseSalvageOptions options, ReportFormat format, Console* console) {
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
                source, new_folder, format, console);
}

ExitCode SalvageLog(
    const std::string& path, const std::string& out, DatabaseSalvageOptions options,
    absl::FunctionRef<absl::StatusOr<std::unique_ptr<TableBuilder>>(TableBuilderOptions)> create,
    ReportFormat format, Console* console) {
  const InterruptGuard guard;
  ShowProgress(path, &options, console);
  return Finish(SalvageLogFile(path, out, options, create), path, out, format, console);
}

}  // namespace sstable::tools
