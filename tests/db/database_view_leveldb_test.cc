// Compares views with LevelDB on folders that LevelDB wrote.
#include <algorithm>
#include <atomic>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leveldb/db.h"
#include "leveldb/options.h"
#include "sstable/comparator.h"
#include "sstable/database_view.h"
#include "sstable/internal_key.h"
#include "tests/db/leveldb_folder_test.h"
#include "tests/interop/leveldb_order.h"
#include "tests/support/status_matchers.h"
#include "tests/support/table_bytes.h"

namespace sstable::test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

using DatabaseViewTest = LevelDbFolderTest;

TEST_F(DatabaseViewTest, HasWhatLevelDbHasWhileItIsOpen) {
  Create();
  for (int round = 0; round < 4; ++round) {
    Write(3000);
    database_->HoldSnapshot();
    if (round == 2) database_->Compact();
    Write(30, 100000);  // values that span several log blocks
    const auto view = Open(path_);
    EXPECT_THAT(Damage(*view), IsEmpty());
    EXPECT_EQ(view->source(), StateSource::kManifest);
    EXPECT_EQ(view->comparator_name(), "leveldb.BytewiseComparator");
    ExpectEqual(*view);
  }
}

TEST_F(DatabaseViewTest, HasWhatLevelDbHasInAnotherOrder) {
  leveldb::Options options = SmallOptions();
  options.comparator = LevelDbOrder(KeyKind::kPlain, /*reverse=*/true);
  Create(options);
  Write(4000);
  const auto view = Open(path_);
  EXPECT_EQ(view->comparator(), ReverseBytewiseComparator());
  ExpectEqual(*view);
}

TEST_F(DatabaseViewTest, WritesNothing) {
  Create();
  Write(3000);
  database_.reset();
  std::map<std::string, std::filesystem::file_time_type> before, after;
  const auto list = [&](auto* files) {
    for (const auto& entry : std::filesystem::directory_iterator(path_)) {
      (*files)[entry.path()] = entry.last_write_time();
    }
  };
  list(&before);
  Scan(*Open(path_));
  list(&after);
  EXPECT_EQ(before, after);
}

TEST_F(DatabaseViewTest, NeedsFewDescriptors) {
  Create();
  for (size_t i = 0; i < 4000; ++i) database_->Put(Key(i), random_.Bytes(1000));
  database_->Compact();  // leaves tables of limited size, whatever earlier compactions did
  Write(3000);
  database_->TablePaths();  // waits for the compaction to end
  DatabaseViewOptions options;
  options.max_open_files = 1;
  // Uses a copy, since lookups make LevelDB compact and then remove files that the view reopens.
  const auto view = Open(Copy(), options);
  EXPECT_GT(view->ListTables().size(), 2u);
  ExpectEqual(*view);
}

