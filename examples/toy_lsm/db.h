// A key-value store over LevelDB's tables, small enough to read in an evening. README.md tells how
// it works, and why a crash loses nothing.
#ifndef SSTABLE_EXAMPLES_TOY_LSM_DB_H_
#define SSTABLE_EXAMPLES_TOY_LSM_DB_H_

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "examples/toy_lsm/log.h"
#include "examples/toy_lsm/manifest.h"
#include "examples/toy_lsm/memtable.h"
#include "examples/toy_lsm/options.h"
#include "examples/toy_lsm/table_store.h"
#include "examples/toy_lsm/version.h"
#include "examples/toy_lsm/write_batch.h"
#include "table/iterator.h"

namespace toy_lsm {

enum class Sync {
  kNo,   // survives the death of the process
  kYes,  // and of the machine
};

// What makes a new version.
enum class Change { kFlush, kCompaction, kMove };  // a move is a compaction with nothing to merge

struct DbStats {
  struct Level {
    size_t table_count = 0;
    uint64_t size = 0;  // bytes
  };
  std::array<Level, kLevelCount> levels;
  size_t memtable_size = 0;  // bytes
  size_t cache_usage = 0;    // bytes
  uint64_t last_sequence = 0;

  // Of the tables that there are now, since they were opened; see ReaderStats. A Get() asks one
  // table after the other.
  uint64_t lookups = 0, filter_negatives = 0, false_positives = 0, blocks_read = 0, cache_hits = 0;

  // Since the database was opened.
  std::array<uint64_t, 3> change_counts = {};  // see changes()
  uint64_t written_size = 0;                   // bytes of tables
  uint64_t stall_count = 0;    // writes that had to wait for a flush or a compaction
  uint64_t torn_log_size = 0;  // bytes of a write that a crash had cut short
  uint64_t changes(Change change) const { return change_counts[static_cast<size_t>(change)]; }
};

class Db;

// A moment whose state can still be read, later changes notwithstanding. The database must outlive
// it.
class Snapshot {
 public:
  ~Snapshot();
  Snapshot(const Snapshot&) = delete;
  Snapshot& operator=(const Snapshot&) = delete;

 private:
  friend class Db;
  Snapshot(const Db* db, uint64_t sequence) : db_(db), sequence_(sequence) {}

  const Db* const db_;
  const uint64_t sequence_;
};

// Keys and values are any bytes; keys are in bytewise order.
//
// Threads: any number may use it at once; writes take turns, reads wait for nothing but a moment's
//          lock. Snapshots and iterators must be gone before it is.
// Errors:  the first one of writing, in a thread or in the background, stays: from then on it is
//          what each write returns, and reads go on. To open the database anew recovers it.
class Db {
 public:
  // `folder` is made if there is none, but not those above it. Errors: DataLoss if its files are
  // damaged other than by a crash; Unavailable if it is open elsewhere.
  static absl::StatusOr<std::unique_ptr<Db>> Open(const Options& options, std::string folder);
  ~Db();
  Db(const Db&) = delete;
  Db& operator=(const Db&) = delete;

  absl::Status Put(absl::string_view key, absl::string_view value, Sync sync = Sync::kNo);
  absl::Status Delete(absl::string_view key, Sync sync = Sync::kNo);
  absl::Status Write(const WriteBatch& batch, Sync sync = Sync::kNo);

  // False, and `*value` as it was or not, if there is no such key. Null: the present state.
  absl::StatusOr<bool> Get(absl::string_view key, std::string* value,
                           const Snapshot* snapshot = nullptr) const;

  // Sees the state of its making, or of `snapshot`.
  std::unique_ptr<sstable::Iterator> NewIterator(const Snapshot* snapshot = nullptr) const;

  std::unique_ptr<const Snapshot> TakeSnapshot() const;

  // Returns when nothing is left to be flushed or compacted.
  absl::Status WaitUntilIdle();

  // Merges all tables into one level. What is in the log only stays there.
  absl::Status CompactAll();

  DbStats stats() const;

 private:
  friend class Snapshot;

  // Where a read looks, from top to bottom.
  struct ReadState {
    std::shared_ptr<MemTable> memtable;
    std::shared_ptr<MemTable> full_memtable;  // being flushed; or null
    std::shared_ptr<const Version> version;
  };
  // With the last sequence, taken in the same moment.
  struct ReadView {
    std::shared_ptr<const ReadState> state;
    uint64_t sequence;
  };

  Db(const Options& options, std::string folder);

  // Opening (recovery.cc).
  absl::Status Recover();
  absl::Status ReplayLogs(const std::map<uint64_t, std::string>& logs, uint64_t* sequence,
                          Version::LeveledTables* tables);

  ReadView View(const Snapshot* snapshot) const;
  absl::Status Fail(absl::Status status);

  // Makes sure that the memtable has room. For whoever holds write_mutex_.
  absl::Status MakeRoom();

  // The background thread.
  void RunBackground();
  // For whoever holds mutex_: whether there is something to do, and which level to compact or -1.
  bool HasWork() const;
  int NextLevel() const;
  absl::Status Flush();
  absl::Status Compact(int level);
  absl::Status Install(const Version::LeveledTables& added, const std::vector<TablePtr>& removed,
                       Change change);

  const Options options_;
  int lock_ = -1;  // descriptor of the file that is locked
  TableStore store_;

  std::mutex write_mutex_;  // taken before mutex_
  std::unique_ptr<LogWriter> log_;
  std::string record_;

  std::atomic<uint64_t> last_sequence_{0};
  std::atomic<bool> is_stopping_{false};

  mutable std::mutex mutex_;
  std::condition_variable work_;  // there is something to do in the background
  std::condition_variable done_;  // something is done
  std::shared_ptr<const ReadState> state_;
  uint64_t log_number_ = 0;          // of log_
  uint64_t full_last_sequence_ = 0;  // of the full memtable
  bool is_working_ = false;
  bool is_compacting_all_ = false;
  absl::Status error_;
  mutable std::multiset<uint64_t> snapshots_;
  DbStats counters_;

  // Of the background thread; others only before it starts.
  std::unique_ptr<Manifest> manifest_;
  uint64_t manifest_log_number_ = 0;
  uint64_t flushed_sequence_ = 0;
  std::array<std::string, kLevelCount> last_keys_;  // see PickCompaction()
  std::thread background_;
};

}  // namespace toy_lsm

#endif  // SSTABLE_EXAMPLES_TOY_LSM_DB_H_
