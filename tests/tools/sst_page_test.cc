// `sst report`. tests/web checks what the page then shows.
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "nlohmann/json.hpp"
#include "sstable/database_files.h"
#include "sstable/experimental/log_file.h"
#include "sstable/file.h"
#include "sstable/options.h"
#include "sstable/table_iterator.h"
#include "sstable/table_reader.h"
#include "tests/tools/sst_test.h"

namespace sstable::tools {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::Ge;
using ::testing::HasSubstr;
using ::testing::Lt;
using ::testing::Not;

class PageTest : public SstTest {
 protected:
  // The JSON inside the page `name`.
  json Reported(absl::string_view name) {
    const std::string page = folder_.Read(name);
    const std::string start = "id=\"report\">";
    const size_t at = page.find(start) + start.size();
    return json::parse(page.substr(at, page.find("</script>", at) - at));
  }
};

TEST_F(PageTest, ContainsTheTableItself) {
  const std::string table = Build("fruit.ldb", kFruit);
  const Result result = Run({"report", table, "-o", Path("page.html")});
  EXPECT_EQ(result.exit_code, 0) << result;
  const json files = Reported("page.html");
  ASSERT_EQ(files.size(), 1u);
  EXPECT_EQ(files[0]["name"], table);
  EXPECT_EQ(files[0]["size"], folder_.Read("fruit.ldb").size());
  EXPECT_EQ(files[0]["bytes"].get<std::string>().size(),
            (folder_.Read("fruit.ldb").size() + 2) / 3 * 4);
}

TEST_F(PageTest, ContainsASummaryOfALargeTable) {
  std::string tsv;
  for (int i = 0; i < 6000; ++i) {
    tsv += "key" + std::to_string(100000 + i) + "\t" + std::string(1000, 'x') + "\n";
  }
  folder_.Write("large.tsv", tsv);
  const std::string table = Path("large.ldb");
  const Result built = Run({"build", table, Path("large.tsv"), "--compression", "none"});
  ASSERT_EQ(built.exit_code, 0) << built;
  const Result result = Run({"report", table, "-o", Path("page.html")});
  EXPECT_EQ(result.exit_code, 0) << result;
  EXPECT_LT(folder_.Read("page.html").size(), 5'000'000u);
  const json summary = Reported("page.html").at(0).at("summary");
  const auto report = [&](const char* command) {
    return json::parse(Run({command, "--format", "json", table}).out);
  };
  for (const char* command : {"check", "filter", "stats"}) {
    EXPECT_EQ(summary.at(command), report(command)) << command;
  }
  EXPECT_EQ(summary["about"]["data_blocks"], report("check")["data_blocks"]);
  EXPECT_EQ(summary["windows"]["count"], report("filter")["windows"]["count"]);
  EXPECT_GT(summary["page"]["rows"], 0);
  uint64_t blocks = 0;
  for (const json& place : summary["places"]["data"]) blocks += place[2].get<uint64_t>();
  EXPECT_EQ(blocks, report("check")["data_blocks"]);
}

// A summary of a small table is larger than the table, and was once made in vain for each.
TEST_F(PageTest, TakesSmallTablesWholeAsLongAsThereIsRoom) {
  Build("t.ldb", "key\t" + std::string(3000, 'x') + "\n", {"--compression", "none"});
  const std::string bytes = folder_.Read("t.ldb");
  constexpr int kTables = 1500;  // each takes over 4,000 bytes of the page
  for (int i = 1; i < kTables; ++i) folder_.Write("t" + std::to_string(i) + ".ldb", bytes);
  const Result result = Run({"report", Path(""), "-o", Path("page.html")});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, HasSubstr("there is no room in the page for "));
  EXPECT_THAT(result.err, Not(HasSubstr("there is no room for it")));
  const json files = Reported("page.html");
  EXPECT_THAT(files.size(), AllOf(Ge(900u), Lt(1100u)));
  for (const json& file : files) ASSERT_TRUE(file.contains("bytes")) << file["name"];
}

