// `--decode`: the meaning of bytes that known programs wrote.
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "sstable/experimental/log_file.h"
#include "sstable/experimental/write_batch.h"
#include "sstable/file.h"
#include "tests/support/hex.h"
#include "tests/tools/sst_test.h"
#include "util/escape.h"

namespace sstable::tools {
namespace {

using ::nlohmann::json;
using ::sstable::test::FromHex;
using ::sstable::test::ToHex;
using ::testing::AllOf;
using ::testing::HasSubstr;

struct DecodeCase {
  const char* key_hex;
  const char* value_hex;
  const char* key;    // JSON; empty: not decoded
  const char* value;  // hex
};

// The text for bytes that are not decoded.
std::string EscapedHex(const std::string& hex) {
  std::string text;
  AppendEscaped(FromHex(hex), &text);
  return text;
}

class DecodeTest : public SstTest {
 protected:
  // Builds a table with the entries of the cases, as-is, since they need not be in order.
  std::string BuildCases(const std::string& name, const std::vector<DecodeCase>& cases) const {
    std::string tsv;
    for (const DecodeCase& c : cases) {
      absl::StrAppend(&tsv, ToHex(FromHex(c.key_hex)), "\t", ToHex(FromHex(c.value_hex)), "\n");
    }
    return Build(name, tsv, {"--encoding", "hex", "--comparator", "as-is", "--filter", "none"});
  }

  // Each is decoded as its case says, and its bytes are there, too.
  void ExpectDecoded(const std::string& program, const std::vector<DecodeCase>& cases) const {
    const std::string table = BuildCases("cases", cases);
    const Result dump = Run({"dump", "--keys", "plain", "--decode", program, "--format", "jsonl",
                             "--encoding", "hex", table});
    EXPECT_EQ(dump.exit_code, 0) << dump;
    const std::vector<std::string> lines = absl::StrSplit(dump.out, '\n', absl::SkipEmpty());
    ASSERT_EQ(lines.size(), cases.size()) << dump;
    for (size_t i = 0; i < cases.size(); ++i) {
      SCOPED_TRACE(lines[i]);
      const json entry = json::parse(lines[i]);
      EXPECT_EQ(entry.at("key_hex"), ToHex(FromHex(cases[i].key_hex)));
      EXPECT_EQ(entry.at("value_hex"), ToHex(FromHex(cases[i].value_hex)));
      ExpectField(entry, "decoded_key", cases[i].key);
      ExpectField(entry, "decoded_value", cases[i].value);
    }
    // The bytes are there, so the table can be rebuilt from the output.
    const Result again = RunWithInput(
        {"build", "--from", "jsonl", "--comparator", "as-is", "--filter", "none", Path("again")},
        dump.out);
    EXPECT_EQ(again.exit_code, 0) << again;
    EXPECT_EQ(folder_.Read("again"), folder_.Read("cases"));
  }

