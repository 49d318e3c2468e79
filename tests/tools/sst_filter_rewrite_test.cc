// `sst filter add` and `sst filter strip`.
#include <string>
#include <vector>

#include "nlohmann/json.hpp"
#include "sstable/filter_policy.h"
#include "tests/support/table_parts.h"
#include "tests/tools/sst_test.h"
#include "util/coding.h"

namespace sstable::tools {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

class FilterRewriteTest : public SstTest {
 protected:
  // The bytes of the copy.
  std::string Rewrite(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "filter");
    arguments.insert(arguments.end(), {"-o", Path("out"), "--force"});
    const Result result = Run(arguments);
    EXPECT_EQ(result.exit_code, 0) << result;
    EXPECT_EQ(result.out, "");
    return folder_.Read("out");
  }
  void ExpectRefused(const std::vector<std::string>& arguments, int exit_code,
                     const std::string& message) {
    const Result result = Run(arguments);
    EXPECT_EQ(result.exit_code, exit_code) << result;
    EXPECT_THAT(result.err, HasSubstr(message));
    EXPECT_THAT(folder_.Names(), Not(Contains("new")));
  }
};

TEST_F(FilterRewriteTest, AddsTheFilterThatBuildWouldHaveWritten) {
  const std::string tsv = ManyRecords(3000);
  const std::string bare = Build("bare", tsv, {"--filter", "none"});
  for (const std::vector<std::string>& options : std::vector<std::vector<std::string>>{
           {},
           {"--filter", "bloom:14"},
           {"--filter", "bloom-old:1%"},
           {"--filter", "bloom:10", "--filter-base-lg", "auto"},
           {"--filter", "none", "--table-filter", "fuse8"},
           {"--filter", "none", "--table-filter", "fuse16", "--table-filter-prefixes", "first:6"},
           {"--filter", "bloom:10", "--table-filter", "blocked:12"}}) {
    Build("built", tsv, options);
    std::vector<std::string> arguments = {"add", bare};
    arguments.insert(arguments.end(), options.begin(), options.end());
    EXPECT_TRUE(Rewrite(arguments) == folder_.Read("built")) << testing::PrintToString(options);
    EXPECT_TRUE(Rewrite({"strip", Path("built")}) == folder_.Read("bare"));
  }
  EXPECT_THAT(Run({"check", Path("out")}).out, HasSubstr(": ok, 3000 entries"));
}

TEST_F(FilterRewriteTest, AFilterOfTheOtherSortStays) {
  const std::string tsv = ManyRecords(500);
  const std::string bloom = Build("bloom", tsv);
  Build("both", tsv, {"--table-filter", "fuse16"});
  EXPECT_TRUE(Rewrite({"add", bloom, "--table-filter", "fuse16"}) == folder_.Read("both"));
  EXPECT_TRUE(Rewrite({"add", Path("both"), "--table-filter", "none"}) == folder_.Read("bloom"));
}

// Only one of these keys is in the filter that would stay.
TEST_F(FilterRewriteTest, AFilterThatDeniesAKeyDoesNotStay) {
  std::string filter;
  NewBloomFilterPolicy(10)->CreateFilter({"a"}, &filter);
  const size_t size = filter.size();
  AppendFixed32(&filter, 0);
  AppendFixed32(&filter, static_cast<uint32_t>(size));
  filter += '\x0b';
  test::TableAssembler table;
  table.AddDataBlock("b", {{"a", "1"}, {"b", "2"}});
  table.AddMetaBlock("filter.leveldb.BuiltinBloomFilter2", filter);
  folder_.Write("wrong", table.Finish());
  ExpectRefused({"filter", "add", "--table-filter", "fuse8", Path("wrong"), "-o", Path("new")}, 1,
                "the filter block, which is to be copied, does not contain key \"b\"; it must be "
                "replaced or left out");
  Rewrite({"add", "--table-filter", "fuse8", "--filter", "none", Path("wrong")});
  EXPECT_EQ(Run({"get", Path("out"), "b"}).out, "2");
  Rewrite({"add", Path("wrong")});
  EXPECT_EQ(Run({"get", Path("out"), "b"}).out, "2");
}

TEST_F(FilterRewriteTest, InternalKeysGetAFilterOfUserKeys) {
  const std::string versions =
      Build("versions", kVersions, {"--keys", "internal", "--filter", "none"});
  Rewrite({"add", versions});
  EXPECT_EQ(Run({"get", Path("out"), "banana"}).out, "brown");
  EXPECT_THAT(Run({"check", Path("out")}).out, HasSubstr("filter contains every key"));
  ExpectRefused({"filter", "add", "--keys", "internal",
                 Build("plain", kFruit, {"--filter", "none"}), "-o", Path("new")},
                2, "its keys are not of the kind given with --keys");
}

