// Tables with blocks past 4 GiB, in files that are mostly zeros.
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "sstable/filter_block.h"
#include "sstable/filter_policy.h"
#include "sstable/format.h"
#include "sstable/options.h"
#include "sstable/table_iterator.h"
#include "sstable/table_reader.h"
#include "table/index/table_index.h"
#include "table/table_internals.h"
#include "tests/support/block_bytes.h"
#include "tests/support/exact_filter_policy.h"
#include "tests/support/fake_files.h"
#include "tests/support/status_matchers.h"
#include "tests/support/table_bytes.h"
#include "tests/support/table_parts.h"
#include "tests/support/table_walk.h"

namespace sstable::test {
namespace {

using ::testing::HasSubstr;

constexpr uint64_t k4GiB = uint64_t{1} << 32;

// Places blocks at any offset, with zeros between them.
class SparseTable {
 public:
  // Must be called with ascending offsets.
  void AddDataBlock(uint64_t offset, const Entries& entries) {
    const BlockHandle handle = AddBlock(offset, EncodeBlock(entries));
    index_.emplace_back(entries.back().first, handle.Encode());
  }

  void AddFilter(absl::string_view policy_name, absl::string_view block) {
    metaindex_.emplace_back(absl::StrCat("filter.", policy_name), AddBlock(end_, block).Encode());
  }

  uint64_t end() const { return end_; }

  std::unique_ptr<TableReader> Open(const TableReaderOptions& options = {}) {
    Footer footer;
    footer.metaindex = AddBlock(end_, EncodeBlock(metaindex_));
    footer.index = AddBlock(end_, EncodeBlock(index_, {/*restart_interval=*/1}));
    ranges_[end_] = footer.Encode();
    return TableReader::Open(
               std::make_unique<FakeFile>(end_ + kFooterSize, std::move(ranges_), "big"), options)
        .value();
  }

 private:
  BlockHandle AddBlock(uint64_t offset, absl::string_view bytes) {
    ranges_[offset] = absl::StrCat(bytes, EncodeTrailer(bytes, 0));
    end_ = offset + ranges_[offset].size();
    return {offset, bytes.size()};
  }

