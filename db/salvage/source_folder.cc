#include "db/salvage/source_folder.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "db/database_file.h"
#include "db/folder.h"
#include "db/folder_files.h"
#include "db/folder_kind.h"
#include "db/renamed_tables.h"
#include "db/salvage/log_use.h"
#include "sstable/database_files.h"
#include "sstable/file.h"
#include "sstable/internal_key.h"
#include "table/builder_options.h"
#include "util/status_util.h"

namespace sstable {
namespace {

using Kind = DatabaseFileKind;

constexpr char kReadsAnother[] = "LevelDB reads another file with its number";

struct FoundManifest {
  SourceFile file;
  Manifest manifest;
  size_t missing_count = 0;  // tables that are not in the folder

  bool is_whole() const { return manifest.status.ok() && missing_count == 0; }
};

class FolderReader {
 public:
  FolderReader(absl::string_view path, const DatabaseSalvageOptions& options) : options_(options) {
    result_.path = std::string(path);
  }

  absl::StatusOr<SourceFolder> Read() {
    RETURN_IF_ERROR(List());
    if (result_.tables.empty() && result_.logs.empty()) {
      return absl::NotFoundError(absl::StrCat(result_.path, ": has no LevelDB table or log"));
    }
    if (IsDecrypted(result_.path)) AddProblem("", kIsDecrypted, /*is_damage=*/false);
    FindManifestName();
    RETURN_IF_ERROR(ReadManifests());
    ChooseManifest();
    if (result_.has_manifest()) {
      FindMissing();
      if (options_.include_dropped) {
        for (SourceFile& table : result_.tables) table.is_dropped = !WhyDropped(table).empty();
      } else {
        LeaveOut();
      }
      SortByPlace();
    }
    FindLastWritten();
    return std::move(result_);
  }

 private:
  // `file` is the name in the folder; empty for the folder itself.
  void AddProblem(const std::string& file, absl::string_view message, bool is_damage = true) {
    const std::string path = file.empty() ? result_.path : PathIn(result_.path, file);
    result_.problems.push_back({file, std::nullopt, absl::StrCat(path, ": ", message), is_damage});
  }
  // Adds an error that names the file.
  void AddError(const std::string& file, const absl::Status& status) {
    result_.problems.push_back(ProblemOf(file, status));
  }

  absl::Status List();
  void SortByNumber(Kind kind, std::vector<SourceFile>* files);
  bool HasTable(uint64_t number) const;
  void FindManifestName();
  absl::Status ReadManifests();
  void ChooseManifest();
  void FindMissing();
  bool IsUnderItsName(const SourceFile& file) const;
  void TakeRenamed(const std::map<uint64_t, const DatabaseFile*>& renamed);
  void FindMissingLog();
  std::string WhyDropped(const SourceFile& table) const;
  void LeaveOut();
  void SortByPlace();
  void FindLastWritten();

