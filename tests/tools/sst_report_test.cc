// `sst layout`, `sst check`, `sst filter` and `sst stats`.
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "nlohmann/json.hpp"
#include "table/block/compression.h"
#include "tests/support/block_bytes.h"
#include "tests/support/table_parts.h"
#include "tests/tools/sst_test.h"

namespace sstable::tools {
namespace {

using ::nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::MatchesRegex;
using ::testing::Not;

class ReportTest : public SstTest {
 protected:
  // The JSON report of a command, which is one line.
  static json Json(std::vector<std::string> arguments, int exit_code = 0) {
    arguments.insert(arguments.end(), {"--format", "json"});
    const Result result = Run(arguments);
    EXPECT_EQ(result.exit_code, exit_code) << result;
    EXPECT_EQ(result.out.find('\n'), result.out.size() - 1);
    return json::parse(result.out);
  }

  // The start of a line after its label.
  static std::string Field(const std::string& text, const std::string& label) {
    const size_t start = text.find("\n  " + label + " ");
    if (start == text.npos) return "no " + label;
    const size_t value = text.find_first_not_of(' ', start + 3 + label.size());
    return text.substr(value, text.find('\n', value) - value);
  }
};

TEST_F(ReportTest, LayoutAccountsForEveryByte) {
  const json layout = Json({"layout", Build("many", ManyRecords(300))});
  uint64_t end = 0;
  for (const json& block : layout["blocks"]) {
    EXPECT_EQ(block["offset"], end);
    EXPECT_EQ(block["stored_crc32c"], block["computed_crc32c"]);
    EXPECT_TRUE(block["error"].is_null());
    end += block["size"].get<uint64_t>() + 5;
  }
  EXPECT_EQ(layout["footer"]["offset"], end);
  EXPECT_EQ(layout["file_size"], end + 48);
  EXPECT_THAT(layout["unreferenced"], IsEmpty());
}

TEST_F(ReportTest, LayoutShowsBlocksEntriesAndBytes) {
  const std::string table = Build("fruit.ldb", "apple\tred\nbanana\tyellow\n");
  EXPECT_EQ(
      Run({"layout", table}).out,
      table +
          ": 181 bytes\n"
          "    offset       size  block      stored as     raw size  entries restarts  index key "
          "or name\n"
          "         0         34  data 0     none                34        2        1  \"c\"\n"
          "        39         18  filter     none                18                    "
          "filter.leveldb.BuiltinBloomFilter2\n"
          "        62         47  metaindex  none                47        1        1\n"
          "       114         14  index      none                14        1        1\n"
          "       133         48  footer     metaindex at offset 62, index at offset 114\n");
  EXPECT_THAT(
      Run({"layout", "-v", table}).out,
      AllOf(HasSubstr("\n                    0  apple => red\n                   11  banana =>"),
            HasSubstr("  0  \"filter.leveldb.BuiltinBloomFilter2\" => block at offset 39, 18"),
            HasSubstr("  0  \"c\" => block at offset 0, 34 bytes\n")));
  EXPECT_THAT(
      Run({"layout", "--hex", table}).out,
      AllOf(
          HasSubstr("         0  00 05 03                             shared 0, unshared 5, value "
                    "size 3\n"),
          HasSubstr("         3  61 70 70 6c 65                       key \"apple\"\n"),
          HasSubstr("        39  02 40 00 0c 80 00 d0 0f              window 0: bits\n"),
          HasSubstr("        56  0b                                   base lg 11: windows of 2048"),
          HasSubstr("       173  57 fb 80 8b 24 75 47 db              magic\n")));
}

// Each byte of the file is shown once: all hex digits together are the file.
TEST_F(ReportTest, HexShowsEveryByteOnce) {
  Build("many", ManyRecords(200), {"--compression", "none", "--block-size", "500"});
  const std::string bytes = folder_.Read("many");
  std::string shown;
  std::string out = Run({"layout", "--hex", Path("many")}).out;
  for (size_t start = 0, end; (end = out.find('\n', start)) != out.npos; start = end + 1) {
    const std::string line = out.substr(start, end - start);
    // Lines of bytes have an offset, two spaces and hex digits in columns of three.
    if (line.size() < 14 || line[10] != ' ' || line[11] != ' ' || !std::isxdigit(line[12]) ||
        !std::isxdigit(line[13]) || (line.size() > 14 && line[14] != ' ')) {
      continue;
    }
    EXPECT_EQ(std::stoul(line.substr(0, 10)), shown.size());
    for (size_t i = 12; i + 1 < line.size() && i < 48 && line[i] != ' '; i += 3) {
      shown.push_back(static_cast<char>(std::stoi(line.substr(i, 2), nullptr, 16)));
    }
  }
  EXPECT_EQ(shown, bytes);
}

TEST_F(ReportTest, LayoutMarksDamageAndGaps) {
  const std::string table = Build("many", ManyRecords(300), {"--compression", "none"});
  const Result damaged = Run({"layout", Corrupt(table, "damaged", 100)});
  EXPECT_EQ(damaged.exit_code, 1);
  EXPECT_THAT(damaged.out, HasSubstr("crc32c stored 0x"));
  EXPECT_EQ(Run({"layout", "--hex", Path("damaged")}).exit_code, 1);
  const json layout = Json({"layout", Path("damaged")}, 1);
  EXPECT_THAT(layout["blocks"][0]["error"].get<std::string>(), HasSubstr("crc32c"));
  EXPECT_TRUE(layout["blocks"][1]["error"].is_null());
}

TEST_F(ReportTest, CheckGivesASoundTableOneLine) {
  const std::string fruit = Build("fruit.ldb", kFruit);
  const std::string bare = Build("bare.ldb", kFruit, {"--filter", "none"});
  const std::string empty = Build("empty.ldb", "");
  const Result result = Run({"check", fruit, bare, empty});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.out, fruit + ": ok, 3 entries in 1 data block, filter contains every key\n" +
                            bare + ": ok, 3 entries in 1 data block, no filter\n" + empty +
                            ": ok, 0 entries in 0 data blocks, filter\n3 files: 3 ok\n");
  EXPECT_THAT(result.err, IsEmpty());
  EXPECT_EQ(Json({"check", fruit})["ok"], true);
}

TEST_F(ReportTest, CheckFindsAChangeOfAnyByte) {
  const std::string table = Build("fruit.ldb", kFruit);
  const size_t size = folder_.Read("fruit.ldb").size();
  for (size_t offset = 0; offset < size; ++offset) {
    // The zeros after the footer's handles are not checked.
    if (offset >= size - 44 && offset < size - 8) continue;
    const Result result = Run({"check", Corrupt(table, "changed.ldb", offset)});
    EXPECT_NE(result.exit_code, 0) << "byte " << offset;
    EXPECT_THAT(result.out, HasSubstr("changed.ldb: ")) << "byte " << offset;
  }
}

TEST_F(ReportTest, CheckNamesEachProblemAndTheSum) {
  const std::string table = Build("many", ManyRecords(400), {"--compression", "none"});
  Corrupt(table, "once", 100);
  const std::string damaged = Corrupt(Path("once"), "twice", 9000);
  const Result result = Run({"check", damaged});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, IsEmpty());
  EXPECT_THAT(result.out, AllOf(HasSubstr(damaged + ": data block at offset 0 ("),
                                HasSubstr("crc32c stored 0x"),
                                HasSubstr(damaged + ": damaged, 2 problems; 2 of "),
                                HasSubstr(" data blocks can't be read, ")));
  const json report = Json({"check", damaged}, 1);
  EXPECT_EQ(report["problem_count"], 2);
  EXPECT_EQ(report["problems"][0]["offset"], 0);
  EXPECT_EQ(Json({"check", Path("missing")}, 2)["ok"], false);
}

