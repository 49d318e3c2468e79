#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "sstable/experimental/table_filter.h"
#include "sstable/filter_policy.h"
#include "tests/support/random_bytes.h"

namespace sstable {
namespace {

TEST(PrefixExtractorTest, TakesTheFirstBytes) {
  const PrefixExtractor extractor = PrefixExtractor::FirstBytes(3);
  EXPECT_EQ(extractor.PrefixOf("abcd"), "abc");
  EXPECT_EQ(extractor.PrefixOf("abc"), "abc");
  EXPECT_EQ(extractor.PrefixOf("ab"), std::nullopt);
  EXPECT_EQ(extractor.PrefixOf(""), std::nullopt);
}

TEST(PrefixExtractorTest, GoesThroughADelimiter) {
  const PrefixExtractor extractor = PrefixExtractor::ThroughDelimiter('/', 2);
  EXPECT_EQ(extractor.PrefixOf("a/b/c/d"), "a/b/");
  EXPECT_EQ(extractor.PrefixOf("a/b/"), "a/b/");
  EXPECT_EQ(extractor.PrefixOf("//"), "//");
  EXPECT_EQ(extractor.PrefixOf("a/b"), std::nullopt);
  EXPECT_EQ(extractor.PrefixOf(""), std::nullopt);
}

TEST(PrefixExtractorTest, IsFoundByItsName) {
  for (const PrefixExtractor& extractor :
       {PrefixExtractor::FirstBytes(1), PrefixExtractor::FirstBytes(120),
        PrefixExtractor::ThroughDelimiter('/', 1), PrefixExtractor::ThroughDelimiter('\0', 7),
        PrefixExtractor::ThroughDelimiter('\xff', 2)}) {
    EXPECT_EQ(PrefixExtractor::Parse(extractor.Name()), extractor) << extractor.Name();
  }
  EXPECT_EQ(PrefixExtractor::FirstBytes(8).Name(), "first:8");
  EXPECT_EQ(PrefixExtractor::ThroughDelimiter('/', 3).Name(), "through:2f:3");
  for (const char* name : {"",
                           ":",
                           "first",
                           "first:",
                           "first:0",
                           "first:-1",
                           "first:08",
                           "first:8 ",
                           " first:8",
                           "first:8:",
                           "first:2f:8",
                           "First:8",
                           "through:8",
                           "through:2f",
                           "through:2f:0",
                           "through:2F:1",
                           "through:g0:1",
                           "through:2:1",
                           "through:2f:1:",
                           "through:2f:1:1",
                           "first:99999999999999999999"}) {
    EXPECT_EQ(PrefixExtractor::Parse(name), std::nullopt) << name;
  }
  EXPECT_EQ(PrefixExtractor::Parse(absl::string_view()), std::nullopt);  // a null view, not ""
}

TEST(PrefixExtractorTest, KeysThatBeginWithAKeyHaveItsPrefix) {
  test::Rng rng(1);
  for (int i = 0; i < 2000; ++i) {
    const std::string key = test::RandomBytesOf(rng, test::RandomUpTo(rng, 8), "a/");
    const std::string longer = key + test::RandomBytesOf(rng, test::RandomUpTo(rng, 8), "a/");
    for (const size_t count : {1, 2, 5}) {
      for (const PrefixExtractor& extractor :
           {PrefixExtractor::FirstBytes(count), PrefixExtractor::ThroughDelimiter('/', count)}) {
        const auto prefix = extractor.PrefixOf(key);
        if (!prefix.has_value()) continue;
        EXPECT_EQ(extractor.PrefixOf(longer), prefix);
        EXPECT_EQ(extractor.PrefixOf(*prefix), prefix);
      }
    }
  }
}

}  // namespace
}  // namespace sstable
