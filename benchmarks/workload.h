// The entries of the tables, and the keys to look up.
//
// Values come from a pool of 100-byte pieces, each half random and then repeated, so that a
// compressor saves about half: db_bench's --compression_ratio=0.5.
#ifndef SSTABLE_BENCHMARKS_WORKLOAD_H_
#define SSTABLE_BENCHMARKS_WORKLOAD_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "benchmarks/key_shapes.h"

namespace sstable::bench {

inline constexpr size_t kMultiGetSize = 32;  // keys per MultiGet

// Keys contiguous in memory, so that reading them in turn costs almost nothing.
class KeyList {
 public:
  void Append(absl::string_view key) {
    bytes_.append(key.data(), key.size());
    ends_.push_back(bytes_.size());
  }

  size_t size() const { return ends_.size() - 1; }
  absl::string_view operator[](size_t i) const {
    return absl::string_view(bytes_.data() + ends_[i], ends_[i + 1] - ends_[i]);
  }

 private:
  std::string bytes_;
  std::vector<size_t> ends_ = {0};  // end of key i - 1
};

// Entries in key order. Their keys are those of even numbers; the keys of odd numbers are absent.
class Entries {
 public:
  Entries(KeyShape shape, size_t count, size_t value_size);

  size_t size() const { return keys_.size(); }
  absl::string_view key(size_t i) const { return keys_[i]; }
  absl::string_view value(size_t i) const {
    return absl::string_view(values_.data() + i * value_size_ % kPoolSize, value_size_);
  }
  std::string AbsentKey(size_t i) const { return MakeKey(shape_, 2 * uint64_t{i} + 1); }

 private:
  static constexpr size_t kPoolSize = size_t{1} << 20;

  KeyShape shape_;
  size_t value_size_;
  KeyList keys_;
  std::string values_;  // repeats after kPoolSize bytes
};

// Return up to `limit` of the present or absent keys, each at most once, in random order.
KeyList ShuffledKeys(const Entries& entries, size_t limit);
KeyList ShuffledAbsentKeys(const Entries& entries, size_t limit);

// Cycles through a list. Each walk starts at another key, so that a repetition does not find the
// previous one's keys in the cache. Threads: each needs its own.
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
