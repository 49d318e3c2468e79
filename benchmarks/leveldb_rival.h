// LevelDB through its public headers, which only the .cc includes.
#ifndef SSTABLE_BENCHMARKS_LEVELDB_RIVAL_H_
#define SSTABLE_BENCHMARKS_LEVELDB_RIVAL_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "benchmarks/build_spec.h"
#include "benchmarks/cursor.h"
#include "benchmarks/workload.h"

namespace leveldb {
class Cache;
class DB;
class FilterPolicy;
class RandomAccessFile;
class Slice;
class Table;
}  // namespace leveldb

namespace sstable::bench {

// Builds filters from ranges of a list of keys.
class LevelDbFilterMaker {
 public:
  explicit LevelDbFilterMaker(const KeyList& keys);
  ~LevelDbFilterMaker();

  void Create(size_t first, size_t count, std::string* filter) const;

 private:
  std::vector<leveldb::Slice> keys_;
};

// One filter for each list of keys, as in a filter block. LevelDB's own reader of filter blocks is
// private, so the time to find a window is not measured.
class LevelDbFilterWindows {
 public:
  explicit LevelDbFilterWindows(const std::vector<KeyList>& windows);

  absl::string_view filter(size_t i) const { return filters_[i]; }
  bool Matches(size_t i, absl::string_view key) const;
  size_t CountMatches(const KeyList& keys, const std::vector<uint32_t>& window_of_key) const;

 private:
  std::vector<std::string> filters_;
};

// leveldb::Table. Threads: one at a time may call Get().
class LevelDbTable {
 public:
  // Caches up to `cache_size` bytes of uncompressed blocks; 0 means no cache.
  explicit LevelDbTable(const std::string& path, size_t cache_size = 0);
  ~LevelDbTable();

  // Uses an iterator's Seek(), since a table's lookup through its filter is private.
  bool Get(absl::string_view key, std::string* value);
  std::unique_ptr<Cursor> NewCursor() const;

 private:
  std::unique_ptr<leveldb::Cache> cache_;
  std::unique_ptr<leveldb::RandomAccessFile> file_;
  std::unique_ptr<leveldb::Table> table_;
  std::unique_ptr<Cursor> cursor_;  // created by the first Get()
};

// leveldb::DB. Threads: any number may call Get().
class LevelDbDatabase {
 public:
  // Makes a database in `folder` with all entries on one level, in as few tables as LevelDB's limit
  // of 1 GiB allows.
  static void Fill(const std::string& folder, const Entries& entries, Codec codec);

  // `cache_size` is as above, but must not be 0, since LevelDB would then use 8 MiB.
  LevelDbDatabase(const std::string& folder, size_t cache_size);
  ~LevelDbDatabase();

  bool Get(absl::string_view key, std::string* value) const;
  std::unique_ptr<Cursor> NewCursor() const;

 private:
  std::unique_ptr<leveldb::Cache> cache_;
  std::unique_ptr<leveldb::DB> database_;
};

// Builds a table of all entries and returns its size. LevelDB 1.23 does not support zstd.
uint64_t BuildWithLevelDb(const Entries& entries, const BuildSpec& spec);
// Builds such a table and returns its bytes.
std::string BuildStringWithLevelDb(const Entries& entries, const BuildSpec& spec);

}  // namespace sstable::bench

#endif  // SSTABLE_BENCHMARKS_LEVELDB_RIVAL_H_
