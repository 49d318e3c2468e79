// A filter built with another hash, or from another kind of keys, causes no false negatives, not
// even by chance.
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "sstable/experimental/table_filter.h"
#include "sstable/file.h"
#include "sstable/filter_policy.h"
#include "sstable/internal_key.h"
#include "sstable/options.h"
#include "sstable/table_reader.h"
#include "table/inspect/murmur3.h"
#include "tests/support/foreign_filters.h"
#include "tests/support/random_bytes.h"
#include "tests/support/status_matchers.h"
#include "tests/support/table_bytes.h"
#include "util/crc32c.h"
#include "util/hash.h"

namespace sstable::test {
namespace {

using ::testing::HasSubstr;

uint32_t StarRocksHash(absl::string_view key) { return Murmur3(key, 0xbc9f1d34); }
uint32_t CrcHash(absl::string_view key) { return Crc32c(key); }
uint32_t OtherSeedHash(absl::string_view key) { return Hash(key, 0x12345678); }
uint32_t FnvHash(absl::string_view key) {
  uint32_t hash = 0x811c9dc5;
  for (const char c : key) hash = (hash ^ static_cast<unsigned char>(c)) * 0x01000193;
  return hash;
}
uint32_t XxHash(absl::string_view key) { return static_cast<uint32_t>(TableFilterHash(key)); }
// LevelDB's hash, for internal keys that were taken for plain ones, or vice versa.
uint32_t WithoutTagHash(absl::string_view key) {
  return Hash(key.substr(0, key.size() - 8), 0xbc9f1d34);
}

struct HashCase {
  const char* name;
  ForeignHash hash;
  BloomName bloom = BloomName::kLevelDb;
};
class ForeignHashTest : public testing::TestWithParam<HashCase> {
 protected:
  // Looks up each key of a table with this policy. Returns true if lookups use its filter.
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

Entries RandomEntries(size_t count, Rng& rng) {
  Entries entries;
  for (size_t i = 0; i < count; ++i) {
    entries.emplace_back(absl::StrFormat("%06d%016x", i, rng()), "value");
  }
  return entries;
}

// One key in six passes such a filter of 4 bits per key.
TEST_P(ForeignHashTest, HidesNoKey) {
  Rng rng(20261125);
  size_t kept = 0;
  for (const int bits : {4, 6, 10, 14}) {
    const ForeignBloom policy(std::string(NewBloomFilterPolicy(10, GetParam().bloom)->Name()),
                              GetParam().hash, bits);
    for (const size_t count : {1, 2, 3, 5, 8, 13, 20, 40, 80, 300, 1000, 10000}) {
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

INSTANTIATE_TEST_SUITE_P(Hashes, ForeignHashTest,
                         testing::ValuesIn<HashCase>({{"Murmur3", StarRocksHash},
                                                      {"Crc32c", CrcHash},
                                                      {"OtherSeed", OtherSeedHash},
                                                      {"Fnv", FnvHash, BloomName::kLevelDbOld},
                                                      {"XxHash", XxHash, BloomName::kRocksDb},
                                                      {"OtherKindOfKeys", WithoutTagHash}}),
                         [](const auto& info) { return info.param.name; });

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

// A filter of user keys, in a table whose first block has versions of one of them.
TEST(ValidateFiltersTest, VersionsOfAKeyCountOnce) {
  const ForeignBloom policy("leveldb.BuiltinBloomFilter2", StarRocksHash, 4);
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

// Reads two blocks of a table with 10 bits per key, whatever its size; none of a table without a
// filter.
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
