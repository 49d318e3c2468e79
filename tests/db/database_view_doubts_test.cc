// Folders whose files can all be read, but are inconsistent.
#include <filesystem>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "db/table_run.h"
#include "db/version_check.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "sstable/comparator.h"
#include "sstable/database_view.h"
#include "sstable/experimental/write_batch.h"
#include "sstable/internal_key.h"
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

  std::vector<std::string> Versions() {
    const auto found = CheckVersions(*Open(), [](uint64_t) {});
    EXPECT_OK(found);
    std::vector<std::string> messages;
    for (const DatabaseProblem& problem : *found) messages.push_back(problem.message);
    return messages;
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

TEST_F(DatabaseViewDoubtsTest, AManifestIsOlderIfATableThatItDoesNotNameHasOtherEntries) {
  struct Case {
    const char* what;
    uint64_t number;
    Entries entries;
    bool is_older;
  };
  const std::vector<Case> cases = {
      {"a part of what the database has, as a compaction leaves it",
       9,
       {{Key("a1", 1), "old"}},
       false},
      {"entries of the log, as a crash leaves them", 9, {{Key("logged", 50), "value"}}, false},
      {"a newer version", 9, {{Key("a1", 51), "new"}, {Key("a1", 1), "old"}}, true},
      {"an old version that is nowhere else", 9, {{Key("c", 1), "old"}}, true},
      {"dropped before the MANIFEST began", 1, {{Key("c", 1), "old"}}, false},
  };
  for (const Case& c : cases) {
    WriteDatabase();
    WriteLog("000004.log", "value");
    const std::string name = TableFileName(c.number);
    WriteTable(c.number, c.entries);
    const auto view = Open();
    if (c.is_older) {
      EXPECT_THAT(Damage(*view),
                  ElementsAre(AllOf(HasSubstr("MANIFEST-000002: is older than the folder: no edit "
                                              "names 000009.ldb"),
                                    HasSubstr("`sst salvage` reads them"))))
          << c.what;
      EXPECT_THAT(view->problems(), SizeIs(1)) << c.what;  // and not "not part of it"
    } else {
      EXPECT_THAT(Damage(*view), IsEmpty()) << c.what;
      EXPECT_THAT(view->problems(), SizeIs(1)) << c.what;
    }
    std::filesystem::remove(Path(name));
  }
}

TEST_F(DatabaseViewDoubtsTest, TablesThatWereNotAllLookedAtAreNoDamageButSaid) {
  const Entries entries = {{Key("a", 1), "1"}};
  const auto notes = [&] {
    const auto view = Open();
    EXPECT_THAT(Damage(*view), IsEmpty());
    std::string text;
    for (const DatabaseProblem& problem : view->problems()) {
      if (problem.file == "MANIFEST-000002") text += problem.message;
    }
    return text;
  };
  folder_.Write("000004.log", "");
  WriteManifest({WriteTable(5, entries)});
  for (uint64_t number = 6; number < 1000; ++number) WriteTable(number, entries);
  EXPECT_EQ(notes(), "");
  for (uint64_t number = 1000; number < 1050; ++number) WriteTable(number, entries);
  EXPECT_THAT(notes(), HasSubstr("MANIFEST-000002: names none of 1044 tables of the folder that "
                                 "may be newer; not all of their entries were looked for"));
}

TEST_F(DatabaseViewDoubtsTest, ThatTheManifestIsOlderIsSaidFirst) {
  WriteDatabase();
  std::filesystem::remove(Path("000005.ldb"));  // an output of the compaction
  for (uint64_t number = 8; number < 15; ++number) WriteTable(number, {{Key("a1", number), "new"}});
  const auto view = Open();
  EXPECT_THAT(
      view->problems().front().message,
      AllOf(HasSubstr("000008.ldb, 000009.ldb, 000010.ldb, 000011.ldb, 000012.ldb and 2 more"),
            HasSubstr("000014.ldb has \"a1\" @14, which is in no table or log")));
  EXPECT_THAT(Damage(*view), SizeIs(2));
}

TEST_F(DatabaseViewDoubtsTest, ANewerManifestIsNamed) {
  WriteDatabase();
  std::filesystem::copy(Path("MANIFEST-000002"), Path("MANIFEST-000009"));
  folder_.Write("MANIFEST-000010", "not one");
  EXPECT_THAT(Damage(*Open()), IsEmpty());
  EXPECT_THAT(Open()->problems().front().message,
              AllOf(HasSubstr("MANIFEST-000009: is complete and newer than MANIFEST-000002")));
  std::filesystem::remove(Path("000005.ldb"));
  EXPECT_THAT(Damage(*Open()), Contains(HasSubstr("MANIFEST-000009: is complete and newer")));
}

TEST_F(DatabaseViewDoubtsTest, TablesOfALevelOverlap) {
  TableFile first = WriteTable(5, {{Key("a", 1), "1"}, {Key("m", 2), "2"}});
  TableFile second = WriteTable(7, {{Key("k", 3), "3"}, {Key("z", 4), "4"}});
  folder_.Write("000004.log", "");
  WriteManifest({first, second});
  EXPECT_THAT(
      Damage(*Open()),
      ElementsAre(HasSubstr("level 1: 000005.ldb and 000007.ldb overlap from \"k\" @3 on")));
  EXPECT_EQ(Live(*Open()), "a=1,k=3,m=2,z=4,");
  second.level = 2;
  WriteManifest({first, second});
  EXPECT_THAT(Damage(*Open()), IsEmpty());
  first.level = second.level = 0;
  WriteManifest({first, second});
  EXPECT_THAT(Damage(*Open()), IsEmpty());
}

// A program writes such tables if it gives LevelDB another function under the same name, or if it
// runs LevelDB's repair without its comparator.
TEST_F(DatabaseViewDoubtsTest, ATableInAnotherOrderIsReportedAndReadAsAWhole) {
  Entries entries;
  std::string expected;
  for (int i = 29; i >= 0; --i) {
    const std::string key = absl::StrCat("k", 10 + i);
    entries.emplace_back(Key(key, static_cast<uint64_t>(i) + 1), absl::StrCat(i));
  }
  TableFile reversed = WriteTable(5, entries, "", ReverseBytewiseComparator());
  reversed.level = 2;
  // In bytewise order, its range is not that of its keys.
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

class ShorterFirst final : public Comparator {
 public:
  absl::string_view Name() const override { return "test.ShorterFirst"; }
  int Compare(absl::string_view a, absl::string_view b) const override {
    if (a.size() != b.size()) return a.size() < b.size() ? -1 : 1;
    return a.compare(b);
  }
  void FindShortestSeparator(std::string*, absl::string_view) const override {}
  void FindShortSuccessor(std::string*) const override {}
};

// The result of RepairDB on Chromium's IndexedDB, whose comparator it does not have: all tables on
// level 0, in an order other than the MANIFEST's; and a MANIFEST that names no order.
TEST_F(DatabaseViewDoubtsTest, ARepairedIndexedDbIsReportedAndRead) {
  // Keys of index 1: UTF-16 strings, which are in order whatever their sizes.
  const auto key = [](const std::string& text) {
    std::string bytes = absl::StrCat(absl::string_view("\0\1\1\1\1", 5),
                                     std::string(1, static_cast<char>(text.size())));
    for (const char c : text) bytes += std::string("\0", 1) + c;
    return bytes;
  };
  const std::vector<std::string> texts = {"aa", "b", "cc", "d", "ee", "f", "gg", "h"};
  Entries entries;
  for (const std::string& text : texts) entries.emplace_back(Key(key(text), 7), text);
  TableFile table = WriteTable(5, entries, "", IndexedDbComparator());
  table.level = 0;
  folder_.Write("000004.log", "");
  const struct {
    std::string comparator, damage, first;
  } cases[] = {{"leveldb.BytewiseComparator", "its keys are in the order idb_cmp1", "b"},
               {"", "no edit has a comparator", "aa"}};
  for (const auto& one : cases) {
    SCOPED_TRACE(one.damage);
    comparator_name_ = one.comparator;
    WriteManifest({table});
    const auto view = Open();
    EXPECT_THAT(Damage(*view), ElementsAre(HasSubstr(one.damage)));
    for (const std::string& text : texts) EXPECT_EQ(Get(*view, key(text)), text);
    const auto it = view->NewIterator();
    it->SeekToFirst();
    ASSERT_TRUE(it->Valid());
    EXPECT_EQ(it->value(), one.first);
  }
}

// The MANIFEST does not show it: "a" to "zz" is a range in either order. When the table is first
// read, it is too late to sort it.
TEST_F(DatabaseViewDoubtsTest, ATableInAnotherOrderThatWasNotLookedAtIsAnErrorWhenItIsRead) {
  const ShorterFirst order;
  const TableFile first = WriteTable(5, {{Key("0", 1), "first"}, {Key("1", 2), ""}});
  const TableFile other = WriteTable(
      7, {{Key("a", 3), "1"}, {Key("z", 4), "2"}, {Key("bb", 5), "3"}, {Key("zz", 6), "4"}}, "",
      &order);
  folder_.Write("000004.log", "");
  WriteManifest({first, other});
  const auto view = Open();
  EXPECT_THAT(view->problems(), IsEmpty());
  EXPECT_EQ(Get(*view, "0"), "first");
  const auto damaged = StatusIs(absl::StatusCode::kDataLoss, HasSubstr("000007.ldb: "));
  std::string value;
  for (int i = 0; i < 2; ++i) EXPECT_THAT(view->Get("bb", &value), damaged);
  const auto it = view->NewIterator();
  it->Seek("b");
  EXPECT_THAT(it->status(), damaged);

  const auto looked_at = Open(/*check_ranges=*/true);
  EXPECT_THAT(Damage(*looked_at), ElementsAre(HasSubstr("000007.ldb: ")));
  EXPECT_EQ(Live(*looked_at), "0=first,1=,a=1,bb=3,z=2,zz=4,");

  // Once one is found, all are checked.
  WriteManifest(
      {WriteTable(5, {{Key("0", 1), ""}, {Key("2", 2), ""}, {Key("11", 3), ""}, {Key("22", 4), ""}},
                  "", &order),
       other});
  EXPECT_THAT(Damage(*Open()), ElementsAre(HasSubstr("000005.ldb: "), HasSubstr("000007.ldb: ")));
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
  EXPECT_THAT(Versions(), ElementsAre(HasSubstr("000005.ldb: has another value for a key and "
                                                "sequence: \"k\" @5")));

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

TEST_F(DatabaseViewDoubtsTest, ANewerVersionMustNotBeDeeper) {
  struct Case {
    const char* what;
    int first_level, second_level;  // levels of "k" @3 and "k" @7, in tables 5 and 7
    size_t problems;
  };
  for (const Case& c : {Case{"deeper is older", 2, 1, 0}, Case{"deeper is newer", 1, 2, 1},
                        Case{"level 0, a higher number is newer", 0, 0, 0}}) {
    TableFile first = WriteTable(5, {{Key("k", 3), "3"}}),
              second = WriteTable(7, {{Key("k", 7), "7"}});
    first.level = c.first_level;
    second.level = c.second_level;
    folder_.Write("000004.log", "");
    WriteManifest({first, second});
    EXPECT_THAT(Versions(), SizeIs(c.problems)) << c.what;
  }
  {  // LevelDB finds both versions in the first of two copies
    TableFile first = WriteTable(5, {{Key("k", 7), "7"}, {Key("k", 3), "3"}});
    TableFile second = WriteTable(7, {{Key("k", 7), "7"}, {Key("k", 3), "3"}});
    second.level = 2;
    WriteManifest({first, second});
    EXPECT_THAT(Versions(), IsEmpty());
  }
  TableFile first = WriteTable(5, {{Key("k", 7), "7"}}),
            second = WriteTable(7, {{Key("k", 3), "3"}});
  first.level = second.level = 0;
  WriteManifest({first, second});
  EXPECT_THAT(Versions(), ElementsAre(Path("000007.ldb") +
                                      ": LevelDB finds an older version of a key before a newer "
                                      "one: \"k\" @3 in 000007.ldb, \"k\" @7 in 000005.ldb"));
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

// The newer of two tables of level 0 that overlap is in the earlier run; tables of a run do
// not overlap.
TEST_F(DatabaseViewDoubtsTest, RunsAreInOrderOfAge) {
  const KeyOrder order(BytewiseComparator(), KeyKind::kInternal);
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
    const auto runs = GroupIntoRuns(tables, indices, &order);
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
