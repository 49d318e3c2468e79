// Shared code for tests of views on folders that LevelDB writes.
#ifndef SSTABLE_TESTS_DB_LEVELDB_FOLDER_TEST_H_
#define SSTABLE_TESTS_DB_LEVELDB_FOLDER_TEST_H_

#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "gtest/gtest.h"
#include "leveldb/options.h"
#include "sstable/database_view.h"
#include "tests/interop/leveldb_database.h"
#include "tests/interop/table_spec.h"
#include "tests/support/status_matchers.h"
#include "tests/support/table_bytes.h"
#include "tests/support/temp_folder.h"

namespace sstable::test {

inline Entries Scan(const DatabaseView& view, const ViewReadOptions& options = {}) {
  Entries entries;
  const auto it = view.NewIterator(options);
  for (it->SeekToFirst(); it->Valid(); it->Next()) entries.emplace_back(it->key(), it->value());
  EXPECT_OK(it->status());
  return entries;
}

inline Entries ScanBackward(const DatabaseView& view, const ViewReadOptions& options = {}) {
  Entries entries;
  const auto it = view.NewIterator(options);
  for (it->SeekToLast(); it->Valid(); it->Prev()) entries.emplace_back(it->key(), it->value());
  EXPECT_OK(it->status());
  return Entries(entries.rbegin(), entries.rend());
}

inline std::unique_ptr<DatabaseView> Open(const std::string& path,
                                          const DatabaseViewOptions& options = {}) {
  auto view = DatabaseView::Open(path, options);
  EXPECT_OK(view);
  return view.ok() ? *std::move(view) : nullptr;
}

inline std::vector<std::string> Damage(const DatabaseView& view) {
  std::vector<std::string> messages;
  for (const DatabaseProblem& problem : view.FindProblems()) {
    if (problem.is_damage) messages.push_back(problem.message);
  }
  return messages;
}

inline leveldb::Options SmallOptions() {
  leveldb::Options options;
  options.write_buffer_size = 64 << 10;  // LevelDB's minimum
  options.max_file_size = 1 << 20;
  options.block_size = 1024;
  return options;
}

inline std::string Key(size_t i) { return absl::StrFormat("key%05d", i); }

// A folder that LevelDB has open or has closed.
class LevelDbFolderTest : public testing::Test {
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

  // Expects the view to have LevelDB's data, now and at each snapshot.
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

  // Returns the view's tables on `level`.
  static std::vector<std::string> TablesAt(const DatabaseView& view, int level) {
    std::vector<std::string> names;
    for (const DatabaseTable& table : view.ListTables()) {
      if (table.level == level) names.push_back(table.name);
    }
    return names;
  }

  // Returns a copy of the folder that can be damaged.
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

}  // namespace sstable::test

#endif  // SSTABLE_TESTS_DB_LEVELDB_FOLDER_TEST_H_
