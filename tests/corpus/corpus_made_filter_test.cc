// Builds filters from the keys of real tables. No kind of filter may have a false negative,
// whatever the keys, their kind and order, and adding one must not change the rest of a table.
#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "sstable/check.h"
#include "sstable/experimental/filter_report.h"
#include "sstable/experimental/table_filter.h"
#include "sstable/file.h"
#include "sstable/filter_policy.h"
#include "sstable/internal_key.h"
#include "sstable/options.h"
#include "sstable/table_reader.h"
#include "table/inspect/filter_rewriter.h"
#include "table/metaindex.h"
#include "tests/corpus/corpus.h"
#include "tests/corpus/corpus_table_test.h"
#include "tests/corpus/prefix4_filter_policy.h"
#include "tests/support/status_matchers.h"
#include "tests/support/table_bytes.h"

namespace sstable::test {
namespace {

// Every kind of filter block, each with a window size, and every whole-table filter, some with
// prefixes.
struct Policies {
  std::vector<std::unique_ptr<const FilterPolicy>> blocks;
  std::vector<int> base_lgs;
  std::vector<std::unique_ptr<const TableFilterPolicy>> tables;
  std::vector<std::optional<PrefixExtractor>> prefixes;
};

const Policies& AllPolicies() {
  static const Policies* const all = [] {
    auto* const policies = new Policies;
    const auto add = [&](std::unique_ptr<const FilterPolicy> policy, int base_lg) {
      policies->blocks.push_back(std::move(policy));
      policies->base_lgs.push_back(base_lg);
    };
    add(NewBloomFilterPolicy(10), kDefaultFilterBaseLg);
    add(NewBloomFilterPolicy(1), 0);
    add(NewBloomFilterPolicyForRate(0.01), kAutoFilterBaseLg);
    add(NewBloomFilterPolicy(30, BloomName::kLevelDbOld), 16);
    add(NewBloomFilterPolicy(10, BloomName::kRocksDb), kMaxFilterBaseLg);
    add(std::make_unique<Prefix4FilterPolicy>(), kDefaultFilterBaseLg);
    policies->tables.push_back(NewBlockedBloomPolicy(10));
    policies->tables.push_back(NewBlockedBloomPolicy(1));
    policies->tables.push_back(NewBinaryFusePolicy(FuseBits::k8));
    policies->tables.push_back(NewBinaryFusePolicy(FuseBits::k16));
    policies->prefixes = {std::nullopt, PrefixExtractor::FirstBytes(4),
                          PrefixExtractor::ThroughDelimiter('\0', 1)};
    return policies;
  }();
  return *all;
}

class CorpusMadeFilterTest : public CorpusTableTest {
 protected:
  void SetUp() override {
    ASSERT_NO_FATAL_FAILURE(CorpusTableTest::SetUp());
    bool has_partitions = false;
    for (const MetaBlock& block : table_->meta_blocks()) {
      has_partitions |= absl::StartsWith(block.name, kPartitionedFilterKeyPrefix);
    }
    ASSERT_FALSE(has_partitions);  // the test is not made for such a table
  }

  std::unique_ptr<TableReader> Open(const std::string& bytes, KeyKind kind) const {
    TableReaderOptions options = OptionsFor(file());
    options.key_kind = kind;
    absl::StatusOr<std::unique_ptr<TableReader>> table =
        TableReader::Open(NewMemoryFile(bytes), options);
    EXPECT_OK(table);
    return *std::move(table);
  }

  // Expects no false negatives in a table of `size` entries with these filters.
  void ExpectHidesNothing(const TableReader& table, size_t size, bool of_blocks,
                          bool of_table) const {
    const FilterReport report = MeasureFilter(table, {/*random_keys=*/0, {}}, KeyTrust::kUnknown);
    EXPECT_OK(report.scan_status);
    EXPECT_EQ(report.keys_tested, size);
    if (of_blocks) {
      EXPECT_OK(report.status);
      EXPECT_EQ(report.false_negatives, 0) << report.name;
    }
    ASSERT_EQ(report.table_filter.has_value(), of_table);
    if (!of_table) return;
    EXPECT_OK(report.table_filter->status);
    EXPECT_EQ(report.table_filter->false_negatives, 0) << report.table_filter->name;
  }

