// The private parts of LevelDB's database around its tables: the order of internal keys and their
// filter policy. Written after LevelDB's db/dbformat.cc, independently of ours, to compare with
// ours.
#ifndef SSTABLE_TESTS_INTEROP_LEVELDB_ORDER_H_
#define SSTABLE_TESTS_INTEROP_LEVELDB_ORDER_H_

#include <memory>

#include "leveldb/comparator.h"
#include "leveldb/filter_policy.h"
#include "leveldb/slice.h"
#include "table/block/key_order.h"

namespace sstable::test {

// Bytewise order or its reverse, for plain or for internal keys. Lives forever.
const leveldb::Comparator* LevelDbOrder(KeyKind key_kind, bool reverse);

// LevelDB's Bloom filter, for user keys if the keys are internal.
std::unique_ptr<const leveldb::FilterPolicy> LevelDbBloom(KeyKind key_kind, int bits_per_key);

}  // namespace sstable::test

#endif  // SSTABLE_TESTS_INTEROP_LEVELDB_ORDER_H_
