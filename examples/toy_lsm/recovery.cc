// Opens a database. Repairs the effects of a crash, or returns an error that says why it can't.
#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "examples/toy_lsm/db.h"
#include "sstable/database_files.h"
#include "sstable/experimental/log_file.h"
#include "sstable/experimental/write_batch.h"
#include "sstable/file.h"
#include "util/status_util.h"

namespace toy_lsm {
namespace {

using Kind = sstable::DatabaseFileKind;

struct File {
  std::filesystem::path path;
  sstable::DatabaseFileName name;

  bool HasData() const {
    std::error_code error;
    return name.kind == Kind::kTable ||
           (name.kind == Kind::kLog && std::filesystem::file_size(path, error) > 0);
  }
};

absl::StatusOr<std::vector<File>> ListFiles(const std::string& folder) {
  std::vector<File> files;
  std::error_code error;
  std::filesystem::directory_iterator it(folder, error);
  for (; !error && it != std::filesystem::directory_iterator(); it.increment(error)) {
    const auto name = sstable::ParseDatabaseFileName(it->path().filename().string());
    if (name.has_value()) files.push_back({it->path(), *name});
  }
  if (error) return absl::ErrnoToStatus(error.value(), absl::StrCat(folder, ": can't list"));
  return files;
}

// Locks the database as LevelDB does. A second lock in the same process also fails.
absl::StatusOr<int> Lock(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (descriptor < 0) return absl::ErrnoToStatus(errno, absl::StrCat(path, ": can't open"));
  struct flock lock = {};
  lock.l_type = F_WRLCK;
  if (::fcntl(descriptor, F_OFD_SETLK, &lock) == 0) return descriptor;
  const int error = errno;
  ::close(descriptor);
  return absl::ErrnoToStatus(error, absl::StrCat(path, ": the database is open elsewhere"));
}

}  // namespace

absl::Status Db::Recover() {
  const std::string& folder = store_.folder();
  std::error_code error;
  if (options_.create_if_missing) std::filesystem::create_directory(folder, error);
  ASSIGN_OR_RETURN(lock_, Lock(store_.Path("LOCK")));
  ASSIGN_OR_RETURN(const std::vector<File> files, ListFiles(folder));
  // Higher than the numbers of all files left by a crash.
  uint64_t last_number = 0;
  for (const File& file : files) last_number = std::max(last_number, file.name.number);
  store_.SetNextFileNumber(last_number + 1);

  ASSIGN_OR_RETURN(std::shared_ptr<Version> version, Version::Load(&store_));
  if (version == nullptr) {
    if (!options_.create_if_missing) return absl::NotFoundError(folder + ": is no database");
    for (const File& file : files) {
      if (!file.HasData()) continue;  // no data is written before CURRENT exists
      return absl::DataLossError(
          absl::StrCat(folder, ": has ", file.path.string(), " but no CURRENT"));
    }
    RETURN_IF_ERROR(SyncFolder(folder + "/.."));
    version = std::make_shared<Version>();
  }
  std::set<uint64_t> logs;
  for (const File& file : files) {
    const bool is_log = file.name.kind == Kind::kLog && file.HasData();
    if (is_log && file.name.number >= version->log_number) logs.insert(file.name.number);
  }
  RETURN_IF_ERROR(ReplayLogs(logs, &version));

  // Starts a new log, since nothing may follow a torn record, and the new manifest must not need an
  // old log.
  log_number_ = store_.TakeFileNumber();
  version->log_number = log_number_;
  ASSIGN_OR_RETURN(log_, LogFile::Create(store_.Path(sstable::LogFileName(log_number_))));
  RETURN_IF_ERROR(BeginManifest(*version));
  last_sequence_ = version->last_sequence;
  version->memtable = std::make_shared<MemTable>();
  version_ = version;

  // Only the version's tables are still needed. Failing to remove other files is harmless.
  std::set<uint64_t> kept;
  for (const std::vector<TablePtr>& tables : version->levels) {
    for (const TablePtr& table : tables) kept.insert(table->file.number);
  }
  for (const File& file : files) {
    const Kind kind = file.name.kind;
    const bool is_needed = kind == Kind::kTable && kept.count(file.name.number) > 0;
    const bool is_other = kind == Kind::kCurrent || kind == Kind::kLock || kind == Kind::kInfoLog;
    if (!is_needed && !is_other) std::filesystem::remove(file.path, error);
  }
  return absl::OkStatus();
}

// The manifest is synced before CURRENT refers to it.
absl::Status Db::BeginManifest(const Version& version) {
  const uint64_t number = store_.TakeFileNumber();
  ASSIGN_OR_RETURN(manifest_, LogFile::Create(store_.Path(sstable::ManifestFileName(number))));
  RETURN_IF_ERROR(manifest_->AddRecord(version.Snapshot(store_.next_file_number()).Encode()));
  RETURN_IF_ERROR(manifest_->Sync());
  return sstable::SetCurrentFile(store_.folder(), number);
}

// Writes the contents of the logs to tables.
absl::Status Db::ReplayLogs(const std::set<uint64_t>& numbers, std::shared_ptr<Version>* version) {
  uint64_t sequence = 0;  // the last one read; 0 before the first batch
  auto memtable = std::make_unique<MemTable>();
  const auto flush = [&]() -> absl::Status {
    ASSIGN_OR_RETURN(const auto tables, store_.Write(memtable->NewIterator().get()));
    sstable::VersionEdit edit;  // unused: the manifest begins with the complete version
    *version = (*version)->With(0, tables, {}, &edit);
    (*version)->last_sequence = std::max((*version)->last_sequence, sequence);
    memtable = std::make_unique<MemTable>();
    return absl::OkStatus();
  };
  const auto replay = [&](absl::string_view batch) -> absl::Status {
    ASSIGN_OR_RETURN(const auto header, sstable::DecodeWriteBatchHeader(batch));
    if (sequence != 0 && header.sequence != sequence + 1) {
      return absl::DataLossError(
          absl::StrCat("begins with sequence ", header.sequence, ", not ", sequence + 1));
    }
    sequence = header.last_sequence();
    RETURN_IF_ERROR(memtable->Add(batch));
    return memtable->size() < options_.write_buffer_size ? absl::OkStatus() : flush();
  };
  for (const uint64_t number : numbers) RETURN_IF_ERROR(ReplayLog(number, replay));
  return memtable->size() == 0 ? absl::OkStatus() : flush();
}

// Invalid bytes without a later record are the end of a write that a crash interrupted.
absl::Status Db::ReplayLog(uint64_t number,
                           absl::FunctionRef<absl::Status(absl::string_view)> replay) {
  const std::string path = store_.Path(sstable::LogFileName(number));
  ASSIGN_OR_RETURN(const auto file, sstable::OpenFile(path));
  sstable::LogReader log(file.get(), {/*resume_within_block=*/true});
  const auto place = [&](uint64_t offset) { return absl::StrCat(path, ": at offset ", offset); };
  while (log.Next()) {
    RETURN_IF_ERROR(sstable::AtPlace(place(log.record_offset()), replay(log.record())));
  }
  RETURN_IF_ERROR(log.status());
  const uint64_t end = log.torn_end().has_value() ? log.torn_end()->offset : file->size();
  counters_.lost_log_size += file->size() - end;
  for (const sstable::LogDrop& drop : log.damage()) {
    if (drop.offset + drop.size < end) {
      return sstable::AtPlace(place(drop.offset), absl::DataLossError(drop.message));
    }
    counters_.lost_log_size += drop.size;
  }
  return absl::OkStatus();
}

}  // namespace toy_lsm
