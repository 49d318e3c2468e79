// The entries that tables here are made of, and the keys that they are asked for.
//
// Keys have 16 bytes, as db_bench's do, or are paths of 40. Values come from a pool of 100-byte
// pieces, each half random and then repeated, so that a compressor saves about half: db_bench's
// --compression_ratio=0.5.
#ifndef SSTABLE_BENCHMARKS_WORKLOAD_H_
#define SSTABLE_BENCHMARKS_WORKLOAD_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"

namespace sstable::bench {

inline constexpr size_t kKeySize = 16;
inline constexpr size_t kPathKeySize = 40;
inline constexpr size_t kMultiGetSize = 32;  // keys that one MultiGet asks for

// The same numbers on every machine: SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom
// number generators", 2014).
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}

  uint64_t Next() {
    uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  size_t Below(size_t limit) { return static_cast<size_t>(Next() % limit); }

 private:
  uint64_t state_;
};

// Keys of one size, one after another in memory, so that reading them costs next to nothing.
class KeyList {
 public:
  explicit KeyList(size_t key_size = kKeySize) : key_size_(key_size) {}

  void Reserve(size_t count) { bytes_.reserve(count * key_size_); }
  void Append(absl::string_view key) { bytes_.append(key.data(), key_size_); }

  size_t key_size() const { return key_size_; }
  size_t size() const { return bytes_.size() / key_size_; }
  absl::string_view operator[](size_t i) const {
    return absl::string_view(bytes_.data() + i * key_size_, key_size_);
  }

 private:
  size_t key_size_;
  std::string bytes_;
};

std::string DecimalKey(uint64_t number);  // "%016d"
std::string RandomKey(Random* random);
std::string PathKey(uint64_t number);  // tenant-00/user/00000061/feed/00000012345

enum class KeyShape {
  kDecimal,  // of even numbers, from 0 on; absent keys are odd numbers
  kRandom,   // uniformly random bytes; absent keys are others of the kind
  kPath,     // of even numbers; absent keys have odd numbers
};

// Entries in key order.
class Entries {
 public:
  Entries(KeyShape shape, size_t count, size_t value_size);

  size_t size() const { return keys_.size(); }
  size_t key_size() const { return keys_.key_size(); }
  absl::string_view key(size_t i) const { return keys_[i]; }
  absl::string_view value(size_t i) const {
    return absl::string_view(values_.data() + i * value_size_ % kPoolSize, value_size_);
  }
  std::string AbsentKey(size_t i) const;  // a different one for each `i` below size()

 private:
  static constexpr size_t kPoolSize = size_t{1} << 20;

  KeyShape shape_;
  size_t value_size_;
  KeyList keys_;
  std::string values_;  // a value may start at any byte of the pool, and run past its end
};

// Up to `limit` of the keys (of the absent keys), each at most once, in random order.
KeyList ShuffledKeys(const Entries& entries, size_t limit);
KeyList ShuffledAbsentKeys(const Entries& entries, size_t limit);

// Walks a list round and round from a place that differs from walk to walk, so that a repetition
// doesn't find in the cache what the one before asked for. Threads: each needs its own.
class KeyWalk {
 public:
  explicit KeyWalk(const KeyList& keys);

  absl::string_view Next() {
    const absl::string_view key = keys_[at_];
    if (++at_ == size_) at_ = 0;
    return key;
  }

 private:
  const KeyList& keys_;
  size_t size_;
  size_t at_;
};

}  // namespace sstable::bench

#endif  // SSTABLE_BENCHMARKS_WORKLOAD_H_
