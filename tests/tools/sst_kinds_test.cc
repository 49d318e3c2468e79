// `sst` on files and folders whose names are misleading.
#include <filesystem>
#include <string>
#include <vector>

#include "tests/tools/sst_test.h"

namespace sstable::tools {
namespace {

namespace fs = std::filesystem;

using ::testing::HasSubstr;
using ::testing::Not;

class KindsTest : public SstTest {
 protected:
  static constexpr char kLfs[] = "version https://git-lfs.github.com/spec/v1\noid sha256:01\n";

  // Every command that takes a folder or a table.
  std::vector<std::vector<std::string>> ReadersOf(const std::string& path) const {
    return {{"check", path},
            {"dump", path},
            {"grep", "x", path},
            {"get", path, "key"},
            {"stats", path},
            {"layout", path},
            {"filter", path},
            {"ls", path},
            {"diff", path, path},
            {"report", path, "-o", Path("page.html")},
            {"salvage", path, "-o", Path("new")}};
  }
};

TEST_F(KindsTest, EveryCommandNamesAForeignFolderOnce) {
  const std::string lfs = Path("lfs"), rocksdb = Path("rocksdb");
  for (const char* const name : {"CURRENT", "MANIFEST-000004", "000005.ldb", "000006.log"}) {
    fs::create_directory(lfs);
    folder_.Write(std::string("lfs/") + name, kLfs);
  }
  fs::create_directory(rocksdb);
  folder_.Write("rocksdb/OPTIONS-000007", "[Version]\n  rocksdb_version=7.8.3\n");
  folder_.Write("rocksdb/000008.log", "");
  for (const auto& [path, message] :
       {std::pair(lfs, ": 000005.ldb is only a git-lfs pointer"),
        std::pair(rocksdb, ": is a database of RocksDB, not of LevelDB: it has OPTIONS-000007")}) {
    for (const std::vector<std::string>& command : ReadersOf(path)) {
      const Result result = Run(command);
      EXPECT_EQ(result.exit_code, 2) << command[0] << result;
      const size_t found = result.err.find(message);
      EXPECT_NE(found, std::string::npos) << command[0] << result;
      // `diff` names both of its arguments.
      EXPECT_EQ(command[0] == "diff" ? std::string::npos : result.err.find(message, found + 1),
                std::string::npos)
          << command[0] << result;
      EXPECT_FALSE(fs::exists(Path("new"))) << command[0];
      EXPECT_THAT(result.out, Not(HasSubstr("damaged,"))) << command[0];
    }
  }
}

TEST_F(KindsTest, AFolderAboveADatabaseIsSaidToBeThat) {
  fs::create_directories(Path("world"));
  fs::copy("tests/testdata/database", Path("world/db"));
  for (const std::vector<std::string>& command : ReadersOf(Path("world"))) {
    const Result result = Run(command);
    EXPECT_EQ(result.exit_code, 2) << command[0] << result;
    if (command[0] == "report") continue;  // names it, too, but on its own page
    EXPECT_THAT(result.err, HasSubstr("did you mean " + Path("world/db") + "?")) << command[0];
  }
}

TEST_F(KindsTest, AFileInThePlaceOfAFolderIsNamed) {
  folder_.Write("world.mcworld", "PK\x03\x04 and more");
  EXPECT_THAT(Run({"ls", Path("world.mcworld")}).err,
              HasSubstr("world.mcworld: is not a folder; it is a zip archive, as .mcworld files "
                        "are: unpack it first"));
}

TEST_F(KindsTest, ATableOrLogIsKnownUnderAnyName) {
  const std::string table = Build("000007.log", kFruit);
  const Result dumped = Run({"dump", table});
  EXPECT_EQ(dumped.exit_code, 0) << dumped;
  EXPECT_THAT(dumped.out, HasSubstr("apple => red"));
  EXPECT_EQ(Run({"check", table}).exit_code, 0);
  fs::copy("tests/testdata/database/000010.log", Path("recovered-f0012"));
  fs::copy("tests/testdata/database/MANIFEST-000008", Path("recovered-f0013"));
  EXPECT_THAT(Run({"dump", Path("recovered-f0012")}).out, HasSubstr("price/banana @8 : value"));
  EXPECT_THAT(Run({"dump", Path("recovered-f0013")}).out, HasSubstr("edit at offset 0"));
  EXPECT_THAT(Run({"stats", Path("recovered-f0012")}).err,
              HasSubstr("recovered-f0012: is a database's log, not a table"));
}

TEST_F(KindsTest, SalvageMakesNothingOfOtherFiles) {
  folder_.Write("a.ldb", kLfs);
  folder_.Write("b.ldb", "<!DOCTYPE html><title>Not found</title>" + std::string(100, ' '));
  for (const auto& [name, message] :
       {std::pair("a.ldb", "is only a git-lfs pointer"), std::pair("b.ldb", "is an HTML page")}) {
    const Result result = Run({"salvage", Path(name), "-o", Path("new")});
    EXPECT_EQ(result.exit_code, 2) << result;
    EXPECT_THAT(result.err, HasSubstr(message));
    EXPECT_FALSE(fs::exists(Path("new")));
  }
}

TEST_F(KindsTest, ALogThatIsAPointerIsNoLog) {
  folder_.Write("000006.log", kLfs);
  for (const char* const command : {"check", "dump"}) {
    const Result result = Run({command, Path("000006.log")});
    EXPECT_EQ(result.exit_code, 2) << result;
    EXPECT_THAT(result.err, HasSubstr("000006.log: is only a git-lfs pointer"));
  }
}

// The encrypted files are plain in the new folder.
TEST_F(KindsTest, SalvageDecryptsAWorldOfNetEase) {
  fs::create_directory(Path("world"));
  for (const auto& file : fs::directory_iterator("tests/testdata/database")) {
    const std::string name = file.path().filename();
    std::string bytes = test::ReadWholeFile(file.path());
    if (file.path().extension() != ".log") {
      for (size_t i = 0; i < bytes.size(); ++i) bytes[i] ^= "88329851"[i % 8];
      bytes.insert(0, "\x80\x1d\x30\x01");
    }
    folder_.Write("world/" + name, bytes);
  }
  const Result check = Run({"check", Path("world")});
  EXPECT_EQ(check.exit_code, 0) << check;
  EXPECT_THAT(check.out, HasSubstr("is encrypted by NetEase's edition of Minecraft, and read with "
                                   "the key that CURRENT shows (no damage)"));
  EXPECT_EQ(Run({"salvage", Path("world"), "-o", Path("new")}).exit_code, 0);
  EXPECT_EQ(Run({"diff", Path("new"), "tests/testdata/database"}).exit_code, 0);
  EXPECT_EQ(Run({"get", Path("world/000005.ldb"), "colour/apple"}).out,
            "red");  // no line end is added
}

}  // namespace
}  // namespace sstable::tools
