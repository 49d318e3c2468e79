#include "util/hash.h"

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "tests/support/hex.h"
#include "tests/support/random_bytes.h"

namespace sstable::test {
namespace {

constexpr uint32_t kBloomSeed = 0xbc9f1d34;

struct HashCase {
  const char* name;
  const char* hex;
  uint32_t unsigned_tail;
  uint32_t signed_tail;
  uint32_t seed = kBloomSeed;
};

// The unsigned values are from LevelDB's util/hash_test.cc, the signed ones from its version 1.17.
const HashCase kHashCases[] = {
    {"Nothing", "", 0xbc9f1d34, 0xbc9f1d34},
    {"OneAsciiByte", "62", 0xef1345c4, 0xef1345c4},
    {"ThreeAsciiBytes", "616263", 0x855d012f, 0x855d012f},
    {"OneHighByte", "ff", 0xc20e0a90, 0x1d66774f},
    {"TwoHighBytes", "c397", 0x5b663814, 0x0f2ba540},
    {"ThreeHighBytes", "e299a5", 0x323c078f, 0x530174ee},
    {"AWordThenOneHighByte", "6162636480", 0x35306e98, 0x9088db3d},
    {"OneWordOfHighBytes", "e180b932", 0xed21633a, 0xed21633a},
    {"TwelveWords",
     "01c00000000000000000000000000000 14000000000004000000001400000018"
     " 28000000000000000200000000000000",
     0xf333dabb, 0xf333dabb, 0x12345678},
};

class HashVectorTest : public testing::TestWithParam<HashCase> {};

TEST_P(HashVectorTest, HasLevelDbsValueWithEitherTail) {
  const ExactCopy data(FromHex(GetParam().hex));
  EXPECT_EQ(Hash(data.view(), GetParam().seed), GetParam().unsigned_tail);
  EXPECT_EQ(Hash<HashTail::kUnsigned>(data.view(), GetParam().seed), GetParam().unsigned_tail);
  EXPECT_EQ(Hash<HashTail::kSigned>(data.view(), GetParam().seed), GetParam().signed_tail);
}

TEST_P(HashVectorTest, TellsWhetherTheTailMatters) {
  EXPECT_EQ(HashTailMatters(FromHex(GetParam().hex)),
            GetParam().unsigned_tail != GetParam().signed_tail);
}

INSTANTIATE_TEST_SUITE_P(Vectors, HashVectorTest, testing::ValuesIn(kHashCases),
                         [](const auto& info) { return info.param.name; });

TEST(HashTest, OfANullViewIsThatOfNoBytes) {
  EXPECT_EQ(Hash(absl::string_view(), kBloomSeed), kBloomSeed);
  EXPECT_FALSE(HashTailMatters(absl::string_view()));
}

// Hashes byte by byte, as LevelDB does. `byte` converts a tail byte to a number.
template <typename Byte>
uint32_t NaiveHash(absl::string_view data, uint32_t seed, Byte byte) {
  constexpr uint32_t kMultiplier = 0xc6a4a793;
  uint32_t h = seed ^ static_cast<uint32_t>(data.size() * kMultiplier);
  size_t i = 0;
  for (; i + 4 <= data.size(); i += 4) {
    uint32_t word = 0;
    for (int j = 3; j >= 0; --j) word = word << 8 | static_cast<unsigned char>(data[i + j]);
    h = (h + word) * kMultiplier;
    h ^= h >> 16;
  }
  if (i == data.size()) return h;
  for (size_t j = i; j < data.size(); ++j) h += byte(data[j]) << (8 * (j - i));
  h *= kMultiplier;
  return h ^ h >> 24;
}

TEST(HashTest, AgreesWithTheDefinitionAtEverySize) {
  constexpr uint64_t kSeed = 1;
  Rng rng(kSeed);
  for (int i = 0; i < 20000; ++i) {
    const ExactCopy data(RandomBytes(rng, i % 50));
    const auto seed = static_cast<uint32_t>(rng());
    ASSERT_EQ(Hash(data.view(), seed),
              NaiveHash(data.view(), seed, [](char c) -> uint32_t { return c & 0xff; }))
        << "seed " << kSeed << ", round " << i;
    ASSERT_EQ(Hash<HashTail::kSigned>(data.view(), seed),
              NaiveHash(data.view(), seed,
                        [](char c) -> uint32_t { return (c & 0x80) ? c | 0xffffff00 : c; }))
        << "seed " << kSeed << ", round " << i;
  }
}

TEST(HashTailMattersTest, IsExactlyWhetherTheTwoFormsDiffer) {
  constexpr uint64_t kSeed = 2;
  Rng rng(kSeed);
  int matters_count = 0;
  for (int i = 0; i < 20000; ++i) {
    const ExactCopy data(RandomBytes(rng, i % 12));
    const bool matters = HashTailMatters(data.view());
    matters_count += matters;
    ASSERT_EQ(matters,
              Hash(data.view(), kBloomSeed) != Hash<HashTail::kSigned>(data.view(), kBloomSeed))
        << "seed " << kSeed << ", key " << ToHex(data.view());
  }
  EXPECT_GT(matters_count, 5000);
  EXPECT_LT(matters_count, 15000);
}

}  // namespace
}  // namespace sstable::test