 private:
  static void ExpectField(const json& entry, const char* name, const std::string& expected) {
    EXPECT_EQ(entry.value(name, json()), expected.empty() ? json() : json::parse(expected));
  }
};

// Chromium's "LevelDB Coding Scheme".
TEST_F(DecodeTest, IndexedDb) {
  ExpectDecoded(
      "chromium",
      {{"00 00 00 00 00", "0300000000000000", R"({"kind": "schema version"})", "3"},
       {"00 00 00 00 01", "0102", R"({"kind": "highest database id"})", "513"},
       {"00 00 00 00 05", "8001", R"({"kind": "earliest sweep"})", "384"},
       {"00 00 00 00 06", "c0ffffffffff2e00", R"({"kind": "earliest compaction"})",
        "13229323905400768"},
       {"00 00 00 00 07", "01", "", ""},
       {"00 00 00 00 32 01 07", "08", R"({"kind": "scopes", "rest_hex": "0107"})", ""},
       {"00 00 00 00 c9 01 0061 02 0062 0063", "0100000000000000",
        R"({"kind": "database name", "origin": "a", "name": "bc"})", "1"},
       {"00 01 00 00 01", "0061 d83d de00", R"({"kind": "database name", "database": 1})",
        R"("a😀")"},
       {"00 01 00 00 04", "81 01", R"({"kind": "database version", "database": 1})", "129"},
       {"00 01 00 00 32 02 00", "0061",
        R"({"kind": "object store name", "database": 1, "store": 2})", R"("a")"},
       {"00 01 00 00 32 02 02", "01",
        R"({"kind": "object store auto increment", "database": 1, "store": 2})", "true"},
       {"00 01 00 00 64 02 1e 00", "0069",
        R"({"kind": "index name", "database": 1, "store": 2, "index": 30})", R"("i")"},
       {"00 01 00 00 c9 02 01 0061", "1e00000000000000",
        R"({"kind": "index name", "database": 1, "store": 2, "name": "a"})", "30"},
       {"00 01 02 01 03 000000000000f83f", "05 ff14",
        R"({"kind": "record", "database": 1, "store": 2, "key": 1.5})", ""},
       {"00 01 02 01 02 000000000000f03f", "05 ff14",
        R"({"kind": "record", "database": 1, "store": 2, "key": {"date_ms": 1}})", ""},
       {"00 01 02 01 04 02 01 01 0061 04 01 06 01 ff", "05 ff14",
        R"({"kind": "record", "database": 1, "store": 2, "key": ["a", [{"binary_hex": "ff"}]]})",
        ""},
       {"00 01 02 02 01 01 0061", "05",
        R"({"kind": "exists", "database": 1, "store": 2, "key": "a"})", R"({"version": 5})"},
       {"00 01 02 02 01 01 0062", "8001",
        R"({"kind": "exists", "database": 1, "store": 2, "key": "b"})", R"({"version": 384})"},
       {"00 01 02 02 01 01 0063", "000102030405060708",
        R"({"kind": "exists", "database": 1, "store": 2, "key": "c"})", ""},
       {"00 01 02 03 01 01 0061", "00",
        R"({"kind": "external objects", "database": 1, "store": 2, "key": "a"})", ""},
       {"00 01 02 1e 01 01 0061 00 03 000000000000f03f", "05 03 000000000000f03f",
        R"({"kind": "index entry", "database": 1, "store": 2, "index": 30, "key": "a",
            "primary_key": 1})",
        R"({"version": 5, "primary_key": 1})"},
       {"00 01 02 1e 01 01 0061 07 04 01 01 01 0062", "8001 01 01 0062",
        R"({"kind": "index entry", "database": 1, "store": 2, "index": 30, "key": "a",
            "primary_key": ["b"], "sequence_number": 7})",
        R"({"version": 128, "primary_key": "b"})"},
       {"00 01 02 1e 01 01 0061 07", "05",
        R"({"kind": "index entry", "database": 1, "store": 2, "index": 30, "key": "a",
            "sequence_number": 7})",
        ""},
       {"00 01 02 09 01", "05", "", ""}});
}

// "needle-26 needle-27" in Snappy: 10 bytes, 8 of them again, one byte.
constexpr char kCompressed[] = "05 ff1102 13 24 6e6565646c652d3236 20 11 0a 00 37";
constexpr char kRecordKey[] = "00 01 02 01 03 000000000000f03f";

TEST_F(DecodeTest, RecordsOfIndexedDbThatChromiumHasCompressed) {
  const auto record = [](const char* key) {
    return std::string(R"({"kind": "record", "database": 1, "store": 2, "key": ")") + key + "\"}";
  };
  const std::string a = record("a"), b = record("b"), c = record("c"), d = record("d"),
                    e = record("e"), f = record("f");
  ExpectDecoded("chromium",
                {{"00 01 02 01 01 01 0061", kCompressed, a.c_str(),
                  R"({"version": 5, "uncompressed": "needle-26 needle-27"})"},
                 {"00 01 02 01 01 01 0062", "8001 ff1102 02 04 00ff", b.c_str(),
                  R"({"version": 128, "uncompressed": "\u0000ÿ"})"},
                 {"00 01 02 01 01 01 0063", "05 ff1102", c.c_str(), ""},
                 {"00 01 02 01 01 01 0064", "05 ff1102 13 24 6e", d.c_str(), ""},          // cut
                 {"00 01 02 01 01 01 0065", "05 ff1102 ffffffff0f 00 61", e.c_str(), ""},  // 4 GiB
                 {"00 01 02 01 01 01 0066", "05 ff1101 13 24", f.c_str(), ""},  // in a blob
                 {"00 01 02 03 03 000000000000f03f", kCompressed,               // no record
                  R"({"kind": "external objects", "database": 1, "store": 2, "key": 1})", ""}});
}

