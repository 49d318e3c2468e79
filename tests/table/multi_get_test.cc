// Compares TableReader::MultiGet() with one Find() for each key.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "sstable/comparator.h"
#include "sstable/file.h"
#include "sstable/filter_policy.h"
#include "sstable/internal_key.h"
#include "sstable/options.h"
#include "sstable/table_reader.h"
#include "table/block/key_order.h"
#include "tests/support/comparators.h"
#include "tests/support/exact_filter_policy.h"
#include "tests/support/fake_files.h"
#include "tests/support/model_map.h"
#include "tests/support/status_matchers.h"
#include "tests/support/table_bytes.h"

namespace sstable {
namespace {

using ::sstable::test::BuildTable;
using ::sstable::test::Entries;
using ::sstable::test::ExactFilterPolicy;
using ::sstable::test::FakeFile;
using ::sstable::test::Random;

// The result of a lookup: the value, or another word.
std::string Outcome(const absl::StatusOr<Presence>& presence, absl::string_view value) {
  if (!presence.ok()) return presence.status().ToString();
  return *presence == Presence::kFound     ? absl::StrCat("found ", value)
         : *presence == Presence::kDeleted ? "deleted"
                                           : "absent";
}

std::vector<std::string> FindEach(const TableReader& table, const std::vector<std::string>& keys,
                                  uint64_t snapshot = kMaxSequence) {
  std::vector<std::string> outcomes;
  for (const std::string& key : keys) {
    std::string value;
    const auto presence = table.Get(key, &value, {snapshot});
    outcomes.push_back(Outcome(presence, value));
  }
  return outcomes;
}

std::vector<std::string> MultiGet(const TableReader& table, const std::vector<std::string>& keys,
                                  uint64_t snapshot = kMaxSequence) {
  std::vector<std::string> values(keys.size(), "from before");
  std::vector<LookupRequest> requests(keys.size());
  for (size_t i = 0; i < keys.size(); ++i) {
    requests[i].key = keys[i];
    requests[i].value = &values[i];
    requests[i].presence = absl::InternalError("not looked up");
  }
  table.MultiGet(absl::MakeSpan(requests), {snapshot});
  std::vector<std::string> outcomes;
  for (size_t i = 0; i < keys.size(); ++i) {
    outcomes.push_back(Outcome(requests[i].presence, values[i]));
  }
  return outcomes;
}

struct MultiGetCase {
  const char* name;
  const Comparator* comparator;
  KeyKind kind;
  Compression compression;
  VerifyChecksums verify;
  bool in_memory;
};
const test::CaseFoldingComparator kFolding;
const ExactFilterPolicy kExact;

class MultiGetTest : public testing::TestWithParam<MultiGetCase> {};
TEST_P(MultiGetTest, GivesWhatFindGives) {
  const MultiGetCase& c = GetParam();
  const KeyOrder order(c.comparator, c.kind);
  const auto bloom = NewBloomFilterPolicy(10);
  for (uint32_t seed = 1; seed <= 30; ++seed) {
    SCOPED_TRACE(absl::StrCat("seed ", seed));
    Random random(seed);
    TableBuilderOptions writer;
    writer.comparator = c.comparator;
    writer.key_kind = c.kind;
    writer.compression = c.compression;
    writer.block_size = size_t{20} << test::Below(8, &random);
    writer.block_restart_interval = static_cast<int>(1 + test::Below(20, &random));
    const FilterPolicy* const policies[] = {nullptr, bloom.get(), &kExact};
    writer.filter_policy = policies[seed % 3];
    writer.filter_base_lg = seed % 2 == 0 ? 11 : 4;
    const test::ModelMap model = test::RandomModel(order, 30 * (seed % 7), &random);
    ASSERT_OK_AND_ASSIGN(const std::string bytes, BuildTable(writer, test::ToEntries(model)));
    TableReaderOptions reader;
    reader.comparator = c.comparator;
    reader.key_kind = c.kind;
    reader.filter_policies = {&kExact};
    reader.verify_checksums = c.verify;
    std::unique_ptr<RandomAccessFile> file = std::make_unique<FakeFile>(bytes);
    if (c.in_memory) file = NewMemoryFile(bytes);
    ASSERT_OK_AND_ASSIGN(const auto table, TableReader::Open(std::move(file), reader));

    std::vector<std::string> keys = {"", "\xff"};
    for (const auto& entry : model) {
      for (const std::string& key : test::KeysAround(order, entry.first)) {
        keys.emplace_back(order.UserKey(key));
      }
    }
    std::shuffle(keys.begin(), keys.end(), random);
    const uint64_t snapshot =
        test::Below(2, &random) == 0 ? kMaxSequence : test::Below(20, &random);
    // Cold, then warm: the first time, blocks are verified on the way.
    const std::vector<std::string> cold = MultiGet(*table, keys, snapshot);
    const std::vector<std::string> expected = FindEach(*table, keys, snapshot);
    const std::vector<std::string> warm = MultiGet(*table, keys, snapshot);
    for (size_t i = 0; i < keys.size(); ++i) {
      ASSERT_EQ(cold[i], expected[i]) << absl::CHexEscape(keys[i]);
      ASSERT_EQ(warm[i], expected[i]) << absl::CHexEscape(keys[i]);
    }
  }
}
INSTANTIATE_TEST_SUITE_P(Tables, MultiGetTest,
                         testing::ValuesIn<MultiGetCase>({
                             {"Raw", BytewiseComparator(), KeyKind::kPlain, Compression::kNone,
                              VerifyChecksums::kFirstTouch, true},
                             {"RawAlways", BytewiseComparator(), KeyKind::kPlain,
                              Compression::kNone, VerifyChecksums::kAlways, true},
                             {"RawNever", BytewiseComparator(), KeyKind::kPlain, Compression::kNone,
                              VerifyChecksums::kNever, true},
                             {"RawNotInMemory", BytewiseComparator(), KeyKind::kPlain,
                              Compression::kNone, VerifyChecksums::kFirstTouch, false},
                             {"Snappy", BytewiseComparator(), KeyKind::kPlain, Compression::kSnappy,
                              VerifyChecksums::kFirstTouch, true},
                             {"Reverse", ReverseBytewiseComparator(), KeyKind::kPlain,
                              Compression::kNone, VerifyChecksums::kFirstTouch, true},
                             {"UserMade", &kFolding, KeyKind::kPlain, Compression::kNone,
                              VerifyChecksums::kFirstTouch, true},
                             {"Internal", BytewiseComparator(), KeyKind::kInternal,
                              Compression::kNone, VerifyChecksums::kFirstTouch, true},
                             {"InternalSnappy", BytewiseComparator(), KeyKind::kInternal,
                              Compression::kSnappy, VerifyChecksums::kFirstTouch, true},
                         }),
                         [](const auto& info) { return info.param.name; });

// 1000 keys, ten to a block; all blocks have been verified.
class WarmTableTest : public testing::Test {
 protected:
  void SetUp() override {
    TableBuilderOptions writer;
    writer.compression = Compression::kNone;
    writer.block_size = 300;
    writer.filter_policy = &kExact;
    writer.filter_base_lg = 6;
    for (int i = 0; i < 1000; ++i) {
      entries_.emplace_back(absl::StrCat("key", 10000 + 2 * i), absl::StrCat("value", i));
    }
    entries_.emplace_back("zebra", "stripes");
    bytes_ = BuildTable(writer, entries_).value();
    Open();
  }

