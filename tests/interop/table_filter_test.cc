// LevelDB must read tables written with each option that it does not have, and ignore a whole-table
// filter.
#include "sstable/experimental/table_filter.h"

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "gtest/gtest.h"
#include "leveldb/db.h"
#include "leveldb/filter_policy.h"
#include "leveldb/options.h"
#include "sstable/check.h"
#include "sstable/file.h"
#include "sstable/filter_policy.h"
#include "sstable/internal_key.h"
#include "sstable/options.h"
#include "sstable/table_reader.h"
#include "table/inspect/filter_rewriter.h"
#include "tests/interop/leveldb_table.h"
#include "tests/interop/table_spec.h"
#include "tests/support/status_matchers.h"
#include "tests/support/table_bytes.h"
#include "tests/support/temp_folder.h"

namespace sstable::test {
namespace {

std::unique_ptr<const TableFilterPolicy> NewFuse8() { return NewBinaryFusePolicy(FuseBits::k8); }

struct PolicyCase {
  const char* name;
  std::unique_ptr<const TableFilterPolicy> (*make)();
  void (*set)(TableBuilderOptions* options) = [](TableBuilderOptions*) {};
  bool is_added = false;  // added to a table without a filter, as by `sst filter add`
};

const FilterPolicy* RatePolicy() {
  static const FilterPolicy* const policy = NewBloomFilterPolicyForRate(0.01).release();
  return policy;
}

void AddPrefixes(TableBuilderOptions* options) {
  options->table_filter_prefixes = PrefixExtractor::FirstBytes(5);
}

class LevelDbTableFilterTest : public testing::TestWithParam<PolicyCase> {
 protected:
  std::string Build(const TableSpec& spec) const {
    TableBuilderOptions options;
    options.key_kind = spec.key_kind;
    const auto bloom = NewBloomFilterPolicy(10);
    if (spec.bits_per_key.has_value()) options.filter_policy = bloom.get();
    options.table_filter_policy = policy_.get();
    GetParam().set(&options);
    if (!spec.bits_per_key.has_value()) options.filter_policy = nullptr;
    const NewFilters filters = {options.filter_policy, options.table_filter_policy,
                                options.table_filter_prefixes, options.filter_base_lg};
    if (GetParam().is_added) {
      options.filter_policy = nullptr;
      options.table_filter_policy = nullptr;
      options.table_filter_prefixes.reset();
    }
    auto bytes = BuildTable(options, spec.entries);
    EXPECT_OK(bytes);
    if (!GetParam().is_added) return *std::move(bytes);
    TableReaderOptions reader_options;
    reader_options.key_kind = spec.key_kind;
    const auto bare = TableReader::Open(NewMemoryFile(*std::move(bytes)), reader_options);
    EXPECT_OK(bare);
    std::string copy;
    EXPECT_OK(RewriteFilters(**bare, KeyTrust::kOrdered, filters, NewStringFile(&copy)));
    return copy;
  }

  const std::unique_ptr<const TableFilterPolicy> policy_ = GetParam().make();
};

TEST_P(LevelDbTableFilterTest, LevelDbReadsEveryEntry) {
  for (const bool has_bloom : {true, false}) {
    TableSpec spec = RandomTable(KeyShape::kDecimal, KeyKind::kPlain, /*reverse=*/false, 1);
    spec.bits_per_key.reset();
    if (has_bloom) spec.bits_per_key = 10;
    const std::string bytes = Build(spec);
    const LevelDbTable table(spec, bytes);
    ASSERT_TRUE(table.status().ok()) << table.status().ToString();
    const auto it = table.NewIterator();
    it->SeekToFirst();
    for (const auto& [key, value] : spec.entries) {
      ASSERT_TRUE(it->Valid());
      ASSERT_EQ(it->key().ToString(), key);
      ASSERT_EQ(it->value().ToString(), value);
      it->Next();
    }
    EXPECT_FALSE(it->Valid());
    EXPECT_TRUE(it->status().ok());
  }
}

// Tests RepairDB(), which finds the table, and DB::Get(), which uses LevelDB's filter.
TEST_P(LevelDbTableFilterTest, LevelDbsDatabaseGivesTheSameAnswers) {
  constexpr int kKeys = 5000;
  for (const bool has_bloom : {true, false}) {
    TableSpec spec;
    spec.key_kind = KeyKind::kInternal;
    if (has_bloom) spec.bits_per_key = 10;
    for (int i = 0; i < kKeys; ++i) {
      spec.entries.emplace_back(
          MakeInternalKey(absl::StrFormat("%06d", 2 * i), i + 1,
                          i % 7 == 0 ? ValueType::kDeletion : ValueType::kValue),
          i % 7 == 0 ? "" : absl::StrCat("value", i));
    }
    const TempFolder folder;
    folder.Write("000005.ldb", Build(spec));
    const std::unique_ptr<const leveldb::FilterPolicy> policy(leveldb::NewBloomFilterPolicy(10));
    leveldb::Options options;
    options.filter_policy = policy.get();
    options.paranoid_checks = true;
    const std::string path = folder.File(".");
    ASSERT_TRUE(leveldb::RepairDB(path, options).ok());
    leveldb::DB* opened = nullptr;
    const leveldb::Status status = leveldb::DB::Open(options, path, &opened);
    ASSERT_TRUE(status.ok()) << status.ToString();
    const std::unique_ptr<leveldb::DB> db(opened);
    leveldb::ReadOptions read_options;
    read_options.verify_checksums = true;
    for (int i = 0; i < 2 * kKeys; ++i) {
      std::string value;
      const leveldb::Status got = db->Get(read_options, absl::StrFormat("%06d", i), &value);
      if (i % 2 == 1 || i / 2 % 7 == 0) {
        ASSERT_TRUE(got.IsNotFound()) << i << ": " << got.ToString();
      } else {
        ASSERT_TRUE(got.ok()) << i << ": " << got.ToString();
        ASSERT_EQ(value, absl::StrCat("value", i / 2));
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Policies, LevelDbTableFilterTest,
    testing::ValuesIn<PolicyCase>(
        {{"Blocked", [] { return NewBlockedBloomPolicy(10); }},
         {"Fuse8", NewFuse8},
         {"Fuse16", [] { return NewBinaryFusePolicy(FuseBits::k16); }},
         {"BlockedWithPrefixes", [] { return NewBlockedBloomPolicy(10); }, AddPrefixes},
         {"Fuse8WithPrefixes", NewFuse8, AddPrefixes},
         {"BaseLgAuto", NewFuse8, [](auto* o) { o->filter_base_lg = kAutoFilterBaseLg; }},
         {"BaseLg0", NewFuse8, [](auto* o) { o->filter_base_lg = 0; }},
         {"OneWindow", NewFuse8, [](auto* o) { o->filter_base_lg = kMaxFilterBaseLg; }},
         {"Rate", NewFuse8, [](auto* o) { o->filter_policy = RatePolicy(); }},
         {"AddedRate", NewFuse8,
          [](auto* o) {
            o->filter_policy = RatePolicy();
            o->filter_base_lg = kAutoFilterBaseLg;
          },
          true},
         {"AddedFuse8", NewFuse8, AddPrefixes, true}}),
    [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace sstable::test
