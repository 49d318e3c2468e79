// Lookups before index and filter are loaded: they search the index block in place.
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "sstable/comparator.h"
#include "sstable/file.h"
#include "sstable/filter_policy.h"
#include "sstable/options.h"
#include "sstable/table_reader.h"
#include "table/table_internals.h"
#include "table/table_reader_impl.h"
#include "tests/support/fake_files.h"
#include "tests/support/status_matchers.h"
#include "tests/support/table_bytes.h"
#include "tests/support/table_parts.h"
#include "tests/support/table_repair.h"
#include "tests/support/temp_folder.h"

namespace sstable::test {
namespace {

using ::testing::HasSubstr;

constexpr int kKeyCount = 2000;

std::string KeyOf(int i) { return absl::StrCat("key", 10000 + 2 * i); }
std::string AbsentKeyOf(int i) { return absl::StrCat("key", 10000 + 2 * i + 1); }

bool IsLoaded(const TableReader& table) {
  return TableReader::Impl::Of(table).loader_.loaded() != nullptr;
}
bool UsesRawIndex(const TableReader& table) {
  const LoadedTable* loaded = nullptr;
  return !IsLoaded(table) &&
         TableReader::Impl::Of(table).loader_.RawIndexOrLoad(&loaded) != nullptr;
}

std::unique_ptr<FakeFile> UnmappedFile(const std::string& bytes) {
  auto file = std::make_unique<FakeFile>(bytes);
  file->SetUnmapped(true);
  return file;
}

class FirstLookupsTest : public testing::Test {
 protected:
  FirstLookupsTest() {
    for (int i = 0; i < kKeyCount; ++i) entries_.emplace_back(KeyOf(i), absl::StrCat("value", i));
    std::string large;  // incompressible, so that the file is large enough for some first lookups
    std::mt19937 random(7);
    while (large.size() < 1'200'000) large += static_cast<char>(random());
    entries_.emplace_back("last", large);
    writer_.filter_policy = policy_.get();
    writer_.block_size = 64;
    writer_.compression = Compression::kNone;
    bytes_ = BuildTable(writer_, entries_).value();
  }

  // Opens `bytes_` as a file that is not in memory.
  std::unique_ptr<TableReader> Open(const TableReaderOptions& options = {}) {
    auto file = UnmappedFile(bytes_);
    file_ = file.get();
    return TableReader::Open(std::move(file), options).value();
  }
  BlockHandle IndexHandle() const { return FindFooter(bytes_)->index; }

  // Writes `number` to the index block's fixed32 at `offset`, and corrects the checksum.
  void PatchIndex(uint64_t offset, uint32_t number) {
    for (int i = 0; i < 4; ++i) {
      bytes_[IndexHandle().offset + offset + i] = static_cast<char>(number >> (8 * i));
    }
    RepairChecksums(&bytes_);
  }