TEST_F(ReportTest, FilterMeasuresTheFilter) {
  const std::string table = Build("many", ManyRecords(2000));
  const std::string text = Run({"filter", table}).out;
  EXPECT_EQ(Field(text, "policy"), "leveldb.BuiltinBloomFilter2");
  EXPECT_EQ(Field(text, "lookups"), "consult it");
  EXPECT_EQ(Field(text, "probes (k)"), "6");
  EXPECT_EQ(Field(text, "false negatives"), "0 of 2000 keys");
  EXPECT_THAT(Field(text, "windows"), HasSubstr("of 2048 bytes each (base lg 11)"));
  const json report = Json({"filter", table});
  EXPECT_EQ(report["keys_tested"], 2000);
  EXPECT_EQ(report["false_negatives"], 0);
  EXPECT_LT(report["false_positives"]["measured_rate"], 0.03);
  EXPECT_EQ(report["false_positives"]["absent_keys_tested"], 10000);
  EXPECT_LE(report["false_positives"]["low"], report["false_positives"]["expected_rate"]);
  EXPECT_GE(report["false_positives"]["high"], report["false_positives"]["expected_rate"]);
}

TEST_F(ReportTest, FilterAsksForAsManyAndSuchKeysAsItIsTold) {
  const std::string table = Build("fruit.ldb", kFruit);
  folder_.Write("keys", "apple\ngrape\nbanana\nzebra\n");
  const json report = Json({"filter", "--probes", "77", "--probe-keys", Path("keys"), table});
  EXPECT_EQ(report["false_positives"]["absent_keys_tested"], 77);
  const json& given = report["false_positives_of_given_keys"];
  EXPECT_EQ(given["present"], 2);
  EXPECT_EQ(given["absent_keys_tested"], 1);  // zebra is above the last index key
  EXPECT_THAT(Run({"filter", "--probe-keys", Path("keys"), table}).out,
              AllOf(HasSubstr("of given keys"), HasSubstr("; 2 keys present")));
  folder_.Write("bad", "apple\n\\x\n");
  const Result bad = Run({"filter", "--probe-keys", Path("bad"), table});
  EXPECT_EQ(bad.exit_code, 2);
  EXPECT_THAT(bad.err, HasSubstr(Path("bad") + ": line 2: "));
  folder_.Write("empty", "");
  EXPECT_EQ(Json({"filter", "--probe-keys", Path("empty"),
                  table})["false_positives_of_given_keys"]["present"],
            0);
}

