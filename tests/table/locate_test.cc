// Tables whose filter says where keys are, as readers use it.
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "sstable/block_cache.h"
#include "sstable/check.h"
#include "sstable/file.h"
#include "sstable/filter_policy.h"
#include "sstable/options.h"
#include "sstable/table_reader.h"
#include "table/table_index.h"
#include "table/table_internals.h"
#include "tests/support/fake_files.h"
#include "tests/support/status_matchers.h"
#include "tests/support/table_bytes.h"
#include "tests/support/table_parts.h"

namespace sstable::test {
namespace {

using ::testing::HasSubstr;

constexpr int kKeys = 2000;

std::string UserKey(int i) { return absl::StrFormat("key%06d", i); }
std::string Value(int i) { return absl::StrCat("value of ", i, std::string(20, 'x')); }

// Even keys are there.
Entries MakeEntries() {
  Entries entries;
  for (int i = 0; i < 2 * kKeys; i += 2) entries.emplace_back(UserKey(i), Value(i));
  return entries;
}

// Locate1 with places that are changed before they are written.
class MovedPlaces final : public TableFilterPolicy {
 public:
  explicit MovedPlaces(std::function<void(KeyPlaces::Run*)> move) : move_(std::move(move)) {}
  absl::string_view Name() const override { return locate_->Name(); }
  void CreateFilter(absl::Span<uint64_t>, std::string*) const override {}
  bool needs_places() const override { return true; }
  void CreateLocateFilter(absl::Span<const uint64_t> hashes, const KeyPlaces& places,
                          std::string* dst) const override {
    std::vector<KeyPlaces::Run> runs(places.runs.begin(), places.runs.end());
    for (KeyPlaces::Run& run : runs) move_(&run);
    // All that fits a slot of the same size.
    locate_->CreateLocateFilter(hashes, {runs, uint64_t{1} << 20, places.max_run_entries}, dst);
  }
  absl::StatusOr<std::unique_ptr<const TableFilter>> Parse(
      absl::string_view contents) const override {
    return locate_->Parse(contents);
  }

