#include "sstable/check.h"

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "sstable/file.h"
#include "sstable/options.h"
#include "sstable/table_reader.h"
#include "tests/support/block_bytes.h"
#include "tests/support/status_matchers.h"
#include "tests/support/table_parts.h"

namespace sstable {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// The problems of a table with one block that has "a" and "b", whole, and these restart points.
std::vector<CheckProblem> ProblemsWithRestarts(const std::vector<uint32_t>& restarts) {
  test::TableAssembler table;
  const std::string block = test::EncodeEntry(0, "a", "1") + test::EncodeEntry(0, "b", "2") +
                            test::EncodeRestarts(restarts);
  table.AddIndexEntry("b", table.AddBlock(block).Encode());
  const std::string bytes = table.Finish();
  const auto reader = TableReader::Open(NewMemoryFile(bytes));
  EXPECT_OK(reader);
  return CheckTable(**reader, CheckOptions()).problems;
}

TEST(CheckTest, RestartPointsAscendFrom0AndAreAtEntries) {
  EXPECT_THAT(ProblemsWithRestarts({0}), IsEmpty());
  EXPECT_THAT(ProblemsWithRestarts({0, 5}), IsEmpty());
  EXPECT_THAT(ProblemsWithRestarts({5}),
              ElementsAre(Field(&CheckProblem::message,
                                HasSubstr("restart point 0 is at offset 5 in the block"))));
  for (const uint32_t offset : {0u, 1u, 10u, 0xffffffffu}) {
    EXPECT_THAT(ProblemsWithRestarts({0, offset}),
                ElementsAre(Field(&CheckProblem::message, HasSubstr("restart point 1 of 2, at"))));
  }
}

// A table with one entry, and the problem with one of its other blocks.
struct PlaceCase {
  const char* name;
  const char* meta_name;
  absl::string_view meta_value;   // metaindex entry's value; empty: the handle of a block "???"
  absl::string_view index_value;  // value of another index entry; empty: none
  const char* place;
  const char* message;
};
class CheckPlaceTest : public testing::TestWithParam<PlaceCase> {};

// The block is named only in `place`, though errors of the reader name it as well.
TEST_P(CheckPlaceTest, IsNamedOnce) {
  test::TableAssembler table;
  table.AddDataBlock("key", {{"key", "value"}});
  if (GetParam().meta_value.empty()) {
    table.AddMetaBlock(GetParam().meta_name, "???");
  } else {
    table.AddMetaEntry(GetParam().meta_name, GetParam().meta_value);
  }
  if (!GetParam().index_value.empty()) table.AddIndexEntry("z", GetParam().index_value);
  const std::string bytes = table.Finish();
  const auto reader = TableReader::Open(NewMemoryFile(bytes, "t.ldb"));
  ASSERT_OK(reader);
  EXPECT_THAT(CheckTable(**reader, CheckOptions()).problems,
              Contains(testing::AllOf(
                  Field(&CheckProblem::place, testing::StartsWith(GetParam().place)),
                  Field(&CheckProblem::message, testing::StartsWith(GetParam().message)))));
}
INSTANTIATE_TEST_SUITE_P(
    Blocks, CheckPlaceTest,
    testing::ValuesIn<PlaceCase>({
        {"Filter", "filter.leveldb.BuiltinBloomFilter2", "", "", "filter block at offset",
         "filter block has 3 bytes"},
        {"Metaindex", "mine", "\xff", "", "metaindex block at offset", "entry \"mine\""},
        {"Index", "mine", "", "\xff", "index block at offset", "entry at offset"},
    }),
    [](const auto& info) { return info.param.name; });

// Checks a table with these blocks, each with its last key in the index, in an unknown order.
CheckReport CheckBlocks(const std::vector<std::vector<std::string>>& blocks) {
  test::TableAssembler table;
  for (const std::vector<std::string>& keys : blocks) {
    test::Entries entries;
    for (const std::string& key : keys) entries.emplace_back(key, "value");
    table.AddDataBlock(keys.back(), entries);
  }
  const std::string bytes = table.Finish();
  const auto reader = TableReader::Open(NewMemoryFile(bytes));
  EXPECT_OK(reader);
  CheckOptions options;
  options.keys = KeyTrust::kUnordered;
  return CheckTable(**reader, options);
}

TEST(CheckTest, AllKeysTogetherDecideOfTheOrder) {
  const CheckReport sound = CheckBlocks({{"a", "b"}, {"c"}, {"d"}});
  EXPECT_TRUE(sound.ok());
  EXPECT_TRUE(sound.order_checked);

  const CheckReport swapped =
      CheckBlocks({{"a", "b"}, {"c", "d"}, {"g", "h"}, {"e", "f"}, {"i", "j"}, {"k"}});
  EXPECT_TRUE(swapped.order_checked);
  EXPECT_TRUE(swapped.order_assumed);
  EXPECT_THAT(swapped.problems,
              Contains(Field(&CheckProblem::message, HasSubstr("\"e\" comes after \"h\""))));

  const CheckReport few = CheckBlocks({{"a"}, {"c"}, {"b"}});
  EXPECT_TRUE(few.ok());
  EXPECT_FALSE(few.order_checked);
  EXPECT_EQ(few.order_reason, "of 3 keys, 1 do not ascend and 1 do not descend");
}

}  // namespace
}  // namespace sstable
