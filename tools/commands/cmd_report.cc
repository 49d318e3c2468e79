// `sst report`: writes a page that shows tables, and contains the data that it shows.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "db/folder.h"
#include "decode/choose_decoder.h"
#include "report/text/words.h"
#include "sstable/database_view.h"
#include "sstable/file.h"
#include "tools/cli/common_options.h"
#include "tools/commands/commands.h"
#include "tools/files/database_input.h"
#include "tools/files/input_files.h"
#include "tools/files/open_table.h"
#include "tools/files/table_output.h"
#include "tools/page/report_contents.h"
#include "tools/page/viewer_page.h"
#include "util/status_util.h"
#include "util/system.h"

namespace sstable::tools {
namespace {

// In bytes: small enough to be mailed, and to open at once.
constexpr uint64_t kMaxPageSize = 5'000'000;
// Sizes of a brief summary, and of a full one.
constexpr uint64_t kBriefSize = 40'000;
constexpr uint64_t kFullSize = 400'000;
// A database's page takes at least this many bytes for each of its tables, logs, files and
// problems.
constexpr uint64_t kMinListedSize = 40;

const CommandInfo& Info() {
  static const auto* info = new CommandInfo{
      "report",
      "write a page that shows tables in a browser",
      "PATH... -o OUT",
      /*min_arguments=*/1,
      /*max_arguments=*/SIZE_MAX,
      R"(Writes the page OUT, one HTML file that needs no network: each table to scale,
its filter, lookups, entries, what is damaged, and salvage. PATH is a table, or
a folder for all tables in it. Of a database's folder the page also shows levels
and ranges of keys, the first live entries, logs, and files that are not part of
it. An existing OUT is only replaced with --force.

OUT has at most 5 MB. As long as there is room, it contains the tables
themselves, small ones first, so anyone who gets it has all of their entries. For
the others, it contains a summary with the first entries.
The exit code is 1 if a file is not a table or does not fit in OUT, or if a
database's folder is damaged; 2 if a file can't be read: OUT is then written
without it, and a message names it.)",
      R"(  sst report 000005.ldb -o report.html
  sst report ~/.config/app/leveldb -o report.html)"};
  return *info;
}

class ReportPageCommand final : public Command {
 public:
  const CommandInfo& info() const override { return Info(); }
  void AddOptions(CommandLine* command_line) override {
    command_line->AddText("-o,--output", "OUT", &out_, kOutputHelp);
    output_.AddForceTo(command_line);
  }
  ExitCode Run(const std::vector<std::string>& paths, Console* console) override;

 private:
  // Checks that OUT is not one of the inputs.
  absl::Status CheckReplaceable(const std::vector<std::unique_ptr<DatabaseView>>& databases,
                                const std::vector<InputFile>& files) const;

  std::optional<std::string> out_;
  TableOutputOptions output_;
};

// Collects the contents of a page, as far as there is room.
class PageContents {
 public:
  // `folder` is removed from the paths in it.
  PageContents(uint64_t room, std::string folder, Console* console)
      : left_(room), folder_(std::move(folder)), console_(console) {}

  // The view must outlive this object.
  void AddDatabase(const DatabaseView& view);
  void AddTables(const std::vector<InputFile>& files);

  const std::vector<std::string>& texts() const { return texts_; }  // JSON; may include empty ones
  size_t file_count() const { return file_count_; }
  ExitCode code() const { return code_; }

 private:
  // Returns null if the table is not part of a database that was added, or if its keys are in no
  // known order.
  const ChosenDecoder* DatabaseDecoder(const InputFile& table) const;
  // Returns the table as JSON, or a summary that leaves `reserved` bytes for others.
  absl::StatusOr<Json> TableJson(const InputFile& file, uint64_t reserved);
  // Returns false if there is no room.
  bool Add(Json json, const std::string& name, std::string* text);
  void ReportNoRoom(const std::string& name);