 private:
  const std::function<void(KeyPlaces::Run*)> move_;
  const std::unique_ptr<const TableFilterPolicy> locate_ = NewLocatePolicy();
};

std::string Build(const TableFilterPolicy* policy, Compression compression = Compression::kNone) {
  TableBuilderOptions options;
  options.compression = compression;
  options.block_size = 500;
  options.block_restart_interval = 4;
  options.table_filter_policy = policy;
  return BuildTable(options, MakeEntries()).value();
}

// Find() and MultiGet() of every key that is there and of its absent neighbour. Returns how many of
// those that are there were not found; nothing else may be wrong.
int CountMissed(const TableReader& table) {
  std::vector<std::string> keys, values(2 * kKeys);
  std::vector<LookupRequest> requests;
  for (int i = 0; i < 2 * kKeys; ++i) keys.push_back(UserKey(i));
  for (int i = 0; i < 2 * kKeys; ++i) requests.push_back({keys[i], &values[i]});
  table.MultiGet(absl::MakeSpan(requests));
  int missed = 0;
  for (int i = 0; i < 2 * kKeys; ++i) {
    std::string value;
    const auto presence = table.Find(keys[i], &value);
    EXPECT_OK(presence);
    EXPECT_OK(requests[i].presence);
    EXPECT_EQ(*presence, *requests[i].presence) << keys[i];
    EXPECT_EQ(value, values[i]);
    if (i % 2 == 1) {
      EXPECT_EQ(*presence, Presence::kAbsent) << keys[i];
    } else if (*presence == Presence::kFound) {
      EXPECT_EQ(value, Value(i));
    } else {
      ++missed;
    }
  }
  return missed;
}

TEST(LocateTest, LookupsReadNoBlockBesideTheirs) {
  const auto policy = NewLocatePolicy();
  const std::string bytes = Build(policy.get());
  const auto table = TableReader::Open({}, NewMemoryFile(bytes)).value();
  EXPECT_EQ(CountMissed(*table), 0);
  EXPECT_OK(table->filter_status());
  const ReaderStats stats = table->stats();
  EXPECT_EQ(stats.filter_positives - stats.false_positives, 2 * kKeys);
  EXPECT_EQ(stats.filter_positives + stats.filter_negatives, 4 * kKeys);
  EXPECT_LE(stats.false_positives, 2);
}

TEST(LocateTest, OfCompressedBlocksItHasTheRestartPoint) {
  const auto policy = NewLocatePolicy();
  for (const Compression compression : {Compression::kSnappy, Compression::kZstd}) {
    const std::string bytes = Build(policy.get(), compression);
    for (const bool has_cache : {false, true}) {
      for (const bool in_memory : {false, true}) {
        TableReaderOptions options;
        if (has_cache) options.block_cache = std::make_shared<BlockCache>(1 << 20);
        std::unique_ptr<RandomAccessFile> file = std::make_unique<FakeFile>(bytes);
        if (in_memory) file = NewMemoryFile(bytes);
        const auto table = TableReader::Open(options, std::move(file)).value();
        EXPECT_EQ(CountMissed(*table), 0);
        EXPECT_EQ(CountMissed(*table), 0) << "from the cache";
        const ReaderStats stats = table->stats();
        EXPECT_EQ(stats.filter_positives + stats.filter_negatives, stats.lookups);
      }
    }
  }
}

TEST(LocateTest, PlacesWithoutARunLeaveItToTheIndex) {
  const std::vector<std::function<void(KeyPlaces::Run*)>> moves = {
      [](KeyPlaces::Run* run) { run->place += run->place == 0 ? 0 : 1; },  // in an entry
      [](KeyPlaces::Run* run) { run->place += run->place == 0 ? 0 : 3; },
      [](KeyPlaces::Run* run) { run->place = run->place == 0 ? 0 : (1 << 20) - 1; },  // not data
  };
  for (const Compression compression : {Compression::kNone, Compression::kSnappy}) {
    for (const auto& move : moves) {
      const MovedPlaces policy(move);
      const std::string bytes = Build(&policy, compression);
      const auto table = TableReader::Open({}, NewMemoryFile(bytes)).value();
      // What starts in an entry may look like one, so keys may be missed, but no value is wrong.
      CountMissed(*table);
      EXPECT_OK(table->filter_status());
      EXPECT_GT(CheckTable(*table, {}).problem_count, 0);
    }
  }
}

TEST(LocateTest, CheckReportsPlacesOfOtherRuns) {
  const MovedPlaces policy([](KeyPlaces::Run* run) { run->place = 0; });
  const std::string bytes = Build(&policy);
  const auto table = TableReader::Open({}, NewMemoryFile(bytes)).value();
  EXPECT_OK(table->filter_status()) << "the first key is where it says";
  const CheckReport report = CheckTable(*table, {});
  ASSERT_GT(report.problem_count, 0);
  EXPECT_THAT(report.problems[0].message, HasSubstr("are not in the filter"));
}

TEST(LocateTest, AFilterThatHasTheFirstKeyElsewhereIsNotUsed) {
  const MovedPlaces policy([](KeyPlaces::Run* run) { run->place += 8; });
  const std::string bytes = Build(&policy);
  const auto table = TableReader::Open({}, NewMemoryFile(bytes)).value();
  EXPECT_THAT(table->filter_status(),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       HasSubstr("does not contain the table's first key")));
  EXPECT_EQ(CountMissed(*table), 0);
}

TEST(LocateTest, OldVersionsAreFoundInLaterRunsAndBlocks) {
  constexpr uint64_t kVersions = 300;
  Entries entries;
  for (int i = 0; i < 30; ++i) {
    for (uint64_t version = i % 3 == 0 ? kVersions : i % 3; version > 0; --version) {
      const bool deleted = version % 7 == 0;
      entries.emplace_back(MakeInternalKey(UserKey(i), 10 * version,
                                           deleted ? ValueType::kDeletion : ValueType::kValue),
                           deleted ? "" : absl::StrCat(i, "@", version));
    }
  }
  const auto policy = NewLocatePolicy();
  for (const Compression compression : {Compression::kNone, Compression::kSnappy}) {
    TableBuilderOptions options;
    options.key_kind = KeyKind::kInternal;
    options.block_size = 400;
    options.block_restart_interval = 5;
    options.compression = compression;
    options.table_filter_policy = policy.get();
    const std::string bytes = BuildTable(options, entries).value();
    options.table_filter_policy = nullptr;
    const std::string bytes_without = BuildTable(options, entries).value();
    TableReaderOptions reader;
    reader.key_kind = KeyKind::kInternal;
    const auto table = TableReader::Open(reader, NewMemoryFile(bytes)).value();
    const auto other = TableReader::Open(reader, NewMemoryFile(bytes_without)).value();
    for (int i = -1; i < 31; ++i) {
      for (uint64_t snapshot = 0; snapshot < 10 * kVersions + 10; snapshot += 5) {
        std::string value, expected;
        ASSERT_EQ(table->Find(UserKey(i), &value, snapshot).value(),
                  other->Find(UserKey(i), &expected, snapshot).value());
        ASSERT_EQ(value, expected) << UserKey(i) << " at " << snapshot;
      }
    }
    EXPECT_EQ(CheckTable(*table, {}).problem_count, 0);
    EXPECT_GT(table->stats().filter_negatives, 0);
  }
}

TEST(LocateTest, DamageToABlockIsReportedForItsKeysAlone) {
  const auto policy = NewLocatePolicy();
  std::string bytes = Build(policy.get());
  BlockHandle damaged;
  {
    const auto table = TableReader::Open({}, NewMemoryFile(bytes)).value();
    ASSERT_OK(table->LoadIndex());
    damaged = IndexOf(*table)->record(2).handle();
  }
  bytes[damaged.offset + 30] ^= 1;
  const auto table = TableReader::Open({}, NewMemoryFile(bytes)).value();
  const std::string expected = absl::StrCat("data block at offset ", damaged.offset, " (");
  int failed = 0;
  for (int i = 0; i < 2 * kKeys; i += 2) {
    std::string value;
    const auto presence = table->Find(UserKey(i), &value);
    if (presence.ok()) {
      EXPECT_EQ(*presence, Presence::kFound);
      EXPECT_EQ(value, Value(i));
    } else {
      ++failed;
      EXPECT_THAT(presence, StatusIs(absl::StatusCode::kDataLoss, HasSubstr(expected)));
    }
  }
  EXPECT_GT(failed, 5);
  EXPECT_LT(failed, 20);
}

// With its checksum made right, so that nothing but lookups can tell.
TEST(LocateTest, FlippedBitsOfTheFilterNeverGiveAWrongValue) {
  const auto policy = NewLocatePolicy();
  const std::string bytes = Build(policy.get());
  const BlockHandle handle =
      TableReader::Open({}, NewMemoryFile(bytes)).value()->meta_blocks().back().handle;
  for (uint64_t i = 0; i < handle.size; i += 37) {
    std::string damaged = bytes;
    // Of some lines, and of the tail, since a flipped bit of one line concerns few keys.
    for (uint64_t at = i; at < handle.size; at += 641) damaged[handle.offset + at] ^= 1 << (at % 8);
    if (i % 5 == 0) damaged[handle.offset + handle.size - 1 - i % 3] ^= 1 << (i % 8);
    const absl::string_view contents(&damaged[handle.offset], handle.size);
    const std::string trailer = EncodeTrailer(contents, 0);
    damaged.replace(handle.offset + handle.size, trailer.size(), trailer);
    const auto table = TableReader::Open({}, NewMemoryFile(damaged)).value();
    CountMissed(*table);
  }
}

}  // namespace
}  // namespace sstable::test
