#include "db/folder.h"

#include <algorithm>
#include <cerrno>
#include <memory>
#include <set>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "db/database_file.h"
#include "db/folder_kind.h"
#include "sstable/file.h"
#include "table/block/file_kind.h"
#include "util/descriptor.h"
#include "util/status_util.h"
#include "util/system.h"

namespace sstable {
namespace {

using Kind = DatabaseFileKind;
using Use = DatabaseFile::Use;

Use UseByName(const std::optional<DatabaseFileName>& parsed) {
  if (!parsed.has_value()) return Use::kForeign;
  switch (parsed->kind) {
    case Kind::kLock:
    case Kind::kInfoLog:
      return Use::kAuxiliary;
    default:
      return Use::kLeftOver;
  }
}

absl::StatusOr<Manifest> OpenManifest(const std::string& path, std::optional<uint64_t>* size) {
  ASSIGN_OR_RETURN(const auto file, OpenDatabaseFile(path));
  *size = file->size();
  return ReadManifest(*file);
}

bool HasAllTables(const VersionState& version, const std::vector<DatabaseFile>& files) {
  std::set<std::pair<uint64_t, uint64_t>> present;  // number and size
  for (const DatabaseFile& file : files) {
    if (file.parsed.has_value() && file.parsed->kind == Kind::kTable) {
      present.emplace(file.parsed->number, file.size);
    }
  }
  return std::all_of(version.tables.begin(), version.tables.end(), [&](const auto& table) {
    return present.count({table.second.number, table.second.size}) > 0;
  });
}

// Chooses the newest MANIFEST that passes all checks, for a folder whose CURRENT leads to none.
// Returns Unimplemented if all MANIFESTs are another program's: its tables and logs are, too.
absl::Status TakeNewestManifest(const std::string& folder, FolderState* state) {
  absl::Status foreign;
  std::vector<std::pair<uint64_t, std::string>> names;
  for (const DatabaseFile& file : state->files) {
    if (file.parsed.has_value() && file.parsed->kind == Kind::kManifest) {
      names.emplace_back(file.parsed->number, file.name);
    }
  }
  std::sort(names.rbegin(), names.rend());
  bool has_whole = false;
  for (const auto& [number, name] : names) {
    std::optional<uint64_t> size;
    auto manifest = OpenManifest(PathIn(folder, name), &size);
    if (absl::IsUnimplemented(manifest.status())) foreign = manifest.status();
    if (!manifest.ok()) {
      if (manifest.status() != state->current_status) {
        state->unread_manifests.emplace_back(name, manifest.status());
      }
      continue;
    }
    const bool is_whole = manifest->status.ok();
    const bool is_right = is_whole && HasAllTables(manifest->state, state->files);
    if (is_right || (is_whole && !has_whole) || state->manifest_name.empty()) {
      state->manifest_name = name;
      state->manifest = *std::move(manifest);
    }
    has_whole |= is_whole;
    if (!is_right) continue;
    state->source = StateSource::kManifest;
    break;
  }
  return state->manifest_name.empty() ? foreign : absl::OkStatus();
}

}  // namespace

std::string PathIn(absl::string_view folder, absl::string_view name) {
  return absl::StrCat(folder, sys::FolderPartSize(folder) == folder.size() ? "" : "/", name);
}

absl::StatusOr<std::vector<DatabaseFile>> ListFolder(const std::string& folder,
                                                     const VersionState* version) {
  sys::Folder directory;
  const bool is_open = directory.Open(folder);
  if (!is_open && errno == ENOTDIR) {
    const auto file = OpenFile(folder, FileAccess::kRead);
    const std::string text = file.ok() ? IdentifyFile(**file).text : "";
    return absl::InvalidArgumentError(
        absl::StrCat(folder, ": is not a folder", text.empty() ? "" : "; it ", text));
  }
  if (!is_open) return ErrnoError(folder, "can't list");
  std::vector<uint64_t> numbers;  // numbers of tables whose sizes are left unknown
  if (version != nullptr) {
    for (const auto& [place, table] : version->tables) numbers.push_back(table.number);
    std::sort(numbers.begin(), numbers.end());
  }
  const auto is_table_of_version = [&](const std::optional<DatabaseFileName>& named) {
    return named.has_value() && named->kind == Kind::kTable &&
           std::binary_search(numbers.begin(), numbers.end(), named->number);
  };
  std::vector<DatabaseFile> files;
  for (;;) {
    DatabaseFile file;
    FileType type;
    if (!directory.Next(&file.name, &type)) {
      if (errno != 0) return ErrnoError(folder, "can't list");
      break;
    }
    const auto named = ParseDatabaseFileName(file.name);
    FileInfo info;
    if (type == FileType::kRegular && is_table_of_version(named)) {
      file.size = kUnknownSize;
      file.parsed = named;
    } else if (directory.Stat(file.name, /*follow_link=*/true, &info)) {
      if (info.type == FileType::kRegular) {
        file.size = info.size;
        file.parsed = named;
      }
    } else {
      const absl::Status status = ErrnoError(PathIn(folder, file.name), "can't stat");
      // A link's target may be missing. Any other missing file was removed meanwhile.
      const bool is_there = directory.Stat(file.name, /*follow_link=*/false, &info);
      if (!is_there && absl::IsNotFound(status)) continue;
      if (!is_there || info.type != FileType::kLink) return status;
    }
    file.use = UseByName(file.parsed);
    files.push_back(std::move(file));
  }
  std::sort(files.begin(), files.end(),
            [](const DatabaseFile& a, const DatabaseFile& b) { return a.name < b.name; });
  return files;
}

void ReadSizes(const std::string& folder, std::vector<DatabaseFile>* files) {
  for (DatabaseFile& file : *files) {
    if (file.size != kUnknownSize) continue;
    FileInfo info;
    if (StatFile(PathIn(folder, file.name), &info)) file.size = info.size;
  }
}

absl::StatusOr<FolderState> ReadFolderState(const std::string& folder, bool needs_sizes) {
  FolderState state;
  const auto current = ReadCurrentFile(folder);
  state.current_status = current.status();
  if (current.ok()) {
    auto manifest = OpenManifest(PathIn(folder, *current), &state.manifest_size);
    if (manifest.ok()) {
      state.manifest_name = *current;
      state.manifest = *std::move(manifest);
      if (state.manifest.status.ok()) state.source = StateSource::kManifest;
    } else {
      state.current_status = manifest.status();
    }
  }
  const bool leaves_sizes = !needs_sizes && state.source == StateSource::kManifest;
  ASSIGN_OR_RETURN(state.files, ListFolder(folder, leaves_sizes ? &state.manifest.state : nullptr));
  RETURN_IF_ERROR(CheckFolderKind(folder, state.files));
  if (!state.current_status.ok()) RETURN_IF_ERROR(TakeNewestManifest(folder, &state));
  return state;
}

// tests/model/database_view.pml shows that these conditions are sufficient, and that each is
// necessary, if the MANIFEST is undamaged and grows with each edit.
bool IsStillValid(const std::string& folder, const FolderState& state, bool all_opened) {
  const auto current = ReadCurrentFile(folder);
  if (!state.current_status.ok()) {
    // No program can use such a folder, unless CURRENT was replaced meanwhile.
    std::optional<uint64_t> size;
    return state.current_status == (current.ok()
                                        ? OpenManifest(PathIn(folder, *current), &size).status()
                                        : current.status());
  }
  if (!current.ok() || *current != state.manifest_name) return false;
  const auto file = OpenDatabaseFile(PathIn(folder, *current));
  if (!file.ok()) return false;
  // A program that maps the MANIFEST first extends it with zeros, then overwrites them with edits,
  // so its size may stay the same. A half-written edit looks like damage.
  const bool has_grown = (*file)->size() != state.manifest_size;
  const bool may_be_mapped = state.manifest.torn_end.has_value() || !state.manifest.status.ok();
  if (!has_grown && !may_be_mapped) return true;
  const auto manifest = ReadManifest(**file);
  if (!manifest.ok()) return false;
  if (manifest->edit_count == state.manifest.edit_count) {
    // Edits that follow damage are not counted.
    return manifest->status.ok() || !has_grown || all_opened;
  }
  return all_opened && state.manifest.status.ok() &&
         manifest->state.log_number == state.manifest.state.log_number;
}

}  // namespace sstable
