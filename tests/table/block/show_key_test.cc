#include "table/block/show_key.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "sstable/comparator.h"
#include "sstable/internal_key.h"

namespace sstable {
namespace {

const std::string kValueKey = MakeInternalKey("user:1", 7, ValueType::kValue);

TEST(ShowKeyTest, APlainKeyIsItsBytes) {
  EXPECT_EQ(ShowKey(KeyKind::kPlain, "user:1"), R"("user:1")");
  EXPECT_EQ(ShowKey(KeyKind::kPlain, kValueKey), R"("user:1\x01\x07\x00\x00\x00\x00\x00\x00")");
}

TEST(ShowKeyTest, AnInternalKeyIsUserKeyAndSequence) {
  EXPECT_EQ(ShowKey(KeyKind::kInternal, kValueKey), R"("user:1" @7)");
  EXPECT_EQ(ShowKey(KeyKind::kInternal, MakeInternalKey("", 0, ValueType::kDeletion)), R"("" @0)");
  EXPECT_EQ(ShowKey(KeyKind::kInternal, MakeInternalKey("k\n", kMaxSequence, ValueType::kValue)),
            R"("k\n" @newest)");
  const KeyOrder order(BytewiseComparator(), KeyKind::kInternal);
  EXPECT_EQ(ShowKey(order, kValueKey), R"("user:1" @7)");
}

// A long key is not cut inside its tag, since the sequence would be lost.
TEST(ShowKeyTest, ALongUserKeyIsCutBeforeItsSequence) {
  EXPECT_EQ(
      ShowKey(KeyKind::kInternal, MakeInternalKey(std::string(100, 'u'), 12, ValueType::kValue)),
      absl::StrCat("\"", std::string(64, 'u'), "\"... @12"));
}

TEST(ShowKeyTest, LongKeysThatAreComparedAreShownWhereTheyDiffer) {
  const std::string prefix(100, 'u');
  const std::string a = prefix + "apple", b = prefix + "banana";
  const std::string context(16, 'u');
  EXPECT_EQ(ShowKey(KeyKind::kPlain, a, b), "[84 bytes]...\"" + context + "apple\"");
  EXPECT_EQ(ShowKey(KeyKind::kPlain, b, a), "[84 bytes]...\"" + context + "banana\"");
  EXPECT_EQ(ShowKey(KeyKind::kPlain, prefix, a), "[84 bytes]...\"" + context + "\"");
  EXPECT_EQ(ShowKey(KeyKind::kPlain, a + std::string(60, 'z'), b),
            "[84 bytes]...\"" + context + "apple" + std::string(43, 'z') + "\"...");
  const std::string internal = MakeInternalKey(a, 7, ValueType::kValue);
  EXPECT_EQ(ShowKey(KeyKind::kInternal, internal, MakeInternalKey(b, 6, ValueType::kValue)),
            "[84 bytes]...\"" + context + "apple\" @7");
  // These differ in the part that is shown anyway, or have no difference to show.
  EXPECT_EQ(ShowKey(KeyKind::kPlain, "apple", "banana"), "\"apple\"");
  EXPECT_EQ(ShowKey(KeyKind::kPlain, a, "v"), ShowKey(KeyKind::kPlain, a));
  EXPECT_EQ(ShowKey(KeyKind::kInternal, internal, MakeInternalKey(a, 9, ValueType::kValue)),
            ShowKey(KeyKind::kInternal, internal));
}

}  // namespace
}  // namespace sstable
