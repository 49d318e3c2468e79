// LevelDB's Bloom filter as a policy, under each name that it has had on disk.
// Format: docs/filter_block.md.
#ifndef SSTABLE_BLOOM_FILTER_POLICY_H_
#define SSTABLE_BLOOM_FILTER_POLICY_H_

#include <memory>

#include "sstable/filter_policy.h"

namespace sstable {

// The name decides the hash; the layout is the same. History: docs/compatibility.md.
enum class BloomName {
  // "leveldb.BuiltinBloomFilter2": LevelDB since 1.18. Unsigned.
  kLevelDb,
  // "leveldb.BuiltinBloomFilter": LevelDB 1.4 to 1.17, signed where char is; goleveldb to this day,
  // unsigned. Read by both; written unsigned, for goleveldb. LevelDB up to 1.17 on x86 would lose
  // keys with a byte >= 0x80 among the last size % 4.
  kLevelDbOld,
  // "rocksdb.BuiltinBloomFilter": RocksDB's block-based filter, written up to 6.x. Signed.
  kRocksDb,
};

// The maximum that is useful: there are never more than 30 probes.
inline constexpr int kMaxBloomBitsPerKey = 1 << 16;

// A policy that makes filters of about `bits_per_key` bits for each key: 10 gives a false-positive
// rate of about 1 %. A value outside [0, kMaxBloomBitsPerKey] is clamped. Filters of any bits per
// key can be probed.
std::unique_ptr<const FilterPolicy> NewBloomFilterPolicy(int bits_per_key,
                                                         BloomName name = BloomName::kLevelDb);

}  // namespace sstable

#endif  // SSTABLE_BLOOM_FILTER_POLICY_H_