TEST_F(ReportTest, FilterMeasuresTheFilterOfTheWholeTable) {
  struct Case {
    const char* option;
    const char* policy;
    double max_rate;
  };
  for (const Case& c :
       {Case{"blocked:10", "BlockedBloom1", 0.015}, Case{"fuse8", "BinaryFuse8", 0.008},
        Case{"fuse16", "BinaryFuse16", 0.001}}) {
    SCOPED_TRACE(c.option);
    const std::string both = Build("both", ManyRecords(2000), {"--table-filter", c.option});
    const json report = Json({"filter", both});
    EXPECT_EQ(report["policy"], "leveldb.BuiltinBloomFilter2");
    EXPECT_EQ(report["table_filter"]["policy"], c.policy);
    EXPECT_EQ(report["table_filter"]["consulted"], true);
    EXPECT_EQ(report["table_filter"]["false_negatives"], 0);
    EXPECT_EQ(report["table_filter"]["false_positives"]["absent_keys_tested"], 10000);
    EXPECT_LT(report["table_filter"]["false_positives"]["measured_rate"], c.max_rate);
    const std::string alone =
        Build("alone", ManyRecords(2000), {"--table-filter", c.option, "--filter", "none"});
    const std::string text = Run({"filter", alone}).out;
    EXPECT_EQ(Field(text, "table filter"), c.policy);
    EXPECT_EQ(Field(text, "lookups"), "consult it");
    EXPECT_EQ(Field(text, "false negatives"), "0 of 2000 keys");
    for (const std::string& table : {both, alone}) {
      EXPECT_EQ(Run({"check", table}).out,
                table + ": ok, 2000 entries in " +
                    std::to_string(Json({"check", table})["data_blocks"].get<int>()) +
                    " data blocks, filter contains every key\n");
      EXPECT_THAT(Field(Run({"stats", table}).out, "written by"), HasSubstr("sstable"));
      EXPECT_THAT(Run({"get", "--explain", table, "key0200"}).err,
                  HasSubstr(std::string(c.policy) + ", of the whole table: may have the key"));
      EXPECT_THAT(Run({"get", "--explain", table, "zzz"}).err,
                  HasSubstr(std::string(c.policy) + ", of the whole table: does not have the key"));
    }
    for (const std::string& table : {both, alone}) {
      const Result probe = Run({"filter", "--probe", "key0200", table});
      EXPECT_EQ(probe.exit_code, 0) << probe;
      EXPECT_THAT(probe.out, HasSubstr(std::string(c.policy) +
                                       ", of the whole table: may have the key (hash"));
      EXPECT_EQ(absl::StrContains(probe.out, "so the block may have the key"), table == both);
      EXPECT_THAT(Run({"filter", "--probe", "key0200x", table}).out,
                  HasSubstr(", of the whole table: does not have the key (hash"));
    }
  }
}

TEST_F(ReportTest, FilterSaysWhyThereIsNone) {
  const Result none = Run({"filter", Build("bare", kFruit, {"--filter", "none"})});
  EXPECT_EQ(none.exit_code, 0);
  EXPECT_EQ(Field(none.out, "policy"), "none");
  EXPECT_THAT(Field(none.out, "lookups"), HasSubstr("do not consult it: the table has no filter"));
  // If the kind of keys is wrong, the filter would rule out all of them.
  const std::string versions = Build("db", kVersions, {"--keys", "internal"});
  const Result wrong = Run({"filter", "--keys", "plain", versions});
  EXPECT_EQ(wrong.exit_code, 1);
  EXPECT_THAT(Field(wrong.out, "lookups"), HasSubstr("does not contain the table's key"));
}

// If some keys can't be read, it is not known from how many the filter was built.
TEST_F(ReportTest, FilterSaysNothingOfBitsPerKeyWhereKeysAreMissing) {
  const std::string table = Build("many", ManyRecords(2000), {"--compression", "none"});
  EXPECT_THAT(Field(Run({"filter", table}).out, "block"), HasSubstr(" bits per key"));
  const Result damaged = Run({"filter", Corrupt(table, "damaged", 40000)});
  EXPECT_EQ(damaged.exit_code, 1);
  EXPECT_THAT(Field(damaged.out, "block"),
              AllOf(HasSubstr(", for an unknown number of keys"), Not(HasSubstr("per key"))));
}