  std::map<uint64_t, std::string> ranges_;
  uint64_t end_ = 0;
  Entries index_, metaindex_;
};

const std::vector<uint64_t> kOffsets = {
    0,
    k4GiB - 10,  // spans the 4 GiB boundary
    k4GiB + 100, k4GiB + 4096, 5 * k4GiB / 4,
};

Entries BlockEntries(size_t i) {
  return {{absl::StrCat("key", i, "a"), absl::StrCat("value", i, "a")},
          {absl::StrCat("key", i, "b"), absl::StrCat("value", i, "b")}};
}

void ExpectEntries(const TableReader& table, size_t block_count) {
  Entries all;
  for (size_t i = 0; i < block_count; ++i) {
    for (const auto& [key, value] : BlockEntries(i)) {
      EXPECT_EQ(table.Get(key).value(), value);
      EXPECT_EQ(table.Get(absl::StrCat(key, "x")).value(), std::nullopt);
      const auto it = table.NewIterator();
      it->Seek(key);
      ASSERT_TRUE(it->Valid()) << it->status();
      EXPECT_EQ(it->value(), value);
      all.emplace_back(key, value);
    }
  }
  EXPECT_EQ(WalkForward(table.NewIterator().get()).entries, all);
  EXPECT_EQ(WalkBackward(table.NewIterator().get()).entries, all);
}

TEST(BigOffsetsTest, BlocksPast4GiBAreFound) {
  SparseTable sparse;
  for (size_t i = 0; i < kOffsets.size(); ++i) sparse.AddDataBlock(kOffsets[i], BlockEntries(i));
  const auto table = sparse.Open();
  ExpectEntries(*table, kOffsets.size());
  for (size_t i = 0; i < kOffsets.size(); ++i) {
    EXPECT_EQ(IndexOf(*table)->record(i).block_offset, kOffsets[i]);
    EXPECT_EQ(table->ApproximateOffsetOf(absl::StrCat("key", i, "a")).value(), kOffsets[i]);
  }
  EXPECT_GT(table->ApproximateOffsetOf("z").value(), kOffsets.back());
}

TEST(BigOffsetsTest, OffsetsMayHaveAllBitsThatAFileCanHave) {
  SparseTable sparse;
  sparse.AddDataBlock(0, BlockEntries(0));
  sparse.AddDataBlock((uint64_t{1} << 62) + 12345, BlockEntries(1));
  const auto table = sparse.Open();
  ExpectEntries(*table, 2);
}

TEST(BigOffsetsTest, ErrorsGiveTheWholeOffset) {
  SparseTable sparse;
  sparse.AddDataBlock(0, BlockEntries(0));
  sparse.AddDataBlock(3 * k4GiB, BlockEntries(1));
  // Overlaps the last bytes of the second block.
  sparse.AddDataBlock(sparse.end() - 4, BlockEntries(2));
  const auto table = sparse.Open();
  EXPECT_EQ(table->Get("key0a").value(), "value0a");
  EXPECT_THAT(table->Get("key1a"), StatusIs(absl::StatusCode::kDataLoss,
                                            HasSubstr("big: data block at offset 12884901888 (")));
  EXPECT_EQ(table->Get("key2a").value(), "value2a");
}

class BigFilterTest : public testing::TestWithParam<int> {};
TEST_P(BigFilterTest, HasTheWindowsOfBlocksPast4GiB) {
  const auto bloom = NewBloomFilterPolicy(10);
  const ExactFilterPolicy exact;
  for (const FilterPolicy* policy : {bloom.get(), static_cast<const FilterPolicy*>(&exact)}) {
    FilterBlockBuilder builder(policy, /*base_lg=*/GetParam());
    SparseTable sparse;
    for (size_t i = 0; i < kOffsets.size(); ++i) {
      builder.StartBlock(kOffsets[i]);
      for (const auto& entry : BlockEntries(i)) builder.AddKey(entry.first);
      sparse.AddDataBlock(kOffsets[i], BlockEntries(i));
    }
    builder.StartBlock(sparse.end());
    ASSERT_OK_AND_ASSIGN(const absl::string_view block, builder.Finish());
    sparse.AddFilter(policy->Name(), block);

    TableReaderOptions options;
    options.filter_policies = {&exact};
    const auto table = sparse.Open(options);
    ASSERT_OK(table->LoadFilter());
    ExpectEntries(*table, kOffsets.size());
    const FilterBlockReader& filter = *table->filter();
    EXPECT_EQ(filter.window_count(), (kOffsets.back() >> GetParam()) + 1);
    for (size_t i = 0; i < kOffsets.size(); ++i) {
      EXPECT_TRUE(filter.KeyMayMatch(kOffsets[i], absl::StrCat("key", i, "a")));
      EXPECT_EQ(filter.Window(filter.WindowIndex(kOffsets[i])).state,
                FilterWindow::State::kPresent);
    }
    if (GetParam() == 63) continue;  // a window of this size is the whole file
    if (policy == &exact) {
      EXPECT_EQ(table->stats().filter_negatives, 9) << "all that was absent, but behind the end";
      EXPECT_EQ(table->stats().false_positives, 0);
    }
    // This offset has the same low 32 bits as the last block's.
    EXPECT_FALSE(filter.KeyMayMatch(kOffsets.back() - k4GiB, "key4a"));
  }
}
INSTANTIATE_TEST_SUITE_P(BaseLg, BigFilterTest, testing::Values(11, 12, 20, 63));

TEST(BigFilterTest, BlocksPastTheLastWindowHaveNoFilterToAsk) {
  // The filter block ends at 4 GiB, as if its writer had stopped there.
  const ExactFilterPolicy policy;
  FilterBlockBuilder builder(&policy);
  SparseTable sparse;
  for (size_t i = 0; i < kOffsets.size(); ++i) {
    if (kOffsets[i] < k4GiB) {
      builder.StartBlock(kOffsets[i]);
      for (const auto& entry : BlockEntries(i)) builder.AddKey(entry.first);
    }
    sparse.AddDataBlock(kOffsets[i], BlockEntries(i));
  }
  ASSERT_OK_AND_ASSIGN(const absl::string_view block, builder.Finish());
  sparse.AddFilter(policy.Name(), block);
  TableReaderOptions options;
  options.filter_policies = {&policy};
  const auto table = sparse.Open(options);
  EXPECT_OK(table->LoadFilter());
  ExpectEntries(*table, kOffsets.size());
  for (size_t i = 0; i < kOffsets.size(); ++i) {
    EXPECT_EQ(IndexOf(*table)->record(i).filter_size == 0, kOffsets[i] >= k4GiB) << "block " << i;
  }
}

}  // namespace
}  // namespace sstable::test
