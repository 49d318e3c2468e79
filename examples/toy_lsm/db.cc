#include "examples/toy_lsm/db.h"

#include <unistd.h>

#include <algorithm>
#include <utility>

#include "examples/toy_lsm/compaction.h"
#include "examples/toy_lsm/db_iterator.h"
#include "table/block_cache.h"
#include "table/merging_iterator.h"
#include "table/table_reader.h"
#include "util/comparator.h"
#include "util/status_util.h"

namespace toy_lsm {
namespace {

constexpr size_t kMaxBatchSize = size_t{1} << 30;  // well below what a record or a block may hold

Options WithCache(Options options) {
  if (options.block_cache == nullptr) {
    options.block_cache = std::make_shared<sstable::BlockCache>(size_t{8} << 20);
  }
  return options;
}

}  // namespace

Db::Db(const Options& options, std::string folder)
    : options_(WithCache(options)), store_(options_, std::move(folder)) {}

absl::StatusOr<std::unique_ptr<Db>> Db::Open(const Options& options, std::string folder) {
  std::unique_ptr<Db> db(new Db(options, std::move(folder)));
  RETURN_IF_ERROR(db->Recover());
  db->background_ = std::thread([d = db.get()] { d->RunBackground(); });
  return db;
}

Db::~Db() {
  is_stopping_ = true;
  {
    const std::lock_guard<std::mutex> lock(mutex_);  // or the thread might just begin to wait
    work_.notify_all();
  }
  if (background_.joinable()) background_.join();
  if (lock_ >= 0) ::close(lock_);
}

absl::Status Db::Put(absl::string_view key, absl::string_view value, Sync sync) {
  WriteBatch batch;
  batch.Put(key, value);
  return Write(batch, sync);
}

absl::Status Db::Delete(absl::string_view key, Sync sync) {
  WriteBatch batch;
  batch.Delete(key);
  return Write(batch, sync);
}

absl::Status Db::Write(const WriteBatch& batch, Sync sync) {
  if (batch.bytes().empty()) return absl::OkStatus();
  if (batch.bytes().size() > kMaxBatchSize) {
    return absl::InvalidArgumentError("a batch of more than 1 GiB");
  }
  const std::lock_guard<std::mutex> write_lock(write_mutex_);
  ASSIGN_OR_RETURN(MemTable* const memtable, MakeRoom());
  const uint64_t sequence = last_sequence_ + 1;
  RETURN_IF_ERROR(Fail(log_->Append(MakeRecord(sequence, batch.bytes()))));
  if (sync == Sync::kYes) RETURN_IF_ERROR(Fail(log_->Sync()));
  // Readers don't see the batch before last_sequence_ says that it is there as a whole.
  ASSIGN_OR_RETURN(last_sequence_, memtable->Add(sequence, batch.bytes()));
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
    const size_t limit = std::max<size_t>(options_.write_buffer_size, 1);  // never an empty one
    if (state_->memtable->size() < limit) return state_->memtable.get();
    if (state_->full_memtable == nullptr && state_->version->levels[0].size() < kLevel0Stop) break;
    if (!has_waited) ++counters_.stall_count;
    done_.wait(lock);
  }
  // Only the newest log may end in a torn record, so that a record that is missing from another is
  // known for damage.
  lock.unlock();
  RETURN_IF_ERROR(Fail(log_->Sync()));
  const uint64_t number = store_.TakeFileNumber();
  auto log = LogWriter::Create(store_.Path(number, ".log"));
  RETURN_IF_ERROR(Fail(log.status()));
  log_ = *std::move(log);
  lock.lock();
  log_number_ = number;
  full_last_sequence_ = last_sequence_;
  state_ = std::make_shared<const ReadState>(
      ReadState{std::make_shared<MemTable>(), state_->memtable, state_->version});
  work_.notify_all();
  return state_->memtable.get();
}

Db::ReadView Db::View(const Snapshot& snapshot) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return {state_, snapshot == nullptr ? last_sequence_.load() : *snapshot};
}

absl::StatusOr<bool> Db::Get(absl::string_view key, std::string* value,
                             const Snapshot& snapshot) const {
  const ReadView view = View(snapshot);
  sstable::Presence presence = view.state->memtable->Find(key, view.sequence, value);
  if (presence == sstable::Presence::kAbsent && view.state->full_memtable != nullptr) {
    presence = view.state->full_memtable->Find(key, view.sequence, value);
  }
  if (presence == sstable::Presence::kAbsent) {
    ASSIGN_OR_RETURN(presence, view.state->version->Find(key, view.sequence, value));
  }
  return presence == sstable::Presence::kFound;
}

