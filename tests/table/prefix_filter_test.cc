// Filters that contain prefixes, and iterators limited to a prefix.
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "sstable/check.h"
#include "sstable/experimental/table_filter.h"
#include "sstable/file.h"
#include "sstable/filter_policy.h"
#include "sstable/iterator.h"
#include "sstable/options.h"
#include "sstable/table_reader.h"
#include "tests/support/random_bytes.h"
#include "tests/support/status_matchers.h"
#include "tests/support/table_bytes.h"
#include "tests/support/table_walk.h"

namespace sstable::test {
namespace {

using ::testing::HasSubstr;

// Makes blocked Bloom filters, but under another name.
class RenamedPolicy final : public TableFilterPolicy {
 public:
  explicit RenamedPolicy(std::string name) : name_(std::move(name)) {}
  absl::string_view Name() const override { return name_; }
  void CreateFilter(absl::Span<uint64_t> hashes, std::string* dst) const override {
    blocked_->CreateFilter(hashes, dst);
  }
  absl::StatusOr<std::unique_ptr<const TableFilter>> Parse(
      absl::string_view contents) const override {
    return blocked_->Parse(contents);
  }

 private:
  const std::string name_;
  const std::unique_ptr<const TableFilterPolicy> blocked_ = NewBlockedBloomPolicy(20);
};

struct RandomTable {
  Entries entries;
  std::string bytes;
};

RandomTable MakeTable(KeyKind kind, const TableFilterPolicy* policy, Rng& rng) {
  TableBuilderOptions options;
  options.key_kind = kind;
  options.block_size = 100;
  options.block_restart_interval = 3;
  options.table_filter_policy = policy;
  const size_t count = RandomUpTo(rng, 3);
  if (count > 0) {
    options.table_filter_prefixes = RandomUpTo(rng, 1) == 0
                                        ? PrefixExtractor::FirstBytes(count)
                                        : PrefixExtractor::ThroughDelimiter('/', count);
  }
  std::set<std::string> keys;
  for (int i = 0; i < 150; ++i) {
    keys.insert(RandomBytesOf(rng, RandomUpTo(rng, 7), absl::string_view("ab/\xff", 4)));
  }
  RandomTable table;
  for (const std::string& key : keys) {
    if (kind == KeyKind::kPlain) {
      table.entries.emplace_back(key, absl::StrCat("value of ", key));
      continue;
    }
    for (uint64_t version = 1 + RandomUpTo(rng, 2); version > 0; --version) {
      table.entries.emplace_back(MakeInternalKey(key, version, ValueType::kValue),
                                 absl::StrCat(key, "@", version));
    }
  }
  table.bytes = BuildTable(options, table.entries).value();
  return table;
}

class PrefixIteratorTest : public testing::TestWithParam<KeyKind> {};

TEST_P(PrefixIteratorTest, AnIteratorIsBoundToItsPrefix) {
  const std::vector<std::unique_ptr<const TableFilterPolicy>> policies = [] {
    std::vector<std::unique_ptr<const TableFilterPolicy>> all;
    all.push_back(NewBlockedBloomPolicy(10));
    all.push_back(NewBinaryFusePolicy(FuseBits::k8));
    return all;
  }();
  TableReaderOptions options;
  options.key_kind = GetParam();
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    Rng rng(seed);
    const RandomTable made = MakeTable(GetParam(), policies[seed % policies.size()].get(), rng);
    const auto table = TableReader::Open(NewMemoryFile(made.bytes), options).value();
    ASSERT_OK(table->LoadFilter());
    ASSERT_EQ(CheckTable(*table, {}).problem_count, 0) << "seed " << seed;
    for (int i = 0; i < 100; ++i) {
      const std::string prefix =
          RandomBytesOf(rng, RandomUpTo(rng, 5), absl::string_view("ab/\xff", 4));
      SCOPED_TRACE(absl::StrCat("seed ", seed, ", prefix ", absl::CHexEscape(prefix)));
      Entries expected;
      for (const auto& entry : made.entries) {
        if (absl::StartsWith(entry.first, prefix) &&
            (GetParam() == KeyKind::kPlain || entry.first.size() >= prefix.size() + kTagSize)) {
          expected.push_back(entry);
        }
      }
      if (!expected.empty()) {
        ASSERT_TRUE(table->ProbePrefix(prefix).value());
      }
      const auto it = table->NewPrefixIterator(prefix);
      ASSERT_FALSE(it->Valid());
      for (const Walk& walk : {WalkForward(it.get()), WalkBackward(it.get())}) {
        ASSERT_OK(walk.status);
        ASSERT_EQ(walk.entries, expected);
      }
      for (const auto& [key, value] : expected) {
        it->Seek(key);
        ASSERT_TRUE(it->Valid());
        ASSERT_EQ(it->key(), key);
      }
      it->Seek(GetParam() == KeyKind::kPlain
                   ? ""
                   : MakeInternalKey("", kMaxSequence, ValueType::kValue));
      ASSERT_EQ(it->Valid(), !expected.empty());
      if (it->Valid()) {
        ASSERT_EQ(it->key(), expected[0].first);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, PrefixIteratorTest,
                         testing::Values(KeyKind::kPlain, KeyKind::kInternal));

// Returns 20 keys for each of 100 users. scripts/whole_table_filters.txt tests which prefixes are
// used.
Entries UserEntries() {
  Entries entries;
  for (int user = 0; user < 100; ++user) {
    for (int i = 0; i < 20; ++i) {
      entries.emplace_back(absl::StrFormat("user%04d/%03d", 2 * user, i), std::string(100, 'v'));
    }
  }
  return entries;
}

std::string Build(const TableFilterPolicy* policy) {
  TableBuilderOptions options;
  options.table_filter_policy = policy;
  return BuildTable(options, UserEntries()).value();
}

TEST(PrefixFilterTest, AnUnknownKindOfPrefixIsNotUsed) {
  const RenamedPolicy policy("BlockedBloom1/last:4");
  const std::string bytes = Build(&policy);
  const auto table = TableReader::Open(NewMemoryFile(bytes)).value();
  EXPECT_THAT(table->LoadFilter(),
              StatusIs(absl::StatusCode::kUnimplemented, HasSubstr("\"BlockedBloom1/last:4\"")));
  EXPECT_TRUE(table->ProbePrefix("user0001/").value());
}

TEST(PrefixFilterTest, PrefixesThatTheFirstKeyDoesNotHaveAreNotUsed) {
  // The name promises prefixes, but the filter contains none.
  const RenamedPolicy policy("BlockedBloom1/first:9");
  const std::string bytes = Build(&policy);
  const auto table = TableReader::Open(NewMemoryFile(bytes)).value();
  EXPECT_OK(table->LoadFilter());
  EXPECT_EQ(WalkForward(table->NewPrefixIterator("user0004/").get()).entries.size(), 20);
  EXPECT_TRUE(table->ProbePrefix("user0001/").value());
}

}  // namespace
}  // namespace sstable::test
