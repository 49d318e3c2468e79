#include "examples/toy_lsm/db.h"

#include <unistd.h>

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "examples/toy_lsm/compaction.h"
#include "sstable/comparator.h"
#include "sstable/database_files.h"
#include "sstable/iterator.h"
#include "sstable/options.h"
#include "sstable/table_reader.h"
#include "util/status_util.h"

namespace toy_lsm {

Db::Db(const Options& options, std::string folder)
    : options_(options), store_(options, std::move(folder)) {}

absl::StatusOr<std::unique_ptr<Db>> Db::Open(const Options& options, std::string folder) {
  std::unique_ptr<Db> db(new Db(options, std::move(folder)));
  RETURN_IF_ERROR(db->Recover());
  db->background_ = std::thread([d = db.get()] { d->RunBackground(); });
  return db;
}

Db::~Db() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);  // the thread may be about to wait
    is_stopping_ = true;
    work_.notify_all();
  }
  if (background_.joinable()) background_.join();
  if (lock_ >= 0) ::close(lock_);
}

absl::Status Db::Write(WriteBatch batch, Sync sync) {
  RETURN_IF_ERROR(batch.status());
  if (batch.count() == 0) return absl::OkStatus();
  if (batch.bytes().size() > size_t{1} << 30) {  // well below the limit for a block
    return absl::InvalidArgumentError("a batch of more than 1 GiB");
  }
  const std::lock_guard<std::mutex> write_lock(write_mutex_);
  try {
    return WriteInTurn(&batch, sync);
  } catch (...) {
    // The batch may be in the log, and part of it in the memtable. If its sequences were reused,
    // the log would be unreadable.
    Fail(sstable::StatusOfException()).IgnoreError();  // the error stays in error_
    throw;
  }
}

// Requires write_mutex_ to be held.
absl::Status Db::WriteInTurn(WriteBatch* batch, Sync sync) {
  ASSIGN_OR_RETURN(MemTable* const memtable, MakeRoom());
  batch->set_sequence(last_sequence_ + 1);
  RETURN_IF_ERROR(Fail(log_->AddRecord(batch->bytes())));
  if (sync == Sync::kYes) RETURN_IF_ERROR(Fail(log_->Sync()));
  // Readers do not see the batch until last_sequence_ includes all of it.
  RETURN_IF_ERROR(Fail(memtable->Add(batch->bytes())));
  last_sequence_ += batch->count();
  return absl::OkStatus();
}

absl::Status Db::Fail(absl::Status status) {
  if (status.ok()) return status;
  const std::lock_guard<std::mutex> lock(mutex_);
  if (error_.ok()) error_ = status;
  done_.notify_all();
  return status;
}

absl::StatusOr<MemTable*> Db::MakeRoom() {
  std::unique_lock<std::mutex> lock(mutex_);
  for (bool has_waited = false;; has_waited = true) {
    RETURN_IF_ERROR(error_);
    // At least 1, so that a memtable is never empty.
    const size_t limit = std::max<size_t>(options_.write_buffer_size, 1);
    if (version_->memtable->size() < limit) return version_->memtable.get();
    if (version_->full_memtable == nullptr && version_->levels[0].size() < kLevel0Stop) break;
    if (!has_waited) ++counters_.stall_count;
    done_.wait(lock);
  }
  lock.unlock();
  const uint64_t number = store_.TakeFileNumber();
  // After a power failure, the new log must not have records unless the old log is complete.
  RETURN_IF_ERROR(Fail(log_->Sync()));
  auto log = LogFile::Create(store_.Path(sstable::LogFileName(number)));
  RETURN_IF_ERROR(Fail(log.status()));
  auto memtable = std::make_shared<MemTable>();
  lock.lock();
  const auto version = std::make_shared<Version>(*version_);
  version->full_memtable = std::exchange(version->memtable, std::move(memtable));
  log_ = *std::move(log);
  log_number_ = number;
  full_last_sequence_ = last_sequence_;
  version_ = version;
  work_.notify_all();
  return version->memtable.get();
}

std::pair<std::shared_ptr<const Version>, uint64_t> Db::View(const Snapshot& snapshot) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return {version_, snapshot == nullptr ? last_sequence_.load() : *snapshot};
}

absl::StatusOr<bool> Db::Get(absl::string_view key, std::string* value,
                             const Snapshot& snapshot) const {
  const auto [version, sequence] = View(snapshot);
  ASSIGN_OR_RETURN(const sstable::Presence presence, version->Find(key, sequence, value));
  return presence == sstable::Presence::kFound;
}

std::unique_ptr<sstable::Iterator> Db::NewIterator(const Snapshot& snapshot) const {
  const auto [version, sequence] = View(snapshot);
  return sstable::NewSnapshotIterator(version->NewIterator(), sstable::BytewiseComparator(),
                                      sequence, version);
}

absl::Status Db::ScanPrefix(absl::string_view prefix, Visit visit, const Snapshot& snapshot) const {
  const auto [version, sequence] = View(snapshot);
  const auto it = sstable::NewSnapshotIterator(version->NewPrefixIterator(prefix),
                                               sstable::BytewiseComparator(), sequence, version);
  for (it->Seek(prefix); it->Valid() && absl::StartsWith(it->key(), prefix); it->Next()) {
    if (!visit(it->key(), it->value())) return absl::OkStatus();
  }
  return it->status();
}

