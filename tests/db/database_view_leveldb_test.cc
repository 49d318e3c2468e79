// Folders that LevelDB wrote: the view says what LevelDB says.
#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leveldb/db.h"
#include "leveldb/options.h"
#include "leveldb/write_batch.h"
#include "sstable/comparator.h"
#include "sstable/database_view.h"
#include "sstable/internal_key.h"
#include "tests/interop/leveldb_database.h"
#include "tests/interop/leveldb_order.h"
#include "tests/interop/table_spec.h"
#include "tests/support/status_matchers.h"
#include "tests/support/table_bytes.h"
#include "tests/support/temp_folder.h"

namespace sstable::test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

Entries Scan(const DatabaseView& view, const ViewReadOptions& options = {}) {
  Entries entries;
  const auto it = view.NewIterator(options);
  for (it->SeekToFirst(); it->Valid(); it->Next()) entries.emplace_back(it->key(), it->value());
  EXPECT_OK(it->status());
  return entries;
}

Entries ScanBackward(const DatabaseView& view, const ViewReadOptions& options = {}) {
  Entries entries;
  const auto it = view.NewIterator(options);
  for (it->SeekToLast(); it->Valid(); it->Prev()) entries.emplace_back(it->key(), it->value());
  EXPECT_OK(it->status());
  return Entries(entries.rbegin(), entries.rend());
}

std::unique_ptr<DatabaseView> Open(const std::string& path,
                                   const DatabaseViewOptions& options = {}) {
  auto view = DatabaseView::Open(path, options);
  EXPECT_OK(view);
  return view.ok() ? *std::move(view) : nullptr;
}

std::vector<std::string> Damage(const DatabaseView& view) {
  std::vector<std::string> messages;
  for (const DatabaseProblem& problem : view.problems()) {
    if (problem.is_damage) messages.push_back(problem.message);
  }
  return messages;
}

leveldb::Options SmallOptions() {
  leveldb::Options options;
  options.write_buffer_size = 64 << 10;  // the least that LevelDB takes
  options.max_file_size = 1 << 20;
  options.block_size = 1024;
  return options;
}

std::string Key(size_t i) { return absl::StrFormat("key%05d", i); }

class DatabaseViewTest : public testing::Test {
 protected:
  void Create(const leveldb::Options& options = SmallOptions()) {
    database_ = std::make_unique<LevelDbDatabase>(path_, options);
  }

  void Write(int count, size_t max_value_size = 200) {
    for (int i = 0; i < count; ++i) {
      const std::string key = Key(random_.Below(1500));
      const std::string value = random_.Bytes(random_.Below(max_value_size));
      switch (random_.Below(6)) {
        case 0:
          database_->Delete(key);
          break;
        case 1:
          database_->PutAndDelete(key, value, Key(random_.Below(1500)));
          break;
        default:
          database_->Put(key, value);
      }
    }
  }

  // The view has what LevelDB has, now and at each snapshot.
  void ExpectEqual(const DatabaseView& view) {
    for (const HeldSnapshot& at : database_->Snapshots()) {
      ViewReadOptions options;
      options.snapshot = at.sequence;
      const Entries expected = database_->Scan(at);
      ASSERT_EQ(Scan(view, options), expected) << at.sequence;
      ASSERT_EQ(ScanBackward(view, options), expected) << at.sequence;
      for (size_t i = 0; i < 1500; i += 7) {
        std::string value;
        const auto presence = view.Get(Key(i), &value, options);
        ASSERT_OK(presence);
        const std::optional<std::string> wanted = database_->Get(Key(i), at);
        ASSERT_EQ(*presence == Presence::kFound, wanted.has_value()) << i;
        if (wanted.has_value()) {
          ASSERT_EQ(value, *wanted) << i;
        }
      }
    }
    EXPECT_EQ(view.last_sequence(), database_->sequence());
  }

  // The tables that the view has at `level`.
  static std::vector<std::string> TablesAt(const DatabaseView& view, int level) {
    std::vector<std::string> names;
    for (const DatabaseTable& table : view.tables()) {
      if (table.level == level) names.push_back(table.name);
    }
    return names;
  }

