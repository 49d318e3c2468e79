// Assumptions of `sst` about keys are never stated with more certainty than there is evidence.
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "sstable/file.h"
#include "sstable/options.h"
#include "sstable/table_builder.h"
#include "tests/support/status_matchers.h"
#include "tests/tools/sst_test.h"

namespace sstable::tools {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class GuessTest : public SstTest {
 protected:
  // Records whose keys ascend, except for a pair: the first of the second block, and the one before
  // it.
  std::string SwappedAcrossABlocksEnd() const {
    TableBuilderOptions options;
    options.keep_input_order = true;
    const auto builder = *TableBuilder::Create(Path("swapped"), options);
    for (int i = 0; i < 100; ++i) {
      const int number = i == 49 ? 50 : i == 50 ? 49 : i;
      if (i == 50) {
        EXPECT_OK(builder->Flush());
      }
      EXPECT_OK(builder->Add(absl::StrFormat("key%06d", number), "v"));
    }
    EXPECT_OK(builder->Finish());
    return Path("swapped");
  }

  static std::string Records(int count) {
    std::string tsv;
    for (int i = 0; i < count; ++i) tsv += absl::StrFormat("key%06d\tvalue\n", i);
    return tsv;
  }

  static constexpr int kLineSize = 16;  // in Records()

