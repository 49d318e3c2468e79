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
using ::testing::Field;

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

}  // namespace
}  // namespace sstable
