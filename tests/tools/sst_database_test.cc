// `sst` on a database's folder.
#include <sys/resource.h>

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "leveldb/comparator.h"
#include "leveldb/db.h"
#include "nlohmann/json.hpp"
#include "tests/tools/sst_test.h"
#include "util/coding.h"
#include "util/crc32c.h"

namespace sstable::tools {
namespace {

namespace fs = std::filesystem;

using ::nlohmann::json;
using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class DatabaseTest : public SstTest {
 protected:
  // A copy of tests/testdata/database. LevelDB wrote it in three runs: five entries; a new value
  // for colour/banana and a deletion of colour/cherry; a new price/banana and price/pear.
  std::string Database(absl::string_view name = "db") const {
    fs::copy("tests/testdata/database", Path(name));
    fs::permissions(Path(name), fs::perms::owner_all);
    for (const auto& file : fs::directory_iterator(Path(name))) {
      fs::permissions(file.path(), fs::perms::owner_read | fs::perms::owner_write);
    }
    return Path(name);
  }

  // Copies the folder with one byte of a file changed.
  void Damage(const std::string& file, size_t offset) const {
    const std::string name = file.substr(Path("").size());
    std::string bytes = folder_.Read(name);
    bytes.at(offset) = static_cast<char>(bytes.at(offset) ^ 0x40);
    folder_.Write(name, bytes);
  }

  static std::vector<json> JsonLines(const std::string& text) {
    std::vector<json> lines;
    for (const absl::string_view line : absl::StrSplit(text, '\n', absl::SkipEmpty())) {
      lines.push_back(json::parse(line.begin(), line.end()));
    }
    return lines;
  }
};

constexpr char kLive[] =
    "colour/apple\tred\n"
    "colour/banana\tyellow\n"
    "price/apple\t1.20\n"
    "price/banana\t1.10\n"
    "price/pear\t1.50\n";

TEST_F(DatabaseTest, DumpPrintsTheLiveEntries) {
  const std::string database = Database();
  const Result dump = Run({"dump", "--format", "tsv", database});
  EXPECT_EQ(dump.exit_code, 0) << dump;
  EXPECT_EQ(dump.out, kLive);
  EXPECT_EQ(Run({"dump", "--prefix", "price/", "--no-values", database}).out,
            "price/apple\nprice/banana\nprice/pear\n");
  EXPECT_EQ(Run({"dump", "--reverse", "--to", "price/b", "--no-values", database}).out,
            "price/apple\ncolour/banana\ncolour/apple\n");
  EXPECT_EQ(Run({"dump", "--reverse", "--limit", "1", "--no-values", database}).out,
            "price/pear\n");
  EXPECT_THAT(Run({"dump", "--files", "--from", "price/b", database}).out,
              StartsWith("price/banana (in " + database + "/000010.log) => 1.10\n"));
}

TEST_F(DatabaseTest, HistoryHasEveryVersion) {
  const std::string database = Database();
  const Result dump = Run({"dump", "--history", "--format", "jsonl", database});
  EXPECT_EQ(dump.exit_code, 0) << dump;
  std::string shown;
  for (const json& entry : JsonLines(dump.out)) {
    absl::StrAppend(&shown, entry["key"].get<std::string>(), " ", entry["sequence"].get<int>(), " ",
                    entry["type"].get<std::string>(), " ", entry.value("value", "-"), " ",
                    entry["live"].get<bool>() ? "live" : "hidden", "\n");
    EXPECT_THAT(entry["file"].get<std::string>(), StartsWith(database + "/0000"));
    EXPECT_TRUE(entry["offset"].is_number());
  }
  EXPECT_EQ(shown,
            "colour/apple 1 value red live\n"
            "colour/banana 6 value yellow live\n"
            "colour/banana 2 value green hidden\n"
            "colour/cherry 7 deletion - hidden\n"
            "colour/cherry 3 value black hidden\n"
            "price/apple 4 value 1.20 live\n"
            "price/banana 8 value 1.10 live\n"
            "price/banana 5 value 0.90 hidden\n"
            "price/pear 9 value 1.50 live\n");
  const Result table = Run({"dump", "--history", database + "/000005.ldb"});
  EXPECT_EQ(table.exit_code, 2);
  EXPECT_THAT(table.err, HasSubstr("is not a database; --history applies only to databases"));
}

TEST_F(DatabaseTest, LogsAndManifestsAreShown) {
  const std::string database = Database();
  EXPECT_EQ(Run({"dump", database + "/000010.log"}).out,
            "batch at offset 0: sequence 8, 1 change\n"
            "price/banana @8 : value => 1.10\n"
            "batch at offset 38: sequence 9, 1 change\n"
            "price/pear @9 : value => 1.50\n");
  EXPECT_THAT(
      Run({"dump", database + "/MANIFEST-000008"}).out,
      AllOf(StartsWith("edit at offset 0\n  comparator       \"leveldb.BytewiseComp"),
            HasSubstr(", 000005.ldb, 200 bytes, \"colour/apple\" @1 to \"price/banana\" @5")));
  const std::vector<json> edits =
      JsonLines(Run({"dump", "--format", "jsonl", database + "/MANIFEST-000008"}).out);
  EXPECT_EQ(edits.at(0)["new_files"][0]["smallest"], "colour/apple");
  EXPECT_EQ(Run({"dump", "--format", "csv", database + "/MANIFEST-000008"}).exit_code, 2);
}

TEST_F(DatabaseTest, GetFindsTheNewestVersion) {
  const std::string database = Database();
  EXPECT_EQ(Run({"get", database, "colour/banana"}).out, "yellow");
  EXPECT_EQ(Run({"get", "--snapshot", "5", database, "colour/banana"}).out, "green");
  EXPECT_EQ(Run({"get", database, "price/pear"}).out, "1.50");
  const Result deleted = Run({"get", database, "colour/cherry"});
  EXPECT_EQ(deleted.exit_code, 1);
  EXPECT_EQ(deleted.out, "");
  EXPECT_THAT(deleted.err, HasSubstr("is deleted, at sequence 7 in " + database + "/000009.ldb"));
  EXPECT_EQ(Run({"get", "--snapshot", "6", database, "colour/cherry"}).out, "black");
  EXPECT_EQ(Run({"get", database, "colour"}).exit_code, 1);
}

TEST_F(DatabaseTest, CheckReadsEveryFileOfTheDatabase) {
  const std::string database = Database();
  for (const char* const name : {"LOCK", "LOG", "LOG.old"})
    folder_.Write(absl::StrCat("db/", name), "");
  const Result sound = Run({"check", database});
  EXPECT_EQ(sound.exit_code, 0) << sound;
  EXPECT_THAT(sound.out, AllOf(StartsWith(database +
                                          ": ok, 2 tables and 1 log as MANIFEST-000008 says, last "
                                          "sequence 9\n" +
                                          database + "/000005.ldb: ok"),
                               HasSubstr("/000010.log: ok, 2 batches, 2 changes\n"),
                               HasSubstr("/MANIFEST-000008: ok, 2 edits, 2 tables\n"),
                               EndsWith("5 files: 5 ok\n")));
  EXPECT_EQ(Run({"check", "-q", "-j", "3", database}).out, "5 files: 5 ok\n");
  // Expanded like DIR/* in a shell.
  std::vector<std::string> all = {"check", "-q"};
  for (const auto& file : fs::directory_iterator(database)) all.push_back(file.path());
  EXPECT_EQ(Run(all).out, "4 files: 4 ok\n");
}

TEST_F(DatabaseTest, CheckFindsDamageInEachKindOfFile) {
  for (const char* const name : {"000005.ldb", "000010.log", "MANIFEST-000008", "CURRENT"}) {
    const std::string database = Database(name);
    Damage(absl::StrCat(database, "/", name), 10);
    const Result result = Run({"check", database});
    EXPECT_EQ(result.exit_code, 1) << name << "\n" << result;
    EXPECT_THAT(result.out, HasSubstr(name));
    EXPECT_THAT(result.out, HasSubstr("damaged"));
  }
  const std::string database = Database("missing");
  fs::remove(database + "/000009.ldb");
  const Result result = Run({"check", database});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.out, HasSubstr("000009.ldb"));
}

TEST_F(DatabaseTest, WhatIsMissingIsReportedOnceAndTheRestRead) {
  const std::string database = Database();
  fs::remove(database + "/000009.ldb");
  const Result dump = Run({"dump", "--no-values", database});
  EXPECT_EQ(dump.exit_code, 1);
  EXPECT_EQ(dump.err, "sst: " + database + "/000009.ldb: can't open: No such file or directory\n");
  EXPECT_THAT(dump.out, HasSubstr("price/pear\n"));
  EXPECT_EQ(Run({"diff", database, database}).exit_code, 2);
  fs::remove(database + "/CURRENT");
  fs::remove(database + "/MANIFEST-000008");
  EXPECT_EQ(Run({"get", database, "price/banana"}).out, "1.10");
}

TEST_F(DatabaseTest, ATornLogIsNoDamage) {
  const std::string database = Database();
  fs::resize_file(database + "/000010.log", 70);
  const Result check = Run({"check", database + "/000010.log"});
  EXPECT_EQ(check.exit_code, 0) << check;
  EXPECT_THAT(check.out, HasSubstr(": ok, 1 batch, 1 change; 32 bytes at offset 38 are an "
                                   "incomplete write, as a crash leaves: "));
}

TEST_F(DatabaseTest, ATornLogThatANewerOneFollowsIsDamage) {
  const std::string database = Database();
  fs::resize_file(database + "/000010.log", 70);
  EXPECT_EQ(Run({"check", database}).exit_code, 0);
  folder_.Write("db/000011.log", "");
  EXPECT_EQ(Run({"check", database}).exit_code, 0);  // nothing was written after it
  fs::copy("tests/testdata/database/000010.log", database + "/000011.log",
           fs::copy_options::overwrite_existing);
  const Result check = Run({"check", database});
  EXPECT_EQ(check.exit_code, 1) << check;
  EXPECT_THAT(check.out, HasSubstr("000010.log: 32 bytes at offset 38: "));
  EXPECT_EQ(Run({"dump", database}).exit_code, 1);
}

TEST_F(DatabaseTest, ALogThatIsNotThereIsNoDamage) {
  const std::string database = Database();
  fs::remove(database + "/000010.log");
  const Result check = Run({"check", database});
  EXPECT_EQ(check.exit_code, 0) << check;
  EXPECT_THAT(check.out, HasSubstr("000010.log: is not there; if it was empty, nothing is lost (no "
                                   "damage)\n"));
  EXPECT_EQ(Run({"diff", database, database}).exit_code, 0);
  EXPECT_EQ(Run({"dump", database}).exit_code, 0);
}

TEST_F(DatabaseTest, WhatFollowsDamageInALogIsShown) {
  const std::string database = Database();
  Damage(database + "/000010.log", 10);
  for (const std::vector<std::string>& arguments : std::vector<std::vector<std::string>>{
           {"dump", database}, {"dump", "--history", database}, {"grep", "pear", database}}) {
    const Result result = Run(arguments);
    EXPECT_EQ(result.exit_code, 1) << result;
    EXPECT_THAT(result.out, HasSubstr("price/pear")) << result;
    EXPECT_THAT(result.err, HasSubstr("000010.log: at offset 0 (38 bytes)")) << result;
  }
}

// Such a folder results from copying with a truncated MANIFEST, or one of another moment.
TEST_F(DatabaseTest, EveryCommandSaysFirstThatTheManifestIsOlder) {
  const std::string database = Path("db"), manifest = database + "/MANIFEST-000002";
  leveldb::Options options;
  options.create_if_missing = true;
  uint64_t size = 0;
  {
    leveldb::DB* opened = nullptr;
    ASSERT_TRUE(leveldb::DB::Open(options, database, &opened).ok());
    const std::unique_ptr<leveldb::DB> writer(opened);
    for (const char* const key : {"apple", "banana"}) {
      size = fs::file_size(manifest);
      ASSERT_TRUE(writer->Put({}, key, "value").ok());
      writer->CompactRange(nullptr, nullptr);
    }
  }
  fs::resize_file(manifest, size);
  for (const std::vector<std::string>& arguments :
       std::vector<std::vector<std::string>>{{"check", database},
                                             {"dump", database},
                                             {"get", database, "apple"},
                                             {"ls", database},
                                             {"grep", "red", database},
                                             {"report", database, "-o", Path("page.html")}}) {
    const Result result = Run(arguments);
    EXPECT_EQ(result.exit_code, 1) << result;
    EXPECT_THAT(arguments[0] == "check" ? result.out : result.err,
                AllOf(ContainsRegex("^(sst: )?[^\n]*MANIFEST-000002: is older than the folder: no "
                                    "edit names"),
                      HasSubstr("which is in no table or log of the database; `sst salvage` reads "
                                "them")))
        << result;
  }
  EXPECT_EQ(Run({"diff", database, database}).exit_code, 2);
}

// A program writes such a table if it gives LevelDB another function under a known name.
TEST_F(DatabaseTest, KeysOfATableInAnotherOrderAreFound) {
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

// The MANIFEST shows that the table has internal keys; alone it might have plain ones.
TEST_F(DatabaseTest, CheckFindsATypeThatLevelDbDoesNotKnow) {
  const std::string database = Database();
  constexpr size_t kBlockSize = 107, kTypeOffset = 35;  // type byte of colour/banana
  std::string table = folder_.Read("db/000005.ldb");
  ASSERT_EQ(table[kTypeOffset], 1);
  table[kTypeOffset] = 7;
  const absl::string_view covered = absl::string_view(table).substr(0, kBlockSize + 1);
  EncodeFixed32(&table[kBlockSize + 1], MaskCrc(Crc32c(covered)));
  folder_.Write("db/000005.ldb", table);
  const Result check = Run({"check", database});
  EXPECT_EQ(check.exit_code, 1) << check;
  EXPECT_THAT(check.out, HasSubstr("000005.ldb: damaged")) << check;
}

TEST_F(DatabaseTest, ALeftOverTableIsNoDamage) {
  const std::string database = Database();
  folder_.Write("db/000007.ldb", "half a table");
  const Result result = Run({"check", database});
  EXPECT_EQ(result.exit_code, 0) << result;
  EXPECT_THAT(result.out, HasSubstr("000007.ldb"));
  EXPECT_THAT(Run({"ls", database}).out, HasSubstr("not part of it\n  000007.ldb"));
}

TEST_F(DatabaseTest, LsReportsAFileThatIsNoTableOnce) {
  fs::create_directory(Path("db"));
  folder_.Write("db/000005.ldb", std::string(100, 'x'));
  const Result result = Run({"ls", Path("db")});
  EXPECT_EQ(result.exit_code, 1) << result;
  const std::vector<std::string> pieces = absl::StrSplit(result.err, "not a LevelDB table");
  EXPECT_EQ(pieces.size(), 2) << result;
}

TEST_F(DatabaseTest, LsListsTablesLogsAndSequences) {
  const std::string database = Database();
  const Result text = Run({"ls", database});
  EXPECT_EQ(text.exit_code, 0) << text;
  EXPECT_THAT(text.out, AllOf(StartsWith(database + "\n  state          as MANIFEST-000008 says\n"),
                              HasSubstr("  order          leveldb.BytewiseComparator\n"),
                              HasSubstr("000005.ldb"), HasSubstr("5 entries, sequence 1 to 5"),
                              HasSubstr("\"colour/apple\" @1 to \"price/banana\" @5\n"),
                              HasSubstr("2 changes, sequence 8 to 9\n")));
  const json listed = json::parse(Run({"ls", "--format", "json", database}).out);
  EXPECT_EQ(listed["last_sequence"], 9);
  ASSERT_EQ(listed["tables"].size(), 2);
  EXPECT_EQ(listed["tables"][0]["name"], "000009.ldb");
  EXPECT_EQ(listed["tables"][0]["deletions"], 1);
  EXPECT_EQ(listed["tables"][1]["entries"], 5);
  EXPECT_EQ(listed["logs"][0]["changes"], 2);
  EXPECT_FALSE(
      json::parse(Run({"ls", "--no-entries", "--format", "json", database}).out)["tables"][0]
          .contains("entries"));
  const Result table = Run({"ls", database + "/000005.ldb"});
  EXPECT_EQ(table.exit_code, 2);
  EXPECT_THAT(table.err, HasSubstr("is not a folder; `sst layout`"));
}

TEST_F(DatabaseTest, GrepFindsTextOfAnyEncoding) {
  const std::string table = Build(
      "t.ldb",
      "a\tJane "
      "Doe\nb\t\\x01J\\xe4ne\nc\t\\x00J\\x00a\\x00n\\x00e\\x00\nd\t\\x00J\\x00\\xe4\nzJa\tno\n");
  const auto keys = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "grep");
    arguments.insert(arguments.end(), {"--no-values", "--format", "tsv", table});
    return Run(arguments);
  };
  EXPECT_EQ(keys({"Jane"}).out, "a\nc\n");
  EXPECT_EQ(keys({"jANE", "-i"}).out, "a\nc\n");
  EXPECT_EQ(keys({"J\u00e4"}).out, "b\nd\n");
  EXPECT_EQ(keys({"J[a\u00e4]"}).out, "a\nb\nc\nd\nzJa\n");
  EXPECT_EQ(keys({"J", "--in", "key"}).out, "zJa\n");
  EXPECT_EQ(keys({"a.*e", "-F"}).exit_code, 1);
  EXPECT_EQ(keys({"\\x01J\\xe4", "--bytes"}).out, "b\n");
  EXPECT_EQ(keys({"nothing like it"}).exit_code, 1);
  const Result wrong = keys({"("});
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_THAT(wrong.err, HasSubstr("PATTERN is not a regular expression: missing )"));
}

