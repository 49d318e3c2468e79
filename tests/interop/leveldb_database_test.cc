// Our readers of the tables in a LevelDB database, merged, must agree with LevelDB.
#include "tests/interop/leveldb_database.h"

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "gtest/gtest.h"
#include "leveldb/filter_policy.h"
#include "leveldb/options.h"
#include "sstable/comparator.h"
#include "sstable/filter_policy.h"
#include "sstable/internal_key.h"
#include "sstable/options.h"
#include "sstable/table_iterator.h"
#include "sstable/table_reader.h"
#include "tests/interop/leveldb_order.h"
#include "tests/interop/table_spec.h"
#include "tests/support/status_matchers.h"
#include "tests/support/table_bytes.h"
#include "tests/support/whole_file.h"

namespace sstable::test {
namespace {

enum class Settle { kCompact, kFlush, kReopen };

struct DatabaseCase {
  const char* name;
  Settle settle = Settle::kFlush;  // how the last writes get into tables
  std::optional<int> bits_per_key = 10;
  bool reverse = false;
  bool snappy = true;
  size_t block_size = 4096;
  int block_restart_interval = 16;
  size_t write_buffer_size = 64 * 1024;
  size_t max_value_size = 120;
  bool hold_snapshots = true;
};

void PrintTo(const DatabaseCase& c, std::ostream* out) { *out << c.name; }

constexpr int kWrites = 12000;
constexpr size_t kKeys = 2500;

// Returns a key. Some have tail bytes above 0x80, and some are prefixes of others.
std::string Key(size_t i) {
  std::string key = absl::StrFormat("user:%05d", i / 2);
  if (i % 2 == 1) absl::StrAppend(&key, "/caf\xc3\xa9", std::string(i % 5, '\xff'));
  return key;
}

class LevelDbDatabaseTest : public testing::TestWithParam<DatabaseCase> {
 protected:
  void SetUp() override {
    leveldb::Options options;
    options.comparator = LevelDbOrder(KeyKind::kPlain, GetParam().reverse);
    options.compression = GetParam().snappy ? leveldb::kSnappyCompression : leveldb::kNoCompression;
    options.block_size = GetParam().block_size;
    options.block_restart_interval = GetParam().block_restart_interval;
    options.write_buffer_size = GetParam().write_buffer_size;
    options.max_file_size = 1 << 20;  // LevelDB's minimum
    if (GetParam().bits_per_key.has_value()) {
      policy_ = LevelDbBloom(KeyKind::kPlain, *GetParam().bits_per_key);
      options.filter_policy = policy_.get();
    }
    const std::string path =
        absl::StrCat(testing::TempDir(), "/leveldb_database_", GetParam().name);
    database_ = std::make_unique<LevelDbDatabase>(path, options);
    Write();
    OpenTables();
  }

  void Write() {
    Random random(/*seed=*/301);
    for (int i = 1; i <= kWrites; ++i) {
      const std::string key = Key(random.Below(kKeys));
      std::string value = random.Bytes(random.Below(GetParam().max_value_size / 2));
      value += value;  // so that it is compressible
      switch (random.Below(8)) {
        case 0:
          database_->Delete(key);
          break;
        case 1:
          database_->PutAndDelete(key, value, Key(random.Below(kKeys)));
          break;
        default:
          database_->Put(key, value);
      }
      if (GetParam().hold_snapshots && i % (kWrites / 5) == 0) database_->HoldSnapshot();
    }
    switch (GetParam().settle) {
      case Settle::kCompact:
        database_->Compact();
        break;
      case Settle::kFlush:
        database_->FlushMemtable();
        break;
      case Settle::kReopen:
        database_->Reopen();
        break;
    }
  }

  void OpenTables() {
    TableReaderOptions options;
    options.comparator = GetParam().reverse ? ReverseBytewiseComparator() : BytewiseComparator();
    options.key_kind = KeyKind::kInternal;
    paths_ = database_->TablePaths();
    ASSERT_FALSE(paths_.empty());
    for (const std::string& path : paths_) {
      ASSERT_OK_AND_ASSIGN(auto table, TableReader::Open(path, options));
      tables_.push_back(std::move(table));
    }
  }

