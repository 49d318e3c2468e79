#include "tools/database_salvage.h"

#include <cstdint>
#include <map>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "tools/cli/interrupt.h"
#include "tools/cli/words.h"
#include "tools/database_input.h"
#include "tools/input_files.h"
#include "util/escape.h"

namespace sstable::tools {
namespace {

using Outcome = RescuedFile::Outcome;

// As JSON says it.
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
    absl::StrAppend(&text, "; deletions and newer values may be lost, so that old values are back");
  }
  return text;
}

void SayReport(const DatabaseSalvageReport& report, const std::string& folder,
               const std::string& new_folder, Console* console) {
  const auto say = [&](absl::string_view text) { console->Say(absl::StrCat(folder, ": ", text)); };
  for (const DatabaseProblem& problem : report.problems) console->Say(problem.message);
  std::map<Outcome, uint64_t> counts;
  for (const RescuedFile& file : report.files) {
    ++counts[file.outcome];
    const bool is_whole = file.outcome == Outcome::kCopied || file.outcome == Outcome::kLinked;
    if (!is_whole || !file.message.empty()) say(DescribeFile(file));
  }
  for (const LostEntries& lost : report.lost) say(DescribeLost(lost));
  std::string text;
  for (const auto& [outcome, count] : counts) {
    absl::StrAppend(&text, text.empty() ? "" : ", ", Count(count, "file"), " ",
                    OutcomeWord(outcome));
  }
  say(absl::StrCat(text, "; ",
                   report.complete()     ? "nothing is lost"
                   : report.lost.empty() ? "no entry is known to be lost"
                                         : "entries may be missing"));
  console->Say(absl::StrCat(
      new_folder, ": ", Count(report.entry_count, "entry"), " (",
      Count(report.deletion_count, "deletion"), ") in ", Count(report.tables.size(), "table"),
      report.levels_kept ? ", on their old levels" : ", on levels by their keys and sequences",
      "; last sequence ", report.last_sequence));
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
          {"output", JsonText(new_folder)},
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

}  // namespace

ExitCode SalvageFolder(const std::string& folder, const std::string& new_folder,
                       DatabaseSalvageOptions options, ReportFormat format, Console* console) {
  if (const absl::Status status = CheckIsNoUrl(new_folder); !status.ok()) {
    return console->Fail(status);
  }
  const InterruptGuard guard;
  options.on_progress = [console](uint64_t size) {
    console->progress().Advance(size);
    return CheckInterrupted();
  };
  console->progress().Begin(absl::StrCat("salvaging ", folder), 0);
  const absl::StatusOr<DatabaseSalvageReport> report = SalvageDatabase(folder, new_folder, options);
  console->progress().End();
  if (!report.ok()) {
    console->Fail(report.status());
    return ExitCode::kCannot;
  }
  if (format == ReportFormat::kJson) {
    WriteJson(JsonReport(*report, folder, new_folder), console);
  } else {
    SayReport(*report, folder, new_folder, console);
  }
  ExitCode code = report->complete() ? ExitCode::kOk : ExitCode::kDamagedOrAbsent;
  for (const DatabaseProblem& problem : report->problems) code = Worst(code, ExitCodeOf(problem));
  return Worst(code, ExitCodeOf(report->read_status));
}

}  // namespace sstable::tools
