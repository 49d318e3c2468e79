// Sorting with runs in files gives the same result as sorting in memory, and leaves no files.
#include "tools/sort/record_sorter.h"

#include <fcntl.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "sstable/internal_key.h"
#include "tests/support/temp_folder.h"

namespace sstable::tools {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct KeptRecord {
  std::string key;
  std::string value;
  LinePlace place;

  bool operator==(const KeptRecord& other) const {
    return key == other.key && value == other.value && place.input == other.place.input &&
           place.line == other.place.line;
  }
};

// Returns `count` unsorted records with at most `distinct` keys, some of them short.
std::vector<KeptRecord> RandomRecords(size_t count, size_t distinct, KeyKind kind) {
  static const unsigned seed = std::random_device()();
  std::printf("seed %u\n", seed);
  std::mt19937 random(seed);
  std::vector<KeptRecord> records;
  for (size_t i = 0; i < count; ++i) {
    const size_t number = random() % distinct;
    std::string key = number % 7 == 0 ? std::string(number % 9, '\0') : absl::StrCat("k", number);
    if (kind == KeyKind::kInternal) {
      key = MakeInternalKey(key, random() % 4,
                            random() % 2 == 0 ? ValueType::kValue : ValueType::kDeletion);
    }
    records.push_back({key, std::string(random() % 20, 'v'), {static_cast<uint32_t>(i / 100), i}});
  }
  return records;
}

// Returns the expected result of sorting.
std::vector<KeptRecord> Expected(std::vector<KeptRecord> records, const KeyOrder& order,
                                 Duplicates duplicates) {
  if (duplicates == Duplicates::kKeepLast) std::reverse(records.begin(), records.end());
  const auto is_before = [&order](const KeptRecord& a, const KeptRecord& b) {
    return order.Compare(a.key, b.key) < 0;
  };
  std::stable_sort(records.begin(), records.end(), is_before);
  records.erase(std::unique(records.begin(), records.end(),
                            [&](const auto& a, const auto& b) { return !is_before(a, b); }),
                records.end());
  return records;
}

class RecordSorterTest : public testing::Test {
 protected:
  RecordSorter NewSorter(const KeyOrder* order, Duplicates duplicates, size_t memory) const {
    return RecordSorter({order, duplicates, memory, folder_.File(""),
                         [](const LinePlace& place) { return absl::StrCat("line ", place.line); }});
  }

  static absl::Status AddAll(const std::vector<KeptRecord>& records, RecordSorter* sorter) {
    for (const KeptRecord& record : records) {
      const absl::Status status = sorter->Add({record.key, record.value, record.place});
      if (!status.ok()) return status;
    }
    return sorter->Sort();
  }

  static std::vector<KeptRecord> ReadAll(RecordSorter* sorter) {
    std::vector<KeptRecord> records;
    for (Record record;;) {
      const absl::StatusOr<bool> has_record = sorter->Next(&record);
      EXPECT_TRUE(has_record.ok()) << has_record.status();
      if (!has_record.ok() || !*has_record) return records;
      records.push_back({std::string(record.key), std::string(record.value), record.place});
    }
  }