TEST_F(DatabaseTest, GrepReadsDatabasesAndTheirHistory) {
  const std::string database = Database();
  const Result live = Run({"grep", "green|yellow", database});
  EXPECT_EQ(live.exit_code, 0);
  EXPECT_EQ(live.out, "colour/banana => yellow\n");
  EXPECT_THAT(Run({"grep", "--history", "green", database}).out,
              StartsWith("colour/banana @2 : value (hidden, in "));
  EXPECT_EQ(Run({"grep", "green", database}).exit_code, 1);
}

TEST_F(DatabaseTest, DiffComparesLiveEntries) {
  const std::string database = Database();
  const std::string same = Build("same.ldb", kLive);
  const Result equal = Run({"diff", database, same});
  EXPECT_EQ(equal.exit_code, 0) << equal;
  EXPECT_EQ(equal.out, "0 only in A, 0 only in B, 0 with different values, 5 the same\n");
  const std::string other = Build("other.ldb", "colour/apple\tgreen\nprice/apple\t1.20\nz\t1\n");
  const Result differs = Run({"diff", database, other});
  EXPECT_EQ(differs.exit_code, 1);
  EXPECT_EQ(differs.out,
            "- colour/apple => red\n+ colour/apple => green\n"
            "- colour/banana => yellow\n- price/banana => 1.10\n- price/pear => 1.50\n"
            "+ z => 1\n"
            "3 only in A, 1 only in B, 1 with different values, 1 the same\n");
  const std::vector<json> lines = JsonLines(Run({"diff", "--format", "json", database, other}).out);
  EXPECT_EQ(lines.at(0), json::parse(R"({"key": "colour/apple", "a": "red", "b": "green"})"));
  EXPECT_EQ(lines.at(1), json::parse(R"({"key": "colour/banana", "a": "yellow"})"));
  EXPECT_EQ(lines.back()["summary"]["only_in_a"], 3);
  EXPECT_EQ(Run({"diff", "-q", database, database + "/000005.ldb"}).out,
            "1 only in A, 1 only in B, 2 with different values, 2 the same\n");
  EXPECT_EQ(Run({"diff", database, Path("missing")}).exit_code, 2);
}

