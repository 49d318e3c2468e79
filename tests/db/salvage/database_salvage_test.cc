// Tests aspects of salvage that scripts can't: interruptions, cost, and the options in the API.
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "sstable/comparator.h"
#include "sstable/database_files.h"
#include "sstable/experimental/write_batch.h"
#include "sstable/internal_key.h"
#include "sstable/salvage.h"
#include "tests/db/salvage/salvage_database_test.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_folder.h"

namespace sstable::test {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

TEST_F(SalvageDatabaseTest, RefusesAComparatorOfInternalKeys) {
  WriteTable(5, 0, {{Key("a", 1), ""}});
  const InternalKeyComparator comparator(BytewiseComparator());
  DatabaseSalvageOptions options;
  options.comparator = &comparator;
  EXPECT_THAT(Salvage(options), StatusIs(absl::StatusCode::kInvalidArgument,
                                         HasSubstr("pass the comparator of user keys")));
}

TEST_F(SalvageDatabaseTest, LeavesNoCurrentWhenItIsInterruptedAnywhere) {
  WriteTable(5, 0, {{Key("a", 1), "x"}, {Key("b", 2), "y"}});
  WriteLog("000006.log", {std::string(WriteBatch().Put("c", "z").bytes())});
  for (int calls = 0;; ++calls) {
    TempFolder folder;
    int left = calls;
    DatabaseSalvageOptions options;
    options.on_progress = [&](uint64_t) {
      return left-- > 0 ? absl::OkStatus() : absl::CancelledError("enough");
    };
    const auto report = SalvageDatabase(old_.File("."), folder.File(""), options);
    if (report.ok()) {
      EXPECT_GT(calls, 5);
      EXPECT_THAT(folder.Names(), Contains("CURRENT"));
      break;
    }
    EXPECT_THAT(report, StatusIs(absl::StatusCode::kCancelled, HasSubstr("enough")));
    EXPECT_THAT(folder.Names(), Not(Contains("CURRENT")));
  }
}

// Counts key comparisons.
class CountingComparator final : public Comparator {
 public:
  absl::string_view Name() const override { return BytewiseComparator()->Name(); }
  int Compare(absl::string_view a, absl::string_view b) const override {
    ++count;
    return BytewiseComparator()->Compare(a, b);
  }
  void FindShortestSeparator(std::string*, absl::string_view) const override {}
  void FindShortSuccessor(std::string*) const override {}

  mutable uint64_t count = 0;
};

// There are 60 tables, 1,000 missing ones, and no MANIFEST.
TEST_F(SalvageDatabaseTest, ComparesEachTableWithItsNeighboursOnly) {
  constexpr uint64_t kTables = 60, kMissing = 1000;
  std::vector<TableFile> named;
  for (uint64_t i = 1; i <= kTables + kMissing; ++i) {
    const std::string key = absl::StrCat("key", 10000 + i);
    named.push_back(i % 17 == 0 && i / 17 <= kTables
                        ? WriteTable(i, 1, {{Key(key, i), ""}})
                        : TableFile{1, i, i, Key(key, i), Key(key, i)});
  }
  for (const bool has_manifest : {false, true}) {
    SCOPED_TRACE(has_manifest);
    if (has_manifest) WriteManifest(named);
    TempFolder saved;
    CountingComparator comparator;
    DatabaseSalvageOptions options;
    options.comparator = &comparator;
    ASSERT_OK_AND_ASSIGN(const DatabaseSalvageReport report,
                         SalvageDatabase(old_.File("."), saved.File(""), options));
    EXPECT_EQ(report.tables.size(), kTables);
    EXPECT_EQ(report.lost.size(), has_manifest ? kMissing : 0);
    EXPECT_LT(comparator.count, has_manifest ? 40 * kMissing : 60 * kTables);
  }
}

}  // namespace
}  // namespace sstable::test