TEST_F(DecodeTest, GrepSearchesThemUncompressed) {
  const std::string table =
      BuildCases("cases", {{kRecordKey, kCompressed, "", ""}, {"ff", "6e 65", "", ""}});
  const std::vector<std::string> grep = {"grep", "--keys", "plain", "needle-27", table};
  const Result found = Run(grep);
  EXPECT_EQ(found.exit_code, 0) << found;
  EXPECT_THAT(found.out, HasSubstr(R"(\xff\x11\x02\x13$needle-26 \x11\n\x007)"));
  const Result decoded =
      Run({"grep", "--keys", "plain", "--decode", "chromium", "-F", "6 needle-2", table});
  EXPECT_EQ(decoded.out,
            "record database=1 store=2 key=1 => version=5 uncompressed=\"needle-26 needle-27\"\n");
  EXPECT_EQ(Run({"grep", "--in", "key", "needle-27", table}).exit_code, 1);
  // The stored bytes are searched, too.
  EXPECT_EQ(Run({"grep", "--keys", "plain", "--bytes", "\\xff\\x11\\x02\\x13", table}).exit_code,
            0);
}

TEST_F(DecodeTest, GrepSaysIfOneIsDamaged) {
  const std::string table = BuildCases(
      "cases", {{kRecordKey, "05 ff1102 13 24 6e", "", ""}, {"ff", "6e6565646c65", "", ""}});
  const Result found = Run({"grep", "--keys", "plain", "needle", table});
  EXPECT_EQ(found.exit_code, 1) << found;
  EXPECT_EQ(found.out, "\\xff => needle\n");
  EXPECT_THAT(found.err, HasSubstr("1 value that Chromium has compressed can't be uncompressed, so "
                                   "only the stored bytes were searched"));
}

TEST_F(DecodeTest, LocalStorage) {
  const std::string origin = ToHex("_https://a.example") + "00";
  const std::string latin1 = origin + "01" + ToHex("name"), utf16 = origin + "00 3b04";
  ExpectDecoded("chromium",
                {{"4d4554413a 61", "08 05 10 8101", R"({"kind": "meta", "origin": "a"})",
                  R"({"microseconds_since_1601": 5, "size": 129})"},
                 {"4d4554414143434553533a 61", "08 05", R"({"kind": "access", "origin": "a"})",
                  R"({"microseconds_since_1601": 5})"},
                 {"56455253494f4e", "31", R"({"kind": "version"})", R"("1")"},
                 {utf16.c_str(), "00 3dd8 00de 3dd8",
                  R"({"kind": "item", "origin": "https://a.example", "key": "л"})", "\"😀\\ufffd\""},
                 {latin1.c_str(), "01 e9",
                  R"({"kind": "item", "origin": "https://a.example", "key": "name"})", R"("é")"},
                 {"5f 61 00 02", "01", "", ""}});
}

TEST_F(DecodeTest, SessionStorage) {
  const std::string item = ToHex("map-12-a-b"), space = ToHex("namespace-1_2-https://a.example/");
  ExpectDecoded(
      "chromium",
      {{item.c_str(), "6100 e900", R"({"kind": "item", "map": "12", "key": "a-b"})", R"("aé")"},
       {space.c_str(), "3132",
        R"({"kind": "namespace", "namespace": "1_2", "origin": "https://a.example/"})",
        R"({"map": "12"})"},
       {"76657273696f6e", "31", R"({"kind": "version"})", R"("1")"}});
}

TEST_F(DecodeTest, Bedrock) {
  const std::string digest = ToHex("digp"), actor = ToHex("actorprefix"),
                    player = ToHex("~local_player");
  ExpectDecoded("bedrock",
                {{"01000000 ffffffff 2c", "28",
                  R"({"kind": "chunk", "x": 1, "z": -1, "dimension": "overworld", "tag": 44,
            "tag_name": "Version"})",
                  "40"},
                 {"01000000 ffffffff 01000000 2f fc", "09 01",
                  R"({"kind": "chunk", "x": 1, "z": -1, "dimension": "nether", "tag": 47,
            "tag_name": "SubChunkPrefix", "subchunk": -4})",
                  ""},
                 {(actor + "0000000100000002").c_str(), "0a",
                  R"({"kind": "actor", "unique_id_hex": "0000000100000002"})", ""},
                 {(digest + "0200000003000000").c_str(), "0000000100000002 0000000100000003",
                  R"({"kind": "actors of chunk", "x": 2, "z": 3, "dimension": "overworld"})",
                  R"(["0000000100000002", "0000000100000003"])"},
                 {player.c_str(), "0a", R"({"kind": "named", "name": "~local_player"})", ""},
                 {"01000000 ffffffff 2f", "09", "", ""},   // without the subchunk
                 {"01000000 ffffffff 07", "09", "", ""},   // no tag of a chunk
                 {"6b65793030303031 30", "09", "", ""}});  // text whose last byte is a tag
}