TEST_F(DatabaseTest, ReadsWhatLevelDbWrote) {
  leveldb::Options options;
  options.create_if_missing = true;
  options.write_buffer_size = 64 << 10;
  std::map<std::string, std::string> model;
  {
    leveldb::DB* opened = nullptr;
    ASSERT_TRUE(leveldb::DB::Open(options, Path("db"), &opened).ok());
    const std::unique_ptr<leveldb::DB> database(opened);
    for (int i = 0; i < 5000; ++i) {
      const std::string key = absl::StrCat("key", i * 7919 % 1500);
      if (i % 5 == 4) {
        ASSERT_TRUE(database->Delete({}, key).ok());
        model.erase(key);
      } else {
        model[key] = absl::StrCat(i, std::string(200, 'v'));
        ASSERT_TRUE(database->Put({}, key, model[key]).ok());
      }
    }
  }
  std::string expected;
  for (const auto& [key, value] : model) absl::StrAppend(&expected, key, "\t", value, "\n");
  const Result dump = Run({"dump", "--format", "tsv", Path("db")});
  EXPECT_EQ(dump.exit_code, 0) << dump.err;
  EXPECT_TRUE(dump.out == expected);
  EXPECT_EQ(Run({"check", "-q", "-j", "2", Path("db")}).exit_code, 0);
  EXPECT_EQ(Run({"ls", Path("db")}).exit_code, 0);
}

