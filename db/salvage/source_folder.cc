#include "db/salvage/source_folder.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "db/folder.h"
#include "sstable/file.h"
#include "sstable/file_name.h"
#include "sstable/key_guess.h"
#include "sstable/options.h"
#include "sstable/table_reader.h"
#include "util/status_util.h"

namespace sstable {
namespace {

struct FoundManifest {
  SourceFile file;
  Manifest manifest;
  size_t missing_count = 0;  // tables that are not in the folder

  bool is_whole() const { return manifest.status.ok() && missing_count == 0; }
};

class FolderReader {
 public:
  explicit FolderReader(absl::string_view path) { result_.path = std::string(path); }

  absl::StatusOr<SourceFolder> Read(bool include_dropped) {
    RETURN_IF_ERROR(List());
    if (result_.tables.empty() && result_.logs.empty()) {
      return absl::NotFoundError(
          absl::StrCat(result_.path, ": has no table and no log of LevelDB"));
    }
    FindManifestName();
    ReadManifests();
    ChooseManifest();
    if (result_.has_manifest()) {
      FindMissing();
      if (!include_dropped) LeaveOut();
    }
    return std::move(result_);
  }

 private:
  // `file`: its name in the folder; empty: the folder itself.
  void AddProblem(const std::string& file, absl::string_view message, bool is_damage = true) {
    const std::string path = file.empty() ? result_.path : PathIn(result_.path, file);
    result_.problems.push_back({file, std::nullopt, absl::StrCat(path, ": ", message), is_damage});
  }
  // An error that names the file.
  void AddError(const std::string& file, const absl::Status& status) {
    result_.problems.push_back(
        {file, std::nullopt, std::string(status.message()), /*is_damage=*/true});
  }

  absl::Status List();
  void FindManifestName();
  void ReadManifests();
  void ChooseManifest();
  void FindMissing();
  void LeaveOut();

  SourceFolder result_;
  std::vector<SourceFile> manifest_files_;
  std::vector<FoundManifest> manifests_;
  std::set<uint64_t> table_numbers_;
  std::string current_;  // the name in CURRENT, if it is one
};

absl::Status FolderReader::List() {
  ASSIGN_OR_RETURN(const std::vector<DatabaseFile> files, ListFolder(result_.path));
  for (const DatabaseFile& found : files) {
    if (!found.parsed.has_value()) continue;
    SourceFile file;
    file.name = found.name;
    file.number = found.parsed->number;
    file.size = found.size;
    if (file.number <= kMaxFileNumber) {
      result_.max_number = std::max(result_.max_number, file.number);
    }
    if (found.parsed->kind == DatabaseFileKind::kTable) {
      table_numbers_.insert(file.number);
      result_.tables.push_back(std::move(file));
    } else if (found.parsed->kind == DatabaseFileKind::kLog) {
      result_.logs.push_back(std::move(file));
    } else if (found.parsed->kind == DatabaseFileKind::kManifest) {
      manifest_files_.push_back(std::move(file));
    }
  }
  // Of two tables with a number, LevelDB reads the .ldb; sorted by name it is the first.
  const auto by_number = [](const SourceFile& a, const SourceFile& b) {
    return std::tie(a.number, a.name) < std::tie(b.number, b.name);
  };
  std::sort(result_.tables.begin(), result_.tables.end(), by_number);
  std::sort(result_.logs.begin(), result_.logs.end(), by_number);
  std::sort(manifest_files_.begin(), manifest_files_.end(), by_number);
  return absl::OkStatus();
}

void FolderReader::FindManifestName() {
  absl::StatusOr<std::string> name = ReadCurrentFile(result_.path);
  if (name.ok()) {
    current_ = *std::move(name);
  } else {
    AddError(kCurrentFileName, name.status());
  }
}

void FolderReader::ReadManifests() {
  for (const SourceFile& file : manifest_files_) {
    const auto opened = OpenFile(PathIn(result_.path, file.name), FileAccess::kRead);
    absl::StatusOr<Manifest> manifest =
        opened.ok() ? ReadManifest(**opened) : absl::StatusOr<Manifest>(opened.status());
    if (!manifest.ok()) {
      AddError(file.name, manifest.status());
      continue;
    }
    FoundManifest found{file, *std::move(manifest)};
    for (const auto& [place, table] : found.manifest.state.tables) {
      if (table_numbers_.count(table.number) == 0) ++found.missing_count;
    }
    manifests_.push_back(std::move(found));
  }
}

void FolderReader::ChooseManifest() {
  const FoundManifest* chosen = nullptr;
  for (const FoundManifest& found : manifests_) {
    const bool is_settled = chosen != nullptr && chosen->file.name == current_;
    if (found.is_whole() && !is_settled) chosen = &found;  // that of CURRENT, or the newest
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
                              " bytes are no whole edit: ", torn.message),
                 /*is_damage=*/false);
    }
  }
  if (chosen == nullptr) {
    AddProblem("",
               "no MANIFEST can be read: all tables and logs are taken, in the order of their "
               "sequences; entries that had been compacted away may be back");
    return;
  }
  if (!current_.empty() && chosen->file.name != current_) {
    AddProblem(kCurrentFileName,
               absl::StrCat("names ", current_, "; ", chosen->file.name, " is used instead"));
  }
  // A whole MANIFEST with no newer one shows the state, whatever became of CURRENT.
  if (chosen->is_whole() && chosen->file.name == manifest_files_.back().name) {
    for (DatabaseProblem& problem : result_.problems) {
      if (problem.file == kCurrentFileName) problem.is_damage = false;
    }
  }
  result_.manifest_name = chosen->file.name;
  result_.version = chosen->manifest.state;
  for (const auto number : {result_.version.next_file_number, result_.version.log_number}) {
    if (number.has_value() && *number <= kMaxFileNumber) {
      result_.max_number = std::max(result_.max_number, *number);
    }
  }
}

