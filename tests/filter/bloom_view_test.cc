#include "filter/bloom_view.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "filter/bloom.h"
#include "gtest/gtest.h"
#include "tests/support/hex.h"
#include "util/hash.h"

namespace sstable::test {
namespace {

struct ViewCase {
  const char* name;
  const char* hex;
  uint64_t bit_count;
  int probe_count;
  bool is_empty, is_reserved, is_probeable;
};
class BloomViewTest : public testing::TestWithParam<ViewCase> {};
TEST_P(BloomViewTest, KnowsWhatTheBytesMean) {
  const std::string bytes = FromHex(GetParam().hex);
  const BloomView view(bytes);
  EXPECT_EQ(view.bit_count(), GetParam().bit_count);
  EXPECT_EQ(view.probe_count(), GetParam().probe_count);
  EXPECT_EQ(view.is_empty(), GetParam().is_empty);
  EXPECT_EQ(view.is_reserved(), GetParam().is_reserved);
  EXPECT_EQ(view.is_probeable(), GetParam().is_probeable);
}
INSTANTIATE_TEST_SUITE_P(Bytes, BloomViewTest,
                         testing::ValuesIn<ViewCase>({
                             {"None", "", 0, 0, true, false, false},
                             {"OnlyTheProbeCount", "06", 0, 6, true, false, false},
                             {"OneByte", "80 01", 8, 1, false, false, true},
                             {"NoProbes", "ff 00", 8, 0, false, false, true},
                             {"MostProbes", "0000 1e", 16, 30, false, false, true},
                             {"ReservedProbes", "0000 1f", 16, 31, false, true, false},
                             {"AllReserved", "0000 ff", 16, 255, false, true, false},
                         }),
                         [](const auto& info) { return info.param.name; });

TEST(BloomViewTest, CountsBitsFromTheLeastSignificant) {
  const std::string bytes = FromHex("01 80 03");
  const BloomView view(bytes);
  std::vector<uint64_t> set;
  for (uint64_t bit = 0; bit < view.bit_count(); ++bit) {
    if (view.IsSet(bit)) set.push_back(bit);
  }
  EXPECT_EQ(set, (std::vector<uint64_t>{0, 15}));
}

using Hashes = std::vector<std::pair<HashTail, uint32_t>>;

// The hashes that are computed up to the `match`th.
Hashes HashesAsked(BloomHash hash, absl::string_view key, size_t match, size_t suffix_size = 0) {
  Hashes asked;
  BloomTraits traits;
  traits.hash = hash;
  traits.ignored_suffix_size = suffix_size;
  const bool matched = AnyBloomHash(traits, key, [&](HashTail tail, uint32_t value) {
    asked.emplace_back(tail, value);
    return asked.size() == match;
  });
  EXPECT_EQ(matched, asked.size() == match);
  return asked;
}

TEST(AnyBloomHashTest, AsksByTheHashesThatAFilterMayHave) {
  const std::string key = "key\xe9";  // four bytes, so it has no tail
  const std::string odd = "keys\xe9";
  const std::pair<HashTail, uint32_t> is_unsigned = {HashTail::kUnsigned,
                                                     BloomKeyHash<HashTail::kUnsigned>(odd)};
  const std::pair<HashTail, uint32_t> is_signed = {HashTail::kSigned,
                                                   BloomKeyHash<HashTail::kSigned>(odd)};
  EXPECT_EQ(HashesAsked(BloomHash::kUnsignedTail, odd, 9), Hashes{is_unsigned});
  EXPECT_EQ(HashesAsked(BloomHash::kSignedTail, odd, 9), Hashes{is_signed});
  EXPECT_EQ(HashesAsked(BloomHash::kEitherTail, odd, 9), (Hashes{is_unsigned, is_signed}));
  EXPECT_EQ(HashesAsked(BloomHash::kEitherTail, odd, 1), Hashes{is_unsigned});
  EXPECT_EQ(HashesAsked(BloomHash::kEitherTail, key, 9).size(), 1) << "both hashes are the same";
  EXPECT_EQ(HashesAsked(BloomHash::kUnsignedTail, odd + "12345678", 9, 8), Hashes{is_unsigned});
}

}  // namespace
}  // namespace sstable::test
