// Tests the counters of TableReader::MultiGet(); model_test compares its results.
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "gtest/gtest.h"
#include "sstable/file.h"
#include "sstable/internal_key.h"
#include "sstable/options.h"
#include "sstable/table_reader.h"
#include "tests/support/exact_filter_policy.h"
#include "tests/support/status_matchers.h"
#include "tests/support/table_bytes.h"

namespace sstable::test {
namespace {

class MultiGetCountsTest : public ::testing::TestWithParam<KeyKind> {};

// A block has ten keys, and all blocks have been verified. With internal keys, all versions are
// newer than the snapshot.
TEST_P(MultiGetCountsTest, CountsAsGetDoes) {
  const ExactFilterPolicy exact;
  TableBuilderOptions writer;
  writer.key_kind = GetParam();
  writer.compression = Compression::kNone;
  writer.block_size = 300;
  writer.filter_policy = &exact;
  writer.filter_base_lg = 6;
  Entries entries;
  std::vector<std::string> keys = {"maybe", "key10001", "kez", "", "maybe2", "zz"};
  for (int i = 0; i < 1000; ++i) {
    entries.emplace_back(absl::StrCat("key", 10000 + 2 * i), absl::StrCat("value", i));
    if (i < 500) keys.push_back(absl::StrCat("key", 10000 + i * 7 % 2000));
  }
  entries.emplace_back("zebra", "stripes");
  ReadOptions options;
  if (GetParam() == KeyKind::kInternal) {
    for (auto& [key, value] : entries) key = MakeInternalKey(key, 9, ValueType::kValue);
    options.snapshot = 5;
  }
  const std::string bytes = BuildTable(writer, entries).value();
  for (const bool use_filter : {true, false}) {
    TableReaderOptions reader;
    reader.key_kind = GetParam();
    reader.use_filter = use_filter;
    reader.filter_policies = {&exact};
    const auto table = TableReader::Open(NewMemoryFile(bytes), reader).value();
    EXPECT_OK(table->LoadIndex());
    for (const std::string& key : keys) EXPECT_OK(table->Get(key, options));  // verifies the blocks
    const auto counted = [&](const auto& look_up) {
      const ReaderStats before = table->stats();
      look_up();
      const ReaderStats after = table->stats();
      return std::vector<uint64_t>{after.lookups - before.lookups,
                                   after.filter_negatives - before.filter_negatives,
                                   after.filter_positives - before.filter_positives,
                                   after.false_positives - before.false_positives,
                                   after.blocks_read - before.blocks_read,
                                   after.bytes_read - before.bytes_read};
    };
    const auto one_by_one = counted([&] {
      for (const std::string& key : keys) EXPECT_OK(table->Get(key, options));
    });
    const auto together = counted([&] {
      std::vector<std::string> values(keys.size());
      std::vector<LookupRequest> requests(keys.size());
      for (size_t i = 0; i < keys.size(); ++i) requests[i] = {keys[i], &values[i]};
      table->MultiGet(absl::MakeSpan(requests), options);
    });
    EXPECT_EQ(one_by_one, together);
    EXPECT_EQ(one_by_one[0], keys.size());
    EXPECT_EQ(one_by_one[1] > 200, use_filter);
    EXPECT_EQ(one_by_one[3], use_filter ? 2 : 0) << "the two that begin with \"maybe\"";
  }
}
INSTANTIATE_TEST_SUITE_P(Kinds, MultiGetCountsTest,
                         ::testing::Values(KeyKind::kPlain, KeyKind::kInternal));

}  // namespace
}  // namespace sstable::test
