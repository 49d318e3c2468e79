// `sst salvage`.
#include <filesystem>
#include <string>
#include <utility>

#include "nlohmann/json.hpp"
#include "sstable/experimental/log_file.h"
#include "sstable/experimental/write_batch.h"
#include "tests/support/status_matchers.h"
#include "tests/tools/sst_test.h"

namespace sstable::tools {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class SstSalvageTest : public SstTest {
 protected:
  // A table of several blocks, with some of its bytes changed.
  std::string Damaged(absl::string_view name, size_t offset, size_t size) {
    Build("sound.ldb", ManyRecords(500), {"--compression", "none"});
    std::string bytes = folder_.Read("sound.ldb");
    for (size_t i = offset; i < offset + size; ++i) bytes.at(i) = '\0';
    folder_.Write(name, bytes);
    return Path(name);
  }
  std::string Cut(absl::string_view name, size_t kept) {
    Build("sound.ldb", ManyRecords(500), {"--compression", "none"});
    folder_.Write(name, folder_.Read("sound.ldb").substr(0, kept));
    return Path(name);
  }
};

TEST_F(SstSalvageTest, ASoundTableComesOutAsItIs) {
  const std::string table = Build("fruit.ldb", kFruit);
  const Result result = Run({"salvage", table, "-o", Path("out.ldb")});
  EXPECT_EQ(result.exit_code, 0) << result;
  EXPECT_THAT(result.out, IsEmpty());
  EXPECT_EQ(result.err, "sst: " + table +
                            ": 1 data block read, as the index says; nothing is lost" +
                            "\nsst: " + Path("out.ldb") + ": 3 entries saved\n");
  EXPECT_EQ(Run({"dump", "--format", "tsv", Path("out.ldb")}).out, kFruit);
}

TEST_F(SstSalvageTest, SaysWhichBlockIsLost) {
  const std::string table = Damaged("in.ldb", 5000, 10);
  const Result result = Run({"salvage", table, "-o", Path("out.ldb")});
  EXPECT_EQ(result.exit_code, 1) << result;
  EXPECT_THAT(result.err, HasSubstr("lost: data block at offset 41"));
  EXPECT_THAT(result.err, HasSubstr("crc32c stored 0x"));
  EXPECT_THAT(result.err, HasSubstr("; keys above \"key0"));
  EXPECT_THAT(result.err, HasSubstr(" and up to \"key0"));
  EXPECT_THAT(result.err, HasSubstr("not everything could be saved"));
  const Result check = Run({"check", Path("out.ldb")});
  EXPECT_EQ(check.exit_code, 0) << check;
  EXPECT_THAT(check.out, HasSubstr("filter contains every key"));
  EXPECT_EQ(Run({"dump", "--no-values", Path("out.ldb")}).out,
            Run({"dump", "--no-values", table}).out);
}

TEST_F(SstSalvageTest, SaysWhereItIsNotSureWhoseEntriesAreSaved) {
  std::string records;
  for (const char* key : {"key1", "key2", "key3"}) {
    records += std::string(key) + "\t" + std::string(80, 'v') + "\n";
  }
  Build("in.ldb", records, {"--compression", "none", "--block-size", "64"});
  std::string bytes = folder_.Read("in.ldb").substr(0, 300);  // three blocks of 100 bytes
  bytes.at(102) = '\xff';  // the second can't be walked, so the third may be a value's
  folder_.Write("in.ldb", bytes);
  const std::string table = Path("in.ldb");
  const Result result = Run({"salvage", table, "-o", Path("out.ldb")});
  EXPECT_EQ(result.exit_code, 1) << result;
  EXPECT_EQ(result.err,
            "sst: " + table +
                ": lost: bytes at offset 100 (100 bytes): no block with a correct checksum is in "
                "it; keys "
                "above \"key1\" and below \"key3\"\nsst: " +
                table +
                ": more may be lost: nothing in the file shows where its table began and ended\n"
                "sst: " +
                table +
                ": some saved entries may not belong to this table, but to its index or to a table "
                "that was the value of a lost entry\nsst: " +
                table + ": the file has no magic number; its format is assumed to be LevelDB's\n" +
                "sst: " + table +
                ": 2 data blocks read, found by their checksums, without an index; not everything "
                "could be saved\nsst: " +
                Path("out.ldb") + ": 2 entries saved\n");
}

TEST_F(SstSalvageTest, NeedsNoTail) {
  const std::string table = Cut("in.ldb", 9000);
  const Result result = Run({"salvage", "--format", "json", table, "-o", Path("out.ldb")});
  EXPECT_EQ(result.exit_code, 1) << result;
  const auto json = nlohmann::json::parse(result.out);
  EXPECT_EQ(json["complete"], false);
  EXPECT_EQ(json["extent_known"], false);
  EXPECT_TRUE(json["index"].is_null());
  EXPECT_EQ(json["data_blocks_read"], 2);
  ASSERT_EQ(json["lost"].size(), 1);
  EXPECT_EQ(json["lost"][0]["kind"], "bytes");
  EXPECT_EQ(json["lost"][0]["offset"].get<int>() + json["lost"][0]["size"].get<int>(), 9000);
  EXPECT_EQ(Run({"check", Path("out.ldb")}).exit_code, 0);
  const Result first = Run({"get", Path("out.ldb"), "key0000"});
  EXPECT_EQ(first.exit_code, 0);
}

TEST_F(SstSalvageTest, KeepsInternalKeysAndTakesTheOptionsOfBuild) {
  const std::string table = Build("in.ldb", kVersions, {"--keys", "internal"});
  const Result result = Run({"salvage", "--filter", "bloom:14", "--compression", "zstd", "--keys",
                             "internal", table, "--output", Path("out.ldb")});
  EXPECT_EQ(result.exit_code, 0) << result;
  EXPECT_EQ(Run({"dump", "--format", "tsv", "--keys", "internal", Path("out.ldb")}).out, kVersions);
  const std::string plain = Build("plain.ldb", kFruit, {"--filter", "none"});
  ASSERT_EQ(Run({"salvage", plain, "-o", Path("out.ldb"), "--force"}).exit_code, 0);
  EXPECT_THAT(Run({"filter", Path("out.ldb")}).out, HasSubstr("none"));
}

// Minecraft supports raw deflate and zlib; another codec may take five times the space.
TEST_F(SstSalvageTest, KeepsCodecBlockSizeAndRestartInterval) {
  for (const std::string codec : {"none", "snappy", "zstd", "zlib", "deflate"}) {
    SCOPED_TRACE(codec);
    const std::string table =
        Build("in.ldb", ManyRecords(3000),
              {"--compression", codec, "--block-size", "16K", "--restart-interval", "64"});
    ASSERT_EQ(Run({"salvage", "--force", table, "-o", Path("out.ldb")}).exit_code, 0);
    EXPECT_TRUE(folder_.Read("out.ldb") == folder_.Read("in.ldb"));

    // So do tables of which only some blocks remain.
    std::string bytes = folder_.Read("in.ldb");
    bytes[100] ^= 1;
    folder_.Write("damaged.ldb", bytes);
    ASSERT_EQ(Run({"salvage", "--force", Path("damaged.ldb"), "-o", Path("out.ldb")}).exit_code, 1);
    EXPECT_THAT(Run({"stats", Path("out.ldb")}).out,
                HasSubstr("stored as    " + (codec == "deflate" ? "raw deflate" : codec) + ": "));
    // Options of the caller take precedence.
    ASSERT_EQ(Run({"salvage", "--force", "--compression", "snappy", "--block-size", "4K", table,
                   "-o", Path("out.ldb")})
                  .exit_code,
              0);
    const auto stats =
        nlohmann::json::parse(Run({"stats", "--format", "json", Path("out.ldb")}).out);
    EXPECT_THAT(stats.dump(), HasSubstr("snappy"));
    EXPECT_THAT(stats.dump(), Not(HasSubstr("deflate")));
  }
}

// Does not show the eight bytes of the tag after it, which are unreadable.
TEST_F(SstSalvageTest, ShowsInternalKeysAsUserKeyAndSequence) {
  std::string records;
  for (int i = 1000; i < 1500; ++i) {
    records += "user:" + std::to_string(i) + "\t7\tvalue\t" + std::string(30, 'v') + "\n";
  }
  Build("in.ldb", records, {"--keys", "internal", "--compression", "none"});
  std::string bytes = folder_.Read("in.ldb");
  bytes[5000] ^= 1;
  folder_.Write("in.ldb", bytes);
  const Result result = Run({"salvage", Path("in.ldb"), "-o", Path("out.ldb")});
  EXPECT_EQ(result.exit_code, 1) << result;
  EXPECT_THAT(result.err, testing::ContainsRegex(
                              R"(keys above "user:1[0-9]+" @7 and up to "user:1[0-9]+" @7)"));
  EXPECT_THAT(result.err, Not(HasSubstr("\\x")));
}

TEST_F(SstSalvageTest, LeavesNoFileWhereNothingIsLeft) {
  folder_.Write("zeros.ldb", std::string(10000, '\0'));
  const Result result = Run({"salvage", Path("zeros.ldb"), "-o", Path("out.ldb")});
  EXPECT_EQ(result.exit_code, 1) << result;
  EXPECT_THAT(result.err, HasSubstr("no entry is left, so no table was written"));
  EXPECT_THAT(result.err, HasSubstr("bytes at offset 0 (10000 bytes): zeros"));
  EXPECT_THAT(folder_.Names(), Not(Contains("out.ldb")));
}

TEST_F(SstSalvageTest, RefusesTablesOfOtherFormatsAndNamesThem) {
  Build("in.ldb", ManyRecords(500));
  const std::string bytes = folder_.Read("in.ldb");
  const std::pair<const char*, std::string> magics[] = {
      {"RocksDB's block-based table", "\xf7\xcf\xf4\x85\xb7\x41\xe2\x88"},
      {"Pebble's table", "\xf0\x9f\xaa\xb3\xf0\x9f\xaa\xb3"}};
  for (const auto& [name, magic] : magics) {
    folder_.Write("other.sst", bytes.substr(0, bytes.size() - 8) + magic);
    const Result result = Run({"salvage", Path("other.sst"), "-o", Path("out.ldb")});
    EXPECT_EQ(result.exit_code, 2) << result;
    EXPECT_THAT(result.err, HasSubstr(name));
    EXPECT_THAT(folder_.Names(), Not(Contains("out.ldb")));
  }
}

TEST_F(SstSalvageTest, SaysThatTheFormatIsAssumedWhereNothingSaysIt) {
  const Result cut = Run({"salvage", Cut("in.ldb", 9000), "-o", Path("out.ldb")});
  EXPECT_THAT(cut.err, HasSubstr("the file has no magic number"));
  const Result whole = Run({"salvage", "--force", Path("sound.ldb"), "-o", Path("out.ldb")});
  EXPECT_EQ(whole.exit_code, 0) << whole;
  EXPECT_THAT(whole.err, Not(HasSubstr("magic")));
}

// ../shared/cases/log-salvage has such a log, under both names.
TEST_F(SstSalvageTest, MakesATableOfALogWhateverItsName) {
  WriteBatch batch;
  batch.Put("b", "2").Put("a", "1").Delete("c").set_sequence(7);
  std::string log;
  ASSERT_OK(LogWriter(NewStringFile(&log).get()).AddRecord(batch.bytes()));
  for (const char* name : {"000003.log", "recovered-f0012"}) {
    SCOPED_TRACE(name);
    folder_.Write(name, log);
    const Result result = Run({"salvage", "--force", Path(name), "-o", Path("out.ldb")});
    EXPECT_EQ(result.exit_code, 0) << result;
    EXPECT_THAT(result.err, HasSubstr(std::string(name) + ": replayed, 3 entries in "));
    EXPECT_THAT(result.err, HasSubstr("a log does not show the order of keys"));
    EXPECT_EQ(Run({"dump", Path("out.ldb")}).out,
              "a @8 : value => 1\nb @7 : value => 2\nc @9 : deletion\n");
  }
  folder_.Write("torn", log + "torn");
  EXPECT_EQ(Run({"salvage", "--force", Path("torn"), "-o", Path("out.ldb")}).exit_code, 1);
  const Result loose =
      Run({"salvage", Path("000003.log"), Build("f0001", kFruit), "-o", Path("saved")});
  EXPECT_EQ(loose.exit_code, 1) << loose;
  EXPECT_THAT(loose.err, HasSubstr("sst: 2 files: "));
}

TEST_F(SstSalvageTest, KeepsTheMode) {
  const std::string table = Build("fruit.ldb", kFruit);
  const auto mode = std::filesystem::perms::owner_read | std::filesystem::perms::owner_write;
  std::filesystem::permissions(table, mode);
  EXPECT_EQ(Run({"salvage", table, "-o", Path("out.ldb")}).exit_code, 0);
  EXPECT_EQ(std::filesystem::status(Path("out.ldb")).permissions(), mode);
}

TEST_F(SstSalvageTest, NeverWritesToItsInput) {
  const std::string table = Build("in.ldb", kFruit);
  const std::string bytes = folder_.Read("in.ldb");
  const Result same = Run({"salvage", table, "-o", folder_.File("./in.ldb")});
  EXPECT_EQ(same.exit_code, 2);
  EXPECT_THAT(same.err, HasSubstr("is FILE itself"));
  EXPECT_EQ(folder_.Read("in.ldb"), bytes);
  folder_.Write("notes.txt", "not a table");
  const Result other = Run({"salvage", table, "-o", Path("notes.txt")});
  EXPECT_EQ(other.exit_code, 2);
  EXPECT_THAT(other.err, HasSubstr("notes.txt: exists; --force replaces it"));
  const Result without = Run({"salvage", table});
  EXPECT_EQ(without.exit_code, 2);
  EXPECT_THAT(without.err, HasSubstr("-o OUT is missing"));
  EXPECT_EQ(Run({"salvage", Path("missing"), "-o", Path("out")}).exit_code, 2);
}

}  // namespace
}  // namespace sstable::tools
