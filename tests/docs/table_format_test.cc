// The library must write and read the bytes shown in docs/table_format.md.
#include <string>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "sstable/comparator.h"
#include "sstable/file.h"
#include "sstable/filter_policy.h"
#include "sstable/options.h"
#include "sstable/table_iterator.h"
#include "sstable/table_reader.h"
#include "tests/docs/markdown.h"
#include "tests/support/hex.h"
#include "tests/support/status_matchers.h"
#include "tests/support/table_bytes.h"
#include "util/crc32c.h"

namespace sstable::test {
namespace {

const std::string& Page() {
  static const auto* page = new std::string(ReadDocument("docs/table_format.md"));
  return *page;
}

// Each line has an offset, bytes of two digits separated by spaces and, after two spaces, their
// meaning.
std::string BytesOfExample() {
  std::string bytes;
  const std::vector<std::string> blocks = CodeBlocks(Page(), "hex");
  EXPECT_EQ(blocks.size(), 1);
  for (absl::string_view line : absl::StrSplit(blocks.empty() ? "" : blocks[0], '\n')) {
    line = absl::StripLeadingAsciiWhitespace(line);
    if (line.empty()) continue;
    const std::vector<absl::string_view> parts = absl::StrSplit(line, absl::MaxSplits("  ", 2));
    size_t offset = 0;
    if (parts.size() != 3 || !absl::SimpleAtoi(parts[0], &offset)) {
      ADD_FAILURE() << "not an offset, bytes and their meaning: " << line;
      continue;
    }
    EXPECT_EQ(offset, bytes.size()) << line;
    for (const absl::string_view byte : absl::StrSplit(parts[1], ' ')) {
      EXPECT_TRUE(byte.size() == 2 && absl::ascii_isxdigit(byte[0]) &&
                  absl::ascii_isxdigit(byte[1]))
          << line;
      bytes += FromHex(byte);
    }
  }
  return bytes;
}

TEST(TableFormatPageTest, ExampleIsWhatTableBuilderWrites) {
  const auto policy = NewBloomFilterPolicy(10);
  TableBuilderOptions options;
  options.block_size = 20;
  options.compression = Compression::kNone;
  options.filter_policy = policy.get();
  ASSERT_OK_AND_ASSIGN(
      const std::string bytes,
      BuildTable(options, {{"apple", "red"}, {"apricot", "orange"}, {"plum", "blue"}}));
  EXPECT_EQ(absl::BytesToHexString(BytesOfExample()), absl::BytesToHexString(bytes));
}

TEST(TableFormatPageTest, ExampleReadsBack) {
  const std::string bytes = BytesOfExample();
  ASSERT_OK_AND_ASSIGN(const auto table, TableReader::Open(NewMemoryFile(bytes)));
  Entries entries;
  const auto it = table->NewIterator();
  for (it->SeekToFirst(); it->Valid(); it->Next()) entries.emplace_back(it->key(), it->value());
  EXPECT_OK(it->status());
  EXPECT_EQ(entries, (Entries{{"apple", "red"}, {"apricot", "orange"}, {"plum", "blue"}}));
  EXPECT_OK(table->LoadFilter());

  // The two lookups that the page describes.
  const uint64_t blocks_before = table->stats().blocks_read;
  ASSERT_OK_AND_ASSIGN(const auto pear, table->Get("pear"));
  EXPECT_EQ(pear, std::nullopt);
  EXPECT_EQ(table->stats().blocks_read, blocks_before);
  ASSERT_OK_AND_ASSIGN(const auto plum, table->Get("plum"));
  EXPECT_EQ(plum, "blue");
  EXPECT_EQ(table->stats().blocks_read, blocks_before + 1);
}

std::string Unescaped(const std::string& text) {
  std::string bytes;
  EXPECT_TRUE(absl::CUnescape(text, &bytes)) << text;
  return bytes;
}

TEST(TableFormatPageTest, SeparatorsAreTheBytewiseComparators) {
  const auto rows = TableRows(Page(), "| last key | next key | separator |");
  EXPECT_GE(rows.size(), 7);
  for (const auto& row : rows) {
    ASSERT_EQ(row.size(), 3);
    std::string separator = Unescaped(row[0]);
    BytewiseComparator()->FindShortestSeparator(&separator, Unescaped(row[1]));
    EXPECT_EQ(separator, Unescaped(row[2])) << row[0] << ", " << row[1];
  }
}

TEST(TableFormatPageTest, SuccessorsAreTheBytewiseComparators) {
  const auto rows = TableRows(Page(), "| last key | successor |");
  EXPECT_GE(rows.size(), 3);
  for (const auto& row : rows) {
    ASSERT_EQ(row.size(), 2);
    std::string successor = Unescaped(row[0]);
    BytewiseComparator()->FindShortSuccessor(&successor);
    EXPECT_EQ(successor, Unescaped(row[1])) << row[0];
  }
}

TEST(TableFormatPageTest, ChecksumsOfTheConventions) {
  EXPECT_EQ(Crc32c("123456789"), 0xe3069283);
  EXPECT_EQ(MaskCrc(0xe3069283), 0xc78ab0e5);
  EXPECT_NE(Page().find("it is 0xe3069283"), std::string::npos);
  EXPECT_NE(Page().find("it is 0xc78ab0e5"), std::string::npos);
}

}  // namespace
}  // namespace sstable::test