TEST_F(DatabaseTest, CheckAndLsFindTablesThatAreSwapped) {
  leveldb::Options options;
  options.create_if_missing = true;
  options.compression = leveldb::kNoCompression;
  for (const char* const key : {"a", "b", "c"}) {  // opening writes a table with the log's contents
    leveldb::DB* opened = nullptr;
    ASSERT_TRUE(leveldb::DB::Open(options, Path("db"), &opened).ok());
    const std::unique_ptr<leveldb::DB> database(opened);
    ASSERT_TRUE(database->Put({}, key, "value").ok());
  }
  EXPECT_EQ(Run({"check", "-q", Path("db")}).exit_code, 0);
  std::vector<std::string> tables;
  for (const auto& file : fs::directory_iterator(Path("db"))) {
    if (file.path().extension() == ".ldb") tables.push_back(file.path());
  }
  ASSERT_EQ(tables.size(), 2);
  fs::rename(tables[0], Path("other"));
  fs::rename(tables[1], tables[0]);
  fs::rename(Path("other"), tables[1]);
  const Result check = Run({"check", Path("db")}), list = Run({"ls", Path("db")});
  EXPECT_EQ(check.exit_code, 1) << check;
  EXPECT_EQ(list.exit_code, 1) << list;
  for (const std::string& table : tables) {
    const auto found = HasSubstr(table + ": first key is \"");
    EXPECT_THAT(check.out, found);
    EXPECT_THAT(list.err, found);
  }
  EXPECT_THAT(check.out, HasSubstr(": first key is \"a\" @1, the MANIFEST says \"b\" @2\n"));
  EXPECT_EQ(Run({"ls", "--no-entries", Path("db")}).exit_code, 0);
}

