// Tests folders whose tables are not in the database's order. tests/tools/scripts/folder_doubt
// tests what needs no custom comparator.
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "db/table_run.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "sstable/comparator.h"
#include "sstable/database_view.h"
#include "sstable/internal_key.h"
#include "tests/db/made_folder_test.h"
#include "tests/support/status_matchers.h"

namespace sstable::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class DatabaseViewDoubtsTest : public MadeFolderTest {
 protected:
  static std::string Get(const DatabaseView& view, const std::string& key) {
    std::string value;
    const auto presence = view.Get(key, &value);
    EXPECT_OK(presence);
    return presence.ok() && *presence == Presence::kFound ? value : "absent";
  }

  // Returns the live entries as "key=value,...".
  static std::string Live(const DatabaseView& view) {
    std::string text;
    const auto it = view.NewIterator();
    for (it->SeekToFirst(); it->Valid(); it->Next()) {
      absl::StrAppend(&text, it->key(), "=", it->value(), ",");
    }
    EXPECT_OK(it->status());
    return text;
  }
};

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

// Such a folder is made by RepairDB if it does not have IndexedDB's comparator: all tables are on
// level 0, in an order other than the MANIFEST's, or the MANIFEST has no comparator.
TEST_F(DatabaseViewDoubtsTest, ARepairedIndexedDbIsReportedAndRead) {
  // Makes keys of index 1 from UTF-16 strings, which are sorted whatever their sizes.
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

// The MANIFEST does not reveal the order, since "a" to "zz" is a range in either. When the table is
// first read, it is too late to sort it.
TEST_F(DatabaseViewDoubtsTest, ATableInAnotherOrderThatWasNotLookedAtIsAnErrorWhenItIsRead) {
  const ShorterFirst order;
  const TableFile first = WriteTable(5, {{Key("0", 1), "first"}, {Key("1", 2), ""}});
  const TableFile other = WriteTable(
      7, {{Key("a", 3), "1"}, {Key("z", 4), "2"}, {Key("bb", 5), "3"}, {Key("zz", 6), "4"}}, "",
      &order);
  folder_.Write("000004.log", "");
  WriteManifest({first, other});
  const auto view = Open();
  EXPECT_THAT(view->FindProblems(), IsEmpty());
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

  // If one such table is found, all are checked.
  WriteManifest(
      {WriteTable(5, {{Key("0", 1), ""}, {Key("2", 2), ""}, {Key("11", 3), ""}, {Key("22", 4), ""}},
                  "", &order),
       other});
  EXPECT_THAT(Damage(*Open()), ElementsAre(HasSubstr("000005.ldb: "), HasSubstr("000007.ldb: ")));
}

// If two tables of level 0 overlap, the newer one must be in an earlier run. Tables in the same run
// must not overlap.
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