  // A copy of the folder to damage.
  std::string Copy() {
    const std::string copy = folder_.File("copy");
    std::filesystem::remove_all(copy);
    std::filesystem::copy(path_, copy);
    return copy;
  }

  static void Flip(const std::string& path, size_t offset) {
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(static_cast<std::streamoff>(offset));
    const char byte = static_cast<char>(file.get() ^ 1);
    file.seekp(static_cast<std::streamoff>(offset));
    file.put(byte);
  }

  const TempFolder folder_;
  const std::string path_ = folder_.File("db");
  Random random_{/*seed=*/414};
  std::unique_ptr<LevelDbDatabase> database_;
};

TEST_F(DatabaseViewTest, HasWhatLevelDbHasWhileItIsOpen) {
  Create();
  for (int round = 0; round < 4; ++round) {
    Write(3000);
    database_->HoldSnapshot();
    if (round == 2) database_->Compact();
    Write(30, 100000);  // values over several blocks of the log
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

TEST_F(DatabaseViewTest, ReadsAnEmptyDatabase) {
  Create();
  const auto view = Open(path_);
  EXPECT_THAT(Scan(*view), IsEmpty());
  EXPECT_THAT(view->problems(), IsEmpty());
  std::string value;
  EXPECT_EQ(*view->Get("key", &value), Presence::kAbsent);
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
  Write(12000);
  database_->TablePaths();  // no compaction is running from here on
  DatabaseViewOptions options;
  options.max_open_files = 1;
  const auto view = Open(path_, options);
  EXPECT_GT(view->tables().size(), 2u);
  ExpectEqual(*view);
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
  ASSERT_GT(small->tables().size(), 1u);
  for (size_t i = 0; i < 4000; ++i) database_->Put(Key(i), "");
  database_->Compact();
  const auto it = small->NewIterator();
  for (it->SeekToFirst(); it->Valid();) it->Next();
  EXPECT_THAT(it->status(), StatusIs(absl::StatusCode::kAborted, HasSubstr("was removed")));
}

TEST_F(DatabaseViewTest, ShowsStatesThatExistedBesideAWriter) {
  leveldb::DB* opened = nullptr;
  leveldb::Options options = SmallOptions();
  options.create_if_missing = true;
  ASSERT_TRUE(leveldb::DB::Open(options, path_, &opened).ok());
  const std::unique_ptr<leveldb::DB> db(opened);
  std::atomic<bool> is_done{false};
  std::thread writer([&] {  // batch i sets ten keys to i
    for (int i = 0; !is_done; ++i) {
      leveldb::WriteBatch batch;
      for (int k = 0; k < 10; ++k) {
        batch.Put(Key(static_cast<size_t>(k * 100 + i % 100)), std::string(100, 'x'));
        batch.Put(absl::StrCat("counter", k), absl::StrCat(i));
      }
      ASSERT_TRUE(db->Write({}, &batch).ok());
    }
  });
  int last = -1;
  for (int i = 0; i < 60; ++i) {
    const auto view = Open(path_);
    ASSERT_NE(view, nullptr);
    EXPECT_THAT(Damage(*view), IsEmpty());
    const Entries entries = Scan(*view);
    std::set<std::string> counters;
    for (const auto& [key, value] : entries) {
      if (absl::StartsWith(key, "counter")) counters.insert(value);
    }
    ASSERT_LE(counters.size(), 1u) << i;
    if (counters.empty()) continue;
    const int now = std::stoi(*counters.begin());
    EXPECT_GE(now, last);
    EXPECT_EQ(entries.size(), 10u + 10u * static_cast<size_t>(std::min(now + 1, 100))) << i;
    last = now;
  }
  is_done = true;
  writer.join();
}

TEST_F(DatabaseViewTest, HistoryHasEveryVersion) {
  leveldb::Options options = SmallOptions();
  Create(options);
  database_->HoldSnapshot();  // what is written from here on stays
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
  EXPECT_GT(view->tables().size(), 1u);
  EXPECT_GE(view->logs().size(), 1u);
  std::set<std::string> files;
  for (const DatabaseFile& file : view->files()) files.insert(file.name);

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

TEST_F(DatabaseViewTest, DoesWithoutCurrent) {
  Create();
  Write(5000);
  database_->TablePaths();
  for (const char* const contents : {"", "MANIFEST-000099\n", "MANIFEST-000002", "x"}) {
    const std::string copy = Copy();
    std::filesystem::remove(copy + "/CURRENT");
    if (*contents != '\0') std::ofstream(copy + "/CURRENT") << contents;
    const auto view = Open(copy);
    EXPECT_EQ(view->source(), StateSource::kManifest);
    EXPECT_THAT(Damage(*view), testing::Contains(HasSubstr("CURRENT")));
    ExpectEqual(*view);
  }
}

TEST_F(DatabaseViewTest, GoesByTheFilesWithoutAManifest) {
  Create();
  Write(9000);
  database_->TablePaths();
  const std::string copy = Copy();
  const std::string manifest = Open(copy)->manifest_name();
  std::filesystem::remove(copy + "/" + manifest);
  const auto view = Open(copy);
  EXPECT_EQ(view->source(), StateSource::kFiles);
  EXPECT_THAT(Damage(*view), testing::Contains(HasSubstr(manifest)));
  EXPECT_GT(view->tables().size(), 1u);
  ExpectEqual(*view);
  EXPECT_EQ(view->tables()[0].level, -1);
}

TEST_F(DatabaseViewTest, GoesByTheFilesIfTheManifestIsDamaged) {
  Create();
  Write(9000);
  database_->TablePaths();
  const std::string copy = Copy();
  const std::string manifest = copy + "/" + Open(copy)->manifest_name();
  Flip(manifest, std::filesystem::file_size(manifest) - 3);
  const auto view = Open(copy);
  EXPECT_EQ(view->source(), StateSource::kFiles);
  EXPECT_EQ(view->comparator_name(), "leveldb.BytewiseComparator");  // of the edits before
  EXPECT_THAT(Damage(*view), testing::Contains(HasSubstr(manifest + ": at offset")));
  ExpectEqual(*view);
}

TEST_F(DatabaseViewTest, LeavesOutWhatTheManifestDropped) {
  Create();
  Write(5000);
  database_->FlushMemtable();
  const std::string old = database_->TablePaths()[0];
  const std::string kept = folder_.File("kept");
  std::filesystem::copy(old, kept);
  database_->Compact();
  Write(10);
  database_->TablePaths();
  ASSERT_FALSE(std::filesystem::exists(old));
  std::filesystem::copy(kept, old);
  const auto view = Open(path_);
  ExpectEqual(*view);
  EXPECT_THAT(Damage(*view), IsEmpty());
  ASSERT_EQ(view->problems().size(), 1u);
  EXPECT_EQ(view->problems()[0].message,
            old + ": was dropped by an edit of the MANIFEST: not part of the database");
}

TEST_F(DatabaseViewTest, EndsWithAnErrorWhereATableIsMissingOrAnother) {
  Create();
  Write(9000);
  database_->Compact();
  Write(9000);
  database_->TablePaths();
  const std::string name = Open(path_)->tables().back().name;
  const std::string other = Open(path_)->tables().front().name;
  const auto remove = [&](const std::string& path) { std::filesystem::remove(path); };
  const auto cut = [&](const std::string& path) { std::filesystem::resize_file(path, 100); };
  const auto swap = [&](const std::string& path) {
    std::filesystem::copy(std::filesystem::path(path).parent_path() / other, path,
                          std::filesystem::copy_options::overwrite_existing);
  };
  for (const std::function<void(const std::string&)>& damage :
       {std::function<void(const std::string&)>(remove), {cut}, {swap}}) {
    const std::string copy = Copy();
    damage(copy + "/" + name);
    const auto view = Open(copy);
    EXPECT_EQ(view->source(), StateSource::kManifest);
    EXPECT_THAT(Damage(*view), testing::Contains(HasSubstr(copy + "/" + name)));
    const auto it = view->NewIterator();
    for (it->SeekToFirst(); it->Valid();) it->Next();
    EXPECT_THAT(it->status().message(), HasSubstr(copy + "/" + name));

    std::vector<std::string> problems;
    ViewReadOptions options;
    options.on_damage = [&](const DatabaseProblem& problem) { problems.push_back(problem.file); };
    const Entries forward = Scan(*view, options);
    EXPECT_THAT(problems, testing::ElementsAre(name));
    EXPECT_EQ(ScanBackward(*view, options), forward);
    EXPECT_GT(forward.size(), 100u);
  }
}

TEST_F(DatabaseViewTest, GoesOnAfterADamagedBlock) {
  Create();
  Write(9000);
  database_->Compact();
  database_->TablePaths();
  const std::string copy = Copy();
  const DatabaseTable table = Open(copy)->tables()[0];
  for (const size_t offset : {size_t{10}, table.size / 2, table.size / 2 + 1100}) {
    Flip(copy + "/" + table.name, offset);
  }
  const auto view = Open(copy);
  EXPECT_THAT(Damage(*view), IsEmpty());  // only reading finds it
  std::vector<DatabaseProblem> problems;
  ViewReadOptions options;
  options.on_damage = [&](const DatabaseProblem& problem) { problems.push_back(problem); };
  const Entries forward = Scan(*view, options);
  ASSERT_EQ(problems.size(), 3u);
  EXPECT_EQ(problems[0].offset, 0u);
  EXPECT_GT(*problems[1].offset, table.size / 2 - 1200);
  EXPECT_THAT(problems[1].message, HasSubstr("crc32c"));
  problems.clear();
  EXPECT_EQ(ScanBackward(*view, options), forward);
  EXPECT_EQ(problems.size(), 3u);
  const Entries all = database_->Scan({});
  EXPECT_LT(forward.size(), all.size());
  EXPECT_TRUE(std::includes(all.begin(), all.end(), forward.begin(), forward.end()));
  std::string value;
  EXPECT_THAT(view->Get(all[0].first, &value),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("")));
  EXPECT_EQ(*view->Get(all[0].first, &value, options), Presence::kAbsent);
  EXPECT_EQ(problems.size(), 4u);
}

TEST_F(DatabaseViewTest, TakesATornLogAsLevelDbDoes) {
  Create();
  for (int i = 0; i < 100; ++i) database_->Put(Key(static_cast<size_t>(i)), "value");
  const std::string copy = Copy();
  const std::string log = copy + "/" + Open(copy)->logs()[0].name;
  std::filesystem::resize_file(log, std::filesystem::file_size(log) - 1);
  const auto view = Open(copy);
  EXPECT_EQ(Scan(*view).size(), 99u);
  ASSERT_EQ(view->problems().size(), 1u);
  EXPECT_FALSE(view->problems()[0].is_damage);
  EXPECT_EQ(view->logs()[0].batch_count, 99u);
  EXPECT_EQ(view->logs()[0].last_sequence, 99u);

  Flip(log, 50 * 35 + 20);
  EXPECT_EQ(Scan(*Open(copy)).size(), 50u);
  EXPECT_THAT(Damage(*Open(copy)), testing::ElementsAre(HasSubstr("checksum")));
  DatabaseViewOptions options;
  options.resume_within_log_block = true;
  EXPECT_EQ(Scan(*Open(copy, options)).size(), 98u);
  std::filesystem::remove(log);
  EXPECT_THAT(Damage(*Open(copy)), testing::ElementsAre(HasSubstr("is missing")));
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
  EXPECT_GT(view->tables().size(), 0u);
  std::string value;
  const auto refused = StatusIs(absl::StatusCode::kUnimplemented,
                                HasSubstr("the comparator \"test.Unknown\" is not known"));
  EXPECT_THAT(view->Get("key", &value), refused);
  EXPECT_THAT(view->NewIterator()->status(), refused);
  EXPECT_THAT(view->NewHistoryIterator()->status(), refused);
  DatabaseViewOptions view_options;
  view_options.comparator = BytewiseComparator();
  ExpectEqual(*Open(path_, view_options));
  database_.reset();  // before its comparator
}

TEST_F(DatabaseViewTest, RefusesWhatIsNoDatabase) {
  EXPECT_THAT(DatabaseView::Open(folder_.File("none")),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("none: can't list")));
  EXPECT_THAT(DatabaseView::Open(folder_.File("")),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("is no database")));
  folder_.Write("file", "x");
  EXPECT_THAT(DatabaseView::Open(folder_.File("file")),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("file: is not a folder")));
}

}  // namespace
}  // namespace sstable::test
