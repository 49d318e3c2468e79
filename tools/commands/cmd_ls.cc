// `sst ls`: lists the parts of a database.
#include <climits>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "db/database_file.h"
#include "db/folder.h"
#include "decode/choose_decoder.h"
#include "decode/entry_decoder.h"
#include "report/database_json.h"
#include "report/json.h"
#include "report/key_name.h"
#include "report/text/fields.h"
#include "report/text/words.h"
#include "sstable/database_view.h"
#include "sstable/experimental/table_stats.h"
#include "table/block/file_kind.h"
#include "tools/cli/common_options.h"
#include "tools/commands/commands.h"
#include "tools/database/database_tables.h"
#include "tools/files/database_input.h"
#include "tools/files/decoder_option.h"
#include "tools/files/file_runner.h"
#include "tools/files/input_files.h"
#include "tools/files/open_table.h"
#include "util/escape.h"
#include "util/status_util.h"
#include "util/system.h"

namespace sstable::tools {
namespace {

const CommandInfo& Info() {
  static const auto* info = new CommandInfo{
      "ls",
      "list what a database consists of",
      "DIR...",
      /*min_arguments=*/1,
      /*max_arguments=*/SIZE_MAX,
      R"(Lists the tables of the database in DIR by level, with their sizes, entries,
deletions, sequences and first and last keys; its logs; and files in the folder
that are not part of it. No lock is taken and nothing is written. If MANIFEST or
CURRENT can't be read, the files that exist are listed.

To count entries, all tables are read, unless --no-entries is given.
The exit code is 1 if something is damaged or missing.
--decode shows these keys as the program means them; see `sst dump --help`.
json: one object per DIR, each on one line.)",
      R"(  sst ls ~/.config/app/leveldb
  sst ls --no-entries leveldb/
  sst ls --format json leveldb/ | jq '.tables[] | select(.level == 0) | .name')"};
  return *info;
}

// The bytes of keys and values on a level, or in the logs.
struct LevelUse {
  uint64_t live = 0, live_bytes = 0, hidden = 0, hidden_bytes = 0;
};
constexpr int kLogs = INT_MAX;  // in place of a level

class LsCommand final : public Command {
 public:
  const CommandInfo& info() const override { return Info(); }
  void AddOptions(CommandLine* command_line) override;
  ExitCode Run(const std::vector<std::string>& arguments, Console* console) override;

 private:
  void PrintText(const DatabaseView& view, const std::vector<TableStats>& stats,
                 const std::map<int, LevelUse>& versions, const EntryDecoder* decoder,
                 Console* console) const;
  ExitCode List(const std::string& folder, Console* console) const;

