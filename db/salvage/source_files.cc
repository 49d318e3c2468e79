#include "db/salvage/source_files.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "db/folder.h"
#include "db/renamed_tables.h"
#include "sstable/database_files.h"
#include "table/block/file_kind.h"
#include "util/status_util.h"
#include "util/system.h"

namespace sstable {
namespace {

using Kind = DatabaseFileKind;

// Identifies a file with any name; the name decides only if the contents do not.
FileIdentity IdentifyLoose(const RandomAccessFile& file) {
  FileIdentity identity = IdentifyFile(file);
  if (identity.kind != FileKind::kUnknown && identity.kind != FileKind::kEmpty) return identity;
  const std::string& path = file.name();
  const auto named = ParseDatabaseFileName(path.substr(sys::FolderPartSize(path)));
  switch (named.has_value() ? named->kind : Kind::kTable) {
    case Kind::kLog:
      identity.kind = FileKind::kLog;
      break;
    case Kind::kTable:
    case Kind::kTemporary:
      identity.kind = FileKind::kTable;
      break;
    case Kind::kManifest:
    case Kind::kCurrent:
    case Kind::kLock:
    case Kind::kInfoLog:
      identity.text = "is neither a table nor a log, judging by its name";
      break;
  }
  return identity;
}

}  // namespace

bool IsLog(const RandomAccessFile& file) { return IdentifyLoose(file).kind == FileKind::kLog; }

absl::StatusOr<SourceFolder> ReadSourceFiles(const std::vector<std::string>& paths) {
  SourceFolder result;
  for (const std::string& path : paths) {
    ASSIGN_OR_RETURN(const auto opened, OpenFile(path, FileAccess::kRead));
    const FileIdentity identity = IdentifyLoose(*opened);
    const bool is_log = identity.kind == FileKind::kLog;
    if (!is_log && identity.kind != FileKind::kTable) {
      result.left_out.push_back({path, identity.text});
      continue;
    }
    SourceFile file;
    file.name = path;
    file.number = std::min(LeadingNumber(path).value_or(0), kMaxFileNumber);
    file.size = opened->size();
    result.max_number = std::max(result.max_number, file.number);
    DatabaseFile listed;
    listed.name = path;
    listed.size = file.size;
    listed.parsed = {is_log ? Kind::kLog : Kind::kTable, file.number};
    result.files.push_back(std::move(listed));
    (is_log ? result.logs : result.tables).push_back(std::move(file));
  }
  if (result.files.empty()) {
    return absl::NotFoundError(
        absl::StrCat(paths[0], ": ", result.left_out[0].reason, "; no file is a table or a log"));
  }
  result.problems.push_back({"", std::nullopt,
                             "nothing shows what else the database had; entries that had been "
                             "compacted away, or that missing files replaced or deleted, may have "
                             "come back",
                             /*is_damage=*/true});
  return result;
}

}  // namespace sstable
