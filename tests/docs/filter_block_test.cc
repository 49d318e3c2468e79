// The vectors and numbers in docs/filter_block.md must match the library.
#include "sstable/filter_block.h"

#include <string>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "filter/bloom.h"
#include "gtest/gtest.h"
#include "sstable/experimental/table_filter.h"
#include "sstable/filter_policy.h"
#include "tests/docs/markdown.h"
#include "tests/support/hex.h"
#include "tests/support/status_matchers.h"
#include "util/hash.h"

namespace sstable::test {
namespace {

const std::string& Page() {
  static const auto* page = new std::string(ReadDocument("docs/filter_block.md"));
  return *page;
}

std::string ToHex(uint32_t hash) { return absl::StrCat(absl::Hex(hash, absl::kZeroPad8)); }

TEST(FilterBlockPageTest, Hashes) {
  const auto rows = TableRows(Page(), "| key, hex | unsigned tail | signed tail |");
  EXPECT_GE(rows.size(), 8);
  for (const auto& row : rows) {
    ASSERT_EQ(row.size(), 3);
    const std::string key = row[0] == "(empty)" ? "" : FromHex(row[0]);
    EXPECT_EQ(ToHex(BloomKeyHash<HashTail::kUnsigned>(key)), row[1]) << row[0];
    EXPECT_EQ(ToHex(BloomKeyHash<HashTail::kSigned>(key)), row[2]) << row[0];
    EXPECT_EQ(HashTailMatters(key), row[1] != row[2]) << row[0];
  }
}

TEST(FilterBlockPageTest, ProbeCounts) {
  const auto rows = TableRows(Page(), "| bits per key | k |");
  EXPECT_GE(rows.size(), 9);
  for (const auto& row : rows) {
    ASSERT_EQ(row.size(), 2);
    int bits_per_key = 0;
    ASSERT_TRUE(absl::SimpleAtoi(row[0], &bits_per_key));
    EXPECT_EQ(absl::StrCat(BloomProbeCount(bits_per_key)), row[1]) << row[0];
  }
}

TEST(FilterBlockPageTest, TableFilters) {
  const auto hashes = TableRows(Page(), "| key | XXH3 |");
  ASSERT_EQ(hashes.size(), 4);
  std::vector<uint64_t> of_numbers;
  for (const auto& row : hashes) {
    const uint64_t hash = TableFilterHash(row[0] == "(empty)" ? "" : row[0]);
    EXPECT_EQ(absl::StrCat(absl::Hex(hash, absl::kZeroPad16)), row[1]) << row[0];
    if (row[0] != "(empty)") of_numbers.push_back(hash);
  }
  const auto filters = TableRows(Page(), "| policy | bits | filter |");
  ASSERT_EQ(filters.size(), 3);
  for (const auto& row : filters) {
    const TableFilterPolicy* const policy = FindTableFilterPolicy(row[0]);
    ASSERT_NE(policy, nullptr) << row[0];
    std::string filter;
    std::vector<uint64_t> copy = of_numbers;
    policy->CreateFilter(absl::MakeSpan(copy), &filter);
    EXPECT_EQ(absl::BytesToHexString(filter), row[2]) << row[0];
  }
}

TEST(FilterBlockPageTest, Filters) {
  const auto rows = TableRows(Page(), "| keys, 10 bits per key | filter |");
  ASSERT_EQ(rows.size(), 3);
  const std::vector<std::vector<absl::string_view>> keys = {{}, {""}, {"hello", "world"}};
  const auto policy = NewBloomFilterPolicy(10);
  for (size_t i = 0; i < rows.size(); ++i) {
    std::string filter;
    policy->CreateFilter(keys[i], &filter);
    EXPECT_EQ(absl::BytesToHexString(filter), rows[i].back()) << rows[i].front();
  }
  EXPECT_EQ(rows[0].front(), "none");
  EXPECT_EQ(rows[1].front(), "the empty key");
  EXPECT_EQ(rows[2].front(), "hello`, `world");
}

// In the picture, blocks start at 0, 1805, 3510 and 8015; the last ends at 10120.
TEST(FilterBlockPageTest, WindowsOfThePicture) {
  const auto policy = NewBloomFilterPolicy(10);
  FilterBlockBuilder builder(policy.get());
  const std::vector<uint64_t> starts = {0, 1805, 3510, 8015};
  for (const uint64_t start : starts) {
    EXPECT_NE(Page().find(absl::StrCat(" ", start)), std::string::npos);
    builder.StartBlock(start);
    builder.AddKey(absl::StrCat("key at ", start));
  }
  builder.StartBlock(10120);
  ASSERT_OK_AND_ASSIGN(const absl::string_view contents, builder.Finish());
  ASSERT_OK_AND_ASSIGN(const auto filter, FilterBlockReader::Parse(policy.get(), contents));
  ASSERT_EQ(filter.window_count(), 4);
  EXPECT_EQ(filter.WindowIndex(1805), 0);
  EXPECT_EQ(filter.WindowIndex(3510), 1);
  EXPECT_EQ(filter.WindowIndex(8015), 3);
  EXPECT_EQ(filter.Window(2).state, FilterWindow::State::kEmpty);
  for (const uint64_t start : starts) {
    EXPECT_TRUE(filter.KeyMayMatch(start, absl::StrCat("key at ", start)));
  }
}

TEST(FilterBlockPageTest, EmptyBlock) {
  const auto policy = NewBloomFilterPolicy(10);
  FilterBlockBuilder builder(policy.get());
  ASSERT_OK_AND_ASSIGN(const absl::string_view contents, builder.Finish());
  EXPECT_EQ(absl::BytesToHexString(contents), "000000000b");
  EXPECT_NE(Page().find("`00000000 0b`"), std::string::npos);
}

}  // namespace
}  // namespace sstable::test
