// tinycdb, a constant database: a file with a hash table of all keys. It has no order, and
// therefore neither iterators nor ranges.
#ifndef SSTABLE_BENCHMARKS_CDB_RIVAL_H_
#define SSTABLE_BENCHMARKS_CDB_RIVAL_H_

#include <memory>
#include <string>

#include "absl/strings/string_view.h"
#include "benchmarks/workload.h"

struct cdb;

namespace sstable::bench {

// Threads: one at a time may call Get().
class CdbDatabase {
 public:
  // Creates the file.
  static void Fill(const std::string& path, const Entries& entries);

  explicit CdbDatabase(const std::string& path);
  ~CdbDatabase();
  CdbDatabase(const CdbDatabase&) = delete;
  CdbDatabase& operator=(const CdbDatabase&) = delete;

  bool Get(absl::string_view key, std::string* value);

 private:
  std::unique_ptr<cdb> database_;
};

}  // namespace sstable::bench

#endif  // SSTABLE_BENCHMARKS_CDB_RIVAL_H_
