// Opening a database: what a crash left is made whole, or an error says why not.
#include <fcntl.h>
#include <sys/file.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "examples/toy_lsm/db.h"
#include "sstable/internal_key.h"
#include "util/status_util.h"

namespace toy_lsm {
namespace {

// A file of the database, but for CURRENT.
struct File {
  std::string path, suffix;
  uint64_t number = 0;  // 0: it is temporary
};

absl::StatusOr<std::vector<File>> ListFiles(const std::string& folder) {
  std::vector<File> files;
  std::error_code error;
  std::filesystem::directory_iterator it(folder, error);
  for (; !error && it != std::filesystem::directory_iterator(); it.increment(error)) {
    File file = {it->path(), it->path().extension()};
    const bool is_temporary = absl::StartsWith(file.suffix, ".tmp-");
    const bool may_have_number = file.suffix == ".ldb" || file.suffix == ".log";
    if (is_temporary ||
        (may_have_number && absl::SimpleAtoi(it->path().stem().string(), &file.number))) {
      files.push_back(file);
    }
  }
  if (error) return absl::ErrnoToStatus(error.value(), absl::StrCat(folder, ": can't list"));
  return files;
}

}  // namespace

absl::Status Db::Recover() {
  const std::string& folder = store_.folder();
  std::error_code error;
  if (options_.create_if_missing) std::filesystem::create_directory(folder, error);
  lock_ = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (lock_ < 0 || ::flock(lock_, LOCK_EX | LOCK_NB) != 0) {
    const char* const trouble = lock_ < 0 ? "can't open" : "the database is open elsewhere";
    return absl::ErrnoToStatus(errno, absl::StrCat(folder, ": ", trouble));
  }
  ASSIGN_OR_RETURN(const std::vector<File> files, ListFiles(folder));
  // Above any file's that a crash has left behind.
  uint64_t last_number = 0;
  for (const File& file : files) last_number = std::max(last_number, file.number);
  store_.SetNextFileNumber(last_number + 1);

  ASSIGN_OR_RETURN(std::shared_ptr<Version> version, Version::Load(store_));
  if (version == nullptr) {
    if (!options_.create_if_missing) return absl::NotFoundError(folder + ": is no database");
    for (const File& file : files) {
      if (file.number == 0) continue;  // the first table or log comes after CURRENT
      return absl::DataLossError(absl::StrCat(folder, ": has ", file.path, " but no CURRENT"));
    }
    RETURN_IF_ERROR(SyncFolder(folder + "/.."));
    version = std::make_shared<Version>();
  }
  std::set<uint64_t> logs;
  for (const File& file : files) {
    if (file.suffix == ".log" && file.number >= version->log_number) logs.insert(file.number);
  }
  RETURN_IF_ERROR(ReplayLogs(logs, &version));

  // A new log only behind the manifest that needs no old one: nothing may follow a torn record.
  log_number_ = store_.TakeFileNumber();
  version->log_number = log_number_;
  RETURN_IF_ERROR(version->Save(folder));
  ASSIGN_OR_RETURN(log_, LogWriter::Create(store_.Path(log_number_, ".log")));
  last_sequence_ = version->last_sequence;
  version->memtable = std::make_shared<MemTable>();
  version_ = version;

  // Nothing of what was there before is needed now but the tables of the version. What can't be
  // removed does no harm.
  std::set<uint64_t> kept;
  for (const std::vector<TablePtr>& tables : version->levels) {
    for (const TablePtr& table : tables) kept.insert(table->number);
  }
  for (const File& file : files) {
    if (file.suffix == ".ldb" && kept.count(file.number) > 0) continue;
    std::filesystem::remove(file.path, error);
  }
  return absl::OkStatus();
}

// Brings what stands in the logs into tables.
absl::Status Db::ReplayLogs(const std::set<uint64_t>& numbers, std::shared_ptr<Version>* version) {
  uint64_t sequence = (*version)->last_sequence;
  auto memtable = std::make_unique<MemTable>();
  const auto flush = [&]() -> absl::Status {
    ASSIGN_OR_RETURN(const auto tables, store_.Write(memtable->NewIterator().get()));
    *version = (*version)->With(0, tables, {});
    (*version)->last_sequence = sequence;
    memtable = std::make_unique<MemTable>();
    return absl::OkStatus();
  };
  const auto replay = [&](uint64_t tag, absl::string_view batch) -> absl::Status {
    const uint64_t first = tag & sstable::kMaxSequence;
    if (first > sequence + 1 && (tag & kOldLogIsSynced) == 0) {
      counters_.lost_log_size += batch.size();  // the old log was cut short, so neither was synced
      return absl::OkStatus();
    }
    if (first != sequence + 1) {
      return absl::DataLossError(
          absl::StrCat("begins with sequence ", first, ", not ", sequence + 1));
    }
    ASSIGN_OR_RETURN(sequence, memtable->Add(first, batch));
    return memtable->size() < options_.write_buffer_size ? absl::OkStatus() : flush();
  };
  for (const uint64_t number : numbers) {
    ASSIGN_OR_RETURN(const uint64_t torn_size, ReadLog(store_.Path(number, ".log"), replay));
    counters_.lost_log_size += torn_size;
  }
  return memtable->size() == 0 ? absl::OkStatus() : flush();
}

}  // namespace toy_lsm
