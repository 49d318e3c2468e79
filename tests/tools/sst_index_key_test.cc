// `sst` on tables whose checksums are correct, but whose index keys do not separate the blocks'
// keys.
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/support/table_parts.h"
#include "tests/tools/sst_test.h"

namespace sstable::tools {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// 40 blocks of the keys k100 to k499, ten each, so that few of the blocks are sampled.
class SstIndexKeyTest : public SstTest {
 protected:
  // `index_key` is that of the block with k300 to k309.
  std::string Write(const std::string& index_key) {
    test::TableAssembler table;
    for (int first = 100; first < 500; first += 10) {
      test::Entries entries;
      for (int n = first; n < first + 10; ++n) {
        entries.emplace_back(absl::StrCat("k", n), absl::StrCat("v", n));
      }
      table.AddDataBlock(first == 300 ? index_key : entries.back().first, entries);
    }
    const std::string name = "index_key_" + index_key + ".ldb";
    folder_.Write(name, table.Finish());
    return Path(name);
  }

  static Result DumpKeys(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"dump", "--no-values"});
    return Run(std::move(arguments));
  }
};

TEST_F(SstIndexKeyTest, ASoundTableGivesItsRangesAndNoReport) {
  const std::string table = Write("k309");
  for (const std::vector<std::string>& range :
       {std::vector<std::string>{"--from", "k306", "--to", "k312"}, {"--prefix", "k30"}}) {
    std::vector<std::string> arguments = {table};
    arguments.insert(arguments.end(), range.begin(), range.end());
    const Result dump = DumpKeys(arguments);
    EXPECT_EQ(dump.exit_code, 0) << dump;
    EXPECT_THAT(dump.out, HasSubstr("k306\nk307\nk308\nk309\n"));
    EXPECT_THAT(dump.err, IsEmpty());
  }
  EXPECT_EQ(Run({"diff", table, table}).exit_code, 0);
}

TEST_F(SstIndexKeyTest, ARangeWithKeysAboveTheirIndexKeyIsWholeAndReported) {
  const std::string table = Write("k305");
  for (const std::vector<std::string>& range :
       {std::vector<std::string>{"--from", "k307", "--to", "k309"},
        {"--from", "k307"},
        {"--prefix", "k307"},
        {"--from", "k307", "--limit", "2"},
        {"--reverse", "--from", "k307"}}) {
    std::vector<std::string> arguments = {table};
    arguments.insert(arguments.end(), range.begin(), range.end());
    const Result dump = DumpKeys(arguments);
    EXPECT_EQ(dump.exit_code, 1) << dump;
    EXPECT_THAT(dump.out, HasSubstr("k307\n"));
    EXPECT_THAT(dump.err, HasSubstr("is above its index key, \"k305\""));
  }
}

TEST_F(SstIndexKeyTest, ARangeEndsAfterKeysThatAreNotAboveTheIndexKeyBefore) {
  const std::string table = Write("k313");
  const Result dump = DumpKeys({table, "--reverse", "--from", "k308", "--to", "k312"});
  EXPECT_EQ(dump.exit_code, 1) << dump;
  EXPECT_EQ(dump.out, "k311\nk310\nk309\nk308\n");
  EXPECT_THAT(dump.err, HasSubstr("is not above the index key before it, \"k313\""));
}

TEST_F(SstIndexKeyTest, GetFindsWhatDumpShows) {
  const std::string table = Write("k305");
  for (const std::vector<std::string>& given :
       {std::vector<std::string>{}, {"--comparator", "bytewise", "--keys", "plain"}}) {
    std::vector<std::string> arguments = {"get", table, "k307"};
    arguments.insert(arguments.end(), given.begin(), given.end());
    const Result get = Run(arguments);
    EXPECT_EQ(get.exit_code, 1) << get;
    EXPECT_EQ(get.out, "v307");
    EXPECT_THAT(get.err, AllOf(HasSubstr("is above its index key"), Not(HasSubstr("is not in"))));
  }
  const Result absent = Run({"get", table, "k3075"});
  EXPECT_EQ(absent.exit_code, 1);
  EXPECT_THAT(absent.out, IsEmpty());
  EXPECT_THAT(absent.err, HasSubstr("\"k3075\" is not in what could be read"));
}

TEST_F(SstIndexKeyTest, DiffComparesNoTableThatLookupsDoNotAgreeWith) {
  const std::string sound = Write("k309");
  for (const char* const index_key : {"k305", "k313"}) {
    const std::string table = Write(index_key);
    for (const std::string& other : {sound, table}) {
      const Result diff = Run({"diff", table, other});
      EXPECT_EQ(diff.exit_code, 2) << diff;
      EXPECT_THAT(diff.err, HasSubstr("index key"));
    }
  }
}

// Within a block, where index keys show nothing.
TEST_F(SstIndexKeyTest, ARangeWithADisorderedKeyIsReported) {
  test::TableAssembler assembler;
  for (int first = 100; first < 500; first += 10) {
    test::Entries entries;
    for (int n = first; n < first + 10; ++n) entries.emplace_back(absl::StrCat("k", n), "v");
    if (first == 310) std::swap(entries[2], entries[6]);
    assembler.AddDataBlock(entries.back().first, entries);
  }
  folder_.Write("disordered.ldb", assembler.Finish());
  const Result dump = DumpKeys({Path("disordered.ldb"), "--from", "k311", "--to", "k314"});
  EXPECT_EQ(dump.exit_code, 1) << dump;
  EXPECT_EQ(dump.out, "k311\nk313\nk312\n");
  EXPECT_THAT(dump.err, HasSubstr("keys are out of order: \"k313\" comes after \"k316\""));
}

}  // namespace
}  // namespace sstable::tools
