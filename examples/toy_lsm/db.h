// A key-value store over LevelDB's tables, small enough to read in an evening. README.md explains
// how it works, and why a crash loses nothing.
#ifndef SSTABLE_EXAMPLES_TOY_LSM_DB_H_
#define SSTABLE_EXAMPLES_TOY_LSM_DB_H_

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "examples/toy_lsm/log.h"
#include "examples/toy_lsm/memtable.h"
#include "examples/toy_lsm/options.h"
#include "examples/toy_lsm/table_store.h"
#include "examples/toy_lsm/version.h"
#include "sstable/experimental/write_batch.h"
#include "sstable/iterator.h"
#include "sstable/table_reader.h"

namespace toy_lsm {

using sstable::WriteBatch;

enum class Sync {
  kNo,   // survives the death of the process
  kYes,  // survives a crash of the machine, too
};

// A moment whose state can still be read in spite of later changes: its last sequence.
using Snapshot = std::shared_ptr<const uint64_t>;

struct DbStats {
  struct Level {
    size_t table_count = 0;
    uint64_t size = 0;  // bytes
  };
  std::array<Level, kLevelCount> levels;
  size_t memtable_size = 0;  // bytes
  size_t cache_usage = 0;    // bytes
  uint64_t last_sequence = 0;
  // Reads in the current tables since they were opened. A Get() searches one after the other.
  sstable::ReaderStats reads;

  // Since the database was opened.
  uint64_t flush_count = 0, compaction_count = 0;
  uint64_t move_count = 0;     // compactions with nothing to merge
  uint64_t written_size = 0;   // bytes of tables
  uint64_t stall_count = 0;    // writes that had to wait for a flush or a compaction
  uint64_t lost_log_size = 0;  // bytes of writes that a crash interrupted, and of what followed
};

// Keys and values are any bytes; keys are in bytewise order.
//
// Threads: any number may use it at once. Writes take turns; reads only wait for a short lock.
//          Snapshots and iterators must be destroyed before the database.
// Errors:  the first error of writing, in any thread, stays: every later write returns it, while
//          reads continue. Reopening the database recovers it. An exception that leaves Write()
//          (std::bad_alloc) is such an error, too; one in the background becomes its status.
class Db {
 public:
  // Creates `folder` if it does not exist, but not its parents. Errors: DataLoss if its files are
  // damaged other than by a crash; Unavailable if another process has it open.
  static absl::StatusOr<std::unique_ptr<Db>> Open(const Options& options, std::string folder);
  ~Db();

  absl::Status Put(absl::string_view key, absl::string_view value, Sync sync = Sync::kNo) {
    return Write(std::move(WriteBatch().Put(key, value)), sync);
  }
  absl::Status Delete(absl::string_view key, Sync sync = Sync::kNo) {
    return Write(std::move(WriteBatch().Delete(key)), sync);
  }
  absl::Status Write(WriteBatch batch, Sync sync = Sync::kNo);  // sets the batch's sequence

  // Returns false if there is no such key. Without a snapshot, reads the current state.
  absl::StatusOr<bool> Get(absl::string_view key, std::string* value,
                           const Snapshot& snapshot = nullptr) const;

  // Iterates over the state at the time of the call, or over `snapshot`.
  std::unique_ptr<sstable::Iterator> NewIterator(const Snapshot& snapshot = nullptr) const;

  // Passes the entries whose keys begin with `prefix` to `visit`, in order, until it returns false.
  using Visit = absl::FunctionRef<bool(absl::string_view key, absl::string_view value)>;
  absl::Status ScanPrefix(absl::string_view prefix, Visit visit,
                          const Snapshot& snapshot = nullptr) const;

  Snapshot TakeSnapshot();

  // Returns when there is nothing to flush or compact.
  absl::Status WaitUntilIdle();

  // Merges all tables into one level. Entries that are only in the log stay there.
  absl::Status CompactAll();

  DbStats stats() const;

 private:
  Db(const Options& options, std::string folder);

  // Opening (recovery.cc).
  absl::Status Recover();
  absl::Status ReplayLogs(const std::set<uint64_t>& numbers, std::shared_ptr<Version>* version);
  absl::Status ReplayLog(uint64_t number,
                         absl::FunctionRef<absl::Status(absl::string_view)> replay);
  absl::Status BeginManifest(const Version& version);

  // Returns the version to read, and the last sequence to see in it, both of the same moment.
  std::pair<std::shared_ptr<const Version>, uint64_t> View(const Snapshot& snapshot) const;
  absl::Status Fail(absl::Status status);
  absl::Status WriteInTurn(WriteBatch* batch, Sync sync);

  // Returns a memtable that has room. Requires write_mutex_, so that nobody else replaces it.
  absl::StatusOr<MemTable*> MakeRoom();

  // The background thread.
  void RunBackground();
  // Both require mutex_. NextLevel() returns the level to compact, or -1.
  bool HasWork() const;
  int NextLevel() const;
  absl::Status Flush();
  absl::Status Compact(int level);
  absl::Status Install(int level, const std::vector<TablePtr>& added,
                       const std::vector<TablePtr>& removed);

  const Options options_;
  int lock_ = -1;  // descriptor of LOCK, which is locked
  TableStore store_;

  std::mutex write_mutex_;  // taken before mutex_
  std::unique_ptr<LogFile> log_;

  std::atomic<uint64_t> last_sequence_{0};
  std::atomic<bool> is_stopping_{false};

  mutable std::mutex mutex_;
  std::condition_variable work_;  // work for the background thread
  std::condition_variable done_;  // some of it is done
  std::shared_ptr<const Version> version_;
  uint64_t log_number_ = 0;          // number of log_
  uint64_t full_last_sequence_ = 0;  // last sequence in the full memtable
  bool is_working_ = false;
  int compacting_all_ = 0;  // number of running CompactAll() calls
  absl::Status error_;
  std::multiset<uint64_t> snapshots_;
  DbStats counters_;

  // Used only by the background thread.
  std::unique_ptr<LogFile> manifest_;
  std::array<std::string, kLevelCount> next_keys_;  // see PickInputs()
  std::thread background_;
};

}  // namespace toy_lsm

#endif  // SSTABLE_EXAMPLES_TOY_LSM_DB_H_
