// `sst manifest`: makes a database from tables that several processes have built.
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "db/first_manifest.h"
#include "db/folder.h"
#include "report/text/words.h"
#include "sstable/comparator.h"
#include "sstable/database_files.h"
#include "sstable/internal_key.h"
#include "sstable/options.h"
#include "sstable/table_iterator.h"
#include "sstable/table_reader.h"
#include "table/block/show_key.h"
#include "tools/bulk/built_table.h"
#include "tools/commands/commands.h"
#include "tools/files/input_files.h"
#include "tools/records/line_reader.h"
#include "util/status_util.h"
#include "util/system.h"

namespace sstable::tools {
namespace {

// The last level may have any size, so no compaction is ever due there.
constexpr int kBulkLevel = kLevelDbLevels - 1;

const CommandInfo& Info() {
  static const auto* info = new CommandInfo{
      "manifest",
      "make a database of tables that many processes built",
      "DIR",
      /*min_arguments=*/1,
      /*max_arguments=*/1,
      R"(Makes DIR a LevelDB database of the tables that `sst build --number` built there.
Reads the lines that it printed, in any order, from standard input, and writes an
empty log, a MANIFEST and, last, CURRENT. All tables are on the last level, so
LevelDB has nothing to compact.

Nothing is written unless the lines and DIR agree: each table exists, with its
size and its first and last key; no two have user keys in common; DIR has no
CURRENT, and no other table, log or MANIFEST, which LevelDB would delete or
replay. A line may be given twice, if a task ran twice. Temporary files of these
tables that killed processes left (000007.ldb.tmp-*) are removed, so no `sst
build` may still be running.)",
      R"(  sst build --number 1 --range :m db a.tsv >lines
  sst build --number 2 --range m: db a.tsv >>lines
  sst manifest db <lines)"};
  return *info;
}

class ManifestCommand final : public Command {
 public:
  const CommandInfo& info() const override { return Info(); }
  void AddOptions(CommandLine*) override {}
  ExitCode Run(const std::vector<std::string>& arguments, Console* console) override {
    folder_ = arguments[0];
    const absl::Status status = CheckIsNoUrl(folder_);
    return console->Fail(status.ok() ? Make(console) : status);
  }

 private:
  absl::Status AddLine(absl::string_view line);
  absl::Status ReadLines(Console* console);
  absl::Status CheckComplete() const;
  absl::Status CheckOrder() const;
  bool IsOwn(absl::string_view name) const;
  absl::Status CheckFiles();
  absl::Status CheckFile(const DatabaseFile& file);
  absl::Status CheckTable(const BuiltTable& table) const;
  absl::Status RemoveLeftOver() const;
  absl::Status Make(Console* console);

  // The number of the log; the MANIFEST gets the next one.
  uint64_t next_number() const { return tables_.rbegin()->first + 1; }

