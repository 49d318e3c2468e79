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

// The false-positive rates that a policy can be made for. Below the lowest, each filter would have
// thousands of bits, however few its keys.
inline constexpr double kMinBloomRate = 0.0001;
inline constexpr double kMaxBloomRate = 0.5;

// A policy that makes filters which let `rate` of random absent keys through, 0.01 for 1 %. Each
// gets the bits and probes that LevelDB's probes need for its number of keys: few keys need more
// bits per key than many, since probes of one key coincide more often in a small filter. LevelDB
// reads such filters. A value outside [kMinBloomRate, kMaxBloomRate] is clamped. How close
// the rate is: docs/filter_block.md#by-rate.
std::unique_ptr<const FilterPolicy> NewBloomFilterPolicyForRate(
    double rate, BloomName name = BloomName::kLevelDb);

}  // namespace sstable

#endif  // SSTABLE_BLOOM_FILTER_POLICY_H_
