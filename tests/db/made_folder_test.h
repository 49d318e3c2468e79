// Helpers for tests of views on folders whose files the test writes itself.
#ifndef SSTABLE_TESTS_DB_MADE_FOLDER_TEST_H_
#define SSTABLE_TESTS_DB_MADE_FOLDER_TEST_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "sstable/comparator.h"
#include "sstable/database_files.h"
#include "sstable/database_view.h"
#include "sstable/experimental/log_file.h"
#include "sstable/file.h"
#include "sstable/internal_key.h"
#include "sstable/options.h"
#include "tests/support/status_matchers.h"
#include "tests/support/table_bytes.h"
#include "tests/support/temp_folder.h"

namespace sstable::test {

inline std::string Key(const std::string& user_key, uint64_t sequence) {
  return MakeInternalKey(user_key, sequence, ValueType::kValue);
}

inline std::vector<std::string> Damage(const DatabaseView& view) {
  std::vector<std::string> messages;
  for (const DatabaseProblem& problem : view.FindProblems()) {
    if (problem.is_damage) messages.push_back(problem.message);
  }
  return messages;
}

// A folder whose files a test writes one by one.
class MadeFolderTest : public testing::Test {
 protected:
  // Writes a table and returns its entry for a MANIFEST.
  TableFile WriteTable(uint64_t number, const Entries& entries, const std::string& name = "",
                       const Comparator* comparator = BytewiseComparator()) {
    TableBuilderOptions options;
    options.comparator = comparator;
    options.key_kind = KeyKind::kInternal;
    const auto bytes = BuildTable(options, entries);
    EXPECT_OK(bytes);
    folder_.Write(name.empty() ? TableFileName(number) : name, *bytes);
    return {1, number, bytes->size(), entries.front().first, entries.back().first};
  }

  void WriteRecord(absl::string_view name, absl::string_view record) {
    std::string bytes;
    const auto file = NewStringFile(&bytes);
    EXPECT_OK(LogWriter(file.get()).AddRecord(record));
    folder_.Write(name, bytes);
  }

  void WriteManifest(const std::vector<TableFile>& tables) {
    VersionEdit edit;
    edit.comparator = comparator_name_;
    edit.log_number = 4;
    edit.next_file_number = next_file_number_;
    edit.last_sequence = 50;
    edit.new_files = tables;
    WriteRecord("MANIFEST-000002", edit.Encode());
    folder_.Write("CURRENT", "MANIFEST-000002\n");
  }

  // Writes two tables of the same size, and an empty log.
  void WriteDatabase() {
    WriteManifest({WriteTable(5, {{Key("a1", 1), "old"}, {Key("a9", 2), "old"}}),
                   WriteTable(7, {{Key("b1", 3), "old"}, {Key("b9", 4), "old"}})});
    folder_.Write("000004.log", "");
  }

  std::unique_ptr<DatabaseView> Open(bool check_ranges = false) {
    DatabaseViewOptions options;
    options.check_ranges = check_ranges;
    auto view = DatabaseView::Open(folder_.File("."), options);
    EXPECT_OK(view);
    return view.ok() ? *std::move(view) : nullptr;
  }

  std::string Path(absl::string_view name) const {
    return absl::StrCat(folder_.File("."), "/", name);
  }

  const TempFolder folder_;
  std::string comparator_name_ = "leveldb.BytewiseComparator";
  uint64_t next_file_number_ = 100;
};

}  // namespace sstable::test

#endif  // SSTABLE_TESTS_DB_MADE_FOLDER_TEST_H_
