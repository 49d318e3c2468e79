// RocksDB through its public headers, which only the .cc includes.
//
// Its own block-based format (version 5) with a Bloom filter of 10 bits per key; files are mapped,
// and blocks are not verified when read. Filters can't be measured alone: the public headers only
// declare their builder.
#ifndef SSTABLE_BENCHMARKS_ROCKSDB_RIVAL_H_
#define SSTABLE_BENCHMARKS_ROCKSDB_RIVAL_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "benchmarks/build_spec.h"
#include "benchmarks/cursor.h"
#include "benchmarks/workload.h"

namespace rocksdb {
class DB;
class SstFileReader;
}  // namespace rocksdb

namespace sstable::bench {

// rocksdb::SstFileReader. Threads: one at a time may call Get().
class RocksDbTable {
 public:
  // Caches up to `cache_size` bytes of uncompressed blocks; 0 means no cache. If not `is_mapped`,
  // reads by pread, which is RocksDB's default.
  explicit RocksDbTable(const std::string& path, size_t cache_size = 0, bool is_mapped = true);
  ~RocksDbTable();

  bool Get(absl::string_view key, std::string* value);  // by an iterator's Seek()
  std::unique_ptr<Cursor> NewCursor() const;

 private:
  std::unique_ptr<rocksdb::SstFileReader> reader_;
  std::unique_ptr<Cursor> cursor_;  // created by the first Get()
};

// rocksdb::DB. Threads: any number may call Get() and MultiGet().
class RocksDbDatabase {
 public:
  // Makes a database in `folder` with one table of all entries.
  static void Fill(const std::string& folder, const Entries& entries, Codec codec);

  RocksDbDatabase(const std::string& folder, size_t cache_size);
  ~RocksDbDatabase();

  bool Get(absl::string_view key, std::string* value) const;
  // Looks up at most kMultiGetSize keys. Sets the values of those that are found, and returns their
  // number.
  size_t MultiGet(absl::Span<const absl::string_view> keys, absl::Span<std::string> values) const;
  std::unique_ptr<Cursor> NewCursor() const;

 private:
  std::unique_ptr<rocksdb::DB> database_;
};

// Builds a table of all entries and returns its size.
uint64_t BuildWithRocksDb(const Entries& entries, const BuildSpec& spec);

}  // namespace sstable::bench

#endif  // SSTABLE_BENCHMARKS_ROCKSDB_RIVAL_H_
