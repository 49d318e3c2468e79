// Filter policies, which make and probe the filters of a filter block. LevelDB's Bloom filter is
// one.
#ifndef SSTABLE_FILTER_POLICY_H_
#define SSTABLE_FILTER_POLICY_H_

#include <memory>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "sstable/version.h"

namespace sstable {

// Makes and probes filters. Derive from it for a filter of your own.
//
// Lifetime: builders and readers borrow their policy; it must outlive them.
// Threads:  const methods may be called from any number of threads at once.
class SSTABLE_EXPORT FilterPolicy {
 public:
  virtual ~FilterPolicy() = default;

  // The file records "filter." + Name(). Change it whenever the new code can't probe existing
  // filters. Lives as long as the policy.
  virtual absl::string_view Name() const = 0;

  // Appends to `*dst` a filter of `keys`, which are in table order and may repeat.
  virtual void CreateFilter(absl::Span<const absl::string_view> keys, std::string* dst) const = 0;

  // Must return true if `filter` was made from `key`, among others, and should return false
  // otherwise. The bytes come from a file and may be anything, or none with a null data(): this
  // must not read outside them, and should return true if they are malformed.
  virtual bool KeyMayMatch(absl::string_view key, absl::string_view filter) const = 0;
};

// Strips the 8-byte tag (see sstable/internal_key.h) from every key and passes the rest to another
// policy. It has that policy's name: nothing in a file shows whether its keys are internal. For use
// with filter blocks alone: TableBuilder and TableReader wrap the policies in their options
// themselves if keys are internal, and refuse this one.
// Lifetime: borrows `user_policy`, which must outlive it.
class SSTABLE_EXPORT InternalFilterPolicy final : public FilterPolicy {
 public:
  explicit InternalFilterPolicy(const FilterPolicy* user_policy) : user_policy_(user_policy) {}

  const FilterPolicy* user_policy() const { return user_policy_; }

  absl::string_view Name() const override { return user_policy_->Name(); }
  void CreateFilter(absl::Span<const absl::string_view> keys, std::string* dst) const override;
  bool KeyMayMatch(absl::string_view key, absl::string_view filter) const override;

 private:
  const FilterPolicy* user_policy_;
};

// The name decides the hash; the layout is the same. History: docs/compatibility.md.
enum class BloomName {
  // "leveldb.BuiltinBloomFilter2": LevelDB since 1.18. Unsigned.
  kLevelDb,
  // "leveldb.BuiltinBloomFilter": LevelDB 1.4 to 1.17, signed where char is; goleveldb to this day,
  // unsigned. Lookups try both hashes; filters are written with the unsigned one, for goleveldb. In
  // those, LevelDB up to 1.17 on x86 would not find keys whose tail, the last size % 4 bytes, has a
  // byte >= 0x80.
  kLevelDbOld,
  // "rocksdb.BuiltinBloomFilter": RocksDB's block-based filter, written up to 6.x. Signed.
  kRocksDb,
};

// More would be useless, since there are never more than 30 probes.
inline constexpr int kMaxBloomBitsPerKey = 1 << 16;

// A policy that makes filters of about `bits_per_key` bits for each key: 10 gives a false-positive
// rate of about 1 %. A value outside [0, kMaxBloomBitsPerKey] is clamped. Filters of any bits per
// key can be probed.
SSTABLE_EXPORT std::unique_ptr<const FilterPolicy> NewBloomFilterPolicy(
    int bits_per_key, BloomName name = BloomName::kLevelDb);

// The false-positive rates that a policy can be made for. Below the lowest, each filter would have
// thousands of bits, however few its keys.
inline constexpr double kMinBloomRate = 0.0001;
inline constexpr double kMaxBloomRate = 0.5;

// A policy that makes filters which let `rate` of random absent keys through, 0.01 for 1 %. Each
// filter gets the bits and probes that its number of keys takes: few keys need more bits per key
// than many, since probes of one key coincide more often in a small filter. LevelDB reads such
// filters. A value outside [kMinBloomRate, kMaxBloomRate] is clamped. How close the rate is:
// docs/filter_block.md#by-rate.
SSTABLE_EXPORT std::unique_ptr<const FilterPolicy> NewBloomFilterPolicyForRate(
    double rate, BloomName name = BloomName::kLevelDb);

// Returns the policy whose Name() is `name` (without "filter."): one of `user_policies` or, failing
// that, one of the three built-in ones, which live forever. Returns nullptr if there is none.
//
// | name                        | hash of a key's tail bytes               |
// |-----------------------------|------------------------------------------|
// | leveldb.BuiltinBloomFilter2 | unsigned                                 |
// | leveldb.BuiltinBloomFilter  | may match if the unsigned or the signed does |
// | rocksdb.BuiltinBloomFilter  | signed                                   |
SSTABLE_EXPORT const FilterPolicy* FindFilterPolicy(
    absl::string_view name, absl::Span<const FilterPolicy* const> user_policies = {});

}  // namespace sstable

#endif  // SSTABLE_FILTER_POLICY_H_
