// LMDB, a B+tree in a memory-mapped file.
#ifndef SSTABLE_BENCHMARKS_LMDB_RIVAL_H_
#define SSTABLE_BENCHMARKS_LMDB_RIVAL_H_

#include <memory>
#include <string>

#include "absl/strings/string_view.h"
#include "benchmarks/cursor.h"
#include "benchmarks/workload.h"

struct MDB_env;
struct MDB_txn;

namespace sstable::bench {

// All reads use one transaction. Threads: one at a time.
class LmdbDatabase {
 public:
  // Creates the file by appending the entries in order.
  static void Fill(const std::string& path, const Entries& entries);

  explicit LmdbDatabase(const std::string& path);
  ~LmdbDatabase();
  LmdbDatabase(const LmdbDatabase&) = delete;
  LmdbDatabase& operator=(const LmdbDatabase&) = delete;

  bool Get(absl::string_view key, std::string* value);
  std::unique_ptr<Cursor> NewCursor() const;

 private:
  MDB_env* env_ = nullptr;
  MDB_txn* transaction_ = nullptr;
  unsigned entries_ = 0;  // handle of its only database
};

}  // namespace sstable::bench

#endif  // SSTABLE_BENCHMARKS_LMDB_RIVAL_H_
