// The vector and the portable form of each hot loop must give the same answers to a million keys of
// each shape. In about half of these keys, a byte is changed or the end is cut off.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/string_view.h"
#include "benchmarks/key_shapes.h"
#include "filter/bloom_kernels.h"
#include "filter/bloom_view.h"
#include "gtest/gtest.h"
#include "table/index/layered_tree.h"
#include "table/index/prefix_tree.h"

namespace sstable::bench {
namespace {

constexpr size_t kTargets = 1'000'000;
constexpr size_t kKeys = 3000;
constexpr size_t kBatch = LayeredTree::kMaxBatch;
constexpr uint64_t kNumbers = 16 * kKeys;  // the range of numbers from which keys are made

class TwoFormsTest : public testing::TestWithParam<KeyShape> {
 protected:
  TwoFormsTest() {
    while (keys_.size() < kKeys) keys_.push_back(AnyKey());
    std::sort(keys_.begin(), keys_.end());
  }

  std::string AnyKey() { return MakeKey(GetParam(), random_.Below(kNumbers)); }

  std::string Target() {
    std::string key = AnyKey();
    switch (random_.Below(4)) {
      case 0:
        key[random_.Below(key.size())] = static_cast<char>(random_.Next());
        break;
      case 1:
        key.resize(random_.Below(key.size() + 1));
        break;
    }
    return key;
  }

  // Calls `visit` with the targets, kBatch at a time.
  template <typename Visit>
  void ForEachBatch(Visit visit) {
    std::string targets[kBatch];
    absl::string_view views[kBatch];
    for (size_t done = 0; done < kTargets; done += kBatch) {
      for (size_t i = 0; i < kBatch; ++i) views[i] = targets[i] = Target();
      visit(views);
      if (HasFatalFailure()) return;
    }
  }

  Random random_{1};
  std::vector<std::string> keys_;
};

TEST_P(TwoFormsTest, OfTheLayeredTree) {
  const LayeredTree tree(keys_.size(), [&](size_t i) { return absl::string_view(keys_[i]); });
  const LayeredTree::Kernels &portable = LayeredTree::PortableKernels(),
                             &best = LayeredTree::BestKernels();
  ForEachBatch([&](const absl::string_view* targets) {
    PlaceRange by_portable[kBatch], by_best[kBatch];
    portable.find_many(tree.nodes(), targets, kBatch, by_portable);
    best.find_many(tree.nodes(), targets, kBatch, by_best);
    for (size_t i = 0; i < kBatch; ++i) {
      const PlaceRange expected = portable.find(tree.nodes(), targets[i]);
      for (const PlaceRange& range :
           {by_portable[i], by_best[i], best.find(tree.nodes(), targets[i])}) {
        ASSERT_EQ(range.low, expected.low) << absl::CHexEscape(targets[i]);
        ASSERT_EQ(range.high, expected.high) << absl::CHexEscape(targets[i]);
      }
    }
  });
}

// The tree has one layer of 256 numbers below a root. The numbers are the bytes after the prefix
// that all keys share.
TEST_P(TwoFormsTest, OfThePrefixTree) {
  const std::string &first = keys_.front(), &last = keys_.back();
  const size_t shared =
      std::mismatch(first.begin(), first.end(), last.begin()).first - first.begin();
  alignas(64) uint64_t root[16], nodes[256];
  for (size_t i = 0; i < 256; ++i) {
    nodes[i] = NumberOf(absl::string_view(keys_[kKeys / 256 * i]).substr(shared));
  }
  for (size_t i = 0; i < 16; ++i) root[i] = i < 15 ? nodes[16 * i + 15] : UINT64_MAX;
  const uint64_t* const layers[] = {root, nodes};
  const PrefixTreeKernels &portable = PortablePrefixTreeKernels(), &best = BestPrefixTreeKernels();
  ForEachBatch([&](const absl::string_view* targets) {
    uint64_t numbers[kBatch];
    size_t by_portable[kBatch], by_best[kBatch];
    for (size_t i = 0; i < kBatch; ++i) {
      numbers[i] = NumberOf(targets[i].substr(std::min(shared, targets[i].size())));
    }
    portable.descend_many(layers, 2, numbers, kBatch, by_portable);
    best.descend_many(layers, 2, numbers, kBatch, by_best);
    for (size_t i = 0; i < kBatch; ++i) {
      ASSERT_EQ(by_best[i], by_portable[i]) << absl::CHexEscape(targets[i]);
      ASSERT_EQ(portable.descend(layers, 2, numbers[i]), by_portable[i]);
      ASSERT_EQ(best.descend(layers, 2, numbers[i]), by_portable[i]);
    }
  });
}

// Filters of 40 keys, as in a window of 2 KiB, and of all keys.
TEST_P(TwoFormsTest, OfTheBloomFilter) {
  const BloomKernels &portable = kPortableBloomKernels, &best = BestBloomKernels();
  constexpr int kProbes = 6;
  std::vector<std::string> filters;
  for (const size_t count : {size_t{40}, kKeys}) {
    std::vector<absl::string_view> keys(keys_.begin(), keys_.begin() + count);
    std::vector<uint32_t> hashes(count);
    portable.hash_keys(keys.data(), count, hashes.data());
    const auto bit_count = static_cast<uint32_t>((10 * count + 7) / 8 * 8);
    std::string bits[2];
    for (const bool is_best : {false, true}) {
      bits[is_best].resize(bit_count / 8 + 1 + kBloomLoadSize);
      (is_best ? best : portable)
          .set_bits(hashes.data(), count, kProbes, bit_count, bits[is_best].data());
    }
    ASSERT_EQ(bits[0], bits[1]);
    bits[0][bit_count / 8] = kProbes;
    bits[0].resize(bit_count / 8 + 1);
    filters.push_back(bits[0]);
  }
  std::vector<BloomProbe> probes;
  for (std::string& filter : filters) {
    const size_t size = filter.size();
    filter.resize(size + kBloomLoadSize);  // the vector form may read this much
    probes.emplace_back(BloomView(absl::string_view(filter).substr(0, size)));
  }
  size_t passed = 0;
  ForEachBatch([&](const absl::string_view* targets) {
    uint32_t by_portable[kBatch], by_best[kBatch];
    portable.hash_keys(targets, kBatch, by_portable);
    best.hash_keys(targets, kBatch, by_best);
    for (size_t i = 0; i < kBatch; ++i) {
      ASSERT_EQ(by_best[i], by_portable[i]) << absl::CHexEscape(targets[i]);
      for (const BloomProbe& probe : probes) {
        const bool may_match = portable.Probe(probe, by_portable[i]);
        ASSERT_EQ(best.Probe(probe, by_portable[i]), may_match) << absl::CHexEscape(targets[i]);
        passed += may_match;
      }
    }
  });
  EXPECT_GT(passed, kTargets / 100);
  EXPECT_LT(passed, kTargets);
}

INSTANTIATE_TEST_SUITE_P(Shapes, TwoFormsTest, testing::ValuesIn(kKeyShapes),
                         [](const auto& info) { return NameOf(info.param); });

}  // namespace
}  // namespace sstable::bench
