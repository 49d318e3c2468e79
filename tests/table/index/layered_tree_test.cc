#include "table/index/layered_tree.h"

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "gtest/gtest.h"

namespace sstable {
namespace {

using Random = std::mt19937_64;
using Keys = std::vector<std::string>;

Keys Sorted(Keys keys) {
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  return keys;
}

LayeredTree TreeOf(const Keys& keys) {
  return LayeredTree(keys.size(), [&](size_t i) { return absl::string_view(keys[i]); });
}

size_t Settle(const Keys& keys, PlaceRange range, absl::string_view target) {
  return std::lower_bound(keys.begin() + range.low, keys.begin() + range.high, target) -
         keys.begin();
}

// Searches for each target alone and together with others, by both implementations.
void ExpectFindsLikeLowerBound(const Keys& keys, const Keys& targets) {
  const LayeredTree tree = TreeOf(keys);
  for (const LayeredTree::Kernels& kernels :
       {LayeredTree::PortableKernels(), LayeredTree::BestKernels()}) {
    for (size_t start = 0; start < targets.size(); start += LayeredTree::kMaxBatch) {
      const size_t count = std::min(LayeredTree::kMaxBatch, targets.size() - start);
      absl::string_view batch[LayeredTree::kMaxBatch];
      PlaceRange ranges[LayeredTree::kMaxBatch];
      for (size_t i = 0; i < count; ++i) batch[i] = targets[start + i];
      kernels.find_many(tree.nodes(), batch, count, ranges);
      for (size_t i = 0; i < count; ++i) {
        const PlaceRange range = kernels.find(tree.nodes(), batch[i]);
        const size_t expected = std::lower_bound(keys.begin(), keys.end(), batch[i]) - keys.begin();
        ASSERT_LE(range.low, range.high);
        ASSERT_LE(range.high, keys.size());
        ASSERT_EQ(Settle(keys, range, batch[i]), expected) << absl::CHexEscape(batch[i]);
        ASSERT_EQ(ranges[i].low, range.low) << absl::CHexEscape(batch[i]);
        ASSERT_EQ(ranges[i].high, range.high) << absl::CHexEscape(batch[i]);
      }
    }
  }
}

std::string Bytes(Random* random, size_t count) {
  std::string bytes;
  for (size_t i = 0; i < count; ++i) bytes += static_cast<char>((*random)());
  return bytes;
}

std::string BigEndian(uint64_t number) {
  std::string bytes;
  for (int shift = 56; shift >= 0; shift -= 8) bytes += static_cast<char>(number >> shift);
  return bytes;
}

struct Shape {
  const char* name;
  std::string (*key)(Random* random);
};

const Shape kShapes[] = {
    {"Decimal", [](Random* r) { return absl::StrFormat("%016d", (*r)() % 1000000); }},
    {"RandomBytes", [](Random* r) { return Bytes(r, 16); }},
    {"Path",
     [](Random* r) {
       return absl::StrFormat("tenant-%02d/user/%08d/feed/%011d", (*r)() % 20, (*r)() % 500,
                              (*r)() % 100000);
     }},
    {"Composite",
     [](Random* r) {
       return BigEndian((*r)() % 100) + BigEndian(1600000000000000 + (*r)() % 86400000000);
     }},
    {"Url",
     [](Random* r) {
       const uint64_t host = 1000 / (1 + (*r)() % 1000);  // so that few hosts are popular
       std::string key = absl::StrCat("https://www.host", host, ".example.com/");
       for (uint64_t n = (*r)() % 4; n > 0; --n) absl::StrAppend(&key, "folder-", (*r)() % 30, "/");
       return absl::StrCat(key, "index.php?id=", (*r)() % 10000);
     }},
    {"LongPrefix",
     [](Random* r) {
       return std::string((*r)() % 3 * 100, 'p') + std::string((*r)() % 40, 'q') + Bytes(r, 2);
     }},
    {"ZerosAndOnes",
     [](Random* r) {
       std::string key;
       for (uint64_t n = (*r)() % 60; n > 0; --n) key += static_cast<char>(-((*r)() % 2));
       return key;
     }},
};

class LayeredTreeTest : public testing::TestWithParam<Shape> {};

// Returns a key of this shape, a key of the tree, or one similar to that.
std::string Target(const Keys& keys, const Shape& shape, Random* random) {
  if ((*random)() % 3 == 0) return shape.key(random);
  std::string target = keys[(*random)() % keys.size()];
  switch ((*random)() % 5) {
    case 0:
      break;
    case 1:
      target.resize((*random)() % (target.size() + 1));
      break;
    case 2:
      target += static_cast<char>(-((*random)() % 2));
      break;
    default:
      if (!target.empty()) target[(*random)() % target.size()] += (*random)() % 2 == 0 ? 1 : -1;
      break;
  }
  return target;
}

TEST_P(LayeredTreeTest, FindsTheFirstKeyNotBelow) {
  Random random(1);
  for (size_t count : {1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 100, 255, 256, 257, 272, 273, 4097, 30000}) {
    SCOPED_TRACE(count);
    Keys keys(count), targets(count < 1000 ? 500 : 20000);
    for (std::string& key : keys) key = GetParam().key(&random);
    keys = Sorted(keys);
    for (std::string& target : targets) target = Target(keys, GetParam(), &random);
    targets.push_back("");
    targets.push_back(std::string(300, '\xff'));
    ASSERT_NO_FATAL_FAILURE(ExpectFindsLikeLowerBound(keys, targets));
  }
}

// Keys are shortened like separators in an index. Some are equal, like the user keys of versions.
TEST_P(LayeredTreeTest, FindsTheFirstOfShortenedAndEqualKeys) {
  Random random(2);
  for (int round = 0; round < 100; ++round) {
    Keys keys(1 + random() % 300), targets(500);
    for (std::string& key : keys) {
      key = GetParam().key(&random);
      if (random() % 2 == 0) key.resize(random() % (key.size() + 1));
    }
    for (size_t i = 0; i < keys.size() / 3; ++i) keys.push_back(keys[random() % keys.size()]);
    std::sort(keys.begin(), keys.end());
    for (std::string& target : targets) target = Target(keys, GetParam(), &random);
    ASSERT_NO_FATAL_FAILURE(ExpectFindsLikeLowerBound(keys, targets));
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, LayeredTreeTest, testing::ValuesIn(kShapes),
                         [](const auto& info) { return info.param.name; });

TEST(LayeredTreeOfFewTest, HasNoKeys) {
  ExpectFindsLikeLowerBound({}, {"", "a", std::string(20, '\0')});
}

// A key must not equal the same key followed by zeros.
TEST(LayeredTreeOfFewTest, TellsZerosFromTheEnd) {
  Keys keys;
  for (size_t i = 0; i < 40; ++i) keys.push_back("key" + std::string(i, '\0'));
  Keys targets = keys;
  for (const std::string& key : keys) {
    targets.push_back(key + '\1');
    targets.push_back(key.substr(0, 3) + '\1' + key.substr(3));
  }
  ExpectFindsLikeLowerBound(keys, targets);
}

// Each key is a prefix of the next, which takes the most layers possible.
TEST(LayeredTreeOfFewTest, BoundsItsMemory) {
  Keys keys;
  for (size_t i = 1; i < 500; ++i) keys.push_back(std::string(8 * i, 'k') + 'k');
  Keys targets = keys;
  for (const std::string& key : keys) targets.push_back(key + 'j');
  ExpectFindsLikeLowerBound(keys, targets);
  EXPECT_LE(TreeOf(keys).memory_size(), keys.size() * 160);
}

// Measures the memory of a table's index with typical keys.
TEST_P(LayeredTreeTest, TakesFewBytesAKey) {
  Random random(3);
  Keys keys(30000);
  for (std::string& key : keys) key = GetParam().key(&random);
  keys = Sorted(keys);
  EXPECT_LE(TreeOf(keys).memory_size(), keys.size() * 32);
}

}  // namespace
}  // namespace sstable
