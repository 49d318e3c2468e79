// Shared code for tests that salvage a database.
#ifndef SSTABLE_TESTS_DB_SALVAGE_SALVAGE_DATABASE_TEST_H_
#define SSTABLE_TESTS_DB_SALVAGE_SALVAGE_DATABASE_TEST_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "sstable/database_files.h"
#include "sstable/experimental/log_file.h"
#include "sstable/experimental/write_batch.h"
#include "sstable/file.h"
#include "sstable/internal_key.h"
#include "sstable/options.h"
#include "sstable/salvage.h"
#include "sstable/table_iterator.h"
#include "sstable/table_reader.h"
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
  options.block_size = 1;  // a block for each entry
  return options;
}

// All entries of a table, as KEY@SEQUENCE=VALUE.
inline std::vector<std::string> ReadTable(const std::string& path) {
  TableReaderOptions options;
  options.key_kind = KeyKind::kInternal;
  const auto reader = TableReader::Open(path, options);
  EXPECT_OK(reader);
  if (!reader.ok()) return {};
  std::vector<std::string> entries;
  const auto it = (*reader)->NewIterator();
  for (it->SeekToFirst(); it->Valid(); it->Next()) {
    entries.push_back(
        absl::StrCat(ExtractUserKey(it->key()), "@", ExtractTag(it->key()) >> 8, "=", it->value()));
  }
  EXPECT_OK(it->status());
  return entries;
}

// A log record: a batch that puts an empty value.
inline std::string Record(const std::string& key, uint64_t sequence) {
  WriteBatch batch;
  batch.Put(key, "").set_sequence(sequence);
  return std::string(batch.bytes());
}

class SalvageDatabaseTest : public testing::Test {
 protected:
  // Writes a table of the old folder; returns its entry for a MANIFEST.
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

  void WriteManifest(const std::vector<TableFile>& tables, const std::vector<uint64_t>& dropped,
                     const std::string& comparator = "leveldb.BytewiseComparator",
                     uint64_t number = 2, uint64_t log_number = 0) {
    VersionEdit edit;
    edit.comparator = comparator;
    edit.log_number = log_number;
    edit.next_file_number = 100;
    edit.last_sequence = 50;
    edit.new_files = tables;
    for (const uint64_t number : dropped) edit.deleted_files.emplace_back(0, number);
    WriteLog(ManifestFileName(number), {edit.Encode()});
    old_.Write("CURRENT", ManifestFileName(number) + "\n");
  }

  absl::StatusOr<DatabaseSalvageReport> Salvage(const DatabaseSalvageOptions& options = {}) {
    return SalvageDatabase(old_.File("."), new_.File(""), options);
  }

  TempFolder old_, new_;
};

}  // namespace sstable::test

#endif  // SSTABLE_TESTS_DB_SALVAGE_SALVAGE_DATABASE_TEST_H_
