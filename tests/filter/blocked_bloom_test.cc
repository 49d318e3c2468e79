// Compares the vector implementation of blocked Bloom filters with the portable one.
// table_filter_test and tests/interop compare that with the format.
#include "filter/blocked_bloom.h"

#include <cstddef>
#include <cstdint>
#include <memory>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "tests/support/random_bytes.h"

namespace sstable {
namespace {

TEST(BlockedBloomTest, VectorAndPortableGiveTheSameAnswers) {
  test::Rng rng(20261123);
  size_t yes = 0, asked = 0;
  for (int round = 0; round < 1000; ++round) {
    const size_t line_count = 1 + rng() % 9;
    const int probe_count = 1 + static_cast<int>(rng() % kMaxBlockedBloomProbes);
    SCOPED_TRACE(absl::StrCat(line_count, " lines, ", probe_count, " probes"));
    // Nothing follows the lines, which may be at any address.
    const size_t size = line_count * kBlockedBloomLineSize, shift = rng() % 64;
    const std::unique_ptr<char[]> bytes(new char[shift + size]);
    for (size_t i = 0; i < size; ++i) {
      uint64_t byte = rng();
      for (int density = round % 5; density > 0; --density) byte |= rng();
      bytes[shift + i] = static_cast<char>(byte);
    }
    const absl::string_view lines(bytes.get() + shift, size);
    const auto portable = NewPortableBlockedBloom(lines, probe_count);
    const auto best = NewBestBlockedBloom(lines, probe_count);
    for (int i = 0; i < 1000; ++i, ++asked) {
      const uint64_t hash = rng();
      yes += portable->MayMatch(hash) ? 1 : 0;
      ASSERT_EQ(best->MayMatch(hash), portable->MayMatch(hash)) << "hash " << hash;
    }
  }
  EXPECT_GE(asked, 1000000);
  EXPECT_GT(yes, asked / 20) << "the test must see both answers";
  EXPECT_LT(yes, asked - asked / 20);
}

}  // namespace
}  // namespace sstable
