#include "table/inspect/filter_rewriter.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "sstable/experimental/table_filter.h"
#include "sstable/file.h"
#include "sstable/filter_policy.h"
#include "sstable/internal_key.h"
#include "sstable/options.h"
#include "sstable/table_reader.h"
#include "tests/support/random_bytes.h"
#include "tests/support/status_matchers.h"
#include "tests/support/table_bytes.h"
#include "util/status_util.h"

namespace sstable::test {
namespace {

using ::testing::HasSubstr;

const FilterPolicy* Bloom() {
  static const FilterPolicy* const policy = NewBloomFilterPolicy(10).release();
  return policy;
}
const TableFilterPolicy* Fuse() {
  static const TableFilterPolicy* const policy = NewBinaryFusePolicy(FuseBits::k8).release();
  return policy;
}

// Returns the copy of a table.
absl::StatusOr<std::string> Rewrite(absl::string_view bytes, const NewFilters& filters,
                                    const TableReaderOptions& options = {},
                                    KeyTrust keys = KeyTrust::kOrdered) {
  ASSIGN_OR_RETURN(const auto reader, TableReader::Open(NewMemoryFile(bytes, "t.ldb"), options));
  std::string copy;
  ASSIGN_OR_RETURN(const RewrittenTable result,
                   RewriteFilters(*reader, keys, filters, NewStringFile(&copy)));
  EXPECT_EQ(result.file_size, copy.size());
  EXPECT_LE(result.data_size, copy.size());
  EXPECT_EQ(copy.substr(0, result.data_size), bytes.substr(0, result.data_size));
  return copy;
}

Entries PlainEntries(size_t count) {
  Rng rng(20261122);
  Entries entries;
  for (size_t i = 0; i < count; ++i) {
    entries.emplace_back(absl::StrFormat("key%06d", 3 * i), RandomBytes(rng, 40) + "vvvvvvvvvvvv");
  }
  return entries;
}

// Damage is either refused, or in a part of the file that is not copied.
TEST(FilterRewriterTest, ADamagedTableIsRefusedOrGivesTheSameCopy) {
  TableBuilderOptions options;
  options.block_size = 200;
  options.filter_policy = Bloom();
  options.table_filter_policy = Fuse();
  ASSERT_OK_AND_ASSIGN(const std::string bytes, BuildTable(options, PlainEntries(20)));
  for (const NewFilters& filters :
       {NewFilters{Bloom(), std::nullopt}, NewFilters{std::nullopt, Fuse()},
        NewFilters{nullptr, nullptr}}) {
    ASSERT_OK_AND_ASSIGN(const std::string sound, Rewrite(bytes, filters));
    size_t refused = 0;
    for (size_t i = 0; i < 8 * bytes.size(); ++i) {
      std::string damaged = bytes;
      damaged[i / 8] = static_cast<char>(damaged[i / 8] ^ (1 << i % 8));
      const absl::StatusOr<std::string> copy = Rewrite(damaged, filters);
      if (copy.ok()) {
        EXPECT_TRUE(*copy == sound) << "bit " << i;
      } else {
        EXPECT_THAT(copy.status().message(), HasSubstr("t.ldb: ")) << "bit " << i;
        ++refused;
      }
    }
    EXPECT_GT(refused, 8 * bytes.size() / 2);
    for (size_t size = 0; size < bytes.size(); ++size) {
      EXPECT_FALSE(Rewrite(absl::string_view(bytes).substr(0, size), filters).ok()) << size;
    }
  }
}

TEST(FilterRewriterTest, RefusesAPolicyThatIsWrappedAlready) {
  const InternalFilterPolicy policy(Bloom());
  TableBuilderOptions builder;
  TableReaderOptions reader;
  builder.key_kind = reader.key_kind = KeyKind::kInternal;
  const std::string bytes =
      BuildTable(builder, {{MakeInternalKey("a", 1, ValueType::kValue), "1"}}).value();
  EXPECT_THAT(Rewrite(bytes, {&policy, std::nullopt}, reader).status(),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("policy of user keys")));
}

// A file whose nth call fails.
class FailingFile final : public WritableFile {
 public:
  explicit FailingFile(int* calls_left) : WritableFile("out"), calls_left_(*calls_left) {}
  absl::Status Append(absl::string_view) override { return Call(); }
  absl::Status Sync() override { return Call(); }
  absl::Status Close() override { return Call(); }

 private:
  absl::Status Call() {
    return calls_left_-- > 0 ? absl::OkStatus() : absl::ResourceExhaustedError("full");
  }
  int& calls_left_;
};

TEST(FilterRewriterTest, ReportsEveryFailedWrite) {
  TableBuilderOptions options;
  options.compression = Compression::kNone;
  ASSERT_OK_AND_ASSIGN(const std::string bytes, BuildTable(options, PlainEntries(20000)));
  ASSERT_OK_AND_ASSIGN(const auto reader, TableReader::Open(NewMemoryFile(bytes)));
  const auto rewrite = [&](int calls) {
    return RewriteFilters(*reader, KeyTrust::kOrdered, {Bloom(), std::nullopt},
                          std::make_unique<FailingFile>(&calls))
        .status();
  };
  int calls = 0;
  for (; !rewrite(calls).ok(); ++calls) {
    ASSERT_THAT(rewrite(calls), StatusIs(absl::StatusCode::kResourceExhausted, "full"));
    ASSERT_LT(calls, 100);
  }
  EXPECT_GE(calls, 4);  // more than one piece, a sync and a close
}

}  // namespace
}  // namespace sstable::test