// Amounts are those of Bitcoin's own compress_tests; scripts and hashes are made up.
TEST_F(DecodeTest, BitcoinWithoutObfuscation) {
  const std::string txid = "01" + std::string(62, '0'), hash20(40, 'a');
  const std::string shown = std::string(62, '0') + "01";
  const std::string coin = "43" + txid + "00", coin_200 = "43" + txid + "8048";
  const std::string block = "62" + txid;
  // Version 1, height 2, status 8 | 16 | 5, 1 transaction, file 0, data at 8, undo at 9; header.
  const std::string entry = "01 02 1d 01 00 08 09 01000000" + txid + std::string(88, '0');
  ExpectDecoded(
      "bitcoin",
      {{"42", txid.c_str(), R"({"kind": "best block"})", ("\"" + shown + "\"").c_str()},
       {coin.c_str(), ("05 32 00" + hash20).c_str(),
        (R"({"kind": "coin", "output": 0, "txid": ")" + shown + "\"}").c_str(),
        (R"({"height": 2, "coinbase": true, "satoshis": 5000000000,
             "script": {"form": "pay to public key hash", "hex": ")" +
         hash20 + "\"}}")
            .c_str()},
       {coin_200.c_str(), "04 07 08 6a00",
        (R"({"kind": "coin", "output": 200, "txid": ")" + shown + "\"}").c_str(),
        R"({"height": 2, "coinbase": false, "satoshis": 1000000,
            "script": {"form": "script", "hex": "6a00"}})"},
       {"46 07 7478696e646578", "31", R"({"kind": "flag", "name": "txindex"})", "true"},
       {block.c_str(), entry.c_str(), (R"({"kind": "block", "hash": ")" + shown + "\"}").c_str(),
        (R"({"client_version": 1, "height": 2, "status": 29, "transactions": 1, "file": 0,
             "data_offset": 8, "undo_offset": 9, "previous": ")" +
         shown + "\"}")
            .c_str()},
       {"66 05000000", "01 02 03 04 05 06 07", R"({"kind": "block file", "file": 5})",
        R"({"blocks": 1, "size": 2, "undo_size": 3, "first_height": 4, "last_height": 5,
            "first_time": 6, "last_time": 7})"},
       {"6c", "05000000", R"({"kind": "last block file"})", "5"},
       {"43 01", "00", "", ""}});
}

// The key is 01 02 03 04 05 06 07 08.
TEST_F(DecodeTest, BitcoinWithTheObfuscationKeyOfTheTable) {
  const std::string hash = "01" + std::string(62, '0');
  std::string hidden = FromHex(hash);
  for (size_t i = 0; i < hidden.size(); ++i) hidden[i] = static_cast<char>(hidden[i] ^ (i % 8 + 1));
  const std::string table = Build("obfuscated",
                                  absl::StrCat("0e00", ToHex("obfuscate_key"),
                                               "\t080102030405060708\n42\t", ToHex(hidden), "\n"),
                                  {"--encoding", "hex"});
  const std::string shown = std::string(62, '0') + "01";
  const Result get = Run({"get", "--decode", "bitcoin", table, "B"});
  EXPECT_EQ(get.out, shown + "\n") << get;
  const Result dump = Run({"dump", "--decode", "auto", table});
  EXPECT_EQ(dump.out, "obfuscation key => hex=\"0102030405060708\"\nbest block => " + shown + "\n");
  EXPECT_THAT(dump.err, HasSubstr("the format is Bitcoin Core's, with the obfuscation key of the "
                                  "table (2 of 2 keys examined)"));
}

