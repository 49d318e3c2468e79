// The programs of docs/coming_from_leveldb.md compile, and do the same.
#include <cstdint>
#include <memory>
#include <string>

#include "gtest/gtest.h"
#include "leveldb/env.h"
#include "leveldb/filter_policy.h"
#include "leveldb/iterator.h"
#include "leveldb/options.h"
#include "leveldb/table.h"
#include "leveldb/table_builder.h"
#include "sstable/filter_policy.h"
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

}  // namespace
}  // namespace sstable::test
