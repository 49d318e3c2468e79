// Check, report and copy agree on a filter that excludes keys of its table.
#include "table/inspect/filter_tester.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "gmock/gmock.h"
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
#include "tests/support/status_matchers.h"
#include "tests/support/table_bytes.h"

namespace sstable::test {
namespace {

using ::testing::HasSubstr;

constexpr int kKeys = 500;

// A Bloom filter that omits the last key of each window.
class OmittingBloom final : public FilterPolicy {
 public:
  absl::string_view Name() const override { return bloom_->Name(); }
  void CreateFilter(absl::Span<const absl::string_view> keys, std::string* dst) const override {
    bloom_->CreateFilter(keys.first(keys.size() > 1 ? keys.size() - 1 : keys.size()), dst);
  }
  bool KeyMayMatch(absl::string_view key, absl::string_view filter) const override {
    return bloom_->KeyMayMatch(key, filter);
  }

 private:
  const std::unique_ptr<const FilterPolicy> bloom_ = NewBloomFilterPolicy(20);
};

// A policy that is not a Bloom filter. Its filters omit the keys of the table's second half, or
// contain all keys under a name that promises prefixes.
class WrongPolicy final : public TableFilterPolicy {
 public:
  explicit WrongPolicy(std::unique_ptr<const TableFilterPolicy> right, std::string prefixes = "")
      : right_(std::move(right)),
        has_all_keys_(!prefixes.empty()),
        name_(absl::StrCat(right_->Name(), std::move(prefixes))) {}
  absl::string_view Name() const override { return name_; }
  void CreateFilter(absl::Span<uint64_t> hashes, std::string* dst) const override {
    right_->CreateFilter(hashes.first(has_all_keys_ ? hashes.size() : hashes.size() / 2), dst);
  }
  absl::StatusOr<std::unique_ptr<const TableFilter>> Parse(
      absl::string_view contents) const override {
    return right_->Parse(contents);
  }

