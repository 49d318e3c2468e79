#include "benchmarks/workload.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <numeric>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"

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

KeyList SortedRandomKeys(size_t count) {
  Random random(302);
  std::vector<std::array<unsigned char, kKeySize>> keys(count);
  for (auto& key : keys) std::memcpy(key.data(), RandomKey(&random).data(), kKeySize);
  std::sort(keys.begin(), keys.end());
  KeyList list;
  list.Reserve(count);
  for (const auto& key : keys) {
    list.Append(absl::string_view(reinterpret_cast<const char*>(key.data()), kKeySize));
  }
  return list;
}

// The first `limit` of the numbers below `count` in random order (Fisher and Yates' shuffle).
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

std::string DecimalKey(uint64_t number) {
  std::string key(kKeySize, '0');
  for (size_t i = kKeySize; i-- > 0 && number > 0; number /= 10) {
    key[i] = static_cast<char>('0' + number % 10);
  }
  return key;
}

std::string RandomKey(Random* random) {
  const uint64_t halves[2] = {random->Next(), random->Next()};
  static_assert(sizeof(halves) == kKeySize);
  std::string key(kKeySize, '\0');
  std::memcpy(key.data(), halves, kKeySize);
  return key;
}

std::string PathKey(uint64_t number) {
  const auto digits = [](uint64_t n, size_t count) {
    return DecimalKey(n).substr(kKeySize - count);
  };
  return absl::StrCat("tenant-", digits(number / 2'000'000, 2), "/user/", digits(number / 200, 8),
                      "/feed/", digits(number, 11));
}

Entries::Entries(KeyShape shape, size_t count, size_t value_size)
    : shape_(shape),
      value_size_(value_size),
      keys_(shape == KeyShape::kPath ? kPathKeySize : kKeySize),
      values_(ValuePool(kPoolSize + value_size)) {
  if (shape == KeyShape::kRandom) {
    keys_ = SortedRandomKeys(count);
    return;
  }
  keys_.Reserve(count);
  for (size_t i = 0; i < count; ++i) {
    const uint64_t number = 2 * uint64_t{i};
    keys_.Append(shape == KeyShape::kPath ? PathKey(number) : DecimalKey(number));
  }
}

std::string Entries::AbsentKey(size_t i) const {
  const uint64_t number = 2 * uint64_t{i} + 1;
  if (shape_ == KeyShape::kDecimal) return DecimalKey(number);
  if (shape_ == KeyShape::kPath) return PathKey(number);
  Random random(~uint64_t{i});  // a key of 128 random bits: that it is present can be ruled out
  return RandomKey(&random);
}

KeyList ShuffledKeys(const Entries& entries, size_t limit) {
  KeyList keys(entries.key_size());
  for (const size_t i : ShuffledNumbers(entries.size(), limit, 303)) keys.Append(entries.key(i));
  return keys;
}

KeyList ShuffledAbsentKeys(const Entries& entries, size_t limit) {
  KeyList keys(entries.key_size());
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
