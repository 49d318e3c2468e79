// The programs in docs/coming_from_leveldb.md must compile and give the same results.
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "gtest/gtest.h"
#include "leveldb/env.h"
#include "leveldb/filter_policy.h"
#include "leveldb/iterator.h"
#include "leveldb/options.h"
#include "leveldb/table.h"
#include "leveldb/table_builder.h"
#include "sstable/database_view.h"
#include "sstable/file.h"
#include "sstable/filter_block.h"
#include "sstable/filter_policy.h"
#include "sstable/options.h"
#include "sstable/slice.h"
#include "sstable/table_builder.h"
#include "sstable/table_reader.h"
#include "tests/support/temp_folder.h"

// clang-format off
#include "tests/docs/coming_from_leveldb_code.h"  // generated from docs/coming_from_leveldb.md
// clang-format on

namespace sstable::test {
namespace {

TEST(ComingFromLevelDbTest, TheyDoTheSameAndMakeTheSameFile) {
  const TempFolder folder;
  std::string theirs, ours;
  ASSERT_TRUE(RunLevelDb(folder.File("theirs"), &theirs));
  ASSERT_TRUE(RunSstable(folder.File("ours"), &ours));
  EXPECT_EQ(theirs, "blue");
  EXPECT_EQ(ours, "blue");
  EXPECT_EQ(folder.Read("ours"), folder.Read("theirs"));
}

// True if Get("", {}) compiles, where {} would be a null pointer for the value.
template <typename Reader, typename = void>
struct TakesBraces : std::false_type {};
template <typename Reader>
struct TakesBraces<Reader, std::void_t<decltype(std::declval<const Reader&>().Get("", {}))>>
    : std::true_type {};

// In this library, parsing a filter block or creating a builder can fail, a policy is owned, and an
// absent key is not an error.
TEST(ComingFromLevelDbTest, HabitsThatWouldGoWrongDoNotCompile) {
  EXPECT_FALSE(TakesBraces<TableReader>::value);
  EXPECT_FALSE(TakesBraces<DatabaseView>::value);
  EXPECT_FALSE((std::is_constructible_v<FilterBlockReader, const FilterPolicy*, Slice>));
  EXPECT_FALSE(
      (std::is_assignable_v<const FilterPolicy*&, decltype(sstable::NewBloomFilterPolicy(10))>));
  EXPECT_FALSE((std::is_constructible_v<TableBuilder, TableBuilderOptions, WritableFile*>));
  EXPECT_FALSE((std::is_convertible_v<absl::StatusOr<Presence>, absl::Status>));
}

// LevelDB's users must delete the policy after the table. Here, the reader does not use the
// builder's policy.
TEST(ComingFromLevelDbTest, ThePolicyCanBeDeletedOnceTheTableIsFinished) {
  const TempFolder folder;
  auto policy = sstable::NewBloomFilterPolicy(10);
  TableBuilderOptions options;
  options.filter_policy = policy.get();
  const auto builder = TableBuilder::Create(folder.File("table"), options).value();
  ASSERT_TRUE(builder->Add("apple", "red").ok());
  ASSERT_TRUE(builder->Finish().ok());
  policy.reset();
  const auto table = TableReader::Open(folder.File("table")).value();
  ASSERT_TRUE(table->LoadFilter().ok());
  EXPECT_EQ(table->Get("aloe").value(), std::nullopt);
  EXPECT_EQ(table->stats().filter_negatives, 1);
}

}  // namespace
}  // namespace sstable::test
