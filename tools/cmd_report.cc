// `sst report`: a page that shows tables, with what it shows inside.
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "sstable/check.h"
#include "sstable/file.h"
#include "sstable/filter_report.h"
#include "sstable/table_stats.h"
#include "tools/cli/words.h"
#include "tools/commands.h"
#include "tools/input_files.h"
#include "tools/report_json.h"
#include "tools/table_input.h"
#include "tools/table_output.h"
#include "tools/table_pages.h"
#include "tools/viewer_page.h"
#include "util/status_util.h"

namespace sstable::tools {
namespace {

// In bytes, of the whole page, so that it can be mailed and opens at once.
constexpr uint64_t kMaxPageSize = 5'000'000;
// What a summary has at most.
constexpr size_t kMaxPlaces = 4000;
constexpr size_t kMaxCells = 2048;
constexpr size_t kMaxProblems = 100;
constexpr uint64_t kMaxRows = 200;
constexpr uint64_t kMaxRowBytes = 64 << 10;

const CommandInfo& Info() {
  static const auto* info = new CommandInfo{
      "report",
      "write a page that shows tables in a browser",
      "PATH... -o OUT",
      /*min_arguments=*/1,
      /*max_arguments=*/SIZE_MAX,
      R"(Writes the page OUT, one HTML file that needs no network: each table to scale,
its filter, lookups, entries, what is damaged, and salvage. PATH is a table, or
a folder for all tables in it. An existing OUT is only replaced with --force.

OUT has at most 5 MB. As long as there is room, it contains the tables
themselves, so whoever gets it has all of their entries. Of a table too large
for that, it contains a summary, with the first entries.
The exit code is 1 if a file is not a table or has no room in OUT.)",
      R"(  sst report 000005.ldb -o report.html
  sst report ~/.config/app/leveldb -o report.html)"};
  return *info;
}

class ReportPageCommand final : public Command {
 public:
  const CommandInfo& info() const override { return Info(); }
  void AddOptions(CommandLine* command_line) override {
    command_line->AddText("-o,--output", "OUT", &out_, "The page to write");
    output_.AddForceTo(command_line, TableOutputOptions::Replaces::kNothing);
  }
  ExitCode Run(const std::vector<std::string>& paths, Console* console) override;

 private:
  std::optional<std::string> out_;
  TableOutputOptions output_;
};

absl::StatusOr<Json> WholeTableJson(const InputFile& input) {
  ASSIGN_OR_RETURN(const auto file, OpenFile(input.path, FileAccess::kRead));
  std::string bytes(file->size(), '\0');
  RETURN_IF_ERROR(file->Read(0, bytes.size(), &bytes[0]));
  return Json{{"name", JsonText(input.path)},
              {"size", bytes.size()},
              {"bytes", Encode(TextEncoding::kBase64, bytes)}};
}

absl::StatusOr<Json> SummaryJson(const InputFile& input, Console* console) {
  ASSIGN_OR_RETURN(const InputTable table, OpenTable(input.path, {}, console));
  const TableReader& reader = *table.reader;
  const std::string& name = reader.file().name();
  CheckOptions check_options;
  check_options.order_known = false;
  check_options.max_problems = kMaxProblems;
  const bool is_internal = table.keys.key_kind == KeyKind::kInternal;
  EntryPages pages(&table, {});
  std::string lines;
  pages.Next(kMaxRows, kMaxRowBytes, kMaxRows, &lines);
  Json page = pages.InfoJson();
  if (lines.size() > 4 * kMaxRowBytes) lines.clear();  // a page ends with a block, however large
  page["lines"] = lines;
  return Json{{"name", JsonText(input.path)},
              {"size", reader.file().size()},
              {"summary",
               {{"about", AboutJson(table)},
                {"places", PlacesJson(reader, kMaxPlaces)},
                {"check", CheckJson(CheckTable(reader, check_options), name)},
                {"filter", FilterJson(MeasureFilter(reader, {}, table.keys_known), name)},
                {"windows", FilterWindowsJson(reader, kMaxCells)},
                {"stats", StatsJson(CollectStats(reader, table.keys_known), name, is_internal)},
                {"page", std::move(page)}}}};
}

// Text that is also harmless within a script element.
std::string ToText(const Json& json) {
  return absl::StrReplaceAll(json.dump(-1, ' ', /*ensure_ascii=*/true), {{"<", "\\u003c"}});
}

ExitCode ReportPageCommand::Run(const std::vector<std::string>& paths, Console* console) {
  if (!out_.has_value()) {
    return console->Fail(absl::InvalidArgumentError("report: -o OUT is missing"));
  }
  const InputFiles inputs = FindInputFiles(paths, WantedFiles::kTables, console);
  absl::Status status;
  for (const InputFile& file : inputs.files) {
    if (status.ok()) status = output_.CheckReplaceable(*out_, file.path);
  }
  if (!status.ok()) return console->Fail(status);
  const absl::string_view page = ViewerPage();
  const size_t place = ViewerReportPlace();
  uint64_t left = kMaxPageSize - page.size();
  ExitCode code = ExitCode::kOk;
  std::vector<std::string> reported;
  for (const InputFile& file : inputs.files) {
    const bool is_small =
        file.status.ok() && file.path != "-" && 4 * (file.size / 3 + 1) + 1000 < left;
    absl::StatusOr<Json> json = !file.status.ok() ? absl::StatusOr<Json>(file.status)
                                : is_small        ? WholeTableJson(file)
                                                  : SummaryJson(file, console);
    if (!json.ok()) code = Worst(code, console->Fail(json.status()));
    std::string text = json.ok() ? ToText(*json) : "";
    if (text.size() >= left) {
      console->Say(absl::StrCat(file.path, ": no room is left for it in ", *out_));
      code = Worst(code, ExitCode::kDamagedOrAbsent);
      text.clear();
    }
    left -= text.size() + 1;
    if (!text.empty()) reported.push_back(std::move(text));
  }
  console->progress().End();
  if (reported.empty()) return code;
  const auto write = [&]() -> absl::Status {
    ASSIGN_OR_RETURN(const auto file, CreateFileAtomically(*out_));
    RETURN_IF_ERROR(file->Append(page.substr(0, place)));
    for (size_t i = 0; i < reported.size(); ++i) {
      RETURN_IF_ERROR(file->Append(i == 0 ? "" : ","));
      RETURN_IF_ERROR(file->Append(reported[i]));
    }
    RETURN_IF_ERROR(file->Append(page.substr(place)));
    return file->Close();
  };
  status = write();
  if (!status.ok()) return console->Fail(status);
  console->Say(absl::StrCat(*out_, ": a page of ", Count(reported.size(), "table")));
  return code;
}

}  // namespace

std::unique_ptr<Command> NewReportCommand() { return std::make_unique<ReportPageCommand>(); }

}  // namespace sstable::tools