TEST_F(PageTest, TakesAllTablesOfAFolderAndNamesWhatIsNone) {
  Build("000005.ldb", kFruit);
  Build("000007.ldb", kFruit);
  folder_.Write("000009.ldb", "no table, but the page can salvage it");
  Build("mine.ldb", kFruit);  // not a database's, by its name
  const Result result = Run({"report", Path(""), "-o", Path("page.html")});
  EXPECT_EQ(result.exit_code, 1) << result;
  EXPECT_THAT(result.err, HasSubstr("000009.ldb: "));
  const json reported = Reported("page.html");
  ASSERT_EQ(reported.size(), 5u);
  EXPECT_EQ(reported[0]["database"]["tables"].size(), 3u);
  EXPECT_TRUE(reported[4].contains("bytes"));
}

// Two tables of internal keys, and the output of `sst ls` for them.
class FolderPageTest : public PageTest {
 protected:
  void SetUp() override {
    std::filesystem::create_directory(Path("db"));
    Build("db/000005.ldb", "apple\t1\tvalue\tred\nkiwi\t2\tvalue\tgreen\n", kInternal);
    Build("db/000007.ldb", "banana\t4\tvalue\tyellow\nkiwi\t3\tdeletion\t\n", kInternal);
    Build("db/000009.ldb", "pear\t5\tvalue\tgreen\n", kInternal);
  }

  // Makes the folder a database that LevelDB opens, with all its tables on level 0.
  void WriteState(const std::string& folder) {
    VersionEdit edit;
    edit.comparator = "leveldb.BytewiseComparator";
    edit.log_number = 3;
    edit.next_file_number = 1000;
    edit.last_sequence = 5;
    for (const auto& file : std::filesystem::directory_iterator(Path(folder))) {
      if (file.path().extension() != ".ldb") continue;
      TableReaderOptions options;
      options.key_kind = KeyKind::kInternal;
      const auto table = TableReader::Open(file.path().string(), options);
      ASSERT_TRUE(table.ok()) << table.status();
      const auto it = (*table)->NewIterator();
      TableFile added{0, std::stoull(file.path().stem().string()), file.file_size(), "", ""};
      it->SeekToFirst();
      added.smallest = std::string(it->key());
      it->SeekToLast();
      added.largest = std::string(it->key());
      edit.new_files.push_back(std::move(added));
    }
    std::string bytes;
    const auto manifest = NewStringFile(&bytes);
    ASSERT_TRUE(LogWriter(manifest.get()).AddRecord(edit.Encode()).ok());
    folder_.Write(folder + "/MANIFEST-000002", bytes);
    folder_.Write(folder + "/CURRENT", "MANIFEST-000002\n");
    folder_.Write(folder + "/000003.log", "");
  }

  const std::vector<std::string> kInternal = {"--keys", "internal"};
};

// A page can show a damaged folder, too.
TEST_F(FolderPageTest, SaysWhatIsDamagedInAFolder) {
  const Result result = Run({"report", Path("db"), "-o", Path("page.html")});
  EXPECT_EQ(result.exit_code, 1) << result;
  EXPECT_THAT(result.err, HasSubstr("db/CURRENT: can't open: No such file or directory"));
  EXPECT_EQ(Reported("page.html").size(), 4u);
}

TEST_F(FolderPageTest, HasWhatLsReportsAndTheRangesOfKeys) {
  WriteState("db");
  const Result result = Run({"report", Path("db"), "-o", Path("page.html")});
  EXPECT_EQ(result.exit_code, 0) << result;
  const json reported = Reported("page.html");
  ASSERT_EQ(reported.size(), 4u);
  EXPECT_EQ(reported[0]["database"], json::parse(Run({"ls", "--format", "json", Path("db")}).out));
  // The ranges are pear; banana to kiwi; apple to kiwi: the newest table of level 0 comes first.
  EXPECT_EQ(reported[0]["ranges"], json({{3, 3}, {1, 2}, {0, 2}}));
  EXPECT_EQ(reported[1]["name"], Path("db/000005.ldb"));
  EXPECT_TRUE(reported[3].contains("bytes"));
}