TEST_F(ReportTest, FilterProbesAKey) {
  const std::string table = Build("fruit.ldb", kFruit);
  EXPECT_THAT(
      Run({"filter", "--probe", "kiwi", table}).out,
      AllOf(HasSubstr("key     \"kiwi\"\n"), HasSubstr("block   data block 0 at offset 0\n"),
            HasSubstr("6 of 6 bits checked"), HasSubstr("so the block may have the key")));
  EXPECT_THAT(Run({"filter", "--probe", "grape", table}).out,
              HasSubstr("so the block does not have the key"));
  EXPECT_THAT(Run({"filter", "--probe", "z", table}).out, HasSubstr("above the last index key"));
  for (const std::vector<std::string>& others : std::vector<std::vector<std::string>>{
           {"--format", "json"}, {"--probe-keys", table}, {"--probes", "5"}}) {
    const Result both = Run({"filter", "--probe", "z", others[0], others[1], table});
    EXPECT_EQ(both.exit_code, 2);
    EXPECT_THAT(both.err, HasSubstr("--probe can't be combined with " + others[0]));
  }
  const Result bare = Run({"filter", "--probe", "z", Build("bare", kFruit, {"--filter", "none"})});
  EXPECT_EQ(bare.exit_code, 2);
  EXPECT_THAT(bare.err, HasSubstr("the table has no filter block"));
}

TEST_F(ReportTest, StatsCount) {
  const std::string text = Run({"stats", Build("db", kVersions, {"--keys", "internal"})}).out;
  EXPECT_EQ(Field(text, "entries"), "4");
  EXPECT_EQ(Field(text, "user keys"), "2");
  EXPECT_EQ(Field(text, "deletions"), "1");
  EXPECT_EQ(Field(text, "sequences"), "3 to 9");
  EXPECT_EQ(Field(text, "keys"), "13 to 14 bytes, 13.5 on average, 54 in all");
  EXPECT_EQ(Field(text, "values"), "0 to 6 bytes, 3.5 on average, 14 in all");
  EXPECT_THAT(text, testing::ContainsRegex("\n +4 to 7 +2 #+\n"));
  EXPECT_THAT(Field(text, "written by"), HasSubstr("LevelDB"));
  const json report = Json({"stats", Path("db")});
  EXPECT_EQ(report["keys"], "internal");
  EXPECT_EQ(report["deletions"], 1);
  EXPECT_EQ(report["value_sizes"]["buckets"][1], json({{"from", 2}, {"to", 3}, {"count", 1}}));
  EXPECT_EQ(report["data_blocks"]["count"], 1);
  EXPECT_TRUE(Json({"stats", Build("empty", "")})["value_sizes"].is_null());
}

TEST_F(ReportTest, NamesRocksDbsZlibBlocksAsRocksDbDoes) {
  test::TableAssembler table;
  BlockCompressor compressor(Compression::kRawDeflate, -1);
  const auto stored = compressor.Compress(test::EncodeBlock({{"key", std::string(1000, 'x')}}));
  ASSERT_TRUE(stored.has_value());
  table.AddIndexEntry("key", table.AddBlock(*stored, /*type=*/2).Encode());
  table.AddMetaBlock("rocksdb.properties", test::EncodeBlock({}));
  folder_.Write("rocksdb.sst", table.Finish());
  const std::string path = Path("rocksdb.sst");
  EXPECT_EQ(Field(Run({"stats", "--keys", "plain", path}).out, "stored as"), "zlib: 1");
  EXPECT_EQ(Json({"layout", "--keys", "plain", path})["blocks"][0]["codec"], "zlib");
  const std::string hex = Run({"layout", "--hex", "--keys", "plain", path}).out;
  EXPECT_THAT(hex, HasSubstr(" bytes of zlib, uncompressed:"));
  EXPECT_THAT(hex, HasSubstr("type 2: zlib"));
  EXPECT_THAT(Run({"get", "--explain", "--keys", "plain", path, "key"}).err,
              HasSubstr(" bytes of zlib for "));
}

TEST_F(ReportTest, StatsTellsDamage) {
  const std::string table = Build("many", ManyRecords(400), {"--compression", "none"});
  const Result result = Run({"stats", Corrupt(table, "damaged", 100)});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_EQ(Field(result.out, "damaged"), "1 data block");
  EXPECT_THAT(result.err, HasSubstr("data block at offset 0"));
}

}  // namespace
}  // namespace sstable::tools
