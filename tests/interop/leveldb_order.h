// What LevelDB's database puts around its tables and keeps to itself: the order of internal keys
// and the filter policy for them. Written anew after LevelDB's db/dbformat.cc, without a line of
// ours, so that it can be held against ours.
#ifndef SSTABLE_TESTS_INTEROP_LEVELDB_ORDER_H_
#define SSTABLE_TESTS_INTEROP_LEVELDB_ORDER_H_

#include <memory>

#include "leveldb/comparator.h"
#include "leveldb/filter_policy.h"
#include "leveldb/slice.h"
#include "table/block/key_order.h"

namespace sstable::test {

// Bytewise order or its reverse, of plain or of internal keys. Lives forever.
const leveldb::Comparator* LevelDbOrder(KeyKind key_kind, bool reverse);

// LevelDB's Bloom filter, of user keys if the keys are internal.
std::unique_ptr<const leveldb::FilterPolicy> LevelDbBloom(KeyKind key_kind, int bits_per_key);

}  // namespace sstable::test

#endif  // SSTABLE_TESTS_INTEROP_LEVELDB_ORDER_H_