  // Returns the tables' combined answer for a user key at a snapshot, which is the version with the
  // highest sequence.
  std::optional<std::string> MergedGet(const std::string& user_key, uint64_t snapshot) {
    uint64_t newest = 0;
    std::optional<std::string> result;
    const std::string target = MakeInternalKey(user_key, snapshot, ValueType::kValue);
    for (const auto& table : tables_) {
      Presence presence = Presence::kAbsent;
      std::string found_value;
      uint64_t sequence = 0;
      EXPECT_OK(table->InternalGet(target, [&](absl::string_view key, absl::string_view value) {
        const auto parsed = ParseInternalKey(key);
        ASSERT_TRUE(parsed.has_value());
        if (parsed->user_key != user_key) return;
        presence = parsed->type == ValueType::kValue ? Presence::kFound : Presence::kDeleted;
        found_value = std::string(value);
        sequence = parsed->sequence;
      }));
      std::string value;
      const absl::StatusOr<Presence> found = table->Get(user_key, &value, {snapshot});
      EXPECT_OK(found);
      EXPECT_EQ(found.value_or(Presence::kAbsent), presence) << table->file().name();
      if (presence == Presence::kFound) {
        EXPECT_EQ(value, found_value) << table->file().name();
      }
      if (presence == Presence::kAbsent || sequence < newest) continue;
      newest = sequence;
      result.reset();
      if (presence == Presence::kFound) result = std::move(value);
    }
    return result;
  }