  uint64_t left_;  // bytes
  const std::string folder_;
  Console* const console_;
  std::vector<std::pair<const DatabaseView*, ChosenDecoder>> databases_;
  std::vector<std::string> texts_;
  size_t file_count_ = 0;
  ExitCode code_ = ExitCode::kOk;
};

bool PageContents::Add(Json json, const std::string& name, std::string* text) {
  RemoveFolder(JsonText(folder_), &json);
  *text = ScriptText(json);
  if (text->size() < left_) {
    left_ -= text->size() + 1;
    return true;
  }
  text->clear();
  ReportNoRoom(name);
  return false;
}

void PageContents::ReportNoRoom(const std::string& name) {
  console_->Say(absl::StrCat(name, ": there is no room for it in the page"));
  code_ = Worst(code_, ExitCode::kDamagedOrAbsent);
}

void PageContents::AddDatabase(const DatabaseView& view) {
  for (const DatabaseProblem& problem : view.FindProblems()) {
    if (!problem.is_damage && !problem.is_unread) continue;
    console_->Say(problem.message);
    code_ = Worst(code_, ExitCodeOf(problem));
  }
  const uint64_t listed = view.ListTables().size() + view.logs().size() + view.ListFiles().size() +
                          view.FindProblems().size();
  if (listed > left_ / kMinListedSize) return ReportNoRoom(view.folder());  // no tables are read
  const EntryDecoder* names = nullptr;
  if (view.comparator() != nullptr) {
    databases_.emplace_back(&view, ChooseDecoder(DecodedProgram::kAuto, NewDatabaseSource(&view)));
    names = databases_.back().second.decoder.get();
  }
  Add(DatabaseReportJson(view, names, left_ / 2, console_), view.folder(), &texts_.emplace_back());
}

const ChosenDecoder* PageContents::DatabaseDecoder(const InputFile& table) const {
  for (const auto& [view, decoder] : databases_) {
    const std::string name = table.path.substr(sys::FolderPartSize(table.path));
    if (table.path == PathIn(view->folder(), name)) return &decoder;
  }
  return nullptr;
}

// Returns the size of JSON that contains the whole table.
uint64_t WholeSize(const InputFile& file) {
  return file.path == "-" ? UINT64_MAX : 4 * (file.size / 3 + 1) + 1000;
}

// The space reserved for a table that is still to come.
uint64_t ReservedSize(const InputFile& file) { return std::min(WholeSize(file), kBriefSize); }

// Returns true if a summary would not be smaller than the table, and would take longer to make.
bool IsSmall(const InputFile& file) { return WholeSize(file) <= kBriefSize; }

absl::StatusOr<Json> PageContents::TableJson(const InputFile& file, uint64_t reserved) {
  RETURN_IF_ERROR(file.status);
  const uint64_t room = left_ - std::min(left_, reserved);
  if (WholeSize(file) < room || IsSmall(file)) {
    // The page shows damage, so it also gets the bytes of files that are not tables.
    const absl::Status status = OpenTable(file, {}, console_).status();
    if (IsTransient(status)) return status;
    code_ = Worst(code_, console_->Fail(status));
    return WholeTableJson(file);
  }
  const bool is_full = kFullSize < room;
  return SummaryJson(file, DatabaseDecoder(file), is_full ? kFullSummary : kBriefSummary, console_);
}

void PageContents::AddTables(const std::vector<InputFile>& files) {
  std::vector<size_t> by_size(files.size());
  std::iota(by_size.begin(), by_size.end(), size_t{0});
  std::stable_sort(by_size.begin(), by_size.end(),
                   [&](size_t a, size_t b) { return files[a].size < files[b].size; });
  const size_t first = texts_.size();
  texts_.resize(first + files.size());
  uint64_t reserved = 0;  // for the tables after this one
  for (const InputFile& file : files) reserved += ReservedSize(file);
  uint64_t left_out = 0;
  for (const size_t i : by_size) {
    reserved -= ReservedSize(files[i]);
    if (left_ < ReservedSize(files[i]) && files[i].status.ok()) {  // no room to show it
      ++left_out;
      continue;
    }
    absl::StatusOr<Json> json = TableJson(files[i], reserved);
    if (!json.ok()) {
      code_ = Worst(code_, console_->Fail(json.status()));
    } else if (Add(*std::move(json), files[i].name, &texts_[first + i])) {
      ++file_count_;
    }
  }
  if (left_out == 0) return;
  console_->Say(absl::StrCat("there is no room in the page for ", Count(left_out, "table")));
  code_ = Worst(code_, ExitCode::kDamagedOrAbsent);
}

absl::Status WritePage(const std::string& out, const std::vector<std::string>& texts) {
  const absl::string_view page = ViewerPage();
  const size_t place = ViewerReportPlace();
  ASSIGN_OR_RETURN(const auto file, CreateFileAtomically(out));
  RETURN_IF_ERROR(file->Append(page.substr(0, place)));
  absl::string_view separator;
  for (const std::string& text : texts) {
    if (text.empty()) continue;
    RETURN_IF_ERROR(file->Append(separator));
    RETURN_IF_ERROR(file->Append(text));
    separator = ",";
  }
  RETURN_IF_ERROR(file->Append(page.substr(place)));
  return file->Close();
}

// Opens the databases among the folders in `paths`. `files` are the input files found for `paths`.
absl::Status OpenDatabases(const std::vector<std::string>& paths,
                           std::vector<std::unique_ptr<DatabaseView>>* databases,
                           std::vector<InputFile>* files) {
  DatabaseViewOptions options;
  options.file_access = FileAccess::kRead;
  options.check_ranges = true;
  for (const std::string& path : paths) {
    if (!IsFolder(path) || !IsDatabase(path)) continue;
    ASSIGN_OR_RETURN(databases->emplace_back(), DatabaseView::Open(path, options));
    // A database that has no tables yet is not an error.
    files->erase(std::remove_if(files->begin(), files->end(),
                                [&](const InputFile& file) { return file.path == path; }),
                 files->end());
  }
  return absl::OkStatus();
}

absl::Status ReportPageCommand::CheckReplaceable(
    const std::vector<std::unique_ptr<DatabaseView>>& databases,
    const std::vector<InputFile>& files) const {
  for (const InputFile& file : files) {
    RETURN_IF_ERROR(output_.CheckReplaceable(*out_, file.path));
  }
  for (const auto& database : databases) {
    for (const DatabaseFile& file : database->ListFiles()) {
      RETURN_IF_ERROR(output_.CheckReplaceable(*out_, PathIn(database->folder(), file.name)));
    }
  }
  return absl::OkStatus();
}

ExitCode ReportPageCommand::Run(const std::vector<std::string>& paths, Console* console) {
  if (!out_.has_value()) {
    return console->Fail(absl::InvalidArgumentError("report: -o OUT is missing"));
  }
  std::vector<InputFile> files = FindInputFiles(paths, WantedFiles::kTables, console).files;
  std::vector<std::unique_ptr<DatabaseView>> databases;
  absl::Status status = OpenDatabases(paths, &databases, &files);
  if (status.ok()) status = CheckReplaceable(databases, files);
  if (!status.ok()) return console->Fail(status);
  PageContents contents(kMaxPageSize - ViewerPage().size(), CommonFolder(paths), console);
  for (const auto& database : databases) contents.AddDatabase(*database);
  contents.AddTables(files);
  console->progress().End();
  const auto is_empty = [](const std::string& text) { return text.empty(); };
  if (std::all_of(contents.texts().begin(), contents.texts().end(), is_empty)) {
    return contents.code();
  }
  status = WritePage(*out_, contents.texts());
  if (!status.ok()) return console->Fail(status);
  const bool has_files = contents.file_count() > 0 || databases.empty();
  console->Say(absl::StrCat(
      *out_, ": a page of ",
      has_files ? Count(contents.file_count(), "file") : Count(databases.size(), "folder")));
  return contents.code();
}

}  // namespace

std::unique_ptr<Command> NewReportCommand() { return std::make_unique<ReportPageCommand>(); }

}  // namespace sstable::tools
