// Tables with a filter for the whole table, as used by readers.
#include "sstable/experimental/table_filter.h"

#include <cstdint>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "sstable/check.h"
#include "sstable/file.h"
#include "sstable/filter_policy.h"
#include "sstable/options.h"
#include "sstable/table_reader.h"
#include "tests/support/status_matchers.h"
#include "tests/support/table_bytes.h"

namespace sstable::test {
namespace {

using ::testing::HasSubstr;

constexpr int kKeys = 3000;

std::string UserKey(int i) { return absl::StrFormat("key%06d", i); }

// Even keys are present; those divisible by 10 in three versions, and the newest of every 30th is a
// deletion.
Entries MakeEntries(KeyKind kind) {
  Entries entries;
  for (int i = 0; i < 2 * kKeys; i += 2) {
    if (kind == KeyKind::kPlain) {
      entries.emplace_back(UserKey(i), absl::StrCat("value", i));
      continue;
    }
    for (int version = i % 10 == 0 ? 3 : 1; version > 0; --version) {
      const bool deleted = version == 3 && i % 30 == 0;
      const std::string key = MakeInternalKey(UserKey(i), static_cast<uint64_t>(10 * version),
                                              deleted ? ValueType::kDeletion : ValueType::kValue);
      entries.emplace_back(key, deleted ? "" : absl::StrCat("value", i, "@", version));
    }
  }
  return entries;
}

// Gives the answers that the test sets.
class FakePolicy final : public TableFilterPolicy {
 public:
  FakePolicy(std::string name, std::string contents)
      : name_(std::move(name)), contents_(std::move(contents)) {}
  absl::string_view Name() const override { return name_; }
  void CreateFilter(absl::Span<uint64_t>, std::string* dst) const override { *dst += contents_; }
  absl::StatusOr<std::unique_ptr<const TableFilter>> Parse(absl::string_view) const override {
    return absl::DataLossError("never parsed");
  }

 private:
  const std::string name_;
  const std::string contents_;
};

// A reader and the bytes that it reads.
class OpenTable {
 public:
  OpenTable(std::string bytes, const TableReaderOptions& options)
      : bytes_(std::make_unique<std::string>(std::move(bytes))) {
    auto reader = TableReader::Open(NewMemoryFile(*bytes_), options);
    EXPECT_OK(reader);
    reader_ = *std::move(reader);
  }
  const TableReader& operator*() const { return *reader_; }
  const TableReader* operator->() const { return reader_.get(); }

 private:
  std::unique_ptr<std::string> bytes_;
  std::unique_ptr<TableReader> reader_;
};

OpenTable Open(std::string bytes, const TableReaderOptions& options = {}) {
  return OpenTable(std::move(bytes), options);
}

std::string Build(const TableFilterPolicy* table_policy, const FilterPolicy* policy, KeyKind kind,
                  int threads = 1) {
  TableBuilderOptions options;
  options.key_kind = kind;
  options.filter_policy = policy;
  options.table_filter_policy = table_policy;
  options.compression_threads = threads;
  auto bytes = BuildTable(options, MakeEntries(kind));
  EXPECT_OK(bytes);
  return *std::move(bytes);
}

struct Answer {
  Presence presence;
  std::string value;
  friend bool operator==(const Answer& a, const Answer& b) {
    return a.presence == b.presence && a.value == b.value;
  }
};

// The answers of Find() for each key, its neighbour, and some outside the table; MultiGet() must
// agree.
std::vector<Answer> Answers(const TableReader& table, uint64_t snapshot) {
  std::vector<std::string> keys = {"", "a", "z", UserKey(-1)};
  for (int i = 0; i < 2 * kKeys; ++i) keys.push_back(UserKey(i));
  std::vector<Answer> answers;
  for (const std::string& key : keys) {
    Answer& answer = answers.emplace_back();
    const auto presence = table.Get(key, &answer.value, {snapshot});
    EXPECT_OK(presence);
    answer.presence = *presence;
  }
  std::vector<std::string> values(keys.size());
  std::vector<LookupRequest> requests(keys.size());
  for (size_t i = 0; i < keys.size(); ++i) requests[i] = {keys[i], &values[i]};
  table.MultiGet(absl::MakeSpan(requests), {snapshot});
  for (size_t i = 0; i < keys.size(); ++i) {
    EXPECT_OK(requests[i].presence);
    EXPECT_EQ((Answer{*requests[i].presence, values[i]}), answers[i]) << keys[i];
  }
  return answers;
}

using Parameter = std::tuple</*policy*/ int, KeyKind, /*with LevelDB's*/ bool>;

class TableFilterAnswersTest : public testing::TestWithParam<Parameter> {
 protected:
  static std::unique_ptr<const TableFilterPolicy> MakePolicy() {
    switch (std::get<0>(GetParam())) {
      case 0:
        return NewBlockedBloomPolicy(10);
      case 1:
        return NewBinaryFusePolicy(FuseBits::k8);
      default:
        return NewBinaryFusePolicy(FuseBits::k16);
    }
  }
  KeyKind kind() const { return std::get<1>(GetParam()); }

