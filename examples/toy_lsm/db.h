// A key-value store on top of LevelDB's tables, small enough to read in an evening. README.md
// explains how it works, and why a crash loses no acknowledged write.
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
  kNo,   // survives a crash of the process
  kYes,  // also survives a crash of the machine
};

// The last sequence at a point in time. The state at that time stays readable in spite of later
// changes.
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
  // Reads in the current tables since they were opened. A Get() searches them one after the other.
  sstable::ReaderStats reads;

  // Since the database was opened.
  uint64_t flush_count = 0, compaction_count = 0;
  uint64_t move_count = 0;     // compactions with nothing to merge
  uint64_t written_size = 0;   // table bytes written
  uint64_t stall_count = 0;    // writes that waited for a flush or a compaction
  uint64_t lost_log_size = 0;  // log bytes dropped, from a write that a crash interrupted on
};

// A map from keys to values, both of arbitrary bytes, in bytewise order of the keys.
//
// Threads: any number may use it concurrently. Writes take turns; reads only wait for a briefly
//          held lock. Snapshots and iterators must be destroyed before the database.
// Errors:  the first error while writing, in any thread, is permanent: every later write returns
//          it. Reads still work, and reopening the database recovers it. An exception that leaves
//          Write() (std::bad_alloc) also counts as such an error. In the background thread, it
//          becomes the status.
class Db {
 public:
  // Creates `folder` if it does not exist, but not its parents. Errors: DataLoss if files are
  // damaged in a way that no crash explains; Unavailable if another process has the database open.
  static absl::StatusOr<std::unique_ptr<Db>> Open(const Options& options, std::string folder);
  ~Db();

  absl::Status Put(absl::string_view key, absl::string_view value, Sync sync = Sync::kNo) {
    return Write(std::move(WriteBatch().Put(key, value)), sync);
  }
  absl::Status Delete(absl::string_view key, Sync sync = Sync::kNo) {
    return Write(std::move(WriteBatch().Delete(key)), sync);
  }
  absl::Status Write(WriteBatch batch, Sync sync = Sync::kNo);  // sets the batch's sequence

  // Returns false if the key is absent. Reads `snapshot`, or the current state if it is null.
  absl::StatusOr<bool> Get(absl::string_view key, std::string* value,
                           const Snapshot& snapshot = nullptr) const;

  // Iterates over the state at the time of the call, or over `snapshot`.
  std::unique_ptr<sstable::Iterator> NewIterator(const Snapshot& snapshot = nullptr) const;

  // Calls `visit` for each entry whose key begins with `prefix`, in order, until it returns false.
  using Visit = absl::FunctionRef<bool(absl::string_view key, absl::string_view value)>;
  absl::Status ScanPrefix(absl::string_view prefix, Visit visit,
                          const Snapshot& snapshot = nullptr) const;

  Snapshot TakeSnapshot();

  // Waits until there is nothing to flush or compact.
  absl::Status WaitUntilIdle();

  // Merges all tables into one level. Does not flush entries that are only in the log.
  absl::Status CompactAll();

  DbStats stats() const;

 private:
  Db(const Options& options, std::string folder);

  // Used by Open(); defined in recovery.cc.
  absl::Status Recover();
  absl::Status ReplayLogs(const std::set<uint64_t>& numbers, std::shared_ptr<Version>* version);
  absl::Status ReplayLog(uint64_t number,
                         absl::FunctionRef<absl::Status(absl::string_view)> replay);
  absl::Status BeginManifest(const Version& version);

  // Returns the version to read and the last sequence visible in it, which are consistent with each
  // other.
  std::pair<std::shared_ptr<const Version>, uint64_t> View(const Snapshot& snapshot) const;
  absl::Status Fail(absl::Status status);
  absl::Status WriteInTurn(WriteBatch* batch, Sync sync);

  // Returns a memtable that has room. Requires write_mutex_ to be held, so that no other thread
  // replaces it.
  absl::StatusOr<MemTable*> MakeRoom();

  // These run in the background thread.
  void RunBackground();
  // Both require mutex_ to be held. NextLevel() returns the level to compact, or -1.
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
  std::condition_variable work_;  // signals work for the background thread
  std::condition_variable done_;  // signals that some of it is done
  std::shared_ptr<const Version> version_;
  uint64_t log_number_ = 0;          // number of log_
  uint64_t full_last_sequence_ = 0;  // last sequence in the full memtable
  bool is_working_ = false;
  int compacting_all_ = 0;  // number of CompactAll() calls in progress
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