  // Expects lookups to find each key if the reader has the table's order.
  void ExpectFinds(const TableReader& table, const Entries& entries) const {
    if (!file().comparator_known()) return;
    for (const auto& [key, value] : entries) {
      bool is_found = false;
      const absl::Status status =
          table.InternalGet(key, [&, k = absl::string_view(key), v = absl::string_view(value)](
                                     absl::string_view found_key, absl::string_view found_value) {
            is_found = found_key == k && found_value == v;
          });
      ASSERT_OK(status);
      ASSERT_TRUE(is_found) << testing::PrintToString(key);
    }
  }
};

// Reads keys as plain keys and, if they are internal, also as internal keys.
TEST_P(CorpusMadeFilterTest, NoKindOfFilterHidesAKey) {
  const Entries entries = ReadEntries(*table_);
  if (entries.empty()) return;
  TableBuilderOptions options;
  options.keep_input_order = true;
  options.compression = Compression::kNone;
  for (const KeyKind kind : {KeyKind::kPlain, KeyKind::kInternal}) {
    // The builder accepts only values and deletions, but RocksDB has other types.
    const bool fits = std::all_of(entries.begin(), entries.end(), [](const auto& entry) {
      return ParseInternalKey(entry.first).has_value();
    });
    if (kind == KeyKind::kInternal && !(file().internal_keys() && fits)) continue;
    options.key_kind = kind;
    for (size_t i = 0; i < AllPolicies().blocks.size(); ++i) {
      const size_t table_policy = i % AllPolicies().tables.size();
      options.table_filter_prefixes = AllPolicies().prefixes[i % AllPolicies().prefixes.size()];
      options.filter_policy = AllPolicies().blocks[i].get();
      options.filter_base_lg = AllPolicies().base_lgs[i];
      options.table_filter_policy = AllPolicies().tables[table_policy].get();
      SCOPED_TRACE(absl::StrCat(options.filter_policy->Name(), ", base lg ", options.filter_base_lg,
                                ", ", options.table_filter_policy->Name(),
                                kind == KeyKind::kPlain ? ", plain" : ", internal"));
      ASSERT_OK_AND_ASSIGN(const std::string bytes, BuildTable(options, entries));
      const auto table = Open(bytes, kind);
      ExpectHidesNothing(*table, entries.size(), true, true);
      if (kind == table_->options().key_kind) ExpectFinds(*table, entries);
    }
  }
}

TEST_P(CorpusMadeFilterTest, AFilterCanBeAddedAndTakenAway) {
  const KeyTrust keys = file().comparator_known() ? KeyTrust::kOrdered : KeyTrust::kUnordered;
  const auto rewrite = [&](const TableReader& table, const NewFilters& filters) {
    std::string copy;
    absl::StatusOr<RewrittenTable> result =
        RewriteFilters(table, keys, filters, NewStringFile(&copy));
    EXPECT_OK(result);
    EXPECT_EQ(result.ok() ? result->file_size : 0, copy.size());
    return copy;
  };
  const KeyKind kind = table_->options().key_kind;
  const Entries entries = ReadEntries(*table_);
  // Copies must have the same problems as the table.
  const size_t problems = CheckTable(*table_, {}).problem_count;
  const std::string bare = rewrite(*table_, {nullptr, nullptr});
  EXPECT_EQ(CheckTable(*Open(bare, kind), {}).problem_count, problems);
  for (size_t i = 0; i < AllPolicies().tables.size(); ++i) {
    const NewFilters filters = {AllPolicies().blocks[i].get(), AllPolicies().tables[i].get(),
                                AllPolicies().prefixes[i % AllPolicies().prefixes.size()],
                                AllPolicies().base_lgs[i]};
    SCOPED_TRACE(absl::StrCat((*filters.filter_policy)->Name(), ", ",
                              (*filters.table_filter_policy)->Name()));
    const std::string added = rewrite(*table_, filters);
    const auto with_filters = Open(added, kind);
    EXPECT_EQ(ReadEntries(*with_filters), entries);
    ExpectHidesNothing(*with_filters, entries.size(), true, true);
    ExpectFinds(*with_filters, entries);
    EXPECT_EQ(CheckTable(*with_filters, {}).problem_count, problems);
    EXPECT_EQ(rewrite(*with_filters, {nullptr, nullptr}), bare);
  }
}

// One way of reading suffices for these tests.
std::vector<CorpusParameter> MappedFiles() {
  std::vector<CorpusParameter> files = ReadableFiles();
  files.erase(std::remove_if(files.begin(), files.end(),
                             [](const auto& file) { return file.access != FileAccess::kMap; }),
              files.end());
  return files;
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(CorpusMadeFilterTest);
INSTANTIATE_TEST_SUITE_P(Corpus, CorpusMadeFilterTest, testing::ValuesIn(MappedFiles()),
                         [](const auto& info) { return CorpusParameterName(info.param); });

}  // namespace
}  // namespace sstable::test
