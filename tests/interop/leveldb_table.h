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
// The same with LevelDB's own options, for those that a TableSpec can't express. Uses only the
// entries and flushes of `spec`.
std::string BuildWithLevelDb(const leveldb::Options& options, const TableSpec& spec);

// A table read by LevelDB with all checks enabled.
class LevelDbTable {
 public:
  // Borrows `bytes`. `spec` determines key kind, order and filter.
  LevelDbTable(const TableSpec& spec, const std::string& bytes);

  const leveldb::Status& status() const { return status_; }  // the result of opening
  std::unique_ptr<leveldb::Iterator> NewIterator() const;

 private:
  std::unique_ptr<const leveldb::FilterPolicy> policy_;
  std::unique_ptr<leveldb::RandomAccessFile> file_;
  leveldb::Status status_;
  std::unique_ptr<leveldb::Table> table_;
};

}  // namespace sstable::test

#endif  // SSTABLE_TESTS_INTEROP_LEVELDB_TABLE_H_