TEST_F(DatabaseTest, ManyTablesNeedFewDescriptors) {
  constexpr int kTables = 100;
  fs::create_directory(Path("db"));
  std::string expected;
  for (int i = 0; i < kTables; ++i) {
    const std::string number = std::to_string(100000 + i);
    Build("db/" + number + ".ldb", absl::StrCat(number, "\t", i, "\tvalue\tx\n"),
          {"--keys", "internal"});
    absl::StrAppend(&expected, number, "\tx\n");
  }
  rlimit old;
  ::getrlimit(RLIMIT_NOFILE, &old);
  const rlimit few = {64, old.rlim_max};
  ::setrlimit(RLIMIT_NOFILE, &few);
  const Result dump = Run({"dump", "--format", "tsv", Path("db")});
  const Result check = Run({"check", "-q", "-j", "4", Path("db")});
  const Result listed = Run({"ls", "-j", "4", "--format", "json", Path("db")});
  ::setrlimit(RLIMIT_NOFILE, &old);
  EXPECT_EQ(dump.out, expected) << dump.err;
  EXPECT_EQ(dump.exit_code, 1);  // there is no MANIFEST
  EXPECT_THAT(check.out, HasSubstr("101 files: 100 ok, 1 damaged\n  damaged: " + Path("db\n")));
  EXPECT_EQ(json::parse(listed.out)["tables"].size(), kTables);
}

// Without MANIFEST and log, only the entries of the tables have sequences.
TEST_F(SstTest, TheLastSequenceIsThatOfTheTablesIfNothingElseNamesOne) {
  Build("000005.ldb", kVersions, {"--keys", "internal"});
  const Result listed = Run({"ls", Path("")});
  EXPECT_THAT(listed.out, HasSubstr("last sequence  9\n")) << listed;
  EXPECT_THAT(Run({"ls", "--format", "json", Path("")}).out, HasSubstr("\"last_sequence\":9,"));
  EXPECT_THAT(Run({"ls", "--no-entries", Path("")}).out, HasSubstr("last sequence  not known"));
  EXPECT_THAT(Run({"check", Path("")}).out, Not(HasSubstr("last sequence")));
}

}  // namespace
}  // namespace sstable::tools
