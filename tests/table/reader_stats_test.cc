// The counts of a reader, and the counters themselves.
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "sstable/file.h"
#include "sstable/filter_block.h"
#include "sstable/internal_key.h"
#include "sstable/options.h"
#include "sstable/table_reader.h"
#include "table/index/table_index.h"
#include "table/reader_stats_counter.h"
#include "table/table_internals.h"
#include "tests/support/exact_filter_policy.h"
#include "tests/support/status_matchers.h"
#include "tests/support/table_bytes.h"
#include "tests/support/table_parts.h"

namespace sstable {
namespace {

using ::sstable::test::BuildTable;
using ::sstable::test::Entries;
using ::sstable::test::ExactFilterPolicy;
using ::sstable::test::TableAssembler;

std::unique_ptr<TableReader> OpenBytes(absl::string_view bytes, const TableReaderOptions& options) {
  return TableReader::Open(NewMemoryFile(bytes), options).value();
}

TEST(ReaderStatsCounterTest, SumsWhatEveryThreadAdded) {
  ReaderStatsCounter counter;
  std::vector<std::thread> threads;
  for (int i = 0; i < 20; ++i) {  // more than there are sets of counters
    threads.emplace_back([&counter] {
      ReaderStatsCounter::Shard& shard = counter.ForThisThread();
      for (int n = 0; n < 1000; ++n) {
        shard.Add(ReaderStatsCounter::kFilterNegatives);
        shard.Add(ReaderStatsCounter::kFilterPositives, 2);
        shard.Add(ReaderStatsCounter::kUnfilteredLookups, 3);
        shard.Add(ReaderStatsCounter::kFalsePositives, 4);
        shard.Add(ReaderStatsCounter::kBlocksRead, 5);
        shard.Add(ReaderStatsCounter::kBytesRead, 600);
        shard.Add(ReaderStatsCounter::kCacheHits, 7);
        shard.Add(ReaderStatsCounter::kCacheMisses, 8);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  const ReaderStats sum = counter.Sum();
  EXPECT_EQ(sum.lookups, 120000) << "by what the filter said: no, yes, or nothing";
  EXPECT_EQ(sum.filter_negatives, 20000);
  EXPECT_EQ(sum.filter_positives, 40000);
  EXPECT_EQ(sum.false_positives, 80000);
  EXPECT_EQ(sum.blocks_read, 100000);
  EXPECT_EQ(sum.bytes_read, 12000000);
  EXPECT_EQ(sum.cache_hits, 140000);
  EXPECT_EQ(sum.cache_misses, 160000);
}

TEST(ReaderStatsTest, CountWhatLookupsDo) {
  const ExactFilterPolicy policy;
  FilterBlockBuilder filter(&policy, /*base_lg=*/0);
  TableAssembler assembler;
  const Entries entries = {{"apple", "1"}, {"beet", "2"},  {"cherry", "3"},
                           {"date", "4"},  {"elder", "5"}, {"fig", "6"}};
  for (size_t i = 0; i < entries.size(); i += 2) {
    filter.StartBlock(assembler.size());
    filter.AddKey(entries[i].first);
    filter.AddKey(entries[i + 1].first);
    assembler.AddDataBlock(absl::StrCat(entries[i + 1].first, "z"),
                           {entries.begin() + i, entries.begin() + i + 2});
  }
  filter.StartBlock(assembler.size());
  assembler.AddDataBlock("o", {{"m", "13"}, {"n", "14"}});  // past the last window
  assembler.AddMetaBlock("filter.test.ExactFilter", *filter.Finish());
  const std::string bytes = assembler.Finish();
  TableReaderOptions options;
  options.filter_policies = {&policy};
  const auto table = OpenBytes(bytes, options);

  ReaderStats expected;
  const auto expect = [&](const char* after) {
    SCOPED_TRACE(after);
    const ReaderStats stats = table->stats();
    EXPECT_EQ(stats.lookups, expected.lookups);
    EXPECT_EQ(stats.filter_negatives, expected.filter_negatives);
    EXPECT_EQ(stats.filter_positives, expected.filter_positives);
    EXPECT_EQ(stats.false_positives, expected.false_positives);
    EXPECT_EQ(stats.blocks_read, expected.blocks_read);
    EXPECT_EQ(stats.bytes_read, expected.bytes_read);
  };
  const auto count_block = [&](size_t i) {
    ++expected.blocks_read;
    expected.bytes_read += IndexOf(*table)->record(i).block_size + 5;
  };
  expect("opening");
  EXPECT_OK(table->LoadIndex());
  for (const size_t i : {0, 1, 2}) count_block(i);  // to validate the filter
  expect("loading");
  EXPECT_EQ(table->Get("beet").value(), "2");
  ++expected.lookups;
  ++expected.filter_positives;
  count_block(0);
  expect("a hit");
  EXPECT_EQ(table->Get("bees").value(), std::nullopt);
  ++expected.lookups;
  ++expected.filter_negatives;
  expect("a miss that the filter saw");
  EXPECT_EQ(table->Get("maybe").value(), std::nullopt);
  ++expected.lookups;
  count_block(3);
  expect("a miss where there is no filter");
  EXPECT_EQ(table->Get("zebra").value(), std::nullopt);
  ++expected.lookups;
  expect("a miss that the index saw");
  EXPECT_OK(table->InternalGet("fig", [](absl::string_view, absl::string_view) {}));
  ++expected.lookups;
  ++expected.filter_positives;
  count_block(2);
  expect("InternalGet");
}

TEST(ReaderStatsTest, CountFalsePositives) {
  const ExactFilterPolicy policy;
  TableBuilderOptions options;
  options.filter_policy = &policy;
  ASSERT_OK_AND_ASSIGN(const std::string bytes,
                       BuildTable(options, {{"a", "1"}, {"maybe1", "2"}, {"z", "3"}}));
  TableReaderOptions reader;
  reader.filter_policies = {&policy};
  const auto table = OpenBytes(bytes, reader);
  EXPECT_EQ(table->Get("maybe0").value(), std::nullopt) << "between two keys";
  EXPECT_EQ(table->Get("maybe1").value(), "2");
  EXPECT_EQ(table->stats().filter_positives, 2);
  EXPECT_EQ(table->stats().false_positives, 1);
  EXPECT_EQ(table->stats().filter_negatives, 0);
}

TEST(ReaderStatsTest, CountEachLookupOnceWhereSeveralBlocksAreAsked) {
  // The separators have the user key, so more than one filter is consulted.
  const ExactFilterPolicy policy;
  TableBuilderOptions options;
  options.key_kind = KeyKind::kInternal;
  options.filter_policy = &policy;
  options.filter_base_lg = 0;
  options.block_size = 1;
  Entries entries;
  for (const char* key : {"azzz", "cccc", "maybf"}) {
    entries.emplace_back(MakeInternalKey(key, 1, ValueType::kValue), key);
  }
  ASSERT_OK_AND_ASSIGN(const std::string bytes, BuildTable(options, entries));
  TableReaderOptions reader;
  reader.key_kind = KeyKind::kInternal;
  reader.filter_policies = {&policy};
  const auto table = OpenBytes(bytes, reader);
  EXPECT_EQ(table->Get("b").value(), std::nullopt);  // the separator of the first two blocks
  EXPECT_EQ(table->stats().filter_negatives, 1);
  EXPECT_EQ(table->Get("n").value(), std::nullopt);  // the last separator
  EXPECT_EQ(table->stats().filter_negatives, 2);
  EXPECT_EQ(table->stats().lookups, 2);
  EXPECT_EQ(table->stats().blocks_read, 3) << "whose keys the filter was asked for when loaded";
  EXPECT_EQ(table->stats().filter_positives, 0);
}

}  // namespace
}  // namespace sstable