TEST_F(FolderPageTest, KeepsRoomForASummaryOfEachTable) {
  std::string tsv;
  for (int i = 0; i < 1000; ++i) {
    tsv += "key" + std::to_string(1000 + i) + "\t1\tvalue\t" + std::string(900, 'x') + "\n";
  }
  folder_.Write("large.tsv", tsv);
  for (int number = 10; number < 16; ++number) {
    const Result built = Run({"build", Path("db/0000" + std::to_string(number) + ".ldb"),
                              Path("large.tsv"), "--keys", "internal", "--compression", "none"});
    ASSERT_EQ(built.exit_code, 0) << built;
  }
  WriteState("db");
  const Result result = Run({"report", Path("db"), "-o", Path("page.html")});
  EXPECT_EQ(result.exit_code, 0) << result;
  EXPECT_LT(folder_.Read("page.html").size(), 5'000'000u);
  const json reported = Reported("page.html");
  ASSERT_EQ(reported.size(), 10u);
  size_t whole = 0;
  for (const json& table : reported) whole += table.contains("bytes");
  EXPECT_THAT(whole, AllOf(Ge(4u), Lt(9u)));
}

// 200 summaries would not fit.
TEST_F(FolderPageTest, HasManySmallTablesThemselves) {
  const std::string table = folder_.Read("db/000005.ldb");
  for (int number = 100; number < 300; ++number) {
    folder_.Write("db/000" + std::to_string(number) + ".ldb", table);
  }
  WriteState("db");
  const Result result = Run({"report", Path("db"), "-o", Path("page.html")});
  EXPECT_EQ(result.exit_code, 0) << result;
  const json reported = Reported("page.html");
  ASSERT_EQ(reported.size(), 204u);
  for (size_t i = 1; i < reported.size(); ++i) EXPECT_TRUE(reported[i].contains("bytes")) << i;
}

TEST_F(FolderPageTest, ShowsADatabaseWithoutATable) {
  std::filesystem::create_directory(Path("new"));
  WriteState("new");
  const Result result = Run({"report", Path("new"), "-o", Path("page.html")});
  EXPECT_EQ(result.exit_code, 0) << result;
  EXPECT_EQ(Reported("page.html").at(0)["database"]["logs"].size(), 1u);
}

TEST_F(FolderPageTest, NeverReplacesAFileOfTheDatabase) {
  folder_.Write("db/CURRENT", "MANIFEST-000002\n");
  EXPECT_EQ(Run({"report", Path("db"), "-o", Path("db/CURRENT"), "--force"}).exit_code, 2);
  EXPECT_EQ(folder_.Read("db/CURRENT"), "MANIFEST-000002\n");
}

TEST_F(PageTest, NoNameIsMarkup) {
  const std::string table = Build("<script><b>.ldb", kFruit);
  EXPECT_EQ(Run({"report", table, "-o", Path("page.html")}).exit_code, 0);
  EXPECT_THAT(folder_.Read("page.html"), Not(HasSubstr("<b>.ldb")));
  EXPECT_EQ(Reported("page.html")[0]["name"], table);
}

TEST_F(PageTest, ReplacesAFileOnlyWithForce) {
  const std::string table = Build("fruit.ldb", kFruit);
  folder_.Write("page.html", "mine");
  EXPECT_EQ(Run({"report", table, "-o", Path("page.html")}).exit_code, 2);
  EXPECT_EQ(folder_.Read("page.html"), "mine");
  EXPECT_EQ(Run({"report", table, "-o", Path("page.html"), "--force"}).exit_code, 0);
  EXPECT_EQ(Run({"report", table, "-o", table, "--force"}).exit_code, 2);
  EXPECT_EQ(Run({"report", table}).exit_code, 2);
  EXPECT_EQ(Run({"report", Path("absent.ldb"), "-o", Path("new.html")}).exit_code, 2);
  EXPECT_THAT(folder_.Names(), Not(testing::Contains("new.html")));
}

}  // namespace
}  // namespace sstable::tools
