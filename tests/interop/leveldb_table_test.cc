// Tables of random entries with random options. Ours and LevelDB's must be equal byte for byte, and
// each library must read the other's.
#include "tests/interop/leveldb_table.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "gtest/gtest.h"
#include "leveldb/comparator.h"
#include "leveldb/iterator.h"
#include "sstable/comparator.h"
#include "sstable/file.h"
#include "sstable/filter_policy.h"
#include "sstable/internal_key.h"
#include "sstable/options.h"
#include "sstable/table_builder.h"
#include "sstable/table_iterator.h"
#include "sstable/table_reader.h"
#include "tests/interop/leveldb_order.h"
#include "tests/interop/table_spec.h"
#include "tests/support/status_matchers.h"

namespace sstable::test {
namespace {

#ifdef __SANITIZE_THREAD__
constexpr int kTablesPerTest = 10;  // fifteen times slower, and only there to find races
#else
constexpr int kTablesPerTest = 50;
#endif
constexpr int kSeeksPerTable = 60;

std::string ToString(absl::string_view bytes) { return std::string(bytes); }
std::string ToString(const leveldb::Slice& bytes) { return bytes.ToString(); }

std::string Show(absl::string_view bytes) {
  return absl::StrCat("\"", absl::CHexEscape(bytes.substr(0, 80)), "\"");
}

const Comparator* UserComparator(const TableSpec& spec) {
  return spec.reverse ? ReverseBytewiseComparator() : BytewiseComparator();
}

void BuildWithOurs(const TableSpec& spec, int threads, std::string* bytes) {
  TableBuilderOptions options;
  options.comparator = UserComparator(spec);
  options.key_kind = spec.key_kind;
  options.block_size = spec.block_size;
  options.block_restart_interval = spec.block_restart_interval;
  options.compression = spec.snappy ? Compression::kSnappy : Compression::kNone;
  options.compression_threads = threads;
  std::unique_ptr<const FilterPolicy> policy;
  if (spec.bits_per_key.has_value()) policy = NewBloomFilterPolicy(*spec.bits_per_key);
  options.filter_policy = policy.get();
  ASSERT_OK_AND_ASSIGN(const auto builder, TableBuilder::Create(NewStringFile(bytes), options));
  for (size_t i = 0; i < spec.entries.size(); ++i) {
    if (spec.flush_before[i]) {
      ASSERT_OK(builder->Flush());
    }
    ASSERT_OK(builder->Add(spec.entries[i].first, spec.entries[i].second));
  }
  ASSERT_OK(builder->Finish());
  EXPECT_EQ(builder->NumEntries(), spec.entries.size());
  EXPECT_EQ(builder->FileSize(), bytes->size());
}

// Shows the bytes around the first difference.
testing::AssertionResult AreEqual(const std::string& ours, const std::string& theirs) {
  if (ours == theirs) return testing::AssertionSuccess();
  const auto difference =
      std::mismatch(ours.begin(), ours.end(), theirs.begin(), theirs.end()).first - ours.begin();
  const auto start = static_cast<size_t>(std::max<ptrdiff_t>(difference - 16, 0));
  return testing::AssertionFailure()
         << "ours has " << ours.size() << " bytes, LevelDB's " << theirs.size()
         << "; they differ from offset " << difference << " on. From " << start << ": ours "
         << absl::BytesToHexString(absl::string_view(ours).substr(start, 48)) << ", LevelDB's "
         << absl::BytesToHexString(absl::string_view(theirs).substr(start, 48));
}

// Returns the first entry whose key is not below `key`, by LevelDB's comparator.
Entries::const_iterator LowerBound(const TableSpec& spec, const std::string& key) {
  const leveldb::Comparator* order = LevelDbOrder(spec.key_kind, spec.reverse);
  return std::lower_bound(spec.entries.begin(), spec.entries.end(), key,
                          [order](const auto& entry, const std::string& k) {
                            return order->Compare(entry.first, k) < 0;
                          });
}

// Returns a user key that is in the table, or similar to one.
std::string SomeUserKey(const TableSpec& spec, Random* random) {
  if (spec.entries.empty() || random->OneIn(8)) return random->Bytes(random->Below(20));
  std::string key = spec.entries[random->Below(spec.entries.size())].first;
  if (spec.key_kind == KeyKind::kInternal) key.resize(key.size() - kTagSize);
  switch (random->Below(4)) {
    case 0:
      key += random->Bytes(1 + random->Below(2));
      break;
    case 1:
      key.resize(key.size() - std::min(key.size(), 1 + random->Below(3)));
      break;
    case 2:
      if (!key.empty()) ++key[random->Below(key.size())];
      break;
  }
  return key;
}

std::string SomeSeekTarget(const TableSpec& spec, Random* random) {
  std::string key = SomeUserKey(spec, random);
  if (spec.key_kind == KeyKind::kPlain) return key;
  const uint64_t sequence = random->OneIn(3) ? kMaxSequence : random->Below(120000);
  return MakeInternalKey(key, sequence, ValueType::kValue);
}

// `Iterator` is ours or LevelDB's.
template <typename Iterator>
void ExpectEntryAt(const Iterator& it, const TableSpec& spec, Entries::const_iterator expected) {
  ASSERT_EQ(it.Valid(), expected != spec.entries.end());
  if (!it.Valid()) return;
  ASSERT_EQ(ToString(it.key()), expected->first) << Show(expected->first);
  ASSERT_EQ(ToString(it.value()), expected->second) << "value of " << Show(expected->first);
}

template <typename Iterator>
void ExpectScansAndSeeks(Iterator* it, const TableSpec& spec, Random* random) {
  it->SeekToFirst();
  for (auto entry = spec.entries.begin(); entry != spec.entries.end(); ++entry, it->Next()) {
    ASSERT_NO_FATAL_FAILURE(ExpectEntryAt(*it, spec, entry)) << "forward";
  }
  ASSERT_FALSE(it->Valid());
  it->SeekToLast();
  for (auto entry = spec.entries.end(); entry != spec.entries.begin(); it->Prev()) {
    ASSERT_NO_FATAL_FAILURE(ExpectEntryAt(*it, spec, --entry)) << "backward";
  }
  ASSERT_FALSE(it->Valid());
  for (int i = 0; i < kSeeksPerTable; ++i) {
    const std::string target = SomeSeekTarget(spec, random);
    SCOPED_TRACE(absl::StrCat("seek to ", Show(target)));
    auto expected = LowerBound(spec, target);
    it->Seek(target);
    ASSERT_NO_FATAL_FAILURE(ExpectEntryAt(*it, spec, expected));
    if (expected == spec.entries.end()) continue;
    const bool forward = random->OneIn(2);
    if (!forward && expected == spec.entries.begin()) continue;
    forward ? it->Next() : it->Prev();
    ASSERT_NO_FATAL_FAILURE(
        ExpectEntryAt(*it, spec, forward ? std::next(expected) : std::prev(expected)))
        << (forward ? "the one behind" : "the one before");
  }
  ASSERT_TRUE(it->status().ok()) << it->status().ToString();
}

// The expected result of Get() for a plain key or for a user key at a snapshot.
struct Answer {
  Presence presence = Presence::kAbsent;
  std::string value;
};

Answer ExpectedAnswer(const TableSpec& spec, const std::string& key, uint64_t snapshot) {
  const bool internal = spec.key_kind == KeyKind::kInternal;
  const auto found =
      LowerBound(spec, internal ? MakeInternalKey(key, snapshot, ValueType::kValue) : key);
  if (found == spec.entries.end()) return {};
  if (!internal) {
    if (found->first != key) return {};
    return {Presence::kFound, found->second};
  }
  if (ExtractUserKey(found->first) != key) return {};
  if ((ExtractTag(found->first) & 0xff) == 0) return {Presence::kDeleted, ""};
  return {Presence::kFound, found->second};
}

void ExpectFinds(const TableReader& table, const TableSpec& spec, const std::string& key,
                 uint64_t snapshot) {
  const Answer expected = ExpectedAnswer(spec, key, snapshot);
  std::string value;
  ASSERT_OK_AND_ASSIGN(const Presence presence, table.Get(key, &value, {snapshot}));
  ASSERT_EQ(presence, expected.presence) << Show(key) << " at " << snapshot;
  if (presence == Presence::kFound) {
    ASSERT_EQ(value, expected.value) << Show(key);
  }
}

// Looks up all keys in one call, in an order other than the table's.
void ExpectMultiGets(const TableReader& table, const TableSpec& spec,
                     const std::vector<std::string>& keys, uint64_t snapshot) {
  std::vector<std::string> values(keys.size());
  std::vector<LookupRequest> requests(keys.size());
  for (size_t i = 0; i < keys.size(); ++i) {
    requests[i].key = keys[i];
    requests[i].value = &values[i];
  }
  table.MultiGet(absl::MakeSpan(requests), {snapshot});
  for (size_t i = 0; i < keys.size(); ++i) {
    const Answer expected = ExpectedAnswer(spec, keys[i], snapshot);
    ASSERT_OK(requests[i].presence);
    ASSERT_EQ(*requests[i].presence, expected.presence) << Show(keys[i]) << " at " << snapshot;
    if (expected.presence == Presence::kFound) {
      ASSERT_EQ(values[i], expected.value) << Show(keys[i]);
    }
  }
}

// Looks up every key, every version of it, and absent keys.
void ExpectLookups(const TableReader& table, const TableSpec& spec, Random* random) {
  for (const auto& [key, value] : spec.entries) {
    int visits = 0;
    ASSERT_OK(table.InternalGet(
        key, [&, &key = key, &value = value](absl::string_view k, absl::string_view v) {
          ++visits;
          EXPECT_EQ(k, key);
          EXPECT_EQ(v, value);
        }));
    ASSERT_EQ(visits, 1) << Show(key);
    const bool internal = spec.key_kind == KeyKind::kInternal;
    const std::string user_key(internal ? ExtractUserKey(key) : key);
    ASSERT_NO_FATAL_FAILURE(ExpectFinds(table, spec, user_key, kMaxSequence));
    if (!internal) continue;
    const uint64_t sequence = ExtractTag(key) >> 8;
    ASSERT_NO_FATAL_FAILURE(ExpectFinds(table, spec, user_key, sequence));
    ASSERT_NO_FATAL_FAILURE(ExpectFinds(table, spec, user_key, sequence - 1));
  }
  std::vector<std::string> keys;
  for (int i = 0; i < kSeeksPerTable; ++i) {
    const std::string& key = keys.emplace_back(SomeUserKey(spec, random));
    const uint64_t snapshot = random->OneIn(2) ? kMaxSequence : random->Below(120000);
    ASSERT_NO_FATAL_FAILURE(ExpectFinds(table, spec, key, snapshot));
  }
  ASSERT_NO_FATAL_FAILURE(ExpectMultiGets(table, spec, keys, kMaxSequence));
  ASSERT_NO_FATAL_FAILURE(ExpectMultiGets(table, spec, keys, random->Below(120000)));
}

void ExpectLevelDbReads(const TableSpec& spec, const std::string& bytes, Random* random) {
  const LevelDbTable table(spec, bytes);
  ASSERT_TRUE(table.status().ok()) << table.status().ToString();
  const auto it = table.NewIterator();
  ExpectScansAndSeeks(it.get(), spec, random);
}

// Without a cache, each lookup uncompresses its block again.
enum class Cached { kNo, kYes };

void ExpectWeRead(const TableSpec& spec, const std::string& bytes, Cached cached, Random* random) {
  TableReaderOptions options;
  if (cached == Cached::kYes) options.block_cache = std::make_shared<BlockCache>(8 << 20);
  options.comparator = UserComparator(spec);
  options.key_kind = spec.key_kind;
  ASSERT_OK_AND_ASSIGN(const auto table, TableReader::Open(NewMemoryFile(bytes), options));
  const auto it = table->NewIterator();
  ASSERT_NO_FATAL_FAILURE(ExpectScansAndSeeks(it.get(), spec, random));
  ASSERT_NO_FATAL_FAILURE(ExpectLookups(*table, spec, random));
  EXPECT_EQ(table->LoadFilter().code(),
            spec.bits_per_key.has_value() ? absl::StatusCode::kOk : absl::StatusCode::kNotFound)
      << table->LoadFilter();
}

using Parameter = std::tuple<KeyShape, KeyKind, /*reverse*/ bool>;

std::string ParameterName(const testing::TestParamInfo<Parameter>& info) {
  constexpr const char* kShapes[] = {"ShortKeys", "LongPrefixes", "DecimalKeys",
                                     "HighBytes", "FewLetters",   "LargeValues"};
  const auto [shape, key_kind, reverse] = info.param;
  return absl::StrCat(kShapes[static_cast<int>(shape)],
                      key_kind == KeyKind::kInternal ? "Internal" : "Plain",
                      reverse ? "Reverse" : "Bytewise");
}

// To test other tables than usual, run: bazel test --test_env=SSTABLE_TEST_SEED=1000 ...
uint64_t FirstSeed() {
  const char* seed = std::getenv("SSTABLE_TEST_SEED");
  return seed == nullptr ? 0 : std::strtoull(seed, nullptr, 10);
}

class LevelDbTableTest : public testing::TestWithParam<Parameter> {
 protected:
  static void TearDownTestSuite() {
    std::cout << equal_count << " of " << table_count << " tables are LevelDB's, byte for byte\n";
    EXPECT_EQ(equal_count, table_count);
    // A shard tests only some of the tables.
    const testing::TestSuite& suite = *testing::UnitTest::GetInstance()->current_test_suite();
    EXPECT_EQ(table_count, kTablesPerTest * suite.test_to_run_count());
  }

