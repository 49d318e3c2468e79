// Folders whose files can all be read, but do not fit together.
#include <filesystem>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "db/table_run.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "sstable/database_view.h"
#include "sstable/internal_key.h"
#include "sstable/write_batch.h"
#include "tests/db/made_folder_test.h"
#include "tests/support/status_matchers.h"

namespace sstable::test {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class DatabaseViewDoubtsTest : public MadeFolderTest {
 protected:
  static std::string Get(const DatabaseView& view, const std::string& key) {
    std::string value;
    const auto presence = view.Get(key, &value);
    EXPECT_OK(presence);
    return presence.ok() && *presence == Presence::kFound ? value : "absent";
  }

  // "key=value,..." of the live entries.
  static std::string Live(const DatabaseView& view) {
    std::string text;
    const auto it = view.NewIterator();
    for (it->SeekToFirst(); it->Valid(); it->Next()) {
      absl::StrAppend(&text, it->key(), "=", it->value(), ",");
    }
    EXPECT_OK(it->status());
    return text;
  }

  void WriteBatches(absl::string_view name, const std::vector<WriteBatch>& batches) {
    std::string bytes;
    const auto file = NewStringFile(&bytes);
    LogWriter writer(file.get());
    for (const WriteBatch& batch : batches) EXPECT_OK(writer.AddRecord(batch.bytes()));
    folder_.Write(name, bytes);
  }

  static WriteBatch Batch(uint64_t sequence, absl::string_view key, absl::string_view value) {
    WriteBatch batch;
    batch.Put(key, value).set_sequence(sequence);
    return batch;
  }
};

// Such tables are written if a program gives LevelDB another function under the same name, or if
// LevelDB's repair is run without the program's comparator.
TEST_F(DatabaseViewDoubtsTest, ATableInAnotherOrderIsReportedAndReadAsAWhole) {
  Entries entries;
  std::string expected;
  for (int i = 29; i >= 0; --i) {
    const std::string key = absl::StrCat("k", 10 + i);
    entries.emplace_back(Key(key, static_cast<uint64_t>(i) + 1), absl::StrCat(i));
  }
  TableFile reversed = WriteTable(5, entries, "", ReverseBytewiseComparator());
  reversed.level = 2;
  // Its range is not that of its keys, in bytewise order.
  const TableFile newer = WriteTable(7, {{Key("k20", 60), "new"}, {Key("k21", 61), "new"}});
  folder_.Write("000004.log", "");
  WriteManifest({reversed, newer});
  const auto view = Open();
  EXPECT_THAT(Damage(*view),
              ElementsAre(AllOf(HasSubstr("000005.ldb: its keys are in the order "),
                                HasSubstr("the database's is leveldb.BytewiseComparator"))));
  for (int i = 0; i < 30; ++i) {
    const std::string key = absl::StrCat("k", 10 + i);
    const std::string value = i == 10 || i == 11 ? "new" : absl::StrCat(i);
    EXPECT_EQ(Get(*view, key), value);
    absl::StrAppend(&expected, key, "=", value, ",");
  }
  EXPECT_EQ(Live(*view), expected);
  EXPECT_FALSE(view->tables()[1].in_order);
  const auto it = view->NewHistoryIterator({});
  it->Seek("k20");
  ASSERT_TRUE(it->Valid());
  EXPECT_EQ(it->entry().file, "000007.ldb");
  it->Next();
  EXPECT_EQ(it->entry().file, "000005.ldb");
}

TEST_F(DatabaseViewDoubtsTest, OfEqualSequencesTheOneCountsThatLevelDbFindsFirst) {
  TableFile older = WriteTable(5, {{Key("k", 5), "table 5"}, {Key("z", 1), ""}});
  TableFile newer = WriteTable(7, {{Key("a", 2), ""}, {Key("k", 5), "table 7"}});
  TableFile apart = WriteTable(8, {{Key("x", 3), ""}, {Key("y", 4), ""}});
  older.level = newer.level = apart.level = 0;
  folder_.Write("000004.log", "");
  WriteManifest({older, newer, apart});
  EXPECT_EQ(Get(*Open(), "k"), "table 7");
  EXPECT_THAT(Live(*Open()), HasSubstr("k=table 7"));

  WriteBatches("000004.log", {Batch(5, "k", "first"), Batch(5, "k", "second")});
  WriteBatches("000006.log", {Batch(5, "k", "third")});
  EXPECT_EQ(Get(*Open(), "k"), "third");
  EXPECT_THAT(Live(*Open()), HasSubstr("k=third"));
  EXPECT_THAT(Damage(*Open()),
              ElementsAre(AllOf(HasSubstr("is written again"), HasSubstr("such changes: 2"))));
  WriteBatches("000006.log", {Batch(5, "k", "second")});  // a copy loses nothing
  WriteBatches("000004.log", {Batch(5, "k", "second")});
  EXPECT_THAT(Damage(*Open()), IsEmpty());
}

TEST_F(DatabaseViewDoubtsTest, ALogThatIsNotThereOrEmptyIsNoDamage) {
  WriteDatabase();
  std::filesystem::remove(Path("000004.log"));
  EXPECT_THAT(Damage(*Open()), IsEmpty());
  EXPECT_EQ(Open()->problems().front().message,
            Path("000004.log") + ": is not there; if it was empty, nothing is lost");
  WriteLog("000004.log", "value");
  std::filesystem::resize_file(Path("000004.log"), 20);  // torn
  folder_.Write("000006.log", "");
  EXPECT_THAT(Damage(*Open()), IsEmpty());
  WriteLog("000006.log", "later");
  EXPECT_THAT(Damage(*Open()), ElementsAre(HasSubstr("000004.log: at offset 0 (20 bytes)")));
}

// Of two tables of level 0 that overlap, the newer one is in the first run; tables of a run do not.
TEST_F(DatabaseViewDoubtsTest, RunsAreInOrderOfAge) {
  std::minstd_rand random(34);
  const auto below = [&random](uint64_t limit) { return random() % limit; };
  for (int round = 0; round < 50; ++round) {
    std::vector<DatabaseTable> tables(below(30));
    std::vector<size_t> indices;
    for (size_t i = 0; i < tables.size(); ++i) {
      const uint64_t start = below(50);
      tables[i].number = i;
      tables[i].level = 0;
      tables[i].smallest = Key(absl::StrCat(100 + start), 9);
      tables[i].largest = Key(absl::StrCat(100 + start + below(10)), 3);
      if (below(20) == 0) std::swap(tables[i].smallest, tables[i].largest);
      indices.push_back(i);
    }
    std::map<size_t, size_t> run_of;
    const auto runs = GroupIntoRuns(tables, indices, BytewiseComparator());
    for (size_t run = 0; run < runs.size(); ++run) {
      for (const size_t i : runs[run].tables) run_of[i] = run;
      for (size_t i = 1; i < runs[run].tables.size(); ++i) {
        EXPECT_LT(tables[runs[run].tables[i - 1]].largest, tables[runs[run].tables[i]].smallest);
      }
    }
    ASSERT_EQ(run_of.size(), tables.size());
    for (size_t older = 0; older < tables.size(); ++older) {
      for (size_t newer = older + 1; newer < tables.size(); ++newer) {
        const bool overlap = tables[older].smallest <= tables[newer].largest &&
                             tables[newer].smallest <= tables[older].largest;
        if (overlap) {
          EXPECT_LT(run_of[newer], run_of[older]);
        }
      }
    }
  }
}

}  // namespace
}  // namespace sstable::test