  const std::unique_ptr<const FilterPolicy> policy_ = NewBloomFilterPolicy(10);
  TableBuilderOptions writer_;
  Entries entries_;
  std::string bytes_;
  FakeFile* file_ = nullptr;
};

TEST_F(FirstLookupsTest, TheFirstOneReadsNeitherFilterNorMoreThanOneDataBlock) {
  const auto table = Open();
  EXPECT_EQ(file_->read_count(), 2) << "footer, metaindex";
  EXPECT_EQ(table->Get(KeyOf(700)).value(), "value700");
  EXPECT_EQ(file_->read_count(), 4) << "index, data block";
  EXPECT_EQ(table->Get(AbsentKeyOf(700)).value(), std::nullopt);
  EXPECT_EQ(file_->read_count(), 5) << "data block";
  EXPECT_TRUE(UsesRawIndex(*table));
  EXPECT_EQ(table->stats().lookups, 2);
  EXPECT_EQ(table->stats().blocks_read, 2);
  EXPECT_EQ(table->stats().filter_positives + table->stats().filter_negatives, 0);
}

TEST_F(FirstLookupsTest, LoadingReadsTheIndexBlockNoSecondTime) {
  const auto table = Open();
  ASSERT_EQ(table->Get(KeyOf(700)).value(), "value700");
  ASSERT_OK(table->LoadIndex());
  EXPECT_EQ(file_->read_count(), 7) << "filter, two data blocks to validate it";
  EXPECT_TRUE(IsLoaded(*table));
  EXPECT_EQ(table->Get(KeyOf(700)).value(), "value700");
  EXPECT_EQ(table->stats().filter_positives, 1);
}

TEST_F(FirstLookupsTest, EveryKeyIsFoundOrAbsentInAFreshReaderAsInALoadedOne) {
  for (const Compression compression : {Compression::kNone, Compression::kSnappy}) {
    writer_.compression = compression;
    bytes_ = BuildTable(writer_, entries_).value();
    const auto check = [&](const std::string& key, const std::optional<std::string>& expected) {
      const auto table = TableReader::Open(UnmappedFile(bytes_)).value();
      ASSERT_EQ(table->Get(key).value(), expected) << key;
      ASSERT_TRUE(UsesRawIndex(*table)) << key;
    };
    check("a", std::nullopt);
    check("last.", std::nullopt);
    for (int i = 0; i < kKeyCount; ++i) {
      check(KeyOf(i), entries_[i].second);
      check(AbsentKeyOf(i), std::nullopt);
    }
  }
}

// A lookup returns the same before and after index and filter are loaded.
TEST_F(FirstLookupsTest, OneIsInPlaceForEach256KiBOfAFileThatIsNotToBeMapped) {
  for (const int keys : {kKeyCount, 50}) {
    if (keys == 50) entries_.resize(keys);
    bytes_ = BuildTable(writer_, entries_).value();
    for (const bool hits : {true, false}) {
      const auto table = Open();
      file_->SetUnmapped(false);
      int by_raw_index = 0;
      for (int i = 0; i < keys; ++i) {
        if (hits) {
          ASSERT_EQ(table->Get(KeyOf(i)).value(), entries_[i].second);
        } else {
          ASSERT_EQ(table->Get(AbsentKeyOf(i)).value(), std::nullopt);
        }
        by_raw_index += UsesRawIndex(*table);
      }
      EXPECT_TRUE(IsLoaded(*table));
      EXPECT_EQ(by_raw_index, bytes_.size() / (256 << 10));
      EXPECT_EQ(by_raw_index == 0, keys == 50);
      const ReaderStats stats = table->stats();
      EXPECT_EQ(stats.lookups, keys);
      EXPECT_EQ(stats.filter_positives + stats.filter_negatives, keys - by_raw_index);
    }
  }
}

// If the index is out of order, it is chance which keys its search finds, but no key of the table
// may be reported as absent.
TEST_F(FirstLookupsTest, NoKeyIsAbsentByAnIndexInAnotherOrder) {
  writer_.comparator = ReverseBytewiseComparator();
  std::reverse(entries_.begin(), entries_.end());
  bytes_ = BuildTable(writer_, entries_).value();
  for (int i = 0; i < kKeyCount; ++i) {
    const auto table = TableReader::Open(UnmappedFile(bytes_)).value();
    for (const std::string& key : {KeyOf(i), AbsentKeyOf(i)}) {
      const absl::StatusOr<std::optional<std::string>> got = table->Get(key);
      if (got.ok()) {
        ASSERT_EQ(*got, absl::StrCat("value", i));
      } else {
        ASSERT_THAT(got, StatusIs(absl::StatusCode::kFailedPrecondition,
                                  HasSubstr("index keys are not in the order")));
      }
    }
  }
}

// Restart points are not needed to decode the index. Here, a search that starts at a restart point
// inside the last entry finds a key "!" and nothing after it.
TEST_F(FirstLookupsTest, NoKeyIsAbsentByARestartPointWithinAnEntry) {
  TableAssembler table;
  const std::string value(60, 'v');
  constexpr int kBlocks = 400;
  for (int i = 0; i < kBlocks; ++i) {
    // Its last four bytes look like an entry: key "!", with the handle's four bytes as the value.
    const std::string last_separator("z\0\1\4!", 5);
    table.AddDataBlock(i + 1 < kBlocks ? KeyOf(i) : last_separator, {{KeyOf(i), value}});
  }
  bytes_ = table.Finish();
  ASSERT_EQ(Open()->Get(KeyOf(7)).value(), value);
  const auto sound = Open();
  const uint32_t last_entry = IndexOf(*sound)->record(kBlocks - 1).entry_offset;
  for (uint64_t i = 1; i < kBlocks; ++i) {
    PatchIndex(IndexHandle().size - 4 * (kBlocks + 1) + 4 * i, last_entry + 4);
  }
  for (int i = 0; i < kBlocks; ++i) {
    ASSERT_EQ(Open()->Get(KeyOf(i)).value(), value) << i;
  }
}

TEST_F(FirstLookupsTest, DamageIsReportedAsByALoadedReader) {
  const BlockHandle block = IndexOf(*Open())->record(100).handle();
  for (const uint64_t offset : {block.offset, IndexHandle().offset + 50}) {
    std::string damaged = bytes_;
    damaged[offset] ^= 1;
    for (int i = 0; i < kKeyCount; i += 5) {
      const auto fresh = TableReader::Open(UnmappedFile(damaged)).value();
      const auto loaded = TableReader::Open(UnmappedFile(damaged)).value();
      static_cast<void>(loaded->LoadIndex());
      const auto got = fresh->Get(KeyOf(i)), expected = loaded->Get(KeyOf(i));
      ASSERT_EQ(got.status(), expected.status()) << i;
      if (got.ok()) {
        ASSERT_EQ(*got, *expected);
      }
    }
  }
}

// The index block has a correct checksum, but an invalid entry.
TEST_F(FirstLookupsTest, AbsentKeysNeedAnIndexThatCanBeDecoded) {
  bytes_[IndexHandle().offset + IndexOf(*Open())->record(150).entry_offset] = 77;  // bytes shared
  RepairChecksums(&bytes_);
  for (int i = 0; i < kKeyCount; i += 10) {
    const auto table = TableReader::Open(UnmappedFile(bytes_)).value();
    const auto found = table->Get(KeyOf(i));
    if (found.ok()) {
      ASSERT_EQ(*found, entries_[i].second);
    }
    ASSERT_THAT(table->Get(AbsentKeyOf(i)),
                StatusIs(absl::StatusCode::kDataLoss, HasSubstr("index block")));
    ASSERT_THAT(table->Get(KeyOf(i)),
                StatusIs(absl::StatusCode::kDataLoss, HasSubstr("index block")));
  }
}

TEST_F(FirstLookupsTest, AReadThatFailsIsReportedAndNotTriedAgainByTheSameLookup) {
  const BlockHandle block = IndexOf(*Open())->record(0).handle();
  for (const BlockHandle& bad : {IndexHandle(), block}) {
    const auto table = Open();
    file_->SetBadRange(bad.offset, bad.size);
    EXPECT_THAT(table->Get(KeyOf(0)),
                StatusIs(absl::StatusCode::kUnavailable,
                         HasSubstr(absl::StrCat("block at offset ", bad.offset, " "))));
    EXPECT_EQ(file_->bad_read_count(), 1);
    EXPECT_THAT(table->InternalGet(KeyOf(0), [](absl::string_view, absl::string_view) {}),
                StatusIs(absl::StatusCode::kUnavailable, HasSubstr("fake: read failed")));
    EXPECT_EQ(file_->bad_read_count(), 2);
    file_->SetBadRange(0, 0);
    EXPECT_EQ(table->Get(KeyOf(0)).value(), "value0");
  }
}

TEST_F(FirstLookupsTest, AFilterThatCannotBeReadIsNotMissed) {
  const auto table = Open();
  const BlockHandle filter = table->meta_blocks().at(0).handle;
  file_->SetBadRange(filter.offset, filter.size);
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < kKeyCount; ++i) {
      ASSERT_EQ(table->Get(KeyOf(i)).value(), entries_[i].second);
    }
  }
  EXPECT_GT(file_->bad_read_count(), 0);
  EXPECT_FALSE(IsLoaded(*table));
  EXPECT_FALSE(UsesRawIndex(*table)) << "it has an index";
  file_->SetBadRange(0, 0);
  EXPECT_OK(table->LoadIndex());
  EXPECT_TRUE(IsLoaded(*table));
}

TEST_F(FirstLookupsTest, ThreadsMayLookUpWhileOneLoads) {
  const TempFolder folder;
  folder.Write("t.ldb", bytes_);
  for (int round = 0; round < 10; ++round) {
    auto file = round % 2 == 0 ? NewMemoryFile(bytes_) : OpenFile(folder.File("t.ldb")).value();
    const auto table = TableReader::Open(std::move(file)).value();
    std::atomic<int> waiting{4}, right{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&, t] {
        --waiting;
        while (waiting > 0) std::this_thread::yield();
        for (int n = 0; n < kKeyCount; ++n) {
          const int i = (n + 500 * t) % kKeyCount;
          right += table->Get(KeyOf(i)).value() == entries_[i].second;
          right += table->Get(AbsentKeyOf(i)).value() == std::nullopt;
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(right, 4 * 2 * kKeyCount);
    EXPECT_EQ(table->stats().lookups, 4 * 2 * kKeyCount);
    EXPECT_TRUE(IsLoaded(*table));
  }
}

}  // namespace
}  // namespace sstable::test