  std::string folder_;
  std::map<uint64_t, BuiltTable> tables_;  // keyed by number; tables without entries have no file
  const Comparator* comparator_ = nullptr;
  std::vector<std::string> left_over_;  // files left by killed processes
};

absl::Status ManifestCommand::AddLine(absl::string_view line) {
  ASSIGN_OR_RETURN(const BuiltTable table, ParseBuiltTable(line));
  const Comparator* const comparator = ComparatorByName(table.comparator);
  if (comparator == nullptr) {
    return absl::InvalidArgumentError("the comparator is not one that `sst build` knows");
  }
  if (comparator_ != nullptr && comparator != comparator_) {
    return absl::InvalidArgumentError(absl::StrCat("comparator is ", comparator->Name(),
                                                   ", earlier lines have ", comparator_->Name()));
  }
  comparator_ = comparator;
  const auto [it, is_new] = tables_.emplace(table.file.number, table);
  if (!is_new && BuiltTableJson(it->second) != BuiltTableJson(table)) {
    return absl::InvalidArgumentError(
        absl::StrCat("there is a different line for table ", table.file.number));
  }
  return absl::OkStatus();
}

absl::Status ManifestCommand::ReadLines(Console* console) {
  LineReader lines({"-"}, console);
  for (absl::string_view line;;) {
    ASSIGN_OR_RETURN(const bool has_line, lines.Next(&line));
    if (!has_line) break;
    if (absl::StripAsciiWhitespace(line).empty()) continue;
    RETURN_IF_ERROR(AtPlace(lines.Name(lines.place()), AddLine(line)));
  }
  if (!tables_.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      "standard input: has no line about a table, as printed by `sst build --number`");
}

// If `sst build --split-size` failed, its last line announces another table.
absl::Status ManifestCommand::CheckComplete() const {
  for (const auto& [number, table] : tables_) {
    if (!table.has_more || tables_.count(number + 1) > 0) continue;
    return absl::FailedPreconditionError(
        absl::StrCat("table ", number,
                     " is not the last of its `sst build --split-size`, and no "
                     "line describes table ",
                     number + 1, "; that build must be run again"));
  }
  return absl::OkStatus();
}

// LevelDB requires that tables of one level share no user key.
absl::Status ManifestCommand::CheckOrder() const {
  std::vector<const TableFile*> files;
  const auto compare = [this](absl::string_view a, absl::string_view b) {
    return comparator_->Compare(ExtractUserKey(a), ExtractUserKey(b));
  };
  for (const auto& [number, table] : tables_) {
    if (table.entry_count == 0) continue;
    const TableFile& file = table.file;
    if (compare(file.smallest, file.largest) > 0) {
      return absl::InvalidArgumentError(absl::StrCat(
          TableFileName(number), ": its smallest key, ",
          ShowKey(KeyKind::kInternal, file.smallest, file.largest), ", is above its largest, ",
          ShowKey(KeyKind::kInternal, file.largest, file.smallest), ", by ", comparator_->Name()));
    }
    files.push_back(&file);
  }
  std::sort(files.begin(), files.end(), [&](const TableFile* a, const TableFile* b) {
    return compare(a->smallest, b->smallest) < 0;
  });
  for (size_t i = 1; i < files.size(); ++i) {
    if (compare(files[i - 1]->largest, files[i]->smallest) < 0) continue;
    return absl::InvalidArgumentError(
        absl::StrCat(TableFileName(files[i - 1]->number), " and ", TableFileName(files[i]->number),
                     " overlap: the first ends with ",
                     ShowKey(KeyKind::kInternal, files[i - 1]->largest, files[i]->smallest),
                     ", the second begins with ",
                     ShowKey(KeyKind::kInternal, files[i]->smallest, files[i - 1]->largest)));
  }
  return absl::OkStatus();
}

// Returns true if `name` is the name of a file of this database.
bool ManifestCommand::IsOwn(absl::string_view name) const {
  if (name == LogFileName(next_number()) || name == ManifestFileName(next_number() + 1)) {
    return true;
  }
  const std::optional<DatabaseFileName> parsed = ParseDatabaseFileName(name);
  return parsed.has_value() && parsed->kind == DatabaseFileKind::kTable &&
         tables_.count(parsed->number) > 0 && name == TableFileName(parsed->number);
}

// Returns an error if `file`, which was in the folder already, is described by no line but would be
// part of the database or be removed by LevelDB.
absl::Status ManifestCommand::CheckFile(const DatabaseFile& file) {
  if (!file.parsed.has_value()) return absl::OkStatus();
  bool fits = IsOwn(file.name);
  switch (file.parsed->kind) {
    case DatabaseFileKind::kTable:
      if (!fits || tables_.at(file.parsed->number).entry_count > 0) break;
      return absl::FailedPreconditionError(
          absl::StrCat(PathIn(folder_, file.name),
                       ": its line says that there is no such table; LevelDB would remove it"));
    case DatabaseFileKind::kLog:  // an earlier run may have left it, and the MANIFEST
      fits = fits && file.size == 0;
      break;
    case DatabaseFileKind::kManifest:
      break;
    case DatabaseFileKind::kTemporary: {
      const absl::string_view final_name =
          absl::string_view(file.name).substr(0, file.name.find(".tmp-"));
      if (IsOwn(final_name) || final_name == kCurrentFileName) left_over_.push_back(file.name);
      return absl::OkStatus();
    }
    case DatabaseFileKind::kCurrent:
      return absl::AlreadyExistsError(
          absl::StrCat(PathIn(folder_, file.name), ": exists; there is a database in the folder"));
    case DatabaseFileKind::kLock:
    case DatabaseFileKind::kInfoLog:
      return absl::OkStatus();
  }
  if (fits) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat(
      PathIn(folder_, file.name),
      ": no line describes it; LevelDB would take it as part of the database, or remove it"));
}

