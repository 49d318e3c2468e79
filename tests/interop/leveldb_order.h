// The private parts of LevelDB's database that its tables depend on: the order of internal keys and
// their filter policy. Written from LevelDB's db/dbformat.cc, independently of ours, for
// comparison.
#ifndef SSTABLE_TESTS_INTEROP_LEVELDB_ORDER_H_
#define SSTABLE_TESTS_INTEROP_LEVELDB_ORDER_H_

#include <memory>

#include "leveldb/comparator.h"
#include "leveldb/filter_policy.h"
#include "leveldb/slice.h"
#include "table/block/key_order.h"

namespace sstable::test {

// Returns bytewise order or its reverse, for plain or internal keys. Never destroyed.
const leveldb::Comparator* LevelDbOrder(KeyKind key_kind, bool reverse);

// Returns LevelDB's Bloom filter. If keys are internal, it is for their user keys.
std::unique_ptr<const leveldb::FilterPolicy> LevelDbBloom(KeyKind key_kind, int bits_per_key);

}  // namespace sstable::test

#endif  // SSTABLE_TESTS_INTEROP_LEVELDB_ORDER_H_