  test::TempFolder folder_;
  const KeyOrder bytewise_{BytewiseComparator(), KeyKind::kPlain};
};

// The memory sizes range from enough for all records to so little that runs are merged on two
// levels.
TEST_F(RecordSorterTest, MemoryChangesNothing) {
  const KeyOrder internal(BytewiseComparator(), KeyKind::kInternal);
  const KeyOrder reverse(ReverseBytewiseComparator(), KeyKind::kPlain);
  for (const KeyOrder* order : {&bytewise_, &internal, &reverse}) {
    const std::vector<KeptRecord> records = RandomRecords(6000, 3000, order->kind());
    for (const Duplicates duplicates : {Duplicates::kKeepFirst, Duplicates::kKeepLast}) {
      const std::vector<KeptRecord> expected = Expected(records, *order, duplicates);
      for (const size_t memory : {2000, 50000, 10000000}) {
        RecordSorter sorter = NewSorter(order, duplicates, memory);
        ASSERT_EQ(AddAll(records, &sorter), absl::OkStatus());
        EXPECT_EQ(sorter.run_count() == 0, memory == 10000000);
        EXPECT_LE(sorter.run_count(), 2 * RecordSorter::kMaxRuns);
        EXPECT_THAT(folder_.Names(), IsEmpty());
        EXPECT_TRUE(ReadAll(&sorter) == expected) << memory;
      }
    }
  }
}

TEST_F(RecordSorterTest, ARecordMayBeLargerThanTheMemory) {
  const std::vector<KeptRecord> records = {
      {"b", std::string(100000, 'x'), {0, 1}}, {"c", "", {0, 2}}, {"a", "", {0, 3}}};
  RecordSorter sorter = NewSorter(&bytewise_, Duplicates::kRefuse, 1000);
  ASSERT_EQ(AddAll(records, &sorter), absl::OkStatus());
  EXPECT_TRUE(ReadAll(&sorter) == Expected(records, bytewise_, Duplicates::kRefuse));
}

// Up to 64 runs used to be merged at once, even if each kept a large block in memory.
TEST_F(RecordSorterTest, ManyLargeBlocksAreNotMergedAtOnce) {
  std::vector<KeptRecord> records;
  for (uint64_t i = 0; i < 40; ++i) {
    records.push_back({absl::StrCat("k", i % 7), std::string(1 << 20, 'a' + i % 26), {0, i}});
  }
  for (const Duplicates duplicates : {Duplicates::kKeepFirst, Duplicates::kKeepLast}) {
    RecordSorter sorter = NewSorter(&bytewise_, duplicates, 1000);
    for (const KeptRecord& record : records) {
      ASSERT_EQ(sorter.Add({record.key, record.value, record.place}), absl::OkStatus());
      EXPECT_LE(sorter.run_count(), 10);  // 1 MiB each
    }
    ASSERT_EQ(sorter.Sort(), absl::OkStatus());
    EXPECT_TRUE(ReadAll(&sorter) == Expected(records, bytewise_, duplicates));
  }
}

TEST_F(RecordSorterTest, AKeyGivenTwiceIsRefusedWhereverItsRecordsAre) {
  std::vector<KeptRecord> records;
  for (uint64_t i = 0; i < 2000; ++i) records.push_back({absl::StrCat("k", i), "v", {0, i}});
  records.push_back({"k7", "again", {0, 2000}});
  for (const size_t memory : {2000, 50000, 10000000}) {
    RecordSorter sorter = NewSorter(&bytewise_, Duplicates::kRefuse, memory);
    absl::Status status = AddAll(records, &sorter);
    for (Record record; status.ok();) {
      const absl::StatusOr<bool> has_record = sorter.Next(&record);
      status = has_record.status();
      ASSERT_TRUE(!status.ok() || *has_record) << "it was not refused";
    }
    EXPECT_EQ(status.message(), "line 2000: key \"k7\" was already given, at line 7");
  }
}

// The tag of "a" begins with the byte that follows "a" in the other user key.
TEST_F(RecordSorterTest, ATagIsNoPartOfWhatUserKeysShare) {
  const KeyOrder internal(BytewiseComparator(), KeyKind::kInternal);
  const std::vector<KeptRecord> records = {
      {MakeInternalKey("a\x01", 5, ValueType::kValue), "x", {0, 1}},
      {MakeInternalKey("a", 0, ValueType::kValue), "y", {0, 2}}};
  RecordSorter sorter = NewSorter(&internal, Duplicates::kRefuse, 1000);
  ASSERT_EQ(AddAll(records, &sorter), absl::OkStatus());
  EXPECT_TRUE(ReadAll(&sorter) == Expected(records, internal, Duplicates::kRefuse));
}

TEST_F(RecordSorterTest, RefusesARecordWhoseSizeDoesNotFit) {
  const char byte = 'x';  // the only readable byte, so nothing else may be copied
  RecordSorter sorter = NewSorter(&bytewise_, Duplicates::kRefuse, 1000);
  EXPECT_THAT(sorter.Add({"k", absl::string_view(&byte, UINT32_MAX), {0, 7}}).message(),
              HasSubstr("line 7: a record of 4294967296 bytes; at most"));
}

// If the temporary file had a name, even one that is removed at once, it would remain if the
// program were killed in between.
TEST_F(RecordSorterTest, ATemporaryFileNeverHasAName) {
  const int descriptor = ::open(folder_.File("").c_str(), O_TMPFILE | O_RDWR, 0600);
  if (descriptor < 0) GTEST_SKIP() << "this file system has no O_TMPFILE";
  ::close(descriptor);
  const int names = ::inotify_init1(IN_NONBLOCK);
  ASSERT_GE(names, 0);
  ASSERT_GE(::inotify_add_watch(names, folder_.File("").c_str(), IN_CREATE), 0);
  RecordSorter sorter = NewSorter(&bytewise_, Duplicates::kKeepLast, 1000);
  ASSERT_EQ(AddAll(RandomRecords(100, 1000000, KeyKind::kPlain), &sorter), absl::OkStatus());
  EXPECT_GT(sorter.run_count(), 0);
  char events[4096];
  EXPECT_EQ(::read(names, events, sizeof(events)), -1) << "a file was created under a name";
  ::close(names);
}

TEST_F(RecordSorterTest, AnErrorNamesTheFolder) {
  RecordSorter sorter({&bytewise_, Duplicates::kRefuse, 100, folder_.File("missing"), {}});
  EXPECT_THAT(AddAll(RandomRecords(100, 1000000, KeyKind::kPlain), &sorter).message(),
              HasSubstr("missing: can't create a temporary file"));
}

}  // namespace
}  // namespace sstable::tools