 private:
  const std::unique_ptr<const TableFilterPolicy> right_;
  const bool has_all_keys_;
  const std::string name_;
};

// Internal keys have two versions each, so that a key's newest version may be in another block.
Entries MakeEntries(KeyKind kind) {
  Entries entries;
  for (int i = 0; i < kKeys; ++i) {
    const std::string key = absl::StrFormat("user%03d/%d", i / 5, i);
    if (kind == KeyKind::kPlain) {
      entries.emplace_back(key, "value");
      continue;
    }
    for (const uint64_t sequence : {9, 3}) {
      entries.emplace_back(MakeInternalKey(key, sequence, ValueType::kValue), "value");
    }
  }
  return entries;
}

enum class Filter { kBlocks, kBlocked, kFuse, kPrefixes };
struct WrongCase {
  const char* name;
  Filter filter;
  const char* problem;    // reported by check
  const char* complaint;  // error of the copy
};

class WrongFilterTest : public testing::TestWithParam<std::tuple<WrongCase, KeyKind>> {
 protected:
  static std::unique_ptr<const TableFilterPolicy> RightPolicy(Filter filter) {
    switch (filter) {
      case Filter::kBlocks:
        return nullptr;
      case Filter::kFuse:
        return NewBinaryFusePolicy(FuseBits::k16);
      case Filter::kBlocked:
      case Filter::kPrefixes:
        return NewBlockedBloomPolicy(20);
    }
    return nullptr;
  }
  static std::string Build(const FilterPolicy* blocks, const TableFilterPolicy* table,
                           std::optional<PrefixExtractor> prefixes = std::nullopt) {
    TableBuilderOptions options;
    options.key_kind = std::get<1>(GetParam());
    options.compression = Compression::kNone;
    options.block_size = 500;
    options.block_restart_interval = 3;
    options.filter_policy = blocks;
    options.table_filter_policy = table;
    options.table_filter_prefixes = std::move(prefixes);
    return BuildTable(options, MakeEntries(options.key_kind)).value();
  }
  static std::unique_ptr<TableReader> Open(const std::string& bytes) {
    TableReaderOptions options;
    options.key_kind = std::get<1>(GetParam());
    return TableReader::Open(NewMemoryFile(bytes, "t.ldb"), options).value();
  }
  static uint64_t FalseNegativesOf(const TableReader& table) {
    const FilterReport report = MeasureFilter(table, {}, KeyTrust::kOrdered);
    EXPECT_OK(report.scan_status);
    return report.false_negatives +
           (report.table_filter.has_value() ? report.table_filter->false_negatives : 0);
  }
  static absl::Status Copy(const TableReader& table, const NewFilters& filters) {
    std::string copy;
    return RewriteFilters(table, KeyTrust::kOrdered, filters, NewStringFile(&copy)).status();
  }
};

TEST_P(WrongFilterTest, CheckReportAndCopyAgree) {
  const auto [wrong_case, kind] = GetParam();
  const bool is_of_blocks = wrong_case.filter == Filter::kBlocks;
  const OmittingBloom omitting;
  const auto bloom = NewBloomFilterPolicy(10);
  const auto right = RightPolicy(wrong_case.filter);
  std::optional<PrefixExtractor> prefixes;
  if (wrong_case.filter == Filter::kPrefixes) prefixes = PrefixExtractor::FirstBytes(8);

  const std::string right_bytes =
      Build(is_of_blocks ? bloom.get() : nullptr, right.get(), prefixes);
  const auto right_table = Open(right_bytes);
  ASSERT_OK(right_table->LoadFilter());
  EXPECT_EQ(CheckTable(*right_table, {}).problem_count, 0);
  EXPECT_EQ(FalseNegativesOf(*right_table), 0);

  std::string wrong_bytes;
  if (is_of_blocks) {
    wrong_bytes = Build(&omitting, nullptr);
  } else {
    const WrongPolicy wrong(RightPolicy(wrong_case.filter),
                            prefixes.has_value() ? absl::StrCat("/", prefixes->Name()) : "");
    wrong_bytes = Build(nullptr, &wrong);
  }
  const auto table = Open(wrong_bytes);
  ASSERT_OK(table->LoadFilter());
  const CheckReport report = CheckTable(*table, {});
  ASSERT_GT(report.problem_count, 0);
  EXPECT_THAT(report.problems[0].message, HasSubstr(wrong_case.problem));
  EXPECT_GT(FalseNegativesOf(*table), 3);

  // The wrong filter is kept, or replaced.
  const auto fuse = NewBinaryFusePolicy(FuseBits::k8);
  NewFilters beside = {bloom.get(), std::nullopt}, instead = {bloom.get(), nullptr};
  if (is_of_blocks) {
    beside = {std::nullopt, fuse.get()};
    instead = {nullptr, fuse.get()};
  }
  EXPECT_OK(Copy(*right_table, beside));
  EXPECT_THAT(Copy(*table, beside),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr(wrong_case.complaint)));
  EXPECT_OK(Copy(*table, instead));
  EXPECT_OK(Copy(*table, {nullptr, nullptr}));
}

INSTANTIATE_TEST_SUITE_P(
    Filters, WrongFilterTest,
    testing::Combine(
        testing::ValuesIn<WrongCase>({
            {"Blocks", Filter::kBlocks, "keys are not in the filter",
             "the filter block, which is to be copied, does not contain key \"user"},
            {"Blocked", Filter::kBlocked, "keys are not in the filter",
             "the filter for the whole table, which is to be copied, does not contain key \"user"},
            {"Fuse", Filter::kFuse, "keys are not in the filter",
             "the filter for the whole table, which is to be copied, does not contain key \"user"},
            {"Prefixes", Filter::kPrefixes, "have a prefix that is not in the filter",
             "does not contain the prefix of key \"user"},
        }),
        testing::Values(KeyKind::kPlain, KeyKind::kInternal)),
    [](const auto& info) {
      return absl::StrCat(std::get<0>(info.param).name,
                          std::get<1>(info.param) == KeyKind::kPlain ? "Plain" : "Internal");
    });

}  // namespace
}  // namespace sstable::test
