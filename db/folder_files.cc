#include "db/folder_files.h"

#include <algorithm>
#include <cerrno>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "db/database_file.h"
#include "db/folder.h"
#include "sstable/database_files.h"
#include "sstable/experimental/key_guess.h"
#include "sstable/file.h"
#include "sstable/internal_key.h"
#include "sstable/options.h"
#include "sstable/table_reader.h"
#include "util/descriptor.h"
#include "util/stable_order.h"
#include "util/status_util.h"
#include "util/system.h"

namespace sstable {
namespace {

using Kind = DatabaseFileKind;

bool IsKind(const DatabaseFile& file, Kind kind) {
  return file.parsed.has_value() && file.parsed->kind == kind;
}

// Returns the name that today's LevelDB gives to a file of this kind and number.
std::string UsualName(const DatabaseFileName& file) {
  switch (file.kind) {
    case Kind::kLog:
      return LogFileName(file.number);
    case Kind::kManifest:
      return ManifestFileName(file.number);
    default:
      return TableFileName(file.number);
  }
}

// LevelDB reads the file with the lowest rank.
int RankOf(const DatabaseFile& file) {
  const std::string name = UsualName(*file.parsed);
  if (file.name == name) return 0;
  return file.name.size() == name.size() ? 1 : 2;
}

absl::StatusOr<TableKeys> ReadKeys(const std::string& path,
                                   std::optional<uint64_t> max_block_size) {
  TableReaderOptions options;
  options.key_kind = KeyKind::kInternal;
  options.max_uncompressed_block_size = max_block_size;
  ASSIGN_OR_RETURN(auto file, OpenDatabaseFile(path));
  ASSIGN_OR_RETURN(const auto reader, TableReader::Open(std::move(file), options));
  GivenKeys given;
  given.key_kind = KeyKind::kInternal;
  return ResolveKeys(*reader, given);
}

}  // namespace

DatabaseProblem ProblemOf(std::string name, const absl::Status& status,
                          std::optional<uint64_t> offset) {
  DatabaseProblem problem;
  problem.file = std::move(name);
  problem.offset = offset;
  problem.message = std::string(status.message());
  problem.is_unread = IsReadFailure(status);
  return problem;
}

std::map<uint64_t, DatabaseFile*> FilesByNumber(Kind kind, std::vector<DatabaseFile>* files) {
  std::map<uint64_t, DatabaseFile*> by_number;
  for (DatabaseFile& file : *files) {
    if (!IsKind(file, kind)) continue;
    DatabaseFile*& chosen = by_number[file.parsed->number];
    if (chosen == nullptr || RankOf(file) < RankOf(*chosen)) chosen = &file;
  }
  return by_number;
}

absl::Status NotRegular(absl::string_view folder, const DatabaseFile& file) {
  const auto named = ParseDatabaseFileName(file.name);
  if (file.parsed.has_value() || !named.has_value()) return absl::OkStatus();
  if (named->kind != Kind::kTable && named->kind != Kind::kLog) return absl::OkStatus();
  const std::string path = PathIn(folder, file.name);
  FileInfo info;
  const bool is_there = StatFile(path, &info);
  if (!is_there && errno != ENOENT && errno != ENOTDIR) return ErrnoError(path, "can't stat");
  return absl::DataLossError(absl::StrCat(
      path, is_there ? ": is not a regular file" : ": is a link to a file that does not exist"));
}

absl::Status FindNotRegular(absl::string_view folder, const std::vector<DatabaseFile>& files,
                            absl::string_view name) {
  for (const DatabaseFile& file : files) {
    if (file.name == name) return NotRegular(folder, file);
  }
  return absl::OkStatus();
}

absl::Status CheckLevelDbLimits(const VersionState& state) {
  for (const auto& [place, table] : state.tables) {
    if (table.level < kLevelDbLevels) continue;
    return absl::DataLossError(absl::StrCat(TableFileName(table.number), " is on level ",
                                            table.level, ", but LevelDB has levels 0 to ",
                                            kLevelDbLevels - 1, " and does not open this"));
  }
  if (state.last_sequence.value_or(0) > kMaxSequence) {
    return absl::DataLossError(absl::StrCat("the last sequence is ", *state.last_sequence,
                                            ", expected at most ", kMaxSequence));
  }
  uint64_t highest = 0;
  for (const auto& [place, table] : state.tables) highest = std::max(highest, table.number);
  const uint64_t next = state.next_file_number.value_or(UINT64_MAX / 2);
  if (next > highest && next <= UINT64_MAX / 2) return absl::OkStatus();
  return absl::DataLossError(
      absl::StrCat("the next file number is ", next, ", expected one above that of every table, ",
                   highest, ", and at most ", UINT64_MAX / 2, ": LevelDB would overwrite tables"));
}

absl::StatusOr<const Comparator*> GuessComparator(absl::string_view folder,
                                                  const std::vector<DatabaseFile>& files,
                                                  std::optional<uint64_t> max_block_size) {
  std::vector<const DatabaseFile*> tables;
  for (const DatabaseFile& file : files) {
    if (IsKind(file, Kind::kTable)) tables.push_back(&file);
  }
  SortStably(&tables,
             [](const DatabaseFile* a, const DatabaseFile* b) { return a->size > b->size; });
  absl::Status status;
  for (const DatabaseFile* table : tables) {
    const auto keys = ReadKeys(PathIn(folder, table->name), max_block_size);
    if (!keys.ok()) continue;
    if (keys->order_known_by == KnownBy::kEvidence) return keys->comparator;
    if (keys->comparator != nullptr) continue;  // too few keys
    status.Update(absl::UnimplementedError(
        absl::StrCat(folder, ": no MANIFEST names the order of keys, and ", table->name,
                     " does not show it: ", keys->order_reason)));
  }
  if (!status.ok()) return status;
  return BytewiseComparator();
}

}  // namespace sstable
