// A database that LevelDB writes to the test's scratch folder, and LevelDB's answers to lookups.
#ifndef SSTABLE_TESTS_INTEROP_LEVELDB_DATABASE_H_
#define SSTABLE_TESTS_INTEROP_LEVELDB_DATABASE_H_

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "leveldb/db.h"
#include "leveldb/env.h"
#include "leveldb/options.h"
#include "tests/support/table_bytes.h"

namespace sstable::test {

// The system's Env, which can also wait until no compaction is running or due.
class IdleEnv final : public leveldb::EnvWrapper {
 public:
  IdleEnv() : leveldb::EnvWrapper(leveldb::Env::Default()) {}

  void Schedule(void (*function)(void*), void* argument) override;
  void WaitUntilIdle();

 private:
  struct Job;

  std::mutex mutex_;
  std::condition_variable idle_;
  int pending_ = 0;
};

// A point in time that reads can go back to.
struct HeldSnapshot {
  const leveldb::Snapshot* snapshot = nullptr;  // null for the present
  uint64_t sequence = 0;
};

// Any LevelDB error fails the test.
class LevelDbDatabase {
 public:
  // Creates an empty database. `options` must be complete except for the Env.
  LevelDbDatabase(const std::string& path, const leveldb::Options& options);
  ~LevelDbDatabase();

  // Each put or deletion takes one sequence.
  void Put(const std::string& key, const std::string& value);
  void Delete(const std::string& key);
  void PutAndDelete(const std::string& put_key, const std::string& value,
                    const std::string& deleted_key);  // in one batch
  uint64_t sequence() const { return sequence_; }

  void HoldSnapshot();
  // Returns the snapshots held, and the present.
  std::vector<HeldSnapshot> Snapshots() const;

  // Both of these write all data to tables.
  void FlushMemtable();
  void Compact();
  void Reopen();  // writes the log to a table; no snapshot may be held

  // Waits until no compaction is running. Returns the paths of the database's tables.
  std::vector<std::string> TablePaths();

  std::optional<std::string> Get(const std::string& key, const HeldSnapshot& at) const;
  Entries Scan(const HeldSnapshot& at) const;

 private:
  void Open();

  IdleEnv env_;
  std::string path_;
  leveldb::Options options_;
  std::unique_ptr<leveldb::DB> db_;
  std::vector<HeldSnapshot> held_;
  uint64_t sequence_ = 0;
};

}  // namespace sstable::test

#endif  // SSTABLE_TESTS_INTEROP_LEVELDB_DATABASE_H_
