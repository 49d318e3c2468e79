#include "benchmarks/workload.h"

#include <algorithm>
#include <atomic>
#include <numeric>
#include <utility>
#include <vector>

namespace sstable::bench {
namespace {

std::string ValuePool(size_t size) {
  Random random(301);
  std::string pool;
  while (pool.size() < size) {
    char half[50];
    for (char& c : half) c = static_cast<char>(' ' + random.Below(95));
    pool.append(half, sizeof(half));
    pool.append(half, sizeof(half));
  }
  return pool;
}

// Returns the first `limit` numbers of a permutation of 0 to `count` - 1 (Fisher-Yates shuffle).
std::vector<size_t> ShuffledNumbers(size_t count, size_t limit, uint64_t seed) {
  Random random(seed);
  std::vector<size_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), size_t{0});
  limit = std::min(limit, count);
  for (size_t i = 0; i < limit; ++i) std::swap(numbers[i], numbers[i + random.Below(count - i)]);
  numbers.resize(limit);
  return numbers;
}

}  // namespace

Entries::Entries(KeyShape shape, size_t count, size_t value_size)
    : shape_(shape), value_size_(value_size), values_(ValuePool(kPoolSize + value_size)) {
  if (IsInOrder(shape)) {
    for (size_t i = 0; i < count; ++i) keys_.Append(MakeKey(shape, 2 * uint64_t{i}));
    return;
  }
  std::vector<std::string> keys(count);
  for (size_t i = 0; i < count; ++i) keys[i] = MakeKey(shape, 2 * uint64_t{i});
  std::sort(keys.begin(), keys.end());
  for (const std::string& key : keys) keys_.Append(key);
}

KeyList ShuffledKeys(const Entries& entries, size_t limit) {
  KeyList keys;
  for (const size_t i : ShuffledNumbers(entries.size(), limit, 303)) keys.Append(entries.key(i));
  return keys;
}

KeyList ShuffledAbsentKeys(const Entries& entries, size_t limit) {
  KeyList keys;
  for (const size_t i : ShuffledNumbers(entries.size(), limit, 304)) {
    keys.Append(entries.AbsentKey(i));
  }
  return keys;
}

KeyWalk::KeyWalk(const KeyList& keys) : keys_(keys), size_(keys.size()) {
  static std::atomic<uint64_t> walks{0};
  at_ = Random(walks.fetch_add(1)).Below(keys.size());
}

}  // namespace sstable::bench
