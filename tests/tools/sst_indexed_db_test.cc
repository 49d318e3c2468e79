// Tables in the order of Chromium's IndexedDB, which no option names.
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/tools/sst_test.h"

namespace sstable::tools {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class IndexedDbTest : public SstTest {
 protected:
  // The key of a record whose IndexedDB key is a number, as hex digits.
  static std::string KeyOf(double number) {
    std::string bytes("\0\1\1\1\3", 5);
    bytes.append(reinterpret_cast<const char*>(&number), sizeof(number));
    return absl::BytesToHexString(bytes);
  }

  // 300 records with ascending numbers.
  static std::string Records() {
    std::string tsv;
    for (int i = 0; i < 300; ++i) {
      absl::StrAppend(&tsv, KeyOf(i), "\t", i + 1, "\tvalue\t", absl::StrFormat("%06x", i), "\n");
    }
    return tsv;
  }

  std::string BuildRecords(const std::string& name) const {
    return Build(name, Records(),
                 {"--keys", "internal", "--comparator", "idb_cmp1", "--encoding", "hex",
                  "--block-size", "512"});
  }
};

TEST_F(IndexedDbTest, TheOrderIsFound) {
  const std::string table = BuildRecords("idb");
  const Result check = Run({"check", "-v", table});
  EXPECT_EQ(check.exit_code, 0) << check;
  EXPECT_THAT(check.err, HasSubstr("internal keys in the order idb_cmp1"));
  EXPECT_THAT(check.out, Not(HasSubstr("not checked")));
  EXPECT_EQ(Run({"check", "--comparator", "bytewise", table}).exit_code, 1);
}

TEST_F(IndexedDbTest, LookupsGoByIt) {
  const std::string table = BuildRecords("idb");
  for (const int number : {0, 2, 255, 256, 299}) {
    const Result get = Run({"get", "--encoding", "hex", "--format", "hex", table, KeyOf(number)});
    EXPECT_EQ(get.out, absl::StrFormat("%06x\n", number)) << get;
    EXPECT_EQ(get.err, "");
  }
  const Result absent = Run({"get", "--encoding", "hex", table, KeyOf(0.5)});
  EXPECT_EQ(absent.exit_code, 1);
  EXPECT_THAT(absent.err, HasSubstr("is not in"));
}

TEST_F(IndexedDbTest, ADumpIsBuiltIntoTheSameBytes) {
  const std::string table = BuildRecords("idb");
  const Result dump = Run({"dump", "--format", "tsv", "--encoding", "hex", table});
  EXPECT_EQ(dump.out, Records());
  const Result range = Run({"dump", "--no-values", "--format", "tsv", "--encoding", "hex", "--from",
                            KeyOf(254), "--to", KeyOf(257), table});
  EXPECT_EQ(range.out, absl::StrCat(KeyOf(254), "\t255\tvalue\n", KeyOf(255), "\t256\tvalue\n",
                                    KeyOf(256), "\t257\tvalue\n"));
}

TEST_F(IndexedDbTest, SalvageWritesInIt) {
  const std::string table = BuildRecords("idb");
  const Result salvage = Run({"salvage", table, "-o", Path("saved")});
  EXPECT_EQ(salvage.exit_code, 0) << salvage;
  EXPECT_EQ(folder_.Read("saved"), folder_.Read("idb"));
}

TEST_F(IndexedDbTest, APairOutOfOrderIsReported) {
  std::vector<std::string> lines = absl::StrSplit(Records(), '\n');
  std::swap(lines[99], lines[100]);
  const std::string table =
      Build("swapped", absl::StrJoin(lines, "\n"),
            {"--keys", "internal", "--comparator", "as-is", "--encoding", "hex"});
  const Result check = Run({"check", table});
  EXPECT_EQ(check.exit_code, 1) << check;
  EXPECT_THAT(check.out, AllOf(HasSubstr("comes after"), HasSubstr("ascend in IndexedDB's order")));
}

TEST_F(IndexedDbTest, BuildRefusesRecordsThatAreNotInIt) {
  const Result refused = RunWithInput(
      {"build", "--force", "--comparator", "idb_cmp1", "--encoding", "hex", Path("out")},
      absl::StrCat(KeyOf(2), "\t00\n", KeyOf(1), "\t00\n"));
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, HasSubstr("idb_cmp1"));
}

}  // namespace
}  // namespace sstable::tools