  // Swaps the lines `at` and `at` + 1.
  static std::string Swapped(std::string tsv, size_t at) {
    const std::string line = tsv.substr(at * kLineSize, kLineSize);
    tsv.erase(at * kLineSize, kLineSize);
    tsv.insert((at + 1) * kLineSize, line);
    return tsv;
  }
};

TEST_F(GuessTest, GetFindsPlainKeysThatLookLikeInternalOnes) {
  std::string records;
  for (int i = 1; i <= 500; ++i) {
    records +=
        absl::StrFormat("user%04d\\x00\\x00\\x00\\x00\\x00\\x00\\x01\\x%02x\tv%d\n", i, i % 256, i);
  }
  const std::string table = Build("numbered", records, {"--filter", "none"});
  const Result found = Run({"get", table, "user0007\\x00\\x00\\x00\\x00\\x00\\x00\\x01\\x07"});
  EXPECT_EQ(found.exit_code, 0) << found;
  EXPECT_EQ(found.out, "v7");
  EXPECT_EQ(found.err, "");
  EXPECT_THAT(Run({"dump", "--limit", "1", table}).out, HasSubstr("user0001\\x00"));
}

// Eight zeros could be the tag of a deletion of the empty key.
TEST_F(GuessTest, GetAsksBothWaysWhereTheKindIsOpen) {
  const std::string plain = Build("plain", "a\\x01\\x00\\x00\\x00\\x00\\x00\\x00\\x00\tv\n",
                                  {"--filter", "none", "--comparator", "as-is"});
  const Result whole = Run({"get", plain, "a\\x01\\x00\\x00\\x00\\x00\\x00\\x00\\x00"});
  EXPECT_EQ(whole.exit_code, 0) << whole;
  EXPECT_EQ(whole.out, "v");
  EXPECT_THAT(whole.err, AllOf(HasSubstr("it does not show what kind of keys it has"),
                               HasSubstr("is there as a plain key")));
  const Result user_key = Run({"get", plain, "a"});
  EXPECT_EQ(user_key.out, "v");
  EXPECT_THAT(user_key.err, HasSubstr("is there as the user key of an internal key"));
  EXPECT_EQ(Run({"get", "--keys", "plain", plain, "a"}).exit_code, 1);
  const Result absent = Run({"get", plain, "b"});
  EXPECT_EQ(absent.exit_code, 1);
  EXPECT_THAT(absent.err, HasSubstr("\"b\" is not in"));
}

TEST_F(GuessTest, GetDoesNotChooseBetweenTwoReadings) {
  // As a plain table: two keys. As an internal one: the user keys "" and "\x01\0\0\0\0\0\0\0".
  const std::string tag = "\\x01\\x00\\x00\\x00\\x00\\x00\\x00\\x00";
  const std::string table = Build("both", tag + "\tone\n" + tag + tag + "\ttwo\n",
                                  {"--filter", "none", "--comparator", "as-is"});
  const Result both = Run({"get", table, tag});
  EXPECT_EQ(both.exit_code, 2) << both;
  EXPECT_THAT(both.err, HasSubstr("choose one with --keys"));
  EXPECT_EQ(Run({"get", "--keys", "plain", table, tag}).out, "one");
  EXPECT_EQ(Run({"get", "--keys", "internal", table, tag}).out, "two");
}

TEST_F(GuessTest, CheckNeverDropsAnOrderThatWasGiven) {
  const std::string table = SwappedAcrossABlocksEnd();
  const Result given = Run({"check", "--comparator", "bytewise", table});
  EXPECT_EQ(given.exit_code, 1);
  EXPECT_THAT(given.out, AllOf(HasSubstr("\"key000049\" comes after \"key000050\""),
                               HasSubstr("damaged"), Not(HasSubstr("not known"))));
  const Result reverse = Run({"check", "--comparator", "reverse", Build("b", Records(2000))});
  EXPECT_EQ(reverse.exit_code, 1);
  EXPECT_THAT(reverse.out, HasSubstr("index keys are not in the order of"));
}

TEST_F(GuessTest, CheckReportsASwappedPairThoughNoOrderWasGiven) {
  const Result check = Run({"check", SwappedAcrossABlocksEnd()});
  EXPECT_EQ(check.exit_code, 1);
  EXPECT_THAT(check.out, AllOf(HasSubstr("\"key000049\" comes after \"key000050\""),
                               HasSubstr("assumed because all but 1 of 100 keys ascend")));
}

TEST_F(GuessTest, APairInTenThousandIsReportedAndFound) {
  const std::string records = Records(10000);
  for (const size_t at : {size_t{0}, size_t{5}, size_t{4321}, size_t{9998}}) {
    const std::string table = Build("many", Swapped(records, at),
                                    {"--comparator", "as-is", "--force", "--filter", "none"});
    const Result check = Run({"check", table});
    EXPECT_EQ(check.exit_code, 1) << at << check;
    const std::string pair = absl::StrFormat("\"key%06d\" comes after \"key%06d\"", at, at + 1);
    EXPECT_THAT(check.out, HasSubstr(pair));
    for (const size_t number : {at, at + 1}) {
      const Result get = Run({"get", table, absl::StrFormat("key%06d", number)});
      const bool is_missed = absl::StrContains(get.err, "a lookup does not find it");
      EXPECT_EQ(get.out, "value") << number;
      EXPECT_EQ(get.exit_code, is_missed ? 1 : 0) << number << get;
    }
  }
}

TEST_F(GuessTest, TwoKeysInReverseAreNotAnOrder) {
  const std::string table = Build("two", "b\t1\na\t2\n", {"--comparator", "as-is"});
  const Result check = Run({"check", "-v", table});
  EXPECT_EQ(check.exit_code, 0);
  EXPECT_THAT(check.out,
              HasSubstr("the order of keys is not known and not checked: 2 keys descend, too few"));
  EXPECT_THAT(check.err, AllOf(HasSubstr("unknown order"), Not(HasSubstr("reverse"))));
  EXPECT_EQ(Run({"get", table, "a"}).out, "2");
  EXPECT_EQ(Run({"check", "--comparator", "bytewise", table}).exit_code, 1);
  EXPECT_EQ(Run({"check", "--comparator", "reverse", table}).exit_code, 0);
}

TEST_F(GuessTest, BuildKeepsTheOrderOfARecordAsItIs) {
  std::string records;
  for (int i = 0; i < 2000; ++i) {  // the last digit first
    std::string key = absl::StrFormat("%06d", i);
    records += "key" + std::string(key.rbegin(), key.rend()) + "\tvalue\n";
  }
  const std::string table = Build("own", records, {"--comparator", "as-is"});
  EXPECT_EQ(Run({"dump", "--format", "tsv", table}).out, records);
  EXPECT_THAT(Run({"check", table}).out,
              AllOf(HasSubstr("no damage found, 2000 entries"),
                    HasSubstr("the order of keys is not known and not checked")));
  const Result again = RunWithInput({"build", "--comparator", "as-is", Path("again")}, records);
  EXPECT_EQ(again.exit_code, 0);
  EXPECT_EQ(folder_.Read("again"), folder_.Read("own"));
}

TEST_F(GuessTest, BuildAsIsRefusesWhatNoOrderHas) {
  const auto build = [](const std::string& records, std::vector<std::string> options) {
    options.insert(options.begin(), {"build", "--comparator", "as-is", "-"});
    return RunWithInput(std::move(options), records);
  };
  EXPECT_THAT(build("a\t1\na\t2\n", {}).err, HasSubstr("was already given"));
  EXPECT_THAT(build("a\t1\tvalue\tx\na\t2\tvalue\ty\n", {"--keys", "internal"}).err,
              HasSubstr("is a newer version"));
  EXPECT_EQ(build("b\t1\tvalue\tx\na\t2\tvalue\ty\n", {"--keys", "internal"}).exit_code, 0);
  EXPECT_THAT(build("b\t1\na\t2\n", {"--sort"}).err,
              HasSubstr("as-is and --sort exclude each other"));
}

TEST_F(GuessTest, TheHintForDisorderNamesBothWays) {
  const Result refused = RunWithInput({"build", "--force", Path("out")}, "b\t1\na\t2\n");
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, AllOf(HasSubstr("--sort"), HasSubstr("--comparator as-is")));
}

}  // namespace
}  // namespace sstable::tools
