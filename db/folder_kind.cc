#include "db/folder_kind.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "db/database_file.h"
#include "db/folder.h"
#include "sstable/database_files.h"
#include "table/block/file_kind.h"
#include "util/descriptor.h"
#include "util/system.h"

namespace sstable {
namespace {

using Kind = DatabaseFileKind;

// The name may also belong to a dangling link, or to a file in a sub-folder.
bool HasName(const DatabaseFile& file, std::initializer_list<Kind> kinds) {
  const auto parsed = ParseDatabaseFileName(file.name.substr(sys::FolderPartSize(file.name)));
  return parsed.has_value() && std::count(kinds.begin(), kinds.end(), parsed->kind) > 0;
}

std::vector<const DatabaseFile*> FilesNamed(const std::vector<DatabaseFile>& files,
                                            std::initializer_list<Kind> kinds) {
  std::vector<const DatabaseFile*> named;
  for (const DatabaseFile& file : files) {
    if (HasName(file, kinds)) named.push_back(&file);
  }
  return named;
}

FileIdentity IdentifyIn(const std::string& folder, const DatabaseFile& file) {
  const std::string path = PathIn(folder, file.name);
  if (LinksToAnnex(path)) return {FileKind::kPointer, std::string(kGitAnnexPointer)};
  const auto opened = OpenDatabaseFile(path);
  return opened.ok() ? IdentifyFile(**opened) : FileIdentity();
}

// Identifies `files`, if all are of the same kind and none can be LevelDB's.
FileIdentity IdentifyAll(const std::string& folder, const std::vector<const DatabaseFile*>& files) {
  FileIdentity all;
  for (const DatabaseFile* file : files) {
    FileIdentity identity = IdentifyIn(folder, *file);
    const bool is_other =
        identity.kind == FileKind::kPointer || identity.kind == FileKind::kForeign;
    if (!is_other || (file != files.front() && identity.text != all.text)) return {};
    all = std::move(identity);
  }
  return all;
}

// Returns up to the first `size` bytes; empty if the file can't be read.
std::string ReadStart(const std::string& path, uint64_t size) {
  const auto file = OpenFile(path, FileAccess::kRead);
  if (!file.ok()) return "";
  std::string bytes(std::min((*file)->size(), size), '\0');
  return (*file)->Read(0, bytes.size(), &bytes[0]).ok() ? bytes : "";
}

constexpr size_t kUuidSize = 36;

// May end in a newline.
bool IsUuid(absl::string_view text) {
  absl::ConsumeSuffix(&text, "\n");
  return text.size() == kUuidSize && text.find_first_not_of("0123456789abcdefABCDEF-") == text.npos;
}

// Returns a file that shows which program owns the folder, and the program; nullopt if the folder
// may be LevelDB's. RocksDB's tables may look like LevelDB's, so if such tables exist, only a file
// that names the program counts.
struct OwnerSign {
  std::string file;
  const char* program;
};
std::optional<OwnerSign> FindOwner(const std::string& folder,
                                   const std::vector<DatabaseFile>& files, bool has_leveldbs) {
  constexpr uint64_t kOptionsStart = 4096;  // options files begin with the version
  for (const DatabaseFile& file : files) {
    if (absl::StartsWith(file.name, "OPTIONS-")) {
      const std::string options = ReadStart(PathIn(folder, file.name), kOptionsStart);
      if (absl::StrContains(options, "pebble_version")) return OwnerSign{file.name, "Pebble"};
      if (absl::StrContains(options, "rocksdb_version")) return OwnerSign{file.name, "RocksDB"};
    }
    if (absl::StartsWith(file.name, "marker.manifest.") ||
        absl::StartsWith(file.name, "marker.format-version.")) {
      return OwnerSign{file.name, "Pebble"};
    }
    if (has_leveldbs) continue;
    if (file.name == "KEYREGISTRY" || absl::EndsWith(file.name, ".vlog")) {
      return OwnerSign{file.name, "Badger"};
    }
    if (file.name == "IDENTITY" && IsUuid(ReadStart(PathIn(folder, file.name), kUuidSize + 1))) {
      return OwnerSign{file.name, "RocksDB"};
    }
  }
  return std::nullopt;
}

// Returns true if the folder has a file with the name of a database's table, log, MANIFEST or
// CURRENT.
bool HoldsDatabase(const std::string& folder) {
  sys::Folder directory;
  if (!directory.Open(folder)) return false;
  DatabaseFile file;
  for (FileType type; directory.Next(&file.name, &type);) {
    if (HasName(file, {Kind::kCurrent, Kind::kManifest, Kind::kTable, Kind::kLog})) return true;
  }
  return false;
}

// Adds the databases in the sub-folders of `folder`, down to `levels` levels, as in a browser's
// profile. Looks into at most `*left` folders.
void FindDatabases(const std::string& folder, int levels, size_t* left,
                   std::vector<std::string>* databases) {
  std::vector<std::string> names;
  sys::Folder directory;
  if (!directory.Open(folder)) return;
  std::string name;
  for (FileType type; directory.Next(&name, &type);) {
    if (type != FileType::kRegular) names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  for (const std::string& each : names) {
    const std::string path = PathIn(folder, each);
    FileInfo info;
    if (*left == 0 || !StatFile(path, &info) || info.type != FileType::kFolder) continue;
    --*left;
    if (HoldsDatabase(path)) {
      databases->push_back(path);
    } else if (levels > 1) {
      FindDatabases(path, levels - 1, left, databases);
    }
  }
}

// Describes the contents of a folder that is not a database, for a message; empty if nothing is
// known.
std::string FindInstead(const std::string& folder, const std::vector<DatabaseFile>& files) {
  constexpr size_t kMaxNamed = 3, kMaxOpened = 100;
  std::vector<std::string> databases;
  size_t left = 1000;
  FindDatabases(folder, /*levels=*/2, &left, &databases);
  size_t opened = 0;
  for (const DatabaseFile& file : files) {
    if (!databases.empty() || opened == kMaxOpened) break;
    const std::string path = PathIn(folder, file.name);
    FileInfo info;
    if (!StatFile(path, &info) || info.type != FileType::kRegular) continue;
    ++opened;
    if (absl::StartsWith(ReadStart(path, 16), "SQLite format 3")) {
      return absl::StrCat("; ", file.name, " is an SQLite database");
    }
  }
  if (databases.empty()) return "";
  const size_t more = databases.size() - std::min(databases.size(), kMaxNamed);
  databases.resize(databases.size() - more);
  return absl::StrCat("; did you mean ", absl::StrJoin(databases, " or "),
                      more == 0 ? "" : absl::StrCat(" or one of ", more, " more"), "?");
}

absl::Status NameAll(const std::string& folder, const std::vector<const DatabaseFile*>& files,
                     absl::string_view what, const FileIdentity& identity) {
  const std::string message =
      absl::StrCat(folder, ": ", files.size() == 1 ? "" : absl::StrCat("each ", what, ", such as "),
                   files.front()->name, files.size() == 1 ? " " : ", ", identity.text);
  return identity.kind == FileKind::kPointer ? absl::FailedPreconditionError(message)
                                             : absl::UnimplementedError(message);
}

}  // namespace

absl::Status CheckFolderKind(const std::string& folder, const std::vector<DatabaseFile>& files) {
  const auto tables = FilesNamed(files, {Kind::kTable});
  const bool has_leveldbs =
      !tables.empty() && IdentifyIn(folder, *tables.front()).kind == FileKind::kTable;
  if (const auto owner = FindOwner(folder, files, has_leveldbs); owner.has_value()) {
    return absl::UnimplementedError(absl::StrCat(folder, ": is a database of ", owner->program,
                                                 ", not of LevelDB: it has ", owner->file));
  }
  if (has_leveldbs) return absl::OkStatus();
  if (!tables.empty()) {
    const FileIdentity identity = IdentifyAll(folder, tables);
    return identity.text.empty() ? absl::OkStatus() : NameAll(folder, tables, "table", identity);
  }
  const auto states = FilesNamed(files, {Kind::kCurrent, Kind::kManifest});
  const auto logs = FilesNamed(files, {Kind::kLog});
  if (states.empty() && logs.empty()) {
    return absl::NotFoundError(
        absl::StrCat(folder, ": is not a database: it has no CURRENT, MANIFEST, table or log",
                     FindInstead(folder, files)));
  }
  const auto& shown = states.empty() ? logs : states;
  const FileIdentity identity = IdentifyAll(folder, shown);
  return identity.text.empty() ? absl::OkStatus() : NameAll(folder, shown, "file", identity);
}

}  // namespace sstable