  void Open(bool use_filter = true) {
    TableReaderOptions reader;
    reader.use_filter = use_filter;
    reader.filter_policies = {&kExact};
    table_ = TableReader::Open(NewMemoryFile(bytes_, "t.ldb"), reader).value();
    for (const auto& entry : entries_) (void)table_->Get(entry.first);
  }

  // Alternates present and absent keys.
  static std::vector<std::string> Keys(size_t count) {
    std::vector<std::string> keys;
    for (size_t i = 0; i < count; ++i) keys.push_back(absl::StrCat("key", 10000 + i * 7 % 2000));
    return keys;
  }

  Entries entries_;
  std::string bytes_;
  std::unique_ptr<TableReader> table_;
};

TEST_F(WarmTableTest, TakesAnyNumberOfKeys) {
  for (size_t count : {0, 1, 2, 31, 32, 33, 64, 65, 1000}) {
    EXPECT_EQ(MultiGet(*table_, Keys(count)), FindEach(*table_, Keys(count))) << count;
  }
}

TEST_F(WarmTableTest, TakesAKeySeveralTimes) {
  EXPECT_THAT(MultiGet(*table_, std::vector<std::string>(40, "key10002")),
              testing::Each("found value1"));
}

TEST_F(WarmTableTest, LeavesTheValueOfAnAbsentKey) {
  std::string value = "from before";
  LookupRequest request;
  request.key = "key10001";
  request.value = &value;
  table_->MultiGet(absl::MakeSpan(&request, 1));
  EXPECT_EQ(request.presence.value(), Presence::kAbsent);
  EXPECT_EQ(value, "from before");
}

TEST_F(WarmTableTest, CountsAsFindDoes) {
  std::vector<std::string> keys = Keys(500);
  keys.insert(keys.end(), {"maybe", "key10001", "kez", "", "maybe2", "zz"});
  for (const bool use_filter : {true, false}) {
    Open(use_filter);
    const auto counted = [this](const auto& look_up) {
      const ReaderStats before = table_->stats();
      look_up();
      const ReaderStats after = table_->stats();
      return std::vector<uint64_t>{after.lookups - before.lookups,
                                   after.filter_negatives - before.filter_negatives,
                                   after.filter_positives - before.filter_positives,
                                   after.false_positives - before.false_positives,
                                   after.blocks_read - before.blocks_read,
                                   after.bytes_read - before.bytes_read};
    };
    const auto one_by_one = counted([&] { FindEach(*table_, keys); });
    const auto together = counted([&] { MultiGet(*table_, keys); });
    EXPECT_EQ(one_by_one, together);
    EXPECT_EQ(one_by_one[0], keys.size());
    EXPECT_EQ(one_by_one[1] > 200, use_filter);
    EXPECT_EQ(one_by_one[3], use_filter ? 2 : 0) << "the two that begin with \"maybe\"";
  }
}

}  // namespace
}  // namespace sstable