Snapshot Db::TakeSnapshot() {
  std::unique_lock<std::mutex> lock(mutex_);
  const auto it = snapshots_.insert(last_sequence_);
  lock.unlock();  // if the next line fails to allocate, it calls the function
  return Snapshot(&*it, [this, it](const uint64_t*) {
    const std::lock_guard<std::mutex> erase_lock(mutex_);
    snapshots_.erase(it);
  });
}

int Db::NextLevel() const { return LevelToCompact(*version_, options_, compacting_all_ > 0); }

bool Db::HasWork() const {
  return error_.ok() && (version_->full_memtable != nullptr || NextLevel() >= 0);
}

absl::Status Db::WaitUntilIdle() {
  std::unique_lock<std::mutex> lock(mutex_);
  done_.wait(lock, [this] { return !is_working_ && !HasWork(); });
  return error_;
}

absl::Status Db::CompactAll() {
  std::unique_lock<std::mutex> lock(mutex_);
  ++compacting_all_;
  work_.notify_all();
  done_.wait(lock, [this] { return !is_working_ && !HasWork(); });
  --compacting_all_;
  return error_;
}

void Db::RunBackground() {
  std::unique_lock<std::mutex> lock(mutex_);
  while (true) {
    work_.wait(lock, [this] { return is_stopping_ || HasWork(); });
    if (is_stopping_) return;
    is_working_ = true;
    const bool is_full = version_->full_memtable != nullptr;
    const int level = NextLevel();
    lock.unlock();
    absl::Status status;
    try {
      status = is_full ? Flush() : Compact(level);
    } catch (...) {
      status = sstable::StatusOfException();
    }
    Fail(std::move(status)).IgnoreError();  // the error stays in error_
    lock.lock();
    is_working_ = false;
    done_.notify_all();
  }
}

// Writes the full memtable, if there is one, to a level-0 table.
absl::Status Db::Flush() {
  const std::shared_ptr<const MemTable> memtable = View(nullptr).first->full_memtable;
  if (memtable == nullptr) return absl::OkStatus();
  ASSIGN_OR_RETURN(const auto tables, store_.Write(memtable->NewIterator().get()));
  return Install(0, tables, {});
}

absl::Status Db::Compact(int level) {
  std::unique_lock<std::mutex> lock(mutex_);
  const std::shared_ptr<const Version> version = version_;
  const uint64_t oldest_snapshot = snapshots_.empty() ? last_sequence_.load() : *snapshots_.begin();
  lock.unlock();

  const std::vector<TablePtr> inputs = PickInputs(*version, level, &next_keys_[level]);
  if (inputs.size() == 1) return Install(level + 1, inputs, inputs);  // nothing to merge
  // Full memtables are flushed during a long compaction, so that writers need not wait for its end.
  const auto pause = [this] {
    return is_stopping_ ? absl::CancelledError("the database is being closed") : Flush();
  };
  ASSIGN_OR_RETURN(const auto outputs,
                   Merge(inputs, level + 1, *version, options_, oldest_snapshot, &store_, pause));
  return Install(level + 1, outputs, inputs);
}

// Makes a new version from the current one, without `removed` and with `added` in `level` (0 for a
// flush). It is written to disk before readers see it, and only then do files become obsolete.
absl::Status Db::Install(int level, const std::vector<TablePtr>& added,
                         const std::vector<TablePtr>& removed) {
  std::unique_lock<std::mutex> lock(mutex_);
  sstable::VersionEdit edit;
  const std::shared_ptr<Version> version = version_->With(level, added, removed, &edit);
  const uint64_t old_log_number = version->log_number;
  if (level == 0) {
    edit.log_number = version->log_number = log_number_;
    edit.last_sequence = version->last_sequence = full_last_sequence_;
  }
  lock.unlock();
  edit.next_file_number = store_.next_file_number();
  RETURN_IF_ERROR(manifest_->AddRecord(edit.Encode()));
  RETURN_IF_ERROR(manifest_->Sync());
  lock.lock();
  version->memtable = version_->memtable;  // another memtable may have become full meanwhile
  version->full_memtable = level == 0 ? nullptr : version_->full_memtable;
  version_ = version;
  if (added == removed) {
    ++counters_.move_count;
  } else {
    ++(level == 0 ? counters_.flush_count : counters_.compaction_count);
    for (const TablePtr& table : added) counters_.written_size += table->size();
    for (const TablePtr& table : removed) table->is_obsolete = true;
  }
  done_.notify_all();
  lock.unlock();
  if (level == 0) ::unlink(store_.Path(sstable::LogFileName(old_log_number)).c_str());
  return absl::OkStatus();
}

DbStats Db::stats() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  DbStats stats = counters_;
  stats.memtable_size = version_->memtable->size();
  stats.cache_usage = options_.block_cache->usage();
  stats.last_sequence = last_sequence_;
  for (int level = 0; level < kLevelCount; ++level) {
    stats.levels[level] = {version_->levels[level].size(), version_->LevelSize(level)};
    for (const TablePtr& table : version_->levels[level]) {
      const sstable::ReaderStats reads = table->reader->stats();
      stats.reads.lookups += reads.lookups;
      stats.reads.filter_negatives += reads.filter_negatives;
      stats.reads.false_positives += reads.false_positives;
      stats.reads.blocks_read += reads.blocks_read;
      stats.reads.cache_hits += reads.cache_hits;
    }
  }
  return stats;
}

}  // namespace toy_lsm