  TableInputOptions input_;
  ReportFormat format_ = ReportFormat::kText;
  uint64_t jobs_ = 1;
  bool no_entries_ = false;
  bool history_ = false;
  DecodedProgram decode_ = DecodedProgram::kNone;
};

void LsCommand::AddOptions(CommandLine* command_line) {
  command_line->AddFlag("--no-entries", &no_entries_, "Do not read the tables");
  command_line->AddFlag("--history", &history_,
                        "Every version of each key of a database, not only the live ones. For each "
                        "level, count those that are live and those that newer ones hide");
  AddFormatTo(command_line, &format_);
  AddDecodeTo(command_line, &decode_);
  AddJobsTo(command_line, &jobs_);
  input_.AddTo(command_line, "Also report problems that are normal after a crash");
}

std::string LevelName(int level) {
  return level < 0 ? std::string("tables, by number") : absl::StrCat("level ", level);
}

absl::StatusOr<std::map<int, LevelUse>> CountVersions(DatabaseInput* database) {
  const DatabaseView& view = database->view();
  if (view.comparator() == nullptr) {
    return absl::UnimplementedError(
        absl::StrCat(view.folder(), ": its order, ", view.comparator_name(), ", is not known"));
  }
  std::map<std::string, int, std::less<>> levels;  // keyed by table name
  for (const DatabaseTable& table : view.ListTables()) levels[table.name] = table.level;
  std::map<int, LevelUse> versions;
  const auto it = view.NewHistoryIterator(database->ReadOptions());
  for (it->SeekToFirst(); it->Valid(); it->Next()) {
    const HistoryIterator::Entry& entry = it->entry();
    const auto level = levels.find(std::string(entry.file));
    LevelUse& of_level = versions[level == levels.end() ? kLogs : level->second];
    const uint64_t bytes = entry.key.size() + entry.value.size();
    ++(entry.is_live ? of_level.live : of_level.hidden);
    (entry.is_live ? of_level.live_bytes : of_level.hidden_bytes) += bytes;
  }
  RETURN_IF_ERROR(it->status());
  return versions;
}

Json VersionsJson(const std::map<int, LevelUse>& versions) {
  Json levels = Json::array();
  for (const auto& [level, of_level] : versions) {
    levels.push_back({{"level", level == kLogs ? Json("logs") : Json(level)},
                      {"live", of_level.live},
                      {"live_bytes", of_level.live_bytes},
                      {"hidden", of_level.hidden},
                      {"hidden_bytes", of_level.hidden_bytes}});
  }
  return levels;
}

std::string DescribeVersions(const std::map<int, LevelUse>& versions, int level) {
  const auto it = versions.find(level);
  if (it == versions.end()) return "";
  return absl::StrFormat("  %d live (%d bytes), %d hidden (%d bytes)", it->second.live,
                         it->second.live_bytes, it->second.hidden, it->second.hidden_bytes);
}

std::string Heading(const DatabaseView& view, const std::vector<TableStats>& stats,
                    const Style& style) {
  uint64_t table_bytes = 0, log_bytes = 0;
  for (const DatabaseTable& table : view.ListTables()) table_bytes += table.file_size.value_or(0);
  for (const DatabaseLog& log : view.logs()) log_bytes += log.file_size;
  Fields fields(13, style);
  fields.Add("state", view.source() == StateSource::kManifest
                          ? absl::StrCat("as ", EscapeControls(view.manifest_name()), " says")
                          : "as the files in the folder show; no MANIFEST could be used");
  fields.Add("order", EscapeControls(view.comparator_name()));
  const std::optional<uint64_t> sequence = LastSequence(view, stats);
  fields.Add("last sequence", sequence.has_value()
                                  ? absl::StrCat(*sequence)
                                  : "not known; without a MANIFEST, only the tables show it");
  fields.Add("tables",
             absl::StrCat(Count(view.ListTables().size(), "table"), ", ", table_bytes, " bytes"));
  fields.Add("logs", absl::StrCat(Count(view.logs().size(), "log"), ", ", log_bytes, " bytes"));
  return absl::StrCat(EscapeControls(view.folder()), "\n", fields.text());
}

void LsCommand::PrintText(const DatabaseView& view, const std::vector<TableStats>& stats,
                          const std::map<int, LevelUse>& versions, const EntryDecoder* decoder,
                          Console* console) const {
  const Style& style = console->output_style();
  console->Write(Heading(view, stats, style));
  for (size_t i = 0; i < view.ListTables().size(); ++i) {
    const DatabaseTable& table = view.ListTables()[i];
    if (i == 0 || table.level != view.ListTables()[i - 1].level) {
      console->Write(absl::StrCat(style.Bold(LevelName(table.level)),
                                  DescribeVersions(versions, table.level), "\n"));
    }
    std::string line =
        absl::StrFormat("  %-14s %10s", EscapeControls(table.name),
                        table.file_size.has_value() ? absl::StrCat(*table.file_size) : "missing");
    if (!stats.empty()) {
      const TableStats& counted = stats[i];
      absl::StrAppendFormat(&line, " %9s", Count(counted.entries, "entry"));
      if (counted.deletions > 0) absl::StrAppend(&line, ", ", Count(counted.deletions, "deletion"));
      if (counted.entries > 0) {
        absl::StrAppend(&line, ", sequence ", counted.min_sequence, " to ", counted.max_sequence);
      }
    }
    if (!table.smallest.empty()) {
      absl::StrAppend(&line, "  ", NameKey(decoder, KeyKind::kInternal, table.smallest), " to ",
                      NameKey(decoder, KeyKind::kInternal, table.largest));
    }
    console->Write(absl::StrCat(line, "\n"));
  }
  if (!view.logs().empty()) {
    console->Write(absl::StrCat(style.Bold("logs"), DescribeVersions(versions, kLogs), "\n"));
  }
  for (const DatabaseLog& log : view.logs()) {
    console->Write(absl::StrFormat("  %-14s %10d %9s", EscapeControls(log.name), log.file_size,
                                   Count(log.change_count, "change")));
    if (log.change_count > 0) {
      console->Write(absl::StrCat(", sequence ", log.first_sequence, " to ", log.last_sequence));
    }
    console->Write("\n");
  }
  const auto list = [&](absl::string_view title, auto is_wanted) {
    for (const DatabaseFile& file : view.ListFiles()) {
      if (!is_wanted(file)) continue;
      if (!title.empty()) console->Write(absl::StrCat(style.Bold(title), "\n"));
      title = "";
      console->Write(absl::StrFormat("  %-14s %10d\n", EscapeControls(file.name), file.size));
    }
  };
  list("state", [](const DatabaseFile& file) {
    return file.use == DatabaseFile::Use::kPart &&
           (file.parsed->kind == DatabaseFileKind::kManifest ||
            file.parsed->kind == DatabaseFileKind::kCurrent);
  });
  list("not part of it", [](const DatabaseFile& file) {
    return file.use == DatabaseFile::Use::kLeftOver || file.use == DatabaseFile::Use::kForeign;
  });
}

ExitCode LsCommand::List(const std::string& folder, Console* console) const {
  if (!IsFolder(folder) && std::filesystem::exists(sys::ToPath(folder))) {
    const auto file = OpenDatabaseFile(folder);
    const FileIdentity identity = file.ok() ? IdentifyFile(**file) : FileIdentity();
    const bool is_other =
        identity.kind == FileKind::kPointer || identity.kind == FileKind::kForeign;
    return console->Fail(absl::InvalidArgumentError(
        absl::StrCat(folder, ": is not a folder; ",
                     is_other ? absl::StrCat("it ", identity.text)
                              : "`sst layout` lists the blocks of a table")));
  }
  absl::StatusOr<DatabaseInput> database =
      DatabaseInput::Open(folder, input_, console, /*check_ranges=*/!no_entries_);
  if (!database.ok()) return console->Fail(database.status());
  std::map<int, LevelUse> versions;
  if (history_) {
    absl::StatusOr<std::map<int, LevelUse>> counted = CountVersions(&*database);
    if (!counted.ok()) return console->Fail(counted.status());
    versions = *std::move(counted);
  }
  const auto decoder = DecoderFor(decode_, database->view(), console);
  ExitCode code = database->code();
  std::vector<TableStats> stats;
  if (!no_entries_) stats = CountTables(database->view(), input_, jobs_, console);
  for (const TableStats& counted : stats) {
    const bool was_reported = database->HasReported(counted.status);
    code = Worst(code, was_reported ? ExitCodeOf(counted.status) : console->Fail(counted.status));
  }
  if (format_ == ReportFormat::kJson) {
    Json json = DatabaseJson(database->view(), stats, decoder.get());
    if (history_) json["levels"] = VersionsJson(versions);
    WriteJson(json, console);
  } else {
    PrintText(database->view(), stats, versions, decoder.get(), console);
  }
  return code;
}

ExitCode LsCommand::Run(const std::vector<std::string>& arguments, Console* console) {
  ExitCode code = ExitCode::kOk;
  for (const std::string& folder : arguments) {
    const absl::Status status = CheckIsNoUrl(folder);
    code = Worst(code, status.ok() ? List(folder, console) : console->Fail(status));
  }
  return code;
}

}  // namespace

std::unique_ptr<Command> NewLsCommand() { return std::make_unique<LsCommand>(); }

}  // namespace sstable::tools
