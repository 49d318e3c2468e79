// LevelDB's table builder and reader, on strings.
#ifndef SSTABLE_TESTS_INTEROP_LEVELDB_TABLE_H_
#define SSTABLE_TESTS_INTEROP_LEVELDB_TABLE_H_

#include <memory>
#include <string>

#include "leveldb/env.h"
#include "leveldb/filter_policy.h"
#include "leveldb/iterator.h"
#include "leveldb/options.h"
#include "leveldb/table.h"
#include "tests/interop/table_spec.h"

namespace sstable::test {

// Returns the file that LevelDB's TableBuilder writes.
std::string BuildWithLevelDb(const TableSpec& spec);
// BuildWithLevelDb() with options of LevelDB's that a TableSpec can't express; uses its entries and
// flushes.
std::string BuildWithLevelDb(const leveldb::Options& options, const TableSpec& spec);

// A table as LevelDB reads it, with all checks turned on.
class LevelDbTable {
 public:
  // Borrows `bytes`. Takes key kind, order and filter from `spec`.
  LevelDbTable(const TableSpec& spec, const std::string& bytes);

  const leveldb::Status& status() const { return status_; }  // result of opening it
  std::unique_ptr<leveldb::Iterator> NewIterator() const;

 private:
  std::unique_ptr<const leveldb::FilterPolicy> policy_;
  std::unique_ptr<leveldb::RandomAccessFile> file_;
  leveldb::Status status_;
  std::unique_ptr<leveldb::Table> table_;
};

}  // namespace sstable::test

#endif  // SSTABLE_TESTS_INTEROP_LEVELDB_TABLE_H_
