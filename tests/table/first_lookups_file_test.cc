// First lookups and seeks in a file: when the file is mapped, and what is copied before that.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "sstable/filter_policy.h"
#include "sstable/options.h"
#include "sstable/table_iterator.h"
#include "sstable/table_reader.h"
#include "table/raw_index.h"
#include "table/table_reader_impl.h"
#include "tests/support/status_matchers.h"
#include "tests/support/table_bytes.h"
#include "tests/support/temp_folder.h"

namespace sstable::test {
namespace {

std::string KeyOf(int i) { return absl::StrCat("key", 100'000 + 2 * i); }
std::string AbsentKeyOf(int i) { return absl::StrCat("key", 100'000 + 2 * i + 1); }
std::string ValueOf(int i) { return absl::StrCat("value", i); }

TableLoader& LoaderOf(const TableReader& table) { return TableReader::Impl::Of(table).loader_; }
bool IsLoaded(const TableReader& table) { return LoaderOf(table).loaded() != nullptr; }

class FirstLookupsFileTest : public testing::Test {
 protected:
  // Opens a new file with this many entries.
  std::unique_ptr<TableReader> Open(int count) {
    Entries entries;
    for (int i = 0; i < count; ++i) entries.emplace_back(KeyOf(i), ValueOf(i));
    if (has_large_) entries.emplace_back("large", large_);
    TableBuilderOptions options;
    options.filter_policy = policy_.get();
    options.block_size = 64;
    options.compression = Compression::kNone;
    folder_.Write("t.ldb", BuildTable(options, entries).value());
    return TableReader::Open(folder_.File("t.ldb")).value();
  }

  const std::unique_ptr<const FilterPolicy> policy_ = NewBloomFilterPolicy(10);
  const std::string large_ = std::string(100'000, 'v');
  bool has_large_ = false;
  TempFolder folder_;
};

// If the index is too large to be copied, the file is mapped at once.
TEST_F(FirstLookupsFileTest, ItIsMappedAfterALookupForEach64KiB) {
  for (const int count : {50, 2000, 20'000}) {
    for (const bool hits : {true, false}) {
      const auto table = Open(count);
      uint64_t unmapped = 0;
      for (int i = 0; i < count && !IsLoaded(*table); ++i) {
        ASSERT_TRUE(i > 0 || table->file().IsUnmapped());
        ASSERT_EQ(table->Get(hits ? KeyOf(i) : AbsentKeyOf(i)).value(),
                  hits ? std::optional(ValueOf(i)) : std::nullopt);
        unmapped += table->file().IsUnmapped();
      }
      EXPECT_TRUE(IsLoaded(*table));
      EXPECT_FALSE(table->file().IsUnmapped());
      const uint64_t index_size = table->footer().index.size;
      EXPECT_EQ(index_size > 65536, count == 20'000);
      if (count == 20'000) {
        EXPECT_EQ(unmapped, 0);
        continue;
      }
      EXPECT_EQ(unmapped, 1 + table->file().size() / 65536) << count;
    }
  }
}

TEST_F(FirstLookupsFileTest, ACopyOfTheIndexGoesWhenItIsMapped) {
  const auto table = Open(2000);
  const LoadedTable* loaded = nullptr;
  auto index = LoaderOf(*table).RawIndexOrLoad(&loaded);
  ASSERT_NE(index, nullptr);
  EXPECT_TRUE(index->is_copy());
  const std::weak_ptr<RawIndex> copy = index;
  ASSERT_OK(table->LoadIndex());
  EXPECT_EQ(index->contents().size(), table->footer().index.size) << "a lookup may still be in it";
  index = nullptr;
  EXPECT_TRUE(copy.expired());
  for (int i = 0; i < 2000; ++i) ASSERT_EQ(table->Get(KeyOf(i)).value(), ValueOf(i));
}

// Copying the block would take longer and use more memory.
TEST_F(FirstLookupsFileTest, ItIsMappedForALargeBlock) {
  has_large_ = true;
  const auto table = Open(2000);
  EXPECT_EQ(table->Get(KeyOf(7)).value(), ValueOf(7));
  EXPECT_TRUE(table->file().IsUnmapped());
  EXPECT_EQ(table->Get("large").value(), large_);
  EXPECT_FALSE(table->file().IsUnmapped());
  EXPECT_FALSE(IsLoaded(*table));
}

TEST_F(FirstLookupsFileTest, ItIsMappedAfterASeekForEach64KiB) {
  const auto table = Open(2000);
  const auto it = table->NewIterator();
  uint64_t unmapped = 0;
  for (int i = 1999; i > 0 && !IsLoaded(*table); --i) {
    it->Seek(AbsentKeyOf(i - 1));
    ASSERT_TRUE(it->Valid()) << it->status();
    EXPECT_EQ(it->key(), KeyOf(i));
    EXPECT_EQ(it->value(), ValueOf(i));
    unmapped += table->file().IsUnmapped();
  }
  EXPECT_TRUE(IsLoaded(*table));
  EXPECT_FALSE(table->file().IsUnmapped());
  EXPECT_EQ(unmapped, 1 + table->file().size() / 65536);
}

TEST_F(FirstLookupsFileTest, AScanMapsItAfterTwoBlocks) {
  for (const bool is_forward : {true, false}) {
    const auto table = Open(2000);
    const auto it = table->NewIterator();
    size_t unmapped_blocks = 0, block = 2000;
    int count = 0;
    for (is_forward ? it->SeekToFirst() : it->SeekToLast(); it->Valid();
         is_forward ? it->Next() : it->Prev()) {
      const int i = is_forward ? count : 1999 - count;
      ASSERT_EQ(it->key(), KeyOf(i));
      ASSERT_EQ(it->value(), ValueOf(i));
      unmapped_blocks += it->block_index() != block && table->file().IsUnmapped();
      block = it->block_index();
      ++count;
    }
    EXPECT_OK(it->status());
    EXPECT_EQ(count, 2000);
    EXPECT_EQ(unmapped_blocks, 2);
    EXPECT_FALSE(table->file().IsUnmapped());
    EXPECT_FALSE(IsLoaded(*table)) << "a scan needs no filter";
    EXPECT_EQ(table->Get(KeyOf(1234)).value(), ValueOf(1234));
    it->Seek(KeyOf(567));
    EXPECT_TRUE(IsLoaded(*table)) << "a seek in a mapped file";
    ASSERT_TRUE(it->Valid());
    EXPECT_EQ(it->value(), ValueOf(567));
  }
}

// Iterators that use the copied index continue to use it.
TEST_F(FirstLookupsFileTest, AnIndexWithoutFiltersStaysWhenAllIsLoaded) {
  const auto table = Open(2000);
  const auto it = table->NewIterator();
  it->Seek(KeyOf(7));
  EXPECT_TRUE(table->file().IsUnmapped());
  ASSERT_OK(table->LoadFilter());
  EXPECT_TRUE(IsLoaded(*table));
  for (int i = 7; i < 2000; ++i, it->Next()) ASSERT_EQ(it->key(), KeyOf(i));
  EXPECT_FALSE(it->Valid());
  EXPECT_OK(it->status());
}

}  // namespace
}  // namespace sstable::test
