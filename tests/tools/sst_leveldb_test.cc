// Runs `sst` on databases that LevelDB writes.
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "leveldb/comparator.h"
#include "leveldb/db.h"
#include "tests/tools/sst_test.h"

namespace sstable::tools {
namespace {

using ::testing::HasSubstr;

using LevelDbTest = SstTest;

// A program writes such a table if it gives LevelDB its own comparison function under a known name.
TEST_F(LevelDbTest, KeysOfATableInAnotherOrderAreFound) {
  class Reverse final : public leveldb::Comparator {
   public:
    int Compare(const leveldb::Slice& a, const leveldb::Slice& b) const override {
      return b.compare(a);
    }
    const char* Name() const override { return "leveldb.BytewiseComparator"; }
    void FindShortestSeparator(std::string*, const leveldb::Slice&) const override {}
    void FindShortSuccessor(std::string*) const override {}
  } reverse;
  leveldb::Options options;
  options.create_if_missing = true;
  options.comparator = &reverse;
  std::string expected;
  {
    leveldb::DB* opened = nullptr;
    ASSERT_TRUE(leveldb::DB::Open(options, Path("db"), &opened).ok());
    const std::unique_ptr<leveldb::DB> database(opened);
    for (int i = 10; i < 68; ++i) {
      ASSERT_TRUE(database->Put({}, absl::StrCat("key", i), absl::StrCat(i)).ok());
      absl::StrAppend(&expected, "key", i, "\t", i, "\n");
    }
    database->CompactRange(nullptr, nullptr);
  }
  const auto another_order = HasSubstr(
      "its keys are in the order rocksdb.ReverseBytewiseComparator, the database's is "
      "leveldb.BytewiseComparator: it was written by a program with another comparator");
  const Result check = Run({"check", Path("db")});
  EXPECT_EQ(check.exit_code, 1);
  EXPECT_THAT(check.out, another_order);
  const Result dump = Run({"dump", "--format", "tsv", Path("db")});
  EXPECT_EQ(dump.exit_code, 1);
  EXPECT_EQ(dump.out, expected);
  EXPECT_THAT(dump.err, another_order);
  for (const char* const key : {"key10", "key40", "key67"}) {
    EXPECT_EQ(Run({"get", Path("db"), key}).out, std::string(key).substr(3));
  }
}

}  // namespace
}  // namespace sstable::tools