// Coins as in the tables of a chainstate after the first.
TEST_F(DecodeTest, BitcoinValuesStayAsTheyAreWithoutTheObfuscationKey) {
  const std::string txid = "01" + std::string(62, '0'), clear = "0532 00" + std::string(40, 'a');
  std::string hidden = FromHex(clear);
  for (size_t i = 0; i < hidden.size(); ++i) hidden[i] = static_cast<char>(hidden[i] ^ (i % 8 + 1));
  const std::string hash = ToHex(hidden.substr(0, 1)) + txid.substr(2);
  for (const bool has_one_clear : {false, true}) {
    std::vector<DecodeCase> cases;
    const std::string best = "42", first = "43" + txid + "00", second = "43" + txid + "01",
                      third = "43" + txid + "02", hidden_hex = ToHex(hidden);
    cases.push_back({best.c_str(), hash.c_str(), "", ""});
    cases.push_back({first.c_str(), hidden_hex.c_str(), "", ""});
    cases.push_back({second.c_str(), hidden_hex.c_str(), "", ""});
    // By accident, this one looks like a coin.
    if (has_one_clear) cases.push_back({third.c_str(), clear.c_str(), "", ""});
    const std::string table = BuildCases(has_one_clear ? "one" : "none", cases);
    const Result dump = Run({"dump", "--keys", "plain", "--decode", "bitcoin", table});
    std::string expected = "best block => " + EscapedHex(hash) + "\n";
    for (size_t i = 1; i < cases.size(); ++i) {
      absl::StrAppend(&expected, "coin txid=\"", std::string(62, '0'), "01\" output=", i - 1,
                      " => ", EscapedHex(cases[i].value_hex), "\n");
    }
    EXPECT_EQ(dump.out, expected) << dump;
    EXPECT_THAT(dump.err, HasSubstr("the obfuscation key is not among the entries examined"));
    EXPECT_EQ(dump.err.find("obfuscation"), dump.err.rfind("obfuscation")) << dump.err;
  }
}

TEST_F(DecodeTest, GetAndDumpDecodeDatabasesAndLogs) {
  std::filesystem::create_directory(Path("db"));
  std::string log;
  const auto file = NewStringFile(&log);
  WriteBatch batch;
  batch.Put(FromHex("0000000001"), FromHex("0102")).Delete(FromHex("0000000000"));
  batch.set_sequence(7);
  ASSERT_TRUE(LogWriter(file.get()).AddRecord(batch.bytes()).ok());
  folder_.Write("db/000006.log", log);
  const Result get =
      Run({"get", "--decode", "auto", "--encoding", "hex", Path("db"), "0000000001"});
  EXPECT_EQ(get.out, "513\n") << get;
  EXPECT_THAT(get.err, HasSubstr("the format is Chromium's IndexedDB"));
  const Result dump = Run({"dump", "--decode", "chromium", Path("db/000006.log")});
  EXPECT_EQ(dump.exit_code, 0) << dump;
  EXPECT_EQ(dump.out,
            "batch at offset 0: sequence 7, 2 changes\n"
            "highest database id @7 : value => 513\n"
            "schema version @8 : deletion\n");
}

TEST_F(DecodeTest, TextShowsWhatIsMeantAndTheBytesWhereNothingIsKnown) {
  const std::string table = BuildCases("text", {{"00 01 02 01 01 01 006c", "05 ff14", "", ""},
                                                {"00 01 02 02 01 01 006c", "05", "", ""},
                                                {"ff", "05", "", ""}});
  const Result dump = Run({"dump", "--keys", "plain", "--decode", "chromium", table});
  EXPECT_EQ(dump.out,
            "record database=1 store=2 key=\"l\" => \\x05\\xff\\x14\n"
            "exists database=1 store=2 key=\"l\" => version=5\n"
            "\\xff => \\x05\n")
      << dump;
}

TEST_F(DecodeTest, AutoSaysIfNothingIsKnown) {
  const std::string table = Build("fruit", kFruit);
  const Result dump = Run({"dump", "--decode", "auto", table});
  EXPECT_EQ(dump.out, Run({"dump", table}).out);
  EXPECT_EQ(dump.exit_code, 0);
  EXPECT_THAT(dump.err, HasSubstr("none of the programs that --decode knows has such keys"));
  EXPECT_THAT(Run({"dump", "--decode", "bedrock", table}).err,
              HasSubstr("none of the programs that --decode names has such keys"));
}

TEST_F(DecodeTest, TsvIsForBytesAlone) {
  const Result dump = Run({"dump", "--decode", "auto", "--format", "tsv", Build("fruit", kFruit)});
  EXPECT_EQ(dump.exit_code, 2);
  EXPECT_THAT(dump.err, HasSubstr("--decode is for text and jsonl"));
}

}  // namespace
}  // namespace sstable::tools