  const DatabaseSalvageOptions& options_;
  SourceFolder result_;
  std::set<uint64_t> under_their_names_;  // numbers of tables found under their own names
  std::set<uint64_t> unfound_sizes_;      // sizes of tables not found
  std::vector<SourceFile> manifest_files_;
  std::vector<FoundManifest> manifests_;
  std::string current_;  // the MANIFEST's name in CURRENT, if it is valid
};

absl::Status FolderReader::List() {
  ASSIGN_OR_RETURN(result_.files, ListFolder(result_.path));
  for (DatabaseFile& file : ListLevelFolders(result_.path)) {
    result_.files.push_back(std::move(file));
  }
  RETURN_IF_ERROR(CheckFolderKind(result_.path, result_.files));
  for (const DatabaseFile& found : result_.files) {
    const absl::Status not_regular = NotRegular(result_.path, found);
    if (!not_regular.ok()) AddError(found.name, not_regular);
    if (!found.parsed.has_value()) continue;
    SourceFile file;
    file.name = found.name;
    file.number = found.parsed->number;
    file.size = found.size;
    if (file.number <= kMaxFileNumber) {
      result_.max_number = std::max(result_.max_number, file.number);
    }
    if (found.parsed->kind == Kind::kTable) {
      result_.tables.push_back(std::move(file));
    } else if (found.parsed->kind == Kind::kLog) {
      result_.logs.push_back(std::move(file));
    } else if (found.parsed->kind == Kind::kManifest) {
      manifest_files_.push_back(std::move(file));
    }
  }
  SortByNumber(Kind::kTable, &result_.tables);
  SortByNumber(Kind::kLog, &result_.logs);
  SortByNumber(Kind::kManifest, &manifest_files_);
  return absl::OkStatus();
}

// Marks all files with the same number, except the one that LevelDB reads, as second.
void FolderReader::SortByNumber(Kind kind, std::vector<SourceFile>* files) {
  const std::map<uint64_t, DatabaseFile*> read_by_leveldb = FilesByNumber(kind, &result_.files);
  for (SourceFile& file : *files) {
    file.is_second = read_by_leveldb.at(file.number)->name != file.name;
  }
  std::sort(files->begin(), files->end(), [](const SourceFile& a, const SourceFile& b) {
    return std::tie(a.number, a.is_second, a.name) < std::tie(b.number, b.is_second, b.name);
  });
}

bool FolderReader::HasTable(uint64_t number) const {
  const auto is_below = [](const SourceFile& table, uint64_t n) { return table.number < n; };
  const auto found =
      std::lower_bound(result_.tables.begin(), result_.tables.end(), number, is_below);
  return found != result_.tables.end() && found->number == number;
}

void FolderReader::FindManifestName() {
  absl::StatusOr<std::string> name = ReadCurrentFile(result_.path);
  if (name.ok()) {
    current_ = *std::move(name);
  } else {
    AddError(kCurrentFileName, name.status());
  }
}

absl::Status FolderReader::ReadManifests() {
  absl::Status foreign;
  for (const SourceFile& file : manifest_files_) {
    const auto opened = OpenDatabaseFile(PathIn(result_.path, file.name));
    absl::StatusOr<Manifest> manifest =
        opened.ok() ? ReadManifest(**opened) : absl::StatusOr<Manifest>(opened.status());
    if (absl::IsUnimplemented(manifest.status())) foreign = manifest.status();
    if (!manifest.ok()) {
      AddError(file.name, manifest.status());
      continue;
    }
    FoundManifest found{file, *std::move(manifest)};
    for (const auto& [place, table] : found.manifest.state.tables) {
      if (!HasTable(table.number)) ++found.missing_count;
    }
    manifests_.push_back(std::move(found));
  }
  // If all MANIFESTs are another program's, the tables and logs are, too.
  return manifests_.empty() ? foreign : absl::OkStatus();
}

void FolderReader::ChooseManifest() {
  const FoundManifest* chosen = nullptr;
  for (const FoundManifest& found : manifests_) {
    const bool is_settled = chosen != nullptr && chosen->file.name == current_;
    if (found.is_whole() && !is_settled) chosen = &found;  // CURRENT's, or the newest
  }
  for (const FoundManifest& found : manifests_) {
    if (chosen == nullptr && found.file.name == current_ && found.manifest.edit_count > 0) {
      chosen = &found;
    }
  }
  for (const FoundManifest& found : manifests_) {
    if (chosen == nullptr ||
        (!chosen->is_whole() && chosen->file.name != current_ &&
         found.manifest.state.tables.size() >= chosen->manifest.state.tables.size())) {
      if (found.manifest.edit_count > 0) chosen = &found;
    }
  }
  if (manifest_files_.empty()) AddProblem("", "there is no MANIFEST");
  if (!current_.empty() &&
      std::none_of(manifest_files_.begin(), manifest_files_.end(),
                   [this](const SourceFile& file) { return file.name == current_; })) {
    AddProblem(kCurrentFileName, absl::StrCat("names ", current_, ", which is missing"));
  }
  for (const FoundManifest& found : manifests_) {
    if (&found != chosen && found.file.name != current_) continue;
    if (!found.manifest.status.ok()) {
      AddError(found.file.name, found.manifest.status);
    }
    if (found.manifest.torn_end.has_value()) {
      const LogDrop& torn = *found.manifest.torn_end;
      AddProblem(found.file.name,
                 absl::StrCat("at offset ", torn.offset, ": the last ", torn.size,
                              " bytes are not a complete edit: ", torn.message),
                 /*is_damage=*/false);
    }
  }
  if (chosen == nullptr) {
    AddProblem("",
               "no MANIFEST can be read: all tables and logs are used, in the order of their "
               "sequences; entries that had been compacted away may have come back; a table or log "
               "may be missing, and what its entries replaced or deleted is then back");
    return;
  }
  if (!current_.empty() && chosen->file.name != current_) {
    AddProblem(kCurrentFileName,
               absl::StrCat("names ", current_, "; ", chosen->file.name, " is used instead"));
  }
  // A complete MANIFEST with no newer one determines the state, even if CURRENT is damaged.
  if (chosen->is_whole() && chosen->file.name == manifest_files_.back().name) {
    for (DatabaseProblem& problem : result_.problems) {
      if (problem.file == kCurrentFileName) problem.is_damage = false;
    }
  }
  result_.manifest_name = chosen->file.name;
  result_.version = chosen->manifest.state;
  result_.manifest_status = chosen->manifest.status;
  result_.is_manifest_cut = !chosen->manifest.status.ok() || chosen->manifest.torn_end.has_value();
  const absl::Status limits = CheckLevelDbLimits(result_.version);
  if (!limits.ok()) AddProblem(result_.manifest_name, limits.message());
  for (const auto number : {result_.version.next_file_number, result_.version.log_number}) {
    if (number.has_value() && *number <= kMaxFileNumber) {
      result_.max_number = std::max(result_.max_number, *number);
    }
  }
}

void FolderReader::FindMissing() {
  for (const auto& [place, table] : result_.version.tables) {
    result_.named.emplace(table.number, &table);
  }
  for (SourceFile& file : result_.tables) {
    file.is_unnamed = result_.named.count(file.number) == 0 || file.is_second;
    if (IsUnderItsName(file)) under_their_names_.insert(file.number);
  }
  std::vector<const TableFile*> sought;
  for (const auto& [number, table] : result_.named) {
    if (under_their_names_.count(number) == 0) sought.push_back(table);
  }
  const auto renamed =
      FindRenamedTables(result_.path, result_.files, sought, result_.version.dropped,
                        options_.max_uncompressed_block_size);
  for (const TableFile* table : sought) {
    if (renamed.count(table->number) > 0) continue;
    unfound_sizes_.insert(table->size);
    if (!HasTable(table->number)) result_.missing.insert(table->number);
  }
  TakeRenamed(renamed);
  FindMissingLog();
}

// Returns true if the file has the number and the size of a table of the MANIFEST.
bool FolderReader::IsUnderItsName(const SourceFile& file) const {
  const auto named = result_.named.find(file.number);
  return !file.is_unnamed && named != result_.named.end() && named->second->size == file.size;
}

// Treats each renamed file as the table that it was found to be.
void FolderReader::TakeRenamed(const std::map<uint64_t, const DatabaseFile*>& renamed) {
  std::set<std::string> names;
  for (const auto& [number, file] : renamed) names.insert(file->name);
  for (std::vector<SourceFile>* const files : {&result_.tables, &result_.logs}) {
    files->erase(std::remove_if(files->begin(), files->end(),
                                [&](const SourceFile& file) { return names.count(file.name) > 0; }),
                 files->end());
  }
  for (const auto& [number, found] : renamed) {
    SourceFile file;
    file.name = found->name;
    file.number = number;
    file.size = found->size;
    result_.tables.push_back(std::move(file));
  }
}

void FolderReader::FindMissingLog() {
  // LevelDB deletes a log only after an edit with a higher log number. That edit may be unreadable.
  if (!result_.manifest_status.ok()) return;
  const uint64_t log_number = result_.version.log_number.value_or(0);
  const bool has_log = std::any_of(result_.logs.begin(), result_.logs.end(),
                                   [&](const SourceFile& log) { return log.number == log_number; });
  if (log_number > 0 && !has_log) result_.missing_log = LogFileName(log_number);
}

// Returns why a table is not part of the database; empty if it may be.
std::string FolderReader::WhyDropped(const SourceFile& table) const {
  if (result_.version.dropped.count(table.number) > 0) {
    return absl::StrCat("an edit of ", result_.manifest_name, " drops it");
  }
  if (!table.is_unnamed || unfound_sizes_.count(table.size) > 0) return "";
  if (table.is_second && under_their_names_.count(table.number) > 0) {
    return kReadsAnother;
  }
  // A MANIFEST begins with all current tables, so other tables with a number below the MANIFEST's
  // had been dropped. But one of them may be a missing table that was renamed and damaged.
  if (table.number >= ParseDatabaseFileName(result_.manifest_name)->number) return "";
  return absl::StrCat("no edit of ", result_.manifest_name, " names it, and it is older than that");
}

void FolderReader::LeaveOut() {
  const auto leave_out = [this](std::vector<SourceFile>* files, auto reason_to_leave_out) {
    std::vector<SourceFile> kept;
    for (SourceFile& file : *files) {
      if (std::string reason = reason_to_leave_out(file); !reason.empty()) {
        result_.left_out.push_back({file.name, std::move(reason)});
      } else {
        kept.push_back(std::move(file));
      }
    }
    *files = std::move(kept);
  };
  leave_out(&result_.tables, [this](const SourceFile& table) { return WhyDropped(table); });
  leave_out(&result_.logs,
            [](const SourceFile& log) { return std::string(log.is_second ? kReadsAnother : ""); });
  const std::map<std::string, LogUse> uses =
      FindLogUses(result_.path, result_.logs, result_.version);
  for (const auto& [name, use] : uses) {
    if (use.is_needed && !use.problem.empty()) AddProblem(name, use.problem);
  }
  leave_out(&result_.logs, [&](const SourceFile& log) -> std::string {
    const LogUse& use = uses.at(log.name);
    if (use.is_needed) return "";
    return use.problem.empty()
               ? absl::StrCat(result_.manifest_name, " says that logs below ",
                              LogFileName(*result_.version.log_number), " are no longer needed")
               : use.problem;
  });
}

void FolderReader::SortByPlace() {
  const auto place = [this](const SourceFile& file) {
    return std::make_tuple(!IsUnderItsName(file), file.number, file.is_second, file.name);
  };
  std::sort(result_.tables.begin(), result_.tables.end(),
            [&](const SourceFile& a, const SourceFile& b) { return place(a) < place(b); });
}

void FolderReader::FindLastWritten() {
  std::vector<SourceFile>& logs = result_.logs;
  const auto written =
      std::find_if(logs.rbegin(), logs.rend(), [](const SourceFile& log) { return log.size > 0; });
  if (written != logs.rbegin() && written != logs.rend()) written->is_last_written = true;
}

}  // namespace

absl::StatusOr<SourceFolder> ReadSourceFolder(absl::string_view path,
                                              const DatabaseSalvageOptions& options) {
  return FolderReader(path, options).Read();
}

absl::StatusOr<const Comparator*> ChooseComparator(const SourceFolder& source,
                                                   const DatabaseSalvageOptions& options) {
  RETURN_IF_ERROR(CheckNotWrapped(KeyKind::kInternal, options.comparator, {}));
  if (options.comparator != nullptr) return options.comparator;
  const std::string& name = source.version.comparator;
  if (name.empty()) {
    return GuessComparator(source.path, source.files, options.max_uncompressed_block_size);
  }
  if (const Comparator* comparator = ComparatorByName(name); comparator != nullptr) {
    return comparator;
  }
  return absl::UnimplementedError(absl::StrCat(PathIn(source.path, source.manifest_name),
                                               ": the comparator ", name, " is not known"));
}

}  // namespace sstable