  std::unique_ptr<const leveldb::FilterPolicy> policy_;
  std::unique_ptr<LevelDbDatabase> database_;
  std::vector<std::string> paths_;
  std::vector<std::unique_ptr<TableReader>> tables_;
};

TEST_P(LevelDbDatabaseTest, ScansMergeToWhatLevelDbScans) {
  const InternalKeyComparator order(GetParam().reverse ? ReverseBytewiseComparator()
                                                       : BytewiseComparator());
  const auto before = [&order](const std::string& a, const std::string& b) {
    return order.Compare(a, b) < 0;
  };
  std::map<std::string, std::string, decltype(before)> versions(before);
  for (const auto& table : tables_) {
    const auto it = table->NewIterator();
    for (it->SeekToFirst(); it->Valid(); it->Next()) {
      const bool is_new = versions.emplace(it->key(), it->value()).second;
      EXPECT_TRUE(is_new) << absl::CHexEscape(it->key());
    }
    ASSERT_OK(it->status());
  }
  for (const HeldSnapshot& snapshot : database_->Snapshots()) {
    SCOPED_TRACE(absl::StrCat("at sequence ", snapshot.sequence));
    Entries merged;
    std::optional<std::string> decided;  // the last user key whose newest visible version was found
    for (const auto& [key, value] : versions) {
      const auto parsed = ParseInternalKey(key);
      ASSERT_TRUE(parsed.has_value());
      if (parsed->sequence > snapshot.sequence || decided == std::string(parsed->user_key))
        continue;
      decided = std::string(parsed->user_key);
      if (parsed->type == ValueType::kValue) merged.emplace_back(*decided, value);
    }
    EXPECT_TRUE(merged == database_->Scan(snapshot));
    EXPECT_GT(merged.size(), kKeys / 2);
  }
}

TEST_P(LevelDbDatabaseTest, LookupsMergeToWhatLevelDbFindsAtEverySnapshot) {
  for (const HeldSnapshot& snapshot : database_->Snapshots()) {
    for (size_t i = 0; i < kKeys; ++i) {
      const std::string key = Key(i);
      ASSERT_TRUE(MergedGet(key, snapshot.sequence) == database_->Get(key, snapshot))
          << absl::CHexEscape(key) << " at sequence " << snapshot.sequence;
      ASSERT_FALSE(HasFailure());
    }
  }
}

TEST_P(LevelDbDatabaseTest, FiltersSpareTheBlocksOfAbsentKeys) {
  ReaderStats sum;
  for (const auto& table : tables_) {
    for (size_t i = 0; i < kKeys; ++i) {
      std::string value;
      ASSERT_OK_AND_ASSIGN(const Presence presence, table->Get(Key(i) + "\x81!", &value));
      ASSERT_EQ(presence, Presence::kAbsent);
    }
    if (GetParam().bits_per_key.has_value()) {
      EXPECT_OK(table->LoadFilter()) << table->file().name();
    } else {
      EXPECT_THAT(table->LoadFilter(),
                  StatusIs(absl::StatusCode::kNotFound, "the table has no filter block"));
    }
    const ReaderStats stats = table->stats();
    EXPECT_EQ(stats.lookups, kKeys);
    sum.filter_negatives += stats.filter_negatives;
    sum.filter_positives += stats.filter_positives;
    sum.false_positives += stats.false_positives;
  }
  EXPECT_EQ(sum.false_positives, sum.filter_positives);  // since all keys looked up are absent
  if (!GetParam().bits_per_key.has_value()) {
    EXPECT_EQ(sum.filter_negatives + sum.filter_positives, 0);
    return;
  }
  EXPECT_GT(sum.filter_negatives, 0);
  // Theory predicts false positive rates of 10 % at 5 bits per key, 0.8 % at 10 and 0.01 % at 20.
  const double rate = static_cast<double>(sum.false_positives) /
                      static_cast<double>(sum.filter_negatives + sum.false_positives);
  EXPECT_LT(rate, *GetParam().bits_per_key < 10 ? 0.15 : 0.02);
}

// These tables were written with LevelDB's own comparator and filter policy for internal keys.
TEST_P(LevelDbDatabaseTest, OurBuilderMakesTheSameFilesOfTheirEntries) {
  TableBuilderOptions options;
  options.comparator = GetParam().reverse ? ReverseBytewiseComparator() : BytewiseComparator();
  options.key_kind = KeyKind::kInternal;
  options.block_size = GetParam().block_size;
  options.block_restart_interval = GetParam().block_restart_interval;
  options.compression = GetParam().snappy ? Compression::kSnappy : Compression::kNone;
  std::unique_ptr<const FilterPolicy> policy;
  if (GetParam().bits_per_key.has_value()) policy = NewBloomFilterPolicy(*GetParam().bits_per_key);
  options.filter_policy = policy.get();
  for (size_t i = 0; i < tables_.size(); ++i) {
    Entries entries;
    const auto it = tables_[i]->NewIterator();
    for (it->SeekToFirst(); it->Valid(); it->Next()) entries.emplace_back(it->key(), it->value());
    ASSERT_OK_AND_ASSIGN(const std::string ours, BuildTable(options, entries));
    EXPECT_TRUE(ours == ReadWholeFile(paths_[i])) << paths_[i];
  }
}

std::vector<DatabaseCase> Cases() {
  DatabaseCase compacted = {"Compacted"};
  compacted.settle = Settle::kCompact;
  DatabaseCase many_flushes = {"ManyMemtableFlushes"};
  DatabaseCase one_table = {"OneMemtable"};
  one_table.write_buffer_size = 16 << 20;
  DatabaseCase small_blocks = {"SmallBlocksStoredRaw"};
  small_blocks.settle = Settle::kCompact;
  small_blocks.snappy = false;
  small_blocks.block_size = 1024;  // a database raises lower values to this
  small_blocks.block_restart_interval = 1;
  small_blocks.bits_per_key = 5;
  DatabaseCase large_values = {"LargeBlocksOfLargeValues"};
  large_values.block_size = 64 * 1024;
  large_values.block_restart_interval = 128;
  large_values.max_value_size = 6000;
  large_values.write_buffer_size = 1 << 20;
  DatabaseCase reverse = {"ReverseOrder"};
  reverse.reverse = true;
  reverse.bits_per_key = 20;
  DatabaseCase recovered = {"RecoveredFromTheLog"};
  recovered.settle = Settle::kReopen;
  recovered.hold_snapshots = false;
  DatabaseCase no_filter = {"WithoutFilter"};
  no_filter.bits_per_key = std::nullopt;
  return {compacted,    many_flushes, one_table, small_blocks,
          large_values, reverse,      recovered, no_filter};
}

INSTANTIATE_TEST_SUITE_P(Databases, LevelDbDatabaseTest, testing::ValuesIn(Cases()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace sstable::test
