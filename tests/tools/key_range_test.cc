#include "tools/records/key_range.h"

#include <optional>
#include <random>
#include <string>

#include "gtest/gtest.h"
#include "sstable/comparator.h"

namespace sstable::tools {
namespace {

TEST(KeyRangeTest, PrefixEndsBehindItsLastKey) {
  KeyRange range;
  range.prefix = "ab";
  EXPECT_EQ(range.SeekTarget(*BytewiseComparator()), "ab");
  EXPECT_EQ(range.End(*BytewiseComparator()), "ac");
  range.prefix = "a\xff\xff";
  EXPECT_EQ(range.End(*BytewiseComparator()), "b");
  range.prefix = "\xff";
  EXPECT_EQ(range.End(*BytewiseComparator()), std::nullopt);
  // In another order, keys with this prefix may be anywhere.
  EXPECT_EQ(range.SeekTarget(*ReverseBytewiseComparator()), std::nullopt);
  EXPECT_EQ(range.End(*ReverseBytewiseComparator()), std::nullopt);
}

// All keys in the range must be between SeekTarget() and End(), and Side() must be zero for them.
TEST(KeyRangeTest, BoundsHoldWhatTheRangeContains) {
  constexpr unsigned kSeed = 301;
  std::mt19937 random(kSeed);
  const auto random_key = [&random] {
    std::string key(random() % 4, '\0');
    for (char& byte : key) byte = "ab\xff"[random() % 3];
    return key;
  };
  for (int i = 0; i < 20000; ++i) {
    KeyRange range;
    if (random() % 2 == 0) range.from = random_key();
    if (random() % 2 == 0) range.to = random_key();
    if (random() % 2 == 0) range.prefix = random_key();
    const std::string key = random_key();
    for (const Comparator* order : {BytewiseComparator(), ReverseBytewiseComparator()}) {
      const bool wanted =
          (!range.from.has_value() || order->Compare(key, *range.from) >= 0) &&
          (!range.to.has_value() || order->Compare(key, *range.to) < 0) &&
          (!range.prefix.has_value() || key.compare(0, range.prefix->size(), *range.prefix) == 0);
      ASSERT_EQ(range.Contains(*order, key), wanted) << "seed " << kSeed << ", round " << i;
      if (!wanted) continue;
      ASSERT_EQ(range.Side(*order, key), 0);
      const auto start = range.SeekTarget(*order);
      const auto end = range.End(*order);
      ASSERT_TRUE(!start.has_value() || order->Compare(*start, key) <= 0);
      ASSERT_TRUE(!end.has_value() || order->Compare(key, *end) < 0);
    }
  }
}

TEST(KeyRangeTest, ComesBackFromItsText) {
  KeyRange range;
  range.from = "a:\\";
  range.to = std::string("b\0\xff", 3);
  EXPECT_EQ(FormatKeyRange(range, TextEncoding::kEscaped), "a\\x3a\\\\:b\\x00\\xff");
  for (const TextEncoding encoding :
       {TextEncoding::kEscaped, TextEncoding::kHex, TextEncoding::kBase64}) {
    const auto parsed = ParseKeyRange(FormatKeyRange(range, encoding), encoding);
    ASSERT_TRUE(parsed.ok()) << parsed.status();
    EXPECT_EQ(parsed->from, range.from);
    EXPECT_EQ(parsed->to, range.to);
  }
  EXPECT_TRUE(ParseKeyRange(":", TextEncoding::kEscaped)->IsWhole());
}

}  // namespace
}  // namespace sstable::tools
