// A set of entries in tables and databases of all libraries, which are on disk and open.
#ifndef SSTABLE_BENCHMARKS_DATA_SET_H_
#define SSTABLE_BENCHMARKS_DATA_SET_H_

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "benchmarks/build_spec.h"
#include "benchmarks/leveldb_rival.h"
#include "benchmarks/lmdb_rival.h"
#include "benchmarks/mtbl_rival.h"
#include "benchmarks/ours.h"
#include "benchmarks/rocksdb_rival.h"
#include "benchmarks/workload.h"

namespace sstable::bench {

// Large enough for all blocks of any data set that is stored compressed.
inline constexpr size_t kLargeCache = size_t{1} << 30;

// Returns the only file with this extension in a folder. Ends the program unless there is exactly
// one.
std::string OnlyFile(const std::string& folder, absl::string_view extension);

// Has these files in FOLDER/NAME, and keeps them for the next run:
//   table.ldb     by LevelDB's TableBuilder; both ours and LevelDbTable read it
//   leveldb/      a database; if it has only one table (of internal keys), ours reads that, too
//   internal.ldb  if it has several: a table by ours with all its internal keys
//   rocksdb/      a database with one table, which RocksDbTable reads, too
//   lmdb          LMDB's file, if blocks are not compressed, since it has no codec
//   mtbl          mtbl's table
//   complete      says that the other files are complete, and which program made them
class DataSet {
 public:
  struct Spec {
    std::string size;  // "1M", as in --sizes
    std::string kind;  // empty, or distinguishes data sets of the same size: "-random"
    size_t entry_count;
    KeyShape key_shape;
    Codec codec = Codec::kRaw;
    size_t value_size = 100;
  };
  static const std::vector<Spec>& AllSpecs();

  explicit DataSet(const Spec& spec) : spec_(spec) {}

  std::string name() const { return spec_.size + spec_.kind; }
  size_t size() const { return spec_.entry_count; }
  Codec codec() const { return spec_.codec; }
  bool is_compressed() const { return codec() != Codec::kRaw; }

  // Creates missing files and opens everything. Must be called before the methods below.
  void Open(const std::string& folder);

  const Entries& entries() const { return *entries_; }
  const KeyList& hits() const { return hits_; }
  const KeyList& misses() const { return misses_; }

  const std::string& table_path() const { return table_path_; }
  const std::string& rocksdb_table_path() const { return rocksdb_table_path_; }

  // Tables have no cache, so each read of a compressed block is a cold one.
  OurTable& ours() const { return *ours_; }
  LevelDbTable& leveldb_table() const { return *leveldb_table_; }
  RocksDbTable& rocksdb_table() const { return *rocksdb_table_; }

  // Databases have a cache large enough for all compressed blocks.
  LevelDbDatabase& leveldb_db() const { return *leveldb_db_; }
  RocksDbDatabase& rocksdb_db() const { return *rocksdb_db_; }
  LmdbDatabase& lmdb() const { return *lmdb_; }  // not if is_compressed()
  MtblTable& mtbl() const { return *mtbl_; }     // has no cache
  OurTable* ours_cached() const { return ours_cached_.get(); }
  LevelDbTable* leveldb_table_cached() const { return leveldb_table_cached_.get(); }
  RocksDbTable* rocksdb_table_cached() const { return rocksdb_table_cached_.get(); }

  // A table with the internal keys of LevelDB's database, read by ours. Only if has_internal(),
  // which may be called before Open().
  bool has_internal() const { return spec_.kind.empty(); }
  OurTable& ours_internal() const { return *ours_internal_; }

 private:
  void MakeFiles(const std::string& folder) const;
  void WarmCaches() const;

  Spec spec_;
  std::unique_ptr<Entries> entries_;
  KeyList hits_;
  KeyList misses_;
  std::string table_path_;
  std::string rocksdb_table_path_;
  std::unique_ptr<OurTable> ours_;
  std::unique_ptr<OurTable> ours_cached_;
  std::unique_ptr<OurTable> ours_internal_;
  std::unique_ptr<LevelDbTable> leveldb_table_;
  std::unique_ptr<LevelDbTable> leveldb_table_cached_;
  std::unique_ptr<LevelDbDatabase> leveldb_db_;
  std::unique_ptr<RocksDbTable> rocksdb_table_;
  std::unique_ptr<RocksDbTable> rocksdb_table_cached_;
  std::unique_ptr<RocksDbDatabase> rocksdb_db_;
  std::unique_ptr<LmdbDatabase> lmdb_;
  std::unique_ptr<MtblTable> mtbl_;
};

}  // namespace sstable::bench

#endif  // SSTABLE_BENCHMARKS_DATA_SET_H_