// Keys of either kind: all end in what could be a tag.
TEST_F(FilterRewriteTest, AsksForTheKindOfKeysThatATableDoesNotShow) {
  const std::string table =
      Build("one", "6b65790101000000000000\t76\n",
            {"--encoding", "hex", "--filter", "none", "--comparator", "as-is"});
  ExpectRefused({"filter", "add", table, "-o", Path("new")}, 2, "say so with --keys");
  Rewrite({"add", table, "--keys", "plain"});
}

TEST_F(FilterRewriteTest, KeysInAnOrderThatIsNotKnownGetAFilter) {
  std::string tsv;
  for (int i = 0; i < 2000; ++i) {
    tsv += "k" + std::to_string(i * 7919 % 2003) + "\tvalue " + std::to_string(i) + "\n";
  }
  const std::string bare = Build("bare", tsv, {"--comparator", "as-is", "--filter", "none"});
  Build("built", tsv, {"--comparator", "as-is"});
  EXPECT_TRUE(Rewrite({"add", bare}) == folder_.Read("built"));
}

TEST_F(FilterRewriteTest, ADamagedTableIsRefusedWithThePlace) {
  const std::string table = Build("table", ManyRecords(500), {"--compression", "none"});
  const std::string damaged = Corrupt(table, "damaged", 5000);
  ExpectRefused({"filter", "add", damaged, "-o", Path("new")}, 1,
                damaged + ": data block at offset 4");
  ExpectRefused({"filter", "strip", damaged, "-o", Path("new")}, 1,
                damaged + ": data block at offset 4");
}

TEST_F(FilterRewriteTest, OutIsReplacedWithForceOnly) {
  const std::string table = Build("table", kFruit);
  folder_.Write("old", "something");
  for (const char* command : {"add", "strip"}) {
    const Result result = Run({"filter", command, table, "-o", Path("old")});
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_THAT(result.err, HasSubstr(Path("old") + ": exists; --force replaces it"));
    EXPECT_EQ(folder_.Read("old"), "something");
    ExpectRefused({"filter", command, table, "-o", table, "--force"}, 2, "is FILE itself");
    ExpectRefused({"filter", command, table}, 2, "-o OUT is missing");
  }
  ExpectRefused({"filter", "add", table, "-o", Path("new"), "--table-filter", "fuse8",
                 "--filter-base-lg", "14"},
                2, "--filter-base-lg needs a --filter");
  ExpectRefused({"filter", "add", table, "-o", Path("new"), "--table-filter-prefixes", "first:3"},
                2, "--table-filter-prefixes needs a --table-filter");
  ExpectRefused({"filter", "add", table, "-o", Path("new"), "--table-filter", "fuse8",
                 "--table-filter-prefixes", "through:2F:1"},
                2, "two hexadecimal digits, in lower case");
  ExpectRefused({"filter", "strip", table, "-o", "-"}, 2, "standard output is not supported");
}

TEST_F(FilterRewriteTest, ReportsInJson) {
  const std::string table = Build("table", kFruit, {"--filter", "none"});
  const Result result = Run(
      {"filter", "add", "--table-filter", "fuse8", "--format", "json", table, "-o", Path("out")});
  EXPECT_EQ(result.exit_code, 0) << result;
  const json report = json::parse(result.out);
  EXPECT_EQ(report["file"], table);
  EXPECT_EQ(report["output"], Path("out"));
  EXPECT_EQ(report["keys"], 3);
  EXPECT_EQ(report["file_bytes"], folder_.Read("table").size());
  EXPECT_EQ(report["output_bytes"], folder_.Read("out").size());
  EXPECT_EQ(report["filters"][0]["name"], "filter.sstable.BinaryFuse8");
  EXPECT_EQ(report["filters"].size(), 1);
  EXPECT_EQ(report["filters"][0]["block"]["offset"], report["data_bytes"]);
}

// `sst filter FILE` still works, and a file with the name of a sub-command is given by its path.
TEST_F(FilterRewriteTest, AFileOfTheNameAddIsReachedByItsPath) {
  Build("add", kFruit);
  EXPECT_THAT(Run({"filter", Path("add")}).out, HasSubstr("0 of 3 keys"));
  EXPECT_THAT(Run({"filter", "add"}).err, HasSubstr("filter add: too few arguments"));
  EXPECT_THAT(Run({"help", "filter", "add"}).out, HasSubstr("Usage: sst filter add [OPTIONS]"));
  EXPECT_THAT(Run({"help", "filter"}).out, HasSubstr("Usage: sst filter [OPTIONS] PATH"));
  EXPECT_THAT(Run({"--help"}).out,
              AllOf(HasSubstr("\n  filter add "), HasSubstr("\n  filter strip ")));
}

}  // namespace
}  // namespace sstable::tools