std::unique_ptr<sstable::Iterator> Db::NewIterator(const Snapshot& snapshot) const {
  ReadView view = View(snapshot);
  std::vector<std::unique_ptr<sstable::Iterator>> iterators;
  for (const auto& memtable : {view.state->memtable, view.state->full_memtable}) {
    if (memtable != nullptr) iterators.push_back(memtable->NewIterator());
  }
  view.state->version->AddIterators(&iterators);
  auto entries = std::make_unique<sstable::MergingIterator>(
      sstable::BytewiseComparator(), sstable::KeyKind::kInternal, std::move(iterators));
  return NewDbIterator(std::move(entries), view.sequence, std::move(view.state));
}

Snapshot Db::TakeSnapshot() {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto it = snapshots_.insert(last_sequence_);
  return Snapshot(&*it, [this, it](const uint64_t*) {
    const std::lock_guard<std::mutex> erase_lock(mutex_);
    snapshots_.erase(it);
  });
}

int Db::NextLevel() const {
  const int level = LevelToCompact(*state_->version, options_);
  return level < 0 && compacting_all_ > 0 ? LevelToMerge(*state_->version) : level;
}

bool Db::HasWork() const {
  return error_.ok() && (state_->full_memtable != nullptr || NextLevel() >= 0);
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
    const bool is_full = state_->full_memtable != nullptr;
    const int level = NextLevel();
    lock.unlock();
    Fail(is_full ? Flush() : Compact(level)).IgnoreError();  // stays in error_
    lock.lock();
    is_working_ = false;
    done_.notify_all();
  }
}

// Writes the full memtable, if there is one, into a table of level 0.
absl::Status Db::Flush() {
  const std::shared_ptr<const MemTable> memtable = View(nullptr).state->full_memtable;
  if (memtable == nullptr) return absl::OkStatus();
  ASSIGN_OR_RETURN(const auto tables, store_.Write(memtable->NewIterator().get()));
  return Install(0, tables, {});
}

absl::Status Db::Compact(int level) {
  std::unique_lock<std::mutex> lock(mutex_);
  const std::shared_ptr<const Version> version = state_->version;
  const uint64_t oldest_snapshot = snapshots_.empty() ? last_sequence_.load() : *snapshots_.begin();
  lock.unlock();

  const std::vector<TablePtr> inputs = PickInputs(*version, level, &last_keys_[level]);
  if (inputs.size() == 1) return Install(level + 1, inputs, inputs);  // there is nothing to merge
  // Writers must not wait for a long compaction, so a memtable that fills up is flushed meanwhile.
  const auto pause = [this] {
    return is_stopping_ ? absl::CancelledError("the database is being closed") : Flush();
  };
  ASSIGN_OR_RETURN(const auto outputs,
                   Merge(inputs, level + 1, *version, options_, oldest_snapshot, &store_, pause));
  return Install(level + 1, outputs, inputs);
}

// Makes a new version of the present one, with tables `added` to a level, which is 0 for a flush:
// on disk first, then for readers. Only then are files obsolete.
absl::Status Db::Install(int level, const std::vector<TablePtr>& added,
                         const std::vector<TablePtr>& removed) {
  std::unique_lock<std::mutex> lock(mutex_);
  const std::shared_ptr<Version> version = state_->version->With(level, added, removed);
  const uint64_t old_log_number = version->log_number;
  if (level == 0) {
    version->log_number = log_number_;
    version->last_sequence = full_last_sequence_;
  }
  lock.unlock();
  RETURN_IF_ERROR(version->Save(store_.folder()));
  lock.lock();
  state_ = std::make_shared<const ReadState>(
      ReadState{state_->memtable, level == 0 ? nullptr : state_->full_memtable, version});
  if (added == removed) {
    ++counters_.move_count;
  } else {
    ++(level == 0 ? counters_.flush_count : counters_.compaction_count);
    for (const TablePtr& table : added) counters_.written_size += table->size();
    for (const TablePtr& table : removed) table->is_obsolete = true;
  }
  done_.notify_all();
  lock.unlock();
  if (level == 0) ::unlink(store_.Path(old_log_number, ".log").c_str());
  return absl::OkStatus();
}

DbStats Db::stats() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  DbStats stats = counters_;
  stats.memtable_size = state_->memtable->size();
  stats.cache_usage = options_.block_cache->usage();
  stats.last_sequence = last_sequence_;
  for (int level = 0; level < kLevelCount; ++level) {
    stats.levels[level] = {state_->version->levels[level].size(),
                           state_->version->LevelSize(level)};
    for (const TablePtr& table : state_->version->levels[level]) {
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
