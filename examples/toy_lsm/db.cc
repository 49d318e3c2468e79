#include "examples/toy_lsm/db.h"

#include <unistd.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "examples/toy_lsm/compaction.h"
#include "examples/toy_lsm/db_iterator.h"
#include "examples/toy_lsm/files.h"
#include "table/block_cache.h"
#include "table/merging_iterator.h"
#include "table/table_reader.h"
#include "util/coding.h"
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

Snapshot::~Snapshot() {
  const std::lock_guard<std::mutex> lock(db_->mutex_);
  db_->snapshots_.erase(db_->snapshots_.find(sequence_));
}

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
  if (batch.count() == 0) return absl::OkStatus();
  if (batch.bytes().size() > kMaxBatchSize) {
    return absl::InvalidArgumentError("a batch of more than 1 GiB");
  }
  const std::lock_guard<std::mutex> write_lock(write_mutex_);
  RETURN_IF_ERROR(MakeRoom());
  const uint64_t sequence = last_sequence_ + 1;
  record_.clear();
  sstable::AppendFixed64(&record_, sequence);
  record_.append(batch.bytes().data(), batch.bytes().size());
  RETURN_IF_ERROR(Fail(log_->Append(record_)));
  if (sync == Sync::kYes) RETURN_IF_ERROR(Fail(log_->Sync()));
  // Only this thread replaces the memtable. Readers don't see the batch before last_sequence_ says
  // that it is there as a whole.
  ASSIGN_OR_RETURN(const uint64_t last,
                   View(nullptr).state->memtable->Add(sequence, batch.bytes()));
  last_sequence_ = last;
  return absl::OkStatus();
}

absl::Status Db::Fail(absl::Status status) {
  if (status.ok()) return status;
  const std::lock_guard<std::mutex> lock(mutex_);
  if (error_.ok()) error_ = status;
  done_.notify_all();
  return status;
}

absl::Status Db::MakeRoom() {
  std::unique_lock<std::mutex> lock(mutex_);
  bool has_waited = false;
  while (true) {
    RETURN_IF_ERROR(error_);
    const size_t limit = std::max<size_t>(options_.write_buffer_size, 1);  // never an empty one
    if (state_->memtable->size() < limit) return absl::OkStatus();
    if (state_->full_memtable == nullptr && state_->version->levels[0].size() < kLevel0Stop) break;
    if (!std::exchange(has_waited, true)) ++counters_.stall_count;
    done_.wait(lock);
  }
  // Only the newest log may end in a torn record, so that a record that is missing from another is
  // known for damage.
  lock.unlock();
  RETURN_IF_ERROR(Fail(log_->Sync()));
  const uint64_t number = store_.TakeFileNumber();
  auto log = LogWriter::Create(LogPath(store_.folder(), number));
  RETURN_IF_ERROR(Fail(log.status()));
  log_ = *std::move(log);
  lock.lock();
  log_number_ = number;
  full_last_sequence_ = last_sequence_;
  state_ = std::make_shared<const ReadState>(
      ReadState{std::make_shared<MemTable>(), state_->memtable, state_->version});
  work_.notify_all();
  return absl::OkStatus();
}

Db::ReadView Db::View(const Snapshot* snapshot) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return {state_, snapshot == nullptr ? last_sequence_.load() : snapshot->sequence_};
}

absl::StatusOr<bool> Db::Get(absl::string_view key, std::string* value,
                             const Snapshot* snapshot) const {
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

std::unique_ptr<sstable::Iterator> Db::NewIterator(const Snapshot* snapshot) const {
  ReadView view = View(snapshot);
  std::vector<std::unique_ptr<sstable::Iterator>> iterators;
  iterators.push_back(view.state->memtable->NewIterator());
  if (view.state->full_memtable != nullptr) {
    iterators.push_back(view.state->full_memtable->NewIterator());
  }
  view.state->version->AddIterators(sstable::FillCache::kYes, &iterators);
  auto entries = std::make_unique<sstable::MergingIterator>(
      sstable::BytewiseComparator(), sstable::KeyKind::kInternal, std::move(iterators));
  return std::make_unique<DbIterator>(std::move(entries), view.sequence, std::move(view.state));
}

std::unique_ptr<const Snapshot> Db::TakeSnapshot() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  const uint64_t sequence = last_sequence_;
  snapshots_.insert(sequence);
  return std::unique_ptr<const Snapshot>(new Snapshot(this, sequence));
}

