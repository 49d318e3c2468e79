#include "tools/database/database_check.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "db/folder.h"
#include "db/folder_files.h"
#include "db/version_check.h"
#include "db/view_tables.h"
#include "report/database_json.h"
#include "report/json.h"
#include "report/text/words.h"
#include "sstable/database_files.h"
#include "sstable/experimental/log_file.h"
#include "sstable/experimental/write_batch.h"
#include "sstable/file.h"
#include "tools/cli/common_options.h"
#include "tools/files/database_input.h"
#include "util/escape.h"
#include "util/status_util.h"

namespace sstable::tools {
namespace {

struct LogProblem {
  uint64_t offset = 0;
  uint64_t size = 0;  // bytes
  std::string message;
};

// The report on a log or MANIFEST.
struct LogReport {
  std::string name;
  std::string contents;  // "3 batches, 17 changes"
  std::vector<LogProblem> problems;
  uint64_t problem_count = 0;
  std::optional<LogDrop> torn_end;

  bool ok() const { return problem_count == 0; }

  void Add(LogProblem problem) {
    ++problem_count;
    if (problems.size() < LogReader::kMaxDrops) problems.push_back(std::move(problem));
  }
};

std::string LogText(const LogReport& report, const Style& style) {
  const std::string name = EscapeControls(report.name);
  std::string text;
  for (const LogProblem& problem : report.problems) {
    absl::StrAppend(&text, name, ": ", Count(problem.size, "byte"), " at offset ", problem.offset,
                    ": ", EscapeControls(problem.message), "\n");
  }
  absl::StrAppend(&text, name, ": ", report.ok() ? style.Green("ok") : style.Red("damaged"), ", ");
  if (!report.ok()) absl::StrAppend(&text, Count(report.problem_count, "problem"), "; ");
  absl::StrAppend(&text, report.contents);
  if (report.torn_end.has_value()) {
    absl::StrAppend(&text, "; ", Count(report.torn_end->size, "byte"), " at offset ",
                    report.torn_end->offset,
                    " are an incomplete write, as a crash leaves: ", report.torn_end->message);
  }
  return absl::StrCat(text, "\n");
}

Json LogJson(const LogReport& report, Json counts) {
  Json problems = Json::array();
  for (const LogProblem& problem : report.problems) {
    problems.push_back({{"offset", problem.offset},
                        {"size", problem.size},
                        {"message", JsonText(problem.message)}});
  }
  Json json = {{"file", JsonText(report.name)}, {"ok", report.ok()}};
  json.update(counts);
  json["problem_count"] = report.problem_count;
  json["problems"] = std::move(problems);
  json["torn_end"] = report.torn_end.has_value() ? Json{{"offset", report.torn_end->offset},
                                                        {"size", report.torn_end->size},
                                                        {"message", report.torn_end->message}}
                                                 : Json();
  return json;
}

// Ends the check of a log or MANIFEST. `status` is OK if the file could be read.
ExitCode Finish(const LogReport& report, const absl::Status& status, Json counts,
                const ReportOptions& options, Console* console) {
  if (!status.ok()) return console->Fail(status);
  if (options.quiet && report.ok()) return ExitCode::kOk;
  if (options.format == ReportFormat::kJson) {
    WriteJson(LogJson(report, std::move(counts)), console);
  } else {
    console->Write(LogText(report, console->output_style()));
  }
  return report.ok() ? ExitCode::kOk : ExitCode::kDamagedOrAbsent;
}

Json StateJson(const DatabaseState& state, bool ok) {
  Json problems = Json::array();
  for (const DatabaseProblem& problem : state.problems) {
    problems.push_back({{"file", JsonText(problem.file)},
                        {"damage", problem.is_damage},
                        {"message", JsonText(problem.message)}});
  }
  return {{"file", JsonText(state.folder)},
          {"ok", ok},
          {"tables", state.tables},
          {"logs", state.logs},
          {"source", SourceName(state.source)},
          {"last_sequence", state.last_sequence.has_value() ? Json(*state.last_sequence) : Json()},
          {"problems", std::move(problems)}};
}

// Copies the view's state, without the files' contents.
DatabaseState StateOf(const DatabaseView& view) {
  DatabaseState state;
  state.folder = view.folder();
  state.source = view.source();
  state.manifest_name = view.manifest_name();
  state.tables = view.ListTables().size();
  state.logs = view.logs().size();
  state.last_sequence = LastSequence(view, {});
  for (const DatabaseProblem& problem : view.FindProblems()) {
    if (!problem.offset.has_value()) state.problems.push_back(problem);
  }
  return state;
}

// Lists the files of the database: tables by number, logs, MANIFEST.
std::vector<InputFile> FilesOf(const DatabaseView& view) {
  std::vector<InputFile> files;
  const auto add = [&](const std::string& name, FileRole role, uint64_t size) {
    InputFile file(PathIn(view.folder(), name));
    file.role = role;
    file.size = size;
    files.push_back(std::move(file));
  };
  for (const DatabaseTable& table : view.ListTables()) {
    // A missing table, or one in another order, is a problem of the folder.
    if (!table.file_size.has_value()) continue;
    add(table.name, FileRole::kTable, *table.file_size);
    if (view.source() != StateSource::kManifest) continue;
    files.back().keys.key_kind = KeyKind::kInternal;
    if (table.in_order && view.comparator() != nullptr) {
      files.back().keys.comparator = view.comparator();
    }
  }
  std::sort(files.begin(), files.end(), [](const InputFile& a, const InputFile& b) {
    return std::pair(a.path.size(), absl::string_view(a.path)) <
           std::pair(b.path.size(), absl::string_view(b.path));
  });
  uint64_t last_written = 0;
  for (const DatabaseLog& log : view.logs()) {
    if (log.file_size > 0) last_written = log.number;
  }
  for (const DatabaseLog& log : view.logs()) {
    add(log.name, FileRole::kLog, log.file_size);
    files.back().has_newer_log = log.number < last_written;
  }
  if (!view.manifest_name().empty()) add(view.manifest_name(), FileRole::kManifest, 0);
  return files;
}

// Opens the first `count` files. Returns false if one has been removed.
bool OpenFirst(size_t count, std::vector<InputFile>* files) {
  for (size_t i = 0; i < std::min(count, files->size()); ++i) {
    InputFile& file = (*files)[i];
    auto descriptor = OpenShared(file.path);
    if (absl::IsNotFound(descriptor.status())) return false;
    // If it can't be opened, its check reports why.
    if (descriptor.ok()) file.descriptor = *std::move(descriptor);
  }
  return true;
}

}  // namespace

absl::StatusOr<DatabaseState> ReadDatabaseState(const std::string& folder,
                                                const TableInputOptions& input,
                                                size_t* descriptors_left,
                                                std::vector<InputFile>* files) {
  constexpr int kMaxAttempts = 100;
  const DatabaseViewOptions view_options = ViewOptions(input, /*check_ranges=*/true);
  for (int attempt = 1;; ++attempt) {
    auto view = DatabaseView::Open(folder, view_options);
    if (!view.ok()) return view.status();
    DatabaseState state = StateOf(**view);
    std::vector<InputFile> found = FilesOf(**view);
    view->reset();  // closes its files
    // In the last attempt, a file that can't be opened is left to its check.
    if (!OpenFirst(std::min(*descriptors_left, AllowedFiles(kMaxHeldDescriptors)), &found) &&
        attempt < kMaxAttempts)
      continue;
    *descriptors_left -= std::min(*descriptors_left, found.size());
    std::move(found.begin(), found.end(), std::back_inserter(*files));
    return state;
  }
}

absl::Status AddVersionProblems(const TableInputOptions& input, Progress* progress,
                                DatabaseState* state) {
  DatabaseViewOptions options = ViewOptions(input, /*check_ranges=*/false);  // checked already
  // other files are held open meanwhile
  options.max_open_files = AllowedFiles(kMaxHeldDescriptors) / 2;
  ASSIGN_OR_RETURN(const auto view, DatabaseView::Open(state->folder, options));
  if (view->comparator() == nullptr) return absl::OkStatus();  // reported already
  progress->Begin(state->folder, 0);
  ASSIGN_OR_RETURN(std::vector<DatabaseProblem> problems,
                   CheckVersions(*view, [&](uint64_t bytes) { progress->Advance(bytes); }));
  std::move(problems.begin(), problems.end(), std::back_inserter(state->problems));
  return absl::OkStatus();
}

ExitCode CheckDatabaseState(DatabaseState state, const ReportOptions& options, Console* console) {
  const absl::Status versions = AddVersionProblems(options.input, &console->progress(), &state);
  if (!versions.ok()) {
    state.problems.push_back(
        {"", std::nullopt,
         absl::StrCat(state.folder, ": versions of keys were not compared: ", versions.message()),
         /*is_damage=*/false});
  }
  const auto problem_count =
      std::count_if(state.problems.begin(), state.problems.end(),
                    [](const DatabaseProblem& problem) { return problem.is_damage; });
  if (options.quiet && problem_count == 0) return ExitCode::kOk;
  ExitCode code = ExitCode::kOk;
  for (const DatabaseProblem& problem : state.problems) code = Worst(code, ExitCodeOf(problem));
  if (options.format == ReportFormat::kJson) {
    WriteJson(StateJson(state, problem_count == 0), console);
    return code;
  }
  const Style& style = console->output_style();
  std::string text;
  for (const DatabaseProblem& problem : state.problems) {
    absl::StrAppend(&text, EscapeControls(problem.message), problem.is_damage ? "" : " (no damage)",
                    "\n");
  }
  absl::StrAppend(&text, EscapeControls(state.folder), ": ");
  if (problem_count == 0) {
    absl::StrAppend(&text, style.Green("ok"));
  } else {
    absl::StrAppend(&text, style.Red(VerdictOf(code)), ", ", Count(problem_count, "problem"));
  }
  absl::StrAppend(&text, ", ", Count(state.tables, "table"), " and ", Count(state.logs, "log"),
                  state.source == StateSource::kManifest
                      ? absl::StrCat(" as ", EscapeControls(state.manifest_name), " says")
                      : " as the files in the folder show");
  if (state.last_sequence.has_value()) {
    absl::StrAppend(&text, ", last sequence ", *state.last_sequence);
  }
  console->Write(absl::StrCat(text, "\n"));
  return code;
}

ExitCode CheckLog(const InputFile& input, const ReportOptions& options, Console* console) {
  const auto file = OpenToRead(input);
  if (!file.ok()) return console->Fail(file.status());
  console->progress().Begin(input.name, (*file)->size());
  LogReport report;
  report.name = input.name;
  uint64_t batches = 0, changes = 0;
  LogReader log(file->get());
  while (log.Next()) {
    console->progress().Advance(log.record().size());
    ++batches;
    const absl::Status status = VisitWriteBatch(log.record(), [&](const BatchChange&) {
      ++changes;
      return absl::OkStatus();
    });
    if (!status.ok()) {
      report.Add({log.record_offset(), log.record().size(), std::string(status.message())});
    }
  }
  for (const LogDrop& drop : log.damage()) report.Add({drop.offset, drop.size, drop.message});
  report.problem_count += log.drop_count() - log.damage().size();
  if (input.has_newer_log && log.torn_end().has_value()) {
    report.Add({log.torn_end()->offset, log.torn_end()->size, log.torn_end()->message});
  } else {
    report.torn_end = log.torn_end();
  }
  report.contents =
      absl::StrCat(batches, batches == 1 ? " batch, " : " batches, ", Count(changes, "change"));
  return Finish(report, log.status(), {{"batches", batches}, {"changes", changes}}, options,
                console);
}

ExitCode CheckManifest(const InputFile& input, const ReportOptions& options, Console* console) {
  const auto file = OpenToRead(input);
  if (!file.ok()) return console->Fail(file.status());
  const absl::StatusOr<Manifest> manifest = ReadManifest(**file);
  if (!manifest.ok()) return console->Fail(manifest.status());
  LogReport report;
  report.name = input.name;
  if (!manifest->status.ok()) {
    if (options.format == ReportFormat::kText) {
      console->Write(absl::StrCat(EscapeControls(manifest->status.message()), "\n"));
    }
    report.problem_count = 1;
  }
  if (const absl::Status limits = CheckLevelDbLimits(manifest->state); !limits.ok()) {
    report.Add({0, (*file)->size(), std::string(limits.message())});
  }
  report.torn_end = manifest->torn_end;
  const size_t tables = manifest->state.tables.size();
  report.contents = absl::StrCat(Count(manifest->edit_count, "edit"), ", ", Count(tables, "table"));
  return Finish(
      report, absl::OkStatus(),
      {{"edits", manifest->edit_count}, {"tables", tables}, {"error", ErrorJson(manifest->status)}},
      options, console);
}

}  // namespace sstable::tools