  const std::unique_ptr<const TableFilterPolicy> table_policy_ = MakePolicy();
  const std::unique_ptr<const FilterPolicy> bloom_ = NewBloomFilterPolicy(10);
  const FilterPolicy* const policy_ = std::get<2>(GetParam()) ? bloom_.get() : nullptr;
};

TEST_P(TableFilterAnswersTest, AreTheSameAsWithout) {
  const std::string with = Build(table_policy_.get(), policy_, kind());
  const std::string without = Build(nullptr, policy_, kind());
  TableReaderOptions options;
  options.key_kind = kind();
  for (const bool use_filter : {true, false}) {
    options.use_filter = use_filter;
    const auto table = Open(with, options), other = Open(without, options);
    for (const uint64_t snapshot : {kMaxSequence, uint64_t{25}, uint64_t{15}, uint64_t{5}}) {
      EXPECT_TRUE(Answers(*table, snapshot) == Answers(*other, snapshot)) << snapshot;
    }
    EXPECT_EQ(table->LoadFilter().ok(), use_filter);
    EXPECT_EQ(table->filter() != nullptr, use_filter && policy_ != nullptr);
    EXPECT_EQ(table->stats().filter_negatives > 0, use_filter);
  }
}

TEST_P(TableFilterAnswersTest, InternalGetPassesEveryEntry) {
  TableReaderOptions options;
  options.key_kind = kind();
  const auto table = Open(Build(table_policy_.get(), policy_, kind()), options);
  for (const auto& [key, value] : MakeEntries(kind())) {
    int visits = 0;
    ASSERT_OK(table->InternalGet(key, [&, key = key](absl::string_view k, absl::string_view) {
      ++visits;
      EXPECT_EQ(k, key);
    }));
    EXPECT_EQ(visits, 1) << key;
  }
  EXPECT_EQ(table->stats().filter_negatives, 0);
  EXPECT_EQ(table->stats().false_positives, 0);
}

TEST_P(TableFilterAnswersTest, ChangesNothingBeforeTheMetaBlocks) {
  const std::string with = Build(table_policy_.get(), policy_, kind());
  const std::string without = Build(nullptr, policy_, kind());
  const auto table = Open(with);
  const auto filter = table->meta_blocks().back();
  EXPECT_EQ(filter.name, absl::StrCat("filter.sstable.", table_policy_->Name()));
  EXPECT_EQ(with.substr(0, filter.handle.offset), without.substr(0, filter.handle.offset));
  EXPECT_EQ(Build(table_policy_.get(), policy_, kind(), /*threads=*/3), with);
}

TEST_P(TableFilterAnswersTest, IsChecked) {
  TableReaderOptions options;
  options.key_kind = kind();
  const auto table = Open(Build(table_policy_.get(), policy_, kind()), options);
  const CheckReport report = CheckTable(*table, {});
  EXPECT_TRUE(report.ok());
  EXPECT_EQ(report.keys_checked_with_filter, report.entries);
  EXPECT_OK(report.filter_status);
}

TEST_P(TableFilterAnswersTest, IsNotUsedIfItsChecksumIsWrong) {
  std::string bytes = Build(table_policy_.get(), policy_, kind());
  const BlockHandle handle = Open(bytes)->meta_blocks().back().handle;
  bytes[handle.offset + handle.size / 2] ^= 1;
  TableReaderOptions options;
  options.key_kind = kind();
  const auto table = Open(bytes, options), other = Open(Build(nullptr, nullptr, kind()), options);
  EXPECT_TRUE(Answers(*table, kMaxSequence) == Answers(*other, kMaxSequence));
  EXPECT_THAT(table->LoadFilter(), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("crc32c")));
  EXPECT_EQ(table->filter() != nullptr, policy_ != nullptr);  // the other filter is sound
}

INSTANTIATE_TEST_SUITE_P(Tables, TableFilterAnswersTest,
                         testing::Combine(testing::Values(0, 1, 2),
                                          testing::Values(KeyKind::kPlain, KeyKind::kInternal),
                                          testing::Bool()));

TEST(TableFilterTest, CheckFindsKeysThatItHides) {
  // All lines are full but one, which loading may not probe; it is not known which that is.
  bool found_one = false;
  for (size_t line = 0; line < 64 && !found_one; ++line) {
    std::string contents(64 * 64, '\xff');
    contents.replace(line * 64, 64, 64, '\0');
    const FakePolicy policy("BlockedBloom1", contents + '\6');
    const auto table = Open(Build(&policy, nullptr, KeyKind::kPlain));
    if (!table->LoadFilter().ok()) continue;
    const CheckReport report = CheckTable(*table, {});
    if (report.problem_count == 0) continue;
    found_one = true;
    EXPECT_THAT(report.problems[0].message, HasSubstr("are not in the filter"));
  }
  EXPECT_TRUE(found_one);
}

TEST(TableFilterTest, PoliciesOfYourOwnAreFoundByName) {
  const FakePolicy policy("Own", "contents");
  const std::string bytes = Build(&policy, nullptr, KeyKind::kPlain);
  EXPECT_THAT(Open(bytes)->LoadFilter(),
              StatusIs(absl::StatusCode::kUnimplemented, HasSubstr("\"Own\"")));
  TableReaderOptions options;
  options.table_filter_policies = {&policy};
  EXPECT_THAT(Open(bytes, options)->LoadFilter(),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("never parsed")));
  // With another filter, an unknown one does not matter.
  const auto bloom = NewBloomFilterPolicy(10);
  EXPECT_OK(Open(Build(&policy, bloom.get(), KeyKind::kPlain))->LoadFilter());
}

}  // namespace
}  // namespace sstable::test
