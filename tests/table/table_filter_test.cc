// Tables with a whole-table filter: their bytes, and policies of the user. Lookups are tested by
// model_test and scripts/whole_table_filters.txt.
#include "sstable/experimental/table_filter.h"

#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "sstable/file.h"
#include "sstable/filter_policy.h"
#include "sstable/internal_key.h"
#include "sstable/options.h"
#include "sstable/table_reader.h"
#include "tests/support/status_matchers.h"
#include "tests/support/table_bytes.h"

namespace sstable::test {
namespace {

using ::testing::HasSubstr;

std::string Build(const TableFilterPolicy* table_policy, KeyKind kind, int threads = 1) {
  TableBuilderOptions options;
  options.key_kind = kind;
  options.table_filter_policy = table_policy;
  options.compression_threads = threads;
  Entries entries;
  for (int i = 10000; i < 13000; ++i) {
    const std::string key = absl::StrCat("key", i);
    entries.emplace_back(kind == KeyKind::kPlain ? key : MakeInternalKey(key, 7, ValueType::kValue),
                         "value");
  }
  return BuildTable(options, entries).value();
}

TEST(TableFilterTest, ChangesNothingBeforeTheMetaBlocks) {
  for (const KeyKind kind : {KeyKind::kPlain, KeyKind::kInternal}) {
    const std::string without = Build(nullptr, kind);
    const std::unique_ptr<const TableFilterPolicy> policies[] = {
        NewBlockedBloomPolicy(10), NewBinaryFusePolicy(FuseBits::k8),
        NewBinaryFusePolicy(FuseBits::k16)};
    for (const auto& policy : policies) {
      const std::string with = Build(policy.get(), kind);
      const MetaBlock filter = TableReader::Open(NewMemoryFile(with)).value()->meta_blocks().at(0);
      EXPECT_EQ(filter.name, absl::StrCat("filter.sstable.", policy->Name()));
      EXPECT_EQ(with.substr(0, filter.handle.offset), without.substr(0, filter.handle.offset));
      EXPECT_EQ(Build(policy.get(), kind, /*threads=*/3), with);
    }
  }
}

class OwnPolicy final : public TableFilterPolicy {
 public:
  absl::string_view Name() const override { return "Own"; }
  void CreateFilter(absl::Span<uint64_t>, std::string* dst) const override { *dst += "contents"; }
  absl::StatusOr<std::unique_ptr<const TableFilter>> Parse(absl::string_view) const override {
    return absl::DataLossError("never parsed");
  }
};

TEST(TableFilterTest, PoliciesOfYourOwnAreFoundByName) {
  const OwnPolicy policy;
  const std::string bytes = Build(&policy, KeyKind::kPlain);
  TableReaderOptions options;
  options.table_filter_policies = {&policy};
  EXPECT_THAT(TableReader::Open(NewMemoryFile(bytes), options).value()->LoadFilter(),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("never parsed")));
}

}  // namespace
}  // namespace sstable::test
