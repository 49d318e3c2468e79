// Shared code for tests that salvage a database.
#ifndef SSTABLE_TESTS_DB_SALVAGE_SALVAGE_DATABASE_TEST_H_
#define SSTABLE_TESTS_DB_SALVAGE_SALVAGE_DATABASE_TEST_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "sstable/database_files.h"
#include "sstable/experimental/log_file.h"
#include "sstable/file.h"
#include "sstable/internal_key.h"
#include "sstable/options.h"
#include "sstable/salvage.h"
#include "tests/support/status_matchers.h"
#include "tests/support/table_bytes.h"
#include "tests/support/temp_folder.h"

namespace sstable::test {

inline std::string Key(const std::string& user_key, uint64_t sequence) {
  return MakeInternalKey(user_key, sequence, ValueType::kValue);
}

inline TableBuilderOptions InternalKeys() {
  TableBuilderOptions options;
  options.key_kind = KeyKind::kInternal;
  options.compression = Compression::kNone;
  options.block_size = 1;  // one block for each entry
  return options;
}

class SalvageDatabaseTest : public testing::Test {
 protected:
  // Writes a table into the old folder and returns its entry for a MANIFEST.
  TableFile WriteTable(uint64_t number, int level, const Entries& entries) {
    const auto bytes = BuildTable(InternalKeys(), entries);
    EXPECT_OK(bytes);
    old_.Write(TableFileName(number), *bytes);
    return {level, number, bytes->size(), entries.front().first, entries.back().first};
  }

  void WriteLog(absl::string_view name, const std::vector<std::string>& records) {
    std::string bytes;
    const auto file = NewStringFile(&bytes);
    LogWriter log(file.get());
    for (const std::string& record : records) EXPECT_OK(log.AddRecord(record));
    old_.Write(name, bytes);
  }

  void WriteManifest(const std::vector<TableFile>& tables) {
    VersionEdit edit;
    edit.comparator = "leveldb.BytewiseComparator";
    edit.log_number = 0;
    edit.next_file_number = 100;
    edit.last_sequence = 50;
    edit.new_files = tables;
    WriteLog(ManifestFileName(2), {edit.Encode()});
    old_.Write("CURRENT", ManifestFileName(2) + "\n");
  }

  absl::StatusOr<DatabaseSalvageReport> Salvage(const DatabaseSalvageOptions& options = {}) {
    return SalvageDatabase(old_.File("."), new_.File(""), options);
  }

  TempFolder old_, new_;
};

}  // namespace sstable::test

#endif  // SSTABLE_TESTS_DB_SALVAGE_SALVAGE_DATABASE_TEST_H_
