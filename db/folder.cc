#include "db/folder.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <system_error>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "db/database_file.h"
#include "db/folder_kind.h"
#include "sstable/file.h"
#include "table/file_kind.h"
#include "util/status_util.h"

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

// Without CURRENT: the newest MANIFEST that is right in all that can be checked. Unimplemented if
// there are only those of another program: so are tables and logs then.
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
  return absl::StrCat(folder, folder.empty() || absl::EndsWith(folder, "/") ? "" : "/", name);
}

absl::StatusOr<std::vector<DatabaseFile>> ListFolder(const std::string& folder) {
  std::vector<DatabaseFile> files;
  std::error_code error;
  do {
    files.clear();
    std::filesystem::directory_iterator it(folder, error);
    for (; !error && it != std::filesystem::directory_iterator(); it.increment(error)) {
      DatabaseFile file;
      file.name = it->path().filename();
      std::error_code no_matter, size_error;
      if (it->is_regular_file(no_matter)) {
        file.size = it->file_size(size_error);
        if (size_error == std::errc::no_such_file_or_directory) continue;  // removed meanwhile
        if (size_error) {
          return absl::ErrnoToStatus(size_error.value(),
                                     absl::StrCat(PathIn(folder, file.name), ": can't stat"));
        }
        file.parsed = ParseDatabaseFileName(file.name);
      }
      // What a link led to may be gone; the link itself, or any other file, was removed meanwhile.
      const bool is_gone = !it->exists(no_matter) && !it->is_symlink(no_matter);
      if (is_gone) continue;
      file.use = UseByName(file.parsed);
      files.push_back(std::move(file));
    }
  } while (error == std::errc::interrupted);
  if (error == std::errc::not_a_directory) {
    const auto file = OpenFile(folder, FileAccess::kRead);
    const std::string text = file.ok() ? IdentifyFile(**file).text : "";
    return absl::InvalidArgumentError(
        absl::StrCat(folder, ": is not a folder", text.empty() ? "" : "; it ", text));
  }
  if (error) return absl::ErrnoToStatus(error.value(), absl::StrCat(folder, ": can't list"));
  std::sort(files.begin(), files.end(),
            [](const DatabaseFile& a, const DatabaseFile& b) { return a.name < b.name; });
  return files;
}

absl::StatusOr<FolderState> ReadFolderState(const std::string& folder) {
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
  ASSIGN_OR_RETURN(state.files, ListFolder(folder));
  RETURN_IF_ERROR(CheckFolderKind(folder, state.files));
  if (!state.current_status.ok()) RETURN_IF_ERROR(TakeNewestManifest(folder, &state));
  return state;
}

bool IsStillValid(const std::string& folder, const FolderState& state, bool all_opened) {
  const auto current = ReadCurrentFile(folder);
  if (!state.current_status.ok()) {  // no program works on such a folder, or it has just begun to
    std::optional<uint64_t> size;
    return !current.ok() || !OpenManifest(PathIn(folder, *current), &size).ok();
  }
  if (!current.ok() || *current != state.manifest_name) return false;
  const auto file = OpenDatabaseFile(PathIn(folder, *current));
  if (!file.ok()) return false;
  if ((*file)->size() == state.manifest_size) return true;
  if (!all_opened) return false;
  const auto manifest = ReadManifest(**file);
  return manifest.ok() && manifest->state.log_number == state.manifest.state.log_number;
}

}  // namespace sstable