absl::Status ManifestCommand::CheckFiles() {
  ASSIGN_OR_RETURN(const std::vector<DatabaseFile> files, ListFolder(folder_));
  for (const DatabaseFile& file : files) RETURN_IF_ERROR(CheckFile(file));
  return absl::OkStatus();
}

// Reads the index and two data blocks.
absl::Status ManifestCommand::CheckTable(const BuiltTable& table) const {
  TableReaderOptions options;
  options.comparator = comparator_;
  options.key_kind = KeyKind::kInternal;
  options.use_filter = false;
  const std::string path = PathIn(folder_, TableFileName(table.file.number));
  ASSIGN_OR_RETURN(const auto reader, TableReader::Open(path, options));
  if (reader->file().size() != table.file.size) {
    return absl::DataLossError(absl::StrCat(path, ": has ", reader->file().size(),
                                            " bytes; its line says ", table.file.size));
  }
  const auto it = reader->NewIterator(ReadOptions::ForScan());
  const auto expect_key = [&](absl::string_view place, const std::string& key) -> absl::Status {
    RETURN_IF_ERROR(it->status());
    if (it->Valid() && it->key() == key) return absl::OkStatus();
    const absl::string_view found = it->Valid() ? it->key() : key;
    return absl::DataLossError(
        absl::StrCat(path, ": ", place, " key is ",
                     it->Valid() ? ShowKey(KeyKind::kInternal, found, key) : std::string("absent"),
                     "; its line says ", ShowKey(KeyKind::kInternal, key, found)));
  };
  it->SeekToFirst();
  RETURN_IF_ERROR(expect_key("first", table.file.smallest));
  it->SeekToLast();
  return expect_key("last", table.file.largest);
}

absl::Status ManifestCommand::RemoveLeftOver() const {
  for (const std::string& name : left_over_) {
    std::error_code error;
    std::filesystem::remove(sys::ToPath(PathIn(folder_, name)), error);
    if (error) return absl::ErrnoToStatus(error.value(), PathIn(folder_, name));
  }
  return absl::OkStatus();
}

absl::Status ManifestCommand::Make(Console* console) {
  RETURN_IF_ERROR(ReadLines(console));
  RETURN_IF_ERROR(CheckComplete());
  RETURN_IF_ERROR(CheckOrder());
  RETURN_IF_ERROR(CheckFiles());
  VersionEdit edit;
  edit.comparator = std::string(comparator_->Name());
  edit.last_sequence = 0;
  uint64_t entry_count = 0, size = 0;
  console->progress().Begin("checking tables", 0);
  for (const auto& [number, table] : tables_) {
    if (table.entry_count == 0) continue;
    RETURN_IF_ERROR(CheckTable(table));
    edit.last_sequence = std::max(*edit.last_sequence, table.last_sequence);
    entry_count += table.entry_count;
    size += table.file.size;
    edit.new_files.push_back(table.file);
    edit.new_files.back().level = kBulkLevel;
  }
  console->progress().End();
  RETURN_IF_ERROR(RemoveLeftOver());
  const size_t table_count = edit.new_files.size();
  ASSIGN_OR_RETURN(const uint64_t manifest_number,
                   WriteFirstManifest(folder_, std::move(edit), next_number()));
  RETURN_IF_ERROR(SetCurrentFile(folder_, manifest_number));
  console->Say(absl::StrCat(folder_, ": ", Count(table_count, "table"), " with ",
                            Count(entry_count, "entry"), ", ", size, " bytes, on level ",
                            kBulkLevel));
  return absl::OkStatus();
}

}  // namespace

std::unique_ptr<Command> NewManifestCommand() { return std::make_unique<ManifestCommand>(); }

}  // namespace sstable::tools