int Db::NextLevel() const {
  const int level = LevelToCompact(*state_->version, options_);
  return level < 0 && is_compacting_all_ ? LevelToMerge(*state_->version) : level;
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
  is_compacting_all_ = true;
  work_.notify_all();
  done_.wait(lock, [this] { return !is_working_ && !HasWork(); });
  is_compacting_all_ = false;
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
    const absl::Status status = Fail(is_full ? Flush() : Compact(level));
    lock.lock();
    is_working_ = false;
    done_.notify_all();
  }
}

// Writes the full memtable, if there is one, into a table of level 0.
absl::Status Db::Flush() {
  const std::shared_ptr<const MemTable> memtable = View(nullptr).state->full_memtable;
  if (memtable == nullptr) return absl::OkStatus();
  ASSIGN_OR_RETURN(const TablePtr table, store_.Write(memtable->NewIterator().get()));
  return Install({{0, table}}, {}, Change::kFlush);
}

absl::Status Db::Compact(int level) {
  std::unique_lock<std::mutex> lock(mutex_);
  const std::shared_ptr<const Version> version = state_->version;
  const uint64_t oldest_snapshot = snapshots_.empty() ? last_sequence_.load() : *snapshots_.begin();
  lock.unlock();

  const Compaction compaction = PickCompaction(*version, level, &last_keys_[level]);
  if (compaction.IsMove()) {
    return Install({{level + 1, compaction.inputs[0]}}, compaction.inputs, Change::kMove);
  }
  // Writers must not wait for a long compaction, so a memtable that fills up is flushed meanwhile.
  const auto pause = [this] {
    return is_stopping_ ? absl::CancelledError("the database is being closed") : Flush();
  };
  ASSIGN_OR_RETURN(const std::vector<TablePtr> outputs,
                   RunCompaction(compaction, *version, options_, oldest_snapshot, &store_, pause));
  Version::LeveledTables added;
  for (const TablePtr& table : outputs) added.emplace_back(level + 1, table);
  std::vector<TablePtr> removed = compaction.inputs;
  removed.insert(removed.end(), compaction.next_inputs.begin(), compaction.next_inputs.end());
  return Install(added, removed, Change::kCompaction);
}

// Makes a new version of the present one: on disk first, then for readers. Only then are files
// obsolete.
absl::Status Db::Install(const Version::LeveledTables& added, const std::vector<TablePtr>& removed,
                         Change change) {
  std::unique_lock<std::mutex> lock(mutex_);
  const std::shared_ptr<const Version> version = state_->version->With(added, removed);
  const uint64_t old_log_number = manifest_log_number_;
  if (change == Change::kFlush) {
    manifest_log_number_ = log_number_;
    flushed_sequence_ = full_last_sequence_;
  }
  lock.unlock();
  RETURN_IF_ERROR(manifest_->Append(manifest_log_number_, flushed_sequence_, *version));
  lock.lock();
  state_ = std::make_shared<const ReadState>(ReadState{
      state_->memtable, change == Change::kFlush ? nullptr : state_->full_memtable, version});
  ++counters_.change_counts[static_cast<size_t>(change)];
  if (change != Change::kMove) {
    for (const auto& [level, table] : added) counters_.written_size += table->info().file_size;
    for (const TablePtr& table : removed) table->MarkObsolete();
  }
  done_.notify_all();
  lock.unlock();
  if (change == Change::kFlush) ::unlink(LogPath(store_.folder(), old_log_number).c_str());
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
      const sstable::ReaderStats reads = table->reader().stats();
      stats.lookups += reads.lookups;
      stats.filter_negatives += reads.filter_negatives;
      stats.false_positives += reads.false_positives;
      stats.blocks_read += reads.blocks_read;
      stats.cache_hits += reads.cache_hits;
    }
  }
  return stats;
}

}  // namespace toy_lsm