void FolderReader::FindMissing() {
  std::set<uint64_t> named;
  for (const auto& [place, table] : result_.version.tables) {
    named.insert(table.number);
    if (table_numbers_.count(table.number) == 0) result_.missing.push_back(table);
  }
  const SourceFile* last = nullptr;
  for (SourceFile& table : result_.tables) {
    // The second of two files with this number is not the one that the MANIFEST means.
    const bool is_second = last != nullptr && last->number == table.number;
    table.is_unnamed = named.count(table.number) == 0 || is_second;
    last = &table;
  }
  // LevelDB deletes a log only after an edit with a higher number.
  const uint64_t log_number = result_.version.log_number.value_or(0);
  const bool has_log = std::any_of(result_.logs.begin(), result_.logs.end(),
                                   [&](const SourceFile& log) { return log.number == log_number; });
  if (log_number > 0 && !has_log) {
    AddProblem(LogFileName(log_number),
               absl::StrCat("the log that ", result_.manifest_name,
                            " names is missing: its changes are lost, unless there were none"));
  }
}

void FolderReader::LeaveOut() {
  const auto split = [this](std::vector<SourceFile>* files, auto is_dropped) {
    const auto kept = std::stable_partition(
        files->begin(), files->end(), [&](const SourceFile& file) { return !is_dropped(file); });
    result_.left_out.insert(result_.left_out.end(), kept, files->end());
    files->erase(kept, files->end());
  };
  // A MANIFEST begins with all tables that there are, so of those with a lower number than its own,
  // the others had been dropped before. They may still be missing ones under another name.
  const uint64_t manifest_number = ParseDatabaseFileName(result_.manifest_name)->number;
  const auto may_be_missing = [this](const SourceFile& table) {
    return std::any_of(result_.missing.begin(), result_.missing.end(),
                       [&](const TableFile& missing) { return missing.size == table.size; });
  };
  split(&result_.tables, [&](const SourceFile& table) {
    return result_.version.dropped.count(table.number) > 0 ||
           (table.is_unnamed && table.number < manifest_number && !may_be_missing(table));
  });
  split(&result_.logs,
        [this](const SourceFile& log) { return !result_.version.NeedsLog(log.number); });
}

// The order that a table shows; bytewise if they all have too few keys to show any.
absl::StatusOr<const Comparator*> GuessComparator(const SourceFolder& source) {
  absl::Status status;
  for (const SourceFile& table : source.tables) {
    auto file = OpenFile(PathIn(source.path, table.name), FileAccess::kRead);
    if (!file.ok()) continue;
    TableReaderOptions options;
    options.key_kind = KeyKind::kInternal;
    const auto reader = TableReader::Open(options, *std::move(file));
    if (!reader.ok()) continue;
    GivenKeys given;
    given.key_kind = KeyKind::kInternal;
    const auto keys = ResolveKeys(**reader, given);
    if (!keys.ok() || keys->order_known_by != KnownBy::kEvidence) continue;
    if (keys->comparator != nullptr) return keys->comparator;
    status = absl::UnimplementedError(
        absl::StrCat(source.path, ": no MANIFEST names the order of keys, and ", table.name,
                     " does not show it: ", keys->order_reason));
  }
  if (!status.ok()) return status;
  return BytewiseComparator();
}

}  // namespace

std::string PathIn(absl::string_view folder, absl::string_view name) {
  return absl::StrCat(folder, "/", name);
}

absl::StatusOr<SourceFolder> ReadSourceFolder(absl::string_view path, bool include_dropped) {
  return FolderReader(path).Read(include_dropped);
}

absl::StatusOr<const Comparator*> ChooseComparator(const SourceFolder& source,
                                                   const Comparator* given) {
  if (given != nullptr) return given;
  const std::string& name = source.version.comparator;
  if (name.empty()) return GuessComparator(source);
  if (const Comparator* comparator = ComparatorByName(name); comparator != nullptr) {
    return comparator;
  }
  return absl::UnimplementedError(absl::StrCat(source.path, "/", source.manifest_name,
                                               ": the comparator ", name, " is not known"));
}

}  // namespace sstable
