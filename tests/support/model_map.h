// The expected contents of a table or block as a std::map in the same order, and random contents.
#ifndef SSTABLE_TESTS_SUPPORT_MODEL_MAP_H_
#define SSTABLE_TESTS_SUPPORT_MODEL_MAP_H_

#include <cstddef>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "table/block/key_order.h"

namespace sstable::test {

struct KeyLess {
  const KeyOrder* order;
  // Uses the comparator itself, since the shortcuts of KeyOrder are under test.
  bool operator()(const std::string& a, const std::string& b) const {
    return order->comparator().Compare(a, b) < 0;
  }
};

// Lifetime: borrows the order.
using ModelMap = std::map<std::string, std::string, KeyLess>;

using Random = std::mt19937;

// Returns a number below `limit`.
inline size_t Below(size_t limit, Random* random) {
  return std::uniform_int_distribution<size_t>(0, limit - 1)(*random);
}

// Returns a key that is hard to distinguish from others: made of few different bytes, including
// 0x00 and 0xff, so that keys share prefixes and are prefixes of each other. Some are empty, some
// longer than any inline buffer.
std::string RandomKey(Random* random);

// Returns up to `count` random entries. Some internal keys are versions of the same user key.
ModelMap RandomModel(const KeyOrder& order, size_t count, Random* random);

std::vector<std::pair<std::string, std::string>> ToEntries(const ModelMap& model);

// Returns `key` and others that sort near it, internal ones if the order's keys are internal.
std::vector<std::string> KeysAround(const KeyOrder& order, absl::string_view key);

}  // namespace sstable::test

#endif  // SSTABLE_TESTS_SUPPORT_MODEL_MAP_H_