// With two open tables, threads close each other's tables; with a thousand, none is closed.
TEST_F(DatabaseViewTest, ManyThreadsReadWithFewOrAllTablesOpen) {
  Create();
  for (size_t i = 0; i < 4000; ++i) database_->Put(Key(i), Key(i) + std::string(1000, 'v'));
  database_->Compact();
  database_->TablePaths();  // waits for the compaction to end
  for (const size_t max_open_files : {2, 1000}) {
    DatabaseViewOptions options;
    options.max_open_files = max_open_files;
    const auto view = Open(Copy(), options);
    std::atomic<int> wrong{0};
    std::vector<std::thread> threads;
    for (size_t t = 0; t < 4; ++t) {
      threads.emplace_back([&, t] {
        std::string value;
        for (size_t i = 0; i < 4000; ++i) {
          const std::string key = Key((i * 1777 + t * 991) % 4000);
          const auto presence = view->Get(key, &value);
          if (!presence.ok() || *presence != Presence::kFound || value.find(key) != 0) ++wrong;
          // The first of these calls reads the sizes of all files while other threads look up keys.
          if (i == 2000 && (!view->FindProblems().empty() || view->ListFiles().empty())) ++wrong;
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(wrong, 0) << max_open_files;
    EXPECT_GT(view->ListTables().size(), 2u);
  }
}

TEST_F(DatabaseViewTest, StaysReadableWhenTablesAreRemoved) {
  Create();
  Write(6000);
  const auto view = Open(path_);
  const Entries expected = database_->Scan({});
  database_->Compact();
  Write(6000);
  database_->Compact();
  EXPECT_EQ(Scan(*view), expected);

  for (size_t i = 0; i < 4000; ++i) database_->Put(Key(i), random_.Bytes(1000));
  database_->Compact();
  DatabaseViewOptions options;
  options.max_open_files = 1;
  const auto small = Open(path_, options);
  ASSERT_GT(small->ListTables().size(), 1u);
  for (size_t i = 0; i < 4000; ++i) database_->Put(Key(i), "");
  database_->Compact();
  const auto it = small->NewIterator();
  for (it->SeekToFirst(); it->Valid();) it->Next();
  EXPECT_THAT(it->status(), StatusIs(absl::StatusCode::kAborted, HasSubstr("was removed")));
}

TEST_F(DatabaseViewTest, HistoryHasEveryVersion) {
  leveldb::Options options = SmallOptions();
  Create(options);
  database_->HoldSnapshot();  // keeps everything written from now on
  std::map<uint64_t, std::pair<std::string, std::optional<std::string>>> written;
  for (int i = 0; i < 5000; ++i) {
    const std::string key = Key(random_.Below(300)), value = random_.Bytes(random_.Below(100));
    if (random_.Below(5) == 0) {
      database_->Delete(key);
      written[database_->sequence()] = {key, std::nullopt};
    } else {
      database_->Put(key, value);
      written[database_->sequence()] = {key, value};
    }
    database_->HoldSnapshot();
  }
  const auto view = Open(path_);
  EXPECT_GT(view->ListTables().size(), 1u);
  EXPECT_GE(view->logs().size(), 1u);
  std::set<std::string> files;
  for (const DatabaseFile& file : view->ListFiles()) files.insert(file.name);

  Entries live;
  std::string last_key;
  uint64_t last_sequence = 0;
  const auto it = view->NewHistoryIterator();
  for (it->SeekToFirst(); it->Valid(); it->Next()) {
    const HistoryIterator::Entry& entry = it->entry();
    ASSERT_EQ(written.count(entry.sequence), 1u) << entry.sequence;
    const auto& [key, value] = written[entry.sequence];
    ASSERT_EQ(entry.key, key);
    ASSERT_EQ(entry.type == ValueType::kValue, value.has_value());
    ASSERT_EQ(entry.value, value.value_or(""));
    ASSERT_TRUE(entry.key > last_key || entry.sequence < last_sequence);
    ASSERT_EQ(files.count(std::string(entry.file)), 1u) << entry.file;
    if (entry.is_live) live.emplace_back(entry.key, entry.value);
    last_key = std::string(entry.key);
    last_sequence = entry.sequence;
    written.erase(entry.sequence);
  }
  EXPECT_OK(it->status());
  EXPECT_THAT(written, IsEmpty());
  EXPECT_EQ(live, database_->Scan({}));
  it->Seek(Key(100));
  EXPECT_EQ(it->entry().key, Key(100));
}

class OtherOrder final : public leveldb::Comparator {
 public:
  const char* Name() const override { return "test.Unknown"; }
  int Compare(const leveldb::Slice& a, const leveldb::Slice& b) const override {
    return a.compare(b);
  }
  void FindShortestSeparator(std::string*, const leveldb::Slice&) const override {}
  void FindShortSuccessor(std::string*) const override {}
};

TEST_F(DatabaseViewTest, NamesAComparatorThatItDoesNotHave) {
  const OtherOrder order;
  leveldb::Options options = SmallOptions();
  options.comparator = &order;
  Create(options);
  Write(3000);
  const auto view = Open(path_);
  EXPECT_EQ(view->comparator_name(), "test.Unknown");
  EXPECT_EQ(view->comparator(), nullptr);
  EXPECT_GT(view->ListTables().size(), 0u);
  std::string value;
  const auto refused = StatusIs(absl::StatusCode::kUnimplemented,
                                HasSubstr("the comparator \"test.Unknown\" is not known"));
  EXPECT_THAT(view->Get("key", &value), refused);
  EXPECT_THAT(view->NewIterator()->status(), refused);
  EXPECT_THAT(view->NewHistoryIterator()->status(), refused);
  DatabaseViewOptions view_options;
  view_options.comparator = BytewiseComparator();
  ExpectEqual(*Open(path_, view_options));
  database_.reset();  // must precede its comparator
}

TEST_F(DatabaseViewTest, RefusesWhatIsNoDatabase) {
  EXPECT_THAT(DatabaseView::Open(folder_.File("none")),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("none: can't list")));
  EXPECT_THAT(DatabaseView::Open(folder_.File("")),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("is not a database")));
  folder_.Write("file", "x");
  EXPECT_THAT(DatabaseView::Open(folder_.File("file")),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("file: is not a folder")));
}

TEST_F(DatabaseViewTest, RefusesAComparatorOfInternalKeys) {
  const InternalKeyComparator comparator(BytewiseComparator());
  DatabaseViewOptions options;
  options.comparator = &comparator;
  EXPECT_THAT(
      DatabaseView::Open(folder_.File(""), options),
      StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("pass the comparator of user keys")));
}

}  // namespace
}  // namespace sstable::test
