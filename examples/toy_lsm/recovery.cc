// Opening a database: what a crash left is made whole, or an error says why not.
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "examples/toy_lsm/db.h"
#include "examples/toy_lsm/files.h"
#include "util/coding.h"
#include "util/status_util.h"

namespace toy_lsm {
namespace {

struct File {
  enum class Kind { kTable, kLog, kManifest, kTemporary, kOther };
  std::string path;
  Kind kind = Kind::kOther;
  uint64_t number = 0;
};

absl::StatusOr<std::vector<File>> ListFiles(const std::string& folder) {
  std::vector<File> files;
  std::error_code error;
  std::filesystem::directory_iterator it(folder, error);
  for (; !error && it != std::filesystem::directory_iterator(); it.increment(error)) {
    const std::string name = it->path().filename();
    File& file = files.emplace_back();
    file.path = it->path();
    absl::string_view rest = name;
    const File::Kind kind = absl::ConsumePrefix(&rest, "MANIFEST-") ? File::Kind::kManifest
                            : absl::ConsumeSuffix(&rest, ".ldb")    ? File::Kind::kTable
                            : absl::ConsumeSuffix(&rest, ".log")    ? File::Kind::kLog
                                                                    : File::Kind::kOther;
    if (absl::SimpleAtoi(rest, &file.number)) file.kind = kind;
    if (absl::StrContains(name, ".tmp-")) file.kind = File::Kind::kTemporary;
  }
  if (error) return absl::ErrnoToStatus(error.value(), absl::StrCat(folder, ": can't list"));
  return files;
}

// Keeps other processes out, and other databases of this one, until it is closed. The file stays:
// who removes it may remove one that another process has just locked.
absl::StatusOr<int> LockFolder(const std::string& folder) {
  const std::string path = absl::StrCat(folder, "/LOCK");
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (descriptor < 0) return absl::ErrnoToStatus(errno, absl::StrCat(path, ": can't open"));
  if (::flock(descriptor, LOCK_EX | LOCK_NB) == 0) return descriptor;
  const int error = errno;
  ::close(descriptor);
  return absl::ErrnoToStatus(error, absl::StrCat(path, ": the database is open elsewhere"));
}

// Tables of a level above 0 follow each other.
absl::Status CheckOrder(const Version& version) {
  for (int level = 1; level < kLevelCount; ++level) {
    const std::vector<TablePtr>& tables = version.levels[level];
    for (size_t i = 1; i < tables.size(); ++i) {
      if (tables[i - 1]->info().largest < tables[i]->info().smallest) continue;
      return absl::DataLossError(absl::StrCat(tables[i]->reader().file().name(),
                                              ": overlaps table ", tables[i - 1]->info().number,
                                              " in level ", level));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status Db::Recover() {
  const std::string& folder = store_.folder();
  std::error_code error;
  if (options_.create_if_missing) std::filesystem::create_directory(folder, error);
  ASSIGN_OR_RETURN(lock_, LockFolder(folder));
  ASSIGN_OR_RETURN(const std::vector<File> files, ListFiles(folder));
  // Above any file's that a crash has left behind.
  uint64_t last_number = 0;
  for (const File& file : files) last_number = std::max(last_number, file.number);
  store_.SetNextFileNumber(last_number + 1);

  ASSIGN_OR_RETURN(const std::optional<ManifestState> saved, Manifest::Read(folder));
  if (!saved.has_value()) {
    if (!options_.create_if_missing) return absl::NotFoundError(folder + ": is no database");
    // The first table or log is written when CURRENT is there.
    for (const File& file : files) {
      if (file.kind == File::Kind::kTable || file.kind == File::Kind::kLog) {
        return absl::DataLossError(absl::StrCat(folder, ": has ", file.path, " but no CURRENT"));
      }
    }
  }
  ManifestState state = saved.value_or(ManifestState());
  Version::LeveledTables tables;
  for (auto& [level, info] : state.tables) {
    const uint64_t file_size = info.file_size;
    ASSIGN_OR_RETURN(const TablePtr table, store_.Open(std::move(info)));
    if (const auto& file = table->reader().file(); file.size() != file_size) {
      return absl::DataLossError(absl::StrCat(file.name(), ": has ", file.size(),
                                              " bytes, the manifest says ", file_size));
    }
    tables.emplace_back(level, table);
  }
  std::map<uint64_t, std::string> logs;
  for (const File& file : files) {
    if (file.kind == File::Kind::kLog && file.number >= state.log_number) {
      logs.emplace(file.number, file.path);
    }
  }
  RETURN_IF_ERROR(ReplayLogs(logs, &state.flushed_sequence, &tables));
  const std::shared_ptr<const Version> version = Version().With(tables, {});
  RETURN_IF_ERROR(CheckOrder(*version));

  // A new log only behind the manifest that needs no old one, or a torn log were not the newest.
  const uint64_t manifest_number = store_.TakeFileNumber();
  log_number_ = store_.TakeFileNumber();
  manifest_log_number_ = log_number_;
  last_sequence_ = flushed_sequence_ = state.flushed_sequence;
  ASSIGN_OR_RETURN(manifest_, Manifest::Create(folder, manifest_number, log_number_,
                                               flushed_sequence_, *version));
  ASSIGN_OR_RETURN(log_, LogWriter::Create(LogPath(folder, log_number_)));
  state_ =
      std::make_shared<const ReadState>(ReadState{std::make_shared<MemTable>(), nullptr, version});

  // Nothing of what was there before is needed now but the tables of the version. What can't be
  // removed does no harm.
  std::set<std::string> kept;
  for (const auto& [level, table] : tables) kept.insert(table->reader().file().name());
  for (const File& file : files) {
    if (file.kind != File::Kind::kOther && kept.count(file.path) == 0) {
      std::filesystem::remove(file.path, error);
    }
  }
  return absl::OkStatus();
}

absl::Status Db::ReplayLogs(const std::map<uint64_t, std::string>& logs, uint64_t* sequence,
                            Version::LeveledTables* tables) {
  auto memtable = std::make_unique<MemTable>();
  const auto flush = [&]() -> absl::Status {
    ASSIGN_OR_RETURN(tables->emplace_back(0, nullptr).second,
                     store_.Write(memtable->NewIterator().get()));
    memtable = std::make_unique<MemTable>();
    return absl::OkStatus();
  };
  const auto replay = [&](absl::string_view record) -> absl::Status {
    const uint64_t first = record.size() < 8 ? 0 : sstable::DecodeFixed64(record.data());
    if (first != *sequence + 1) {
      return absl::DataLossError(
          absl::StrCat("begins with sequence ", first, ", not ", *sequence + 1));
    }
    ASSIGN_OR_RETURN(*sequence, memtable->Add(first, record.substr(8)));
    return memtable->size() < options_.write_buffer_size ? absl::OkStatus() : flush();
  };
  for (const auto& [number, path] : logs) {
    const LogEnd end = number == logs.rbegin()->first ? LogEnd::kMayBeTorn : LogEnd::kWhole;
    ASSIGN_OR_RETURN(counters_.torn_log_size, ReadLog(path, end, replay));
  }
  return memtable->size() == 0 ? absl::OkStatus() : flush();
}

}  // namespace toy_lsm