  static inline int table_count = 0;
  static inline int equal_count = 0;
};

TEST_P(LevelDbTableTest, WritesLevelDbsBytesAndEachReadsTheOther) {
  const auto [shape, key_kind, reverse] = GetParam();
  for (int i = 0; i < kTablesPerTest; ++i) {
    const uint64_t seed = FirstSeed() + static_cast<uint64_t>(i);
    const TableSpec spec = RandomTable(shape, key_kind, reverse, seed);
    SCOPED_TRACE(absl::StrCat("seed ", seed, ": ", spec.Describe()));
    std::string ours;
    ASSERT_NO_FATAL_FAILURE(BuildWithOurs(spec, /*threads=*/1, &ours));
    const std::string theirs = BuildWithLevelDb(spec);
    ++table_count;
    equal_count += ours == theirs;
    EXPECT_TRUE(AreEqual(ours, theirs));
    for (const int threads : {2, 3, 8}) {
      std::string same;
      ASSERT_NO_FATAL_FAILURE(BuildWithOurs(spec, threads, &same));
      EXPECT_TRUE(same == ours) << threads << " threads";
    }
    Random random(seed);
    ASSERT_NO_FATAL_FAILURE(ExpectLevelDbReads(spec, ours, &random));
    ASSERT_NO_FATAL_FAILURE(
        ExpectWeRead(spec, theirs, i % 4 == 0 ? Cached::kNo : Cached::kYes, &random));
  }
}

INSTANTIATE_TEST_SUITE_P(RandomTables, LevelDbTableTest,
                         testing::Combine(testing::Values(KeyShape::kShort, KeyShape::kLongPrefix,
                                                          KeyShape::kDecimal, KeyShape::kHighBytes,
                                                          KeyShape::kFewLetters,
                                                          KeyShape::kLargeValues),
                                          testing::Values(KeyKind::kPlain, KeyKind::kInternal),
                                          testing::Bool()),
                         ParameterName);

}  // namespace
}  // namespace sstable::test
