// A filter built with another hash, or of another kind of keys, never causes a false negative, not
// even by chance.
#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "sstable/experimental/table_filter.h"
#include "sstable/file.h"
#include "sstable/filter_block.h"
#include "sstable/filter_policy.h"
#include "sstable/internal_key.h"
#include "sstable/options.h"
#include "sstable/table_reader.h"
#include "tests/support/foreign_filters.h"
#include "tests/support/random_bytes.h"
#include "tests/support/status_matchers.h"
#include "tests/support/table_bytes.h"
#include "tests/support/table_parts.h"

namespace sstable::test {
namespace {

using ::testing::HasSubstr;

class ForeignHashTest : public testing::TestWithParam<ForeignHashCase> {
 protected:
  // Looks up each key of a table with this policy. Returns true if lookups use the filter.
  static bool FindsAll(const TableBuilderOptions& options, const Entries& entries) {
    const std::string bytes = BuildTable(options, entries).value();
    const auto table = TableReader::Open(NewMemoryFile(bytes, "t.ldb")).value();
    EXPECT_OK(table->LoadIndex());
    std::string value;
    size_t absent = 0;
    for (const auto& entry : entries)
      absent += table->Get(entry.first, &value).value() != Presence::kFound;
    EXPECT_EQ(absent, 0) << "of " << entries.size();
    return table->LoadFilter().ok();
  }
};

// With 4 bits per key, one key in six passes such a filter by chance.
TEST_P(ForeignHashTest, HidesNoKey) {
  Rng rng(20261125);
  size_t kept = 0;
  for (const int bits : kForeignBits) {
    const ForeignBloom policy(GetParam(), bits);
    for (const size_t count : kForeignCounts) {
      for (size_t table = 0; table < (count <= 80 ? 20 : count <= 1000 ? 5 : 1); ++table) {
        TableBuilderOptions options;
        options.filter_policy = &policy;
        options.filter_base_lg = table % 3 == 2 ? 30 : kDefaultFilterBaseLg;
        SCOPED_TRACE(absl::StrCat(bits, " bits, ", count, " keys"));
        kept += FindsAll(options, RandomEntries(count, rng)) && count >= 20;
      }
    }
  }
  EXPECT_EQ(kept, 0);
}

INSTANTIATE_TEST_SUITE_P(Hashes, ForeignHashTest, testing::ValuesIn(kForeignHashes),
                         [](const auto& info) { return info.param.name; });

// Under the name of LevelDB's first filters, either hash may have been used.
TEST(OldNameFilterTest, HidesNoKeyWhicheverHashItWasMadeWith) {
  const auto either = NewBloomFilterPolicy(10, BloomName::kLevelDbOld);
  const auto signed_tail = NewBloomFilterPolicy(10, BloomName::kRocksDb);
  // A wrapper that strips part of each key must do so for both hashes.
  const InternalFilterPolicy either_of_user_keys(either.get());
  const InternalFilterPolicy signed_of_user_keys(signed_tail.get());
  for (const bool strips : {false, true}) {
    Entries entries;
    for (int byte = 0x80; byte < 0x100; ++byte) {
      entries.emplace_back(absl::StrCat("k", std::string(1, static_cast<char>(byte)), "12345678"),
                           "value");
    }
    FilterBlockBuilder filter(strips ? static_cast<const FilterPolicy*>(&signed_of_user_keys)
                                     : signed_tail.get());
    for (const auto& entry : entries) filter.AddKey(entry.first);
    TableAssembler assembler;
    assembler.AddDataBlock(entries.back().first, entries);
    assembler.AddMetaBlock("filter.leveldb.BuiltinBloomFilter", *filter.Finish());
    const std::string bytes = assembler.Finish();
    TableReaderOptions options;
    if (strips) options.filter_policies = {&either_of_user_keys};
    const auto table = TableReader::Open(NewMemoryFile(bytes), options).value();
    ASSERT_OK(table->LoadFilter());
    for (const auto& entry : entries) EXPECT_EQ(table->Get(entry.first).value(), entry.second);
    EXPECT_EQ(table->stats().filter_positives, entries.size());
  }
}

TEST(ForeignTableFilterTest, HidesNoKey) {
  Rng rng(20261126);
  for (const bool is_fuse : {false, true}) {
    const ForeignTableFilter policy(is_fuse ? NewBinaryFusePolicy(FuseBits::k8)
                                            : NewBlockedBloomPolicy(4));
    for (const size_t count : {1, 2, 3, 5, 20, 300, 3000}) {
      for (int i = 0; i < (count < 300 ? 100 : 5); ++i) {
        TableBuilderOptions options;
        options.table_filter_policy = &policy;
        const Entries entries = RandomEntries(count, rng);
        const std::string bytes = BuildTable(options, entries).value();
        const auto table = TableReader::Open(NewMemoryFile(bytes, "t.ldb")).value();
        EXPECT_OK(table->LoadIndex());
        for (const auto& entry : entries) EXPECT_NE(table->Get(entry.first).value(), std::nullopt);
      }
    }
  }
}

// The filter has user keys, and the first block has versions of only one.
TEST(ValidateFiltersTest, VersionsOfAKeyCountOnce) {
  const ForeignBloom policy({"Murmur3", StarRocksHash}, 4);
  Rng rng(20261127);
  for (int i = 0; i < 100; ++i) {
    TableBuilderOptions options;
    options.key_kind = KeyKind::kInternal;
    options.filter_policy = &policy;
    options.block_size = 200;
    Entries entries;
    const std::string first = absl::StrFormat("a%016x", rng());
    for (uint64_t sequence = 1000; sequence > 900; --sequence) {
      entries.emplace_back(MakeInternalKey(first, sequence, ValueType::kValue), "value");
    }
    for (int key = 0; key < 100; ++key) {
      entries.emplace_back(
          MakeInternalKey(absl::StrFormat("b%03d%016x", key, rng()), 7, ValueType::kValue),
          "value");
    }
    const std::string bytes = BuildTable(options, entries).value();
    TableReaderOptions reader;
    reader.key_kind = KeyKind::kInternal;
    const auto table = TableReader::Open(NewMemoryFile(bytes, "t.ldb"), reader).value();
    EXPECT_OK(table->LoadIndex());
    EXPECT_THAT(table->LoadFilter(), StatusIs(absl::StatusCode::kFailedPrecondition,
                                              HasSubstr("does not contain the table's key \"")));
  }
}

// Two blocks are read if there are 10 bits per key, whatever the table's size, and none if there is
// no filter.
TEST(ValidateFiltersTest, ReadsFewBlocks) {
  Rng rng(20261128);
  const auto bloom = NewBloomFilterPolicy(10);
  const auto blocked = NewBlockedBloomPolicy(10);
  const Entries entries = RandomEntries(10000, rng);
  for (const bool has_filter : {false, true}) {
    for (const bool has_table_filter : {false, true}) {
      TableBuilderOptions options;
      if (has_filter) options.filter_policy = bloom.get();
      if (has_table_filter) options.table_filter_policy = blocked.get();
      const std::string bytes = BuildTable(options, entries).value();
      const auto table = TableReader::Open(NewMemoryFile(bytes, "t.ldb")).value();
      EXPECT_OK(table->LoadIndex());
      EXPECT_EQ(table->LoadFilter().ok(), has_filter || has_table_filter);
      EXPECT_EQ(table->stats().blocks_read, has_filter || has_table_filter ? 2 : 0);
    }
  }
}

}  // namespace
}  // namespace sstable::test
