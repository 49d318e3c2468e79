// `sst filter compare`.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "nlohmann/json.hpp"
#include "tests/tools/sst_test.h"

namespace sstable::tools {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;

class FilterCompareTest : public SstTest {
 protected:
  static json Compare(std::vector<std::string> arguments, int exit_code = 0) {
    arguments.insert(arguments.begin(), {"filter", "compare", "--format", "json"});
    const Result result = Run(std::move(arguments));
    EXPECT_EQ(result.exit_code, exit_code) << result;
    return json::parse(result.out);
  }
  // The filter for an option, with windows if `base_lg` is not 0.
  static json Filter(const json& report, const std::string& option, int base_lg = 0) {
    for (const json& filter : report["filters"]) {
      const bool has_option =
          filter.value("filter", "") == option || filter.value("table_filter", "") == option;
      if (has_option && filter.value("base_lg", 0) == base_lg) return filter;
    }
    ADD_FAILURE() << option << " is not in " << report.dump();
    return json();
  }
  static double Rate(const json& filter, const char* of = "false_positives") {
    return filter[of]["measured_rate"];
  }
};

// Sizes and rates are those of the filters that `sst build` writes.
TEST_F(FilterCompareTest, HasTheSizesAndRatesOfTheFiltersThatBuildWrites) {
  const std::string bare = Build("bare", ManyRecords(5000), {"--filter", "none"});
  const json report = Compare({bare});
  EXPECT_EQ(report["keys"], 5000);
  EXPECT_EQ(report["is_sample"], false);
  EXPECT_EQ(report["tables_per_absent_lookup"], 1);
  for (const char* option : {"bloom:10", "bloom:16", "blocked:10", "fuse8"}) {
    const bool is_bloom = absl::StartsWith(option, "bloom");
    for (const int base_lg : is_bloom ? std::vector<int>{11, 14, 16} : std::vector<int>{0}) {
      SCOPED_TRACE(absl::StrCat(option, " ", base_lg));
      std::vector<std::string> options = {"--filter", is_bloom ? option : "none"};
      if (is_bloom) {
        options.insert(options.end(), {"--filter-base-lg", absl::StrCat(base_lg)});
      } else {
        options.insert(options.end(), {"--table-filter", option});
      }
      const Result result = Run({"filter", "--format", "json", "--probes", "100000",
                                 Build("built", ManyRecords(5000), options)});
      json built = json::parse(result.out);
      if (!is_bloom) built = built["table_filter"];
      const json compared = Filter(report, option, base_lg);
      EXPECT_EQ(compared["bytes"], built["block"]["size"]);
      EXPECT_NEAR(Rate(compared), Rate(built), 0.1 * Rate(built) + 0.0005);
      EXPECT_NEAR(Rate(compared), compared["expected_rate"], 0.15 * Rate(compared) + 0.0005);
      EXPECT_EQ(compared["false_positives"]["absent_keys_tested"], 100000);
      EXPECT_EQ(compared["blocks_read_per_absent_lookup"], Rate(compared));
    }
  }
}

// Even decimal numbers: LevelDB's hash lets many of the odd ones pass.
TEST_F(FilterCompareTest, MarksTheSmallestThatKeepsARate) {
  std::string tsv;
  for (int i = 100000; i < 116000; i += 2)
    tsv += absl::StrCat("0000000000", i, "\t", std::string(100, 'v'), "\n");
  const std::string table =
      Build("even", tsv, {"--restart-interval", "4", "--compression", "none"});
  const json report = Compare({"--rate", "1%", table});
  uint64_t smallest = UINT64_MAX, smallest_with_neighbours = UINT64_MAX, marked = 0,
           marked_with = 0;
  for (const json& filter : report["filters"]) {
    const uint64_t bytes = filter["bytes"];
    const bool keeps = filter["false_positives"]["low"] <= 0.01;
    const bool keeps_both = keeps && filter["false_positives_of_neighbours"]["low"] <= 0.01;
    if (keeps) smallest = std::min(smallest, bytes);
    if (keeps_both) smallest_with_neighbours = std::min(smallest_with_neighbours, bytes);
    if (filter["smallest"]) marked += bytes;
    if (filter["smallest_with_neighbours"]) marked_with += bytes;
  }
  EXPECT_EQ(marked, smallest);
  EXPECT_EQ(marked_with, smallest_with_neighbours);
  EXPECT_GT(Rate(Filter(report, "bloom:10", 11), "false_positives_of_neighbours"), 0.02);
  EXPECT_LT(Rate(Filter(report, "blocked:10"), "false_positives_of_neighbours"), 0.015);
  EXPECT_NEAR(Rate(Filter(report, "bloom:1%", 14)), 0.01, 0.002);

  const std::string text = Run({"filter", "compare", "--rate", "1%", table}).out;
  EXPECT_THAT(text,
              AllOf(HasSubstr("8000 keys of 1 table\n"), HasSubstr("bits/key"),
                    ContainsRegex("\n\\*"), ContainsRegex("\n[*]?\\+"), HasSubstr("\n  none ")));
}

TEST_F(FilterCompareTest, CountsTheTablesWhoseRangeAKeyIsIn) {
  const std::string low = Build("low", "a\t1\nb\t1\nc\t1\n"), high = Build("high", "x\t1\ny\t1\n");
  const std::string all = Build("all", "a\t1\nz\t1\n");
  EXPECT_EQ(Compare({low, high})["tables_per_absent_lookup"], 1);
  EXPECT_EQ(Compare({low, low})["tables_per_absent_lookup"], 2);
  // 5 keys are in a small table and in the large one, the large table's other 2 only there; "a" is
  // in both.
  EXPECT_NEAR(Compare({low, high, all})["tables_per_absent_lookup"], (3 * 2 + 2 * 2 + 2 + 1) / 7.0,
              1e-9);
}

TEST_F(FilterCompareTest, InternalKeysAreComparedByUserKey) {
  const std::string table = Build("db", kVersions, {"--keys", "internal"});
  const json report = Compare({table});
  EXPECT_EQ(report["keys"], 4);
  const json built =
      json::parse(Run({"filter", "--format", "json",
                       Build("fuse", kVersions, {"--keys", "internal", "--table-filter", "fuse8"})})
                      .out);
  EXPECT_EQ(Filter(report, "fuse8")["bytes"], built["table_filter"]["block"]["size"]);
  EXPECT_EQ(Filter(report, "bloom:10", 11)["bytes"], built["block"]["size"]);
}

TEST_F(FilterCompareTest, ReportsDamageAndComparesTheOtherKeys) {
  const std::string table = Build("table", ManyRecords(2000), {"--compression", "none"});
  const std::string damaged = Corrupt(table, "damaged", 5000);
  const json report = Compare({damaged, table}, 1);
  EXPECT_LT(report["keys"], 4000);
  EXPECT_GT(report["keys"], 3800);
  EXPECT_THAT(report["files"][0]["error"].get<std::string>(), HasSubstr("data block at offset 4"));
  EXPECT_TRUE(report["files"][1]["error"].is_null());
  EXPECT_EQ(Compare({Path("missing"), table}, 2)["keys"], 2000);
  EXPECT_EQ(Compare({Build("empty", "")})["keys"], 0);
}

TEST_F(FilterCompareTest, AFolderStandsForItsTables) {
  const std::string table = Build("000005.ldb", kFruit);
  Build("000007.ldb", kFruit);
  folder_.Write("LOG", "no table");
  const json report = Compare({Path(".")});
  EXPECT_EQ(report["files"].size(), 2);
  EXPECT_EQ(report["keys"], 6);
  EXPECT_THAT(Run({"filter", "compare", Path(".")}).out, HasSubstr("6 keys of 2 tables\n"));
}

TEST_F(FilterCompareTest, MeasuresNothingOfWhatCantBeRead) {
  folder_.Write("no_table.ldb", "text");
  const Result alone = Run({"filter", "compare", Path("no_table.ldb")});
  EXPECT_EQ(alone.exit_code, 1) << alone;
  EXPECT_EQ(alone.out, "");
  EXPECT_THAT(alone.err, HasSubstr("no_table.ldb"));
  const Result beside =
      Run({"filter", "compare", Path("no_table.ldb"), Build("fruit.ldb", kFruit)});
  EXPECT_EQ(beside.exit_code, 1) << beside;
  EXPECT_THAT(beside.out, HasSubstr("3 keys of 1 table\n"));
}

}  // namespace
}  // namespace sstable::tools
