#include "sstable/experimental/log_file.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "sstable/file.h"
#include "tests/support/fake_files.h"
#include "tests/support/random_bytes.h"
#include "tests/support/status_matchers.h"
#include "util/coding.h"
#include "util/log_fragment.h"

namespace sstable::test {
namespace {

using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::HasSubstr;
using testing::IsEmpty;

using Records = std::vector<std::string>;

std::string WriteLog(const Records& records) {
  std::string bytes;
  const auto file = NewStringFile(&bytes);
  LogWriter log(file.get());
  for (const std::string& record : records) EXPECT_OK(log.AddRecord(record));
  return bytes;
}

struct ReadLog {
  Records records;
  std::vector<uint64_t> offsets;
  std::vector<LogDrop> damage;
  uint64_t dropped_size = 0;
  std::optional<LogDrop> torn_end;
  absl::Status status;
};

ReadLog Read(const RandomAccessFile& file, bool resume_within_block = false) {
  ReadLog result;
  LogReader log(&file, {resume_within_block});
  while (log.Next()) {
    result.records.emplace_back(log.record());
    result.offsets.push_back(log.record_offset());
  }
  EXPECT_FALSE(log.Next());
  result.damage = log.damage();
  result.dropped_size = log.dropped_size();
  result.torn_end = log.torn_end();
  result.status = log.status();
  return result;
}

ReadLog Read(const std::string& bytes, bool resume_within_block = false) {
  return Read(*NewMemoryFile(bytes), resume_within_block);
}

// Returns `size` bytes that depend on their position.
std::string Record(size_t size, char first = 'a') {
  std::string record(size, '\0');
  for (size_t i = 0; i < size; ++i) record[i] = static_cast<char>(first + i % 23);
  return record;
}

TEST(LogWriterTest, WritesLevelDbsBytes) {
  EXPECT_EQ(absl::BytesToHexString(WriteLog({"foo", ""})),
            "dd5fb37a"
            "0300"
            "01"
            "666f6f"  // masked checksum, 3 bytes, full; "foo"
            "052b2843"
            "0000"
            "01");  // 0 bytes
}

TEST(LogWriterTest, CutsARecordAtBlocks) {
  // After the first record, exactly 7 bytes are left in the block: room for an empty fragment.
  const Records records = {Record(kLogBlockSize - 14), "tail", Record(2 * kLogBlockSize)};
  const std::string bytes = WriteLog(records);
  EXPECT_EQ(bytes.substr(kLogBlockSize - 3, 3), std::string("\0\0\2", 3));      // 0 bytes, first
  EXPECT_EQ(bytes.substr(kLogBlockSize + 4, 7), std::string("\4\0\4tail", 7));  // 4 bytes, last
  EXPECT_EQ(bytes[kLogBlockSize + 11 + 6], '\2');                               // first
  EXPECT_EQ(bytes[2 * kLogBlockSize + 6], '\3');                                // middle
  EXPECT_EQ(bytes[3 * kLogBlockSize + 6], '\4');                                // last
  const ReadLog log = Read(bytes);
  EXPECT_EQ(log.records, records);
  EXPECT_THAT(log.offsets, ElementsAre(0, kLogBlockSize - 7, kLogBlockSize + 11));
  EXPECT_THAT(log.damage, IsEmpty());
  EXPECT_FALSE(log.torn_end.has_value());
}

TEST(LogWriterTest, PadsWhatIsTooShortForAHeader) {
  for (size_t left = 0; left <= 8; ++left) {
    const Records records = {Record(kLogBlockSize - 7 - left), "next"};
    const std::string bytes = WriteLog(records);
    if (left < 7) {
      EXPECT_EQ(bytes.size(), kLogBlockSize + 11) << left;
    }
    const ReadLog log = Read(bytes);
    EXPECT_EQ(log.records, records) << left;
    EXPECT_FALSE(log.torn_end.has_value()) << left;
  }
}

TEST(LogWriterTest, ContinuesAFile) {
  std::string bytes = WriteLog({Record(20000), "b"});
  const auto file = NewStringFile(&bytes);
  LogWriter log(file.get(), bytes.size());
  ASSERT_OK(log.AddRecord(Record(40000)));
  EXPECT_EQ(bytes, WriteLog({Record(20000), "b", Record(40000)}));
}

TEST(LogReaderTest, ReadsRandomRecords) {
  Rng rng(14);
  Records records;
  for (int i = 0; i < 300; ++i)
    records.push_back(RandomBytes(rng, RandomUpTo(rng, i % 20 == 0 ? 90000 : 900)));
  const ReadLog log = Read(FakeFile(WriteLog(records)));
  EXPECT_EQ(log.records, records);
  EXPECT_OK(log.status);
}

TEST(LogReaderTest, TakesAFileCutAnywhereForTorn) {
  const Records records = {"one", Record(kLogBlockSize), "three", Record(500)};
  const std::string bytes = WriteLog(records);
  // File offsets at which the records end.
  const std::vector<size_t> ends = {10, kLogBlockSize + 24, kLogBlockSize + 36,
                                    kLogBlockSize + 543};
  ASSERT_EQ(bytes.size(), ends.back());
  for (size_t size = 0; size <= bytes.size();
       size += size > 30 && size < kLogBlockSize - 40 ? 977 : 1) {
    const ReadLog log = Read(bytes.substr(0, size));
    const auto count = std::upper_bound(ends.begin(), ends.end(), size) - ends.begin();
    ASSERT_THAT(log.records, ElementsAreArray(records.begin(), records.begin() + count)) << size;
    ASSERT_THAT(log.damage, IsEmpty()) << size;
    const size_t end = count == 0 ? 0 : ends[count - 1];
    ASSERT_EQ(log.torn_end.has_value(), size != end) << size;
    if (size == end) continue;
    ASSERT_EQ(log.torn_end->offset, end) << size;
    ASSERT_EQ(log.torn_end->size, size - end) << size;
  }
}

TEST(LogReaderTest, TakesZerosAtTheEndForTorn) {
  const std::string bytes = WriteLog({"one", "two"});
  for (const size_t zeros : {size_t{1}, size_t{100}, 3 * kLogBlockSize}) {
    const ReadLog log = Read(bytes + std::string(zeros, '\0'));
    EXPECT_THAT(log.records, ElementsAre("one", "two"));
    EXPECT_THAT(log.damage, IsEmpty());
    ASSERT_TRUE(log.torn_end.has_value());
    EXPECT_EQ(log.torn_end->offset, bytes.size());
    EXPECT_EQ(log.torn_end->size, zeros);
  }
}

TEST(LogReaderTest, ReportsZerosBeforeRecordsAsDamage) {
  std::string bytes = WriteLog({Record(kLogBlockSize - 7), Record(kLogBlockSize - 7, 'b'),
                                Record(kLogBlockSize - 7, 'c'), "end"});
  std::fill_n(bytes.begin() + kLogBlockSize, 2 * kLogBlockSize, '\0');
  const ReadLog log = Read(bytes);
  EXPECT_THAT(log.records, ElementsAre(Record(kLogBlockSize - 7), "end"));
  ASSERT_EQ(log.damage.size(), 1u);
  EXPECT_EQ(log.damage[0].offset, kLogBlockSize);
  EXPECT_EQ(log.damage[0].size, 2 * kLogBlockSize);
  EXPECT_EQ(log.damage[0].message, "zeros instead of a record");
}

// Returns a log of records that take 7 + 10 bytes each. The second block begins with the rest of a
// record.
std::string ManyRecords() {
  Records records;
  for (int i = 0; i < 4000; ++i) records.push_back(absl::StrCat("record ", 100 + i % 900));
  return WriteLog(records);
}

TEST(LogReaderTest, SkipsTheRestOfABlockAfterDamage) {
  std::string bytes = ManyRecords();
  bytes[17 * 10 + 9] ^= 1;
  const ReadLog log = Read(bytes);
  const size_t in_first_block = kLogBlockSize / 17;
  EXPECT_EQ(log.records.size(), 4000 - (in_first_block + 1 - 10));
  EXPECT_EQ(log.records[9], "record 109");
  ASSERT_EQ(log.damage.size(), 1u);
  EXPECT_EQ(log.damage[0].offset, 170u);
  // includes the end of the record in the next block
  EXPECT_GE(log.damage[0].size, kLogBlockSize - 170);
  EXPECT_THAT(log.damage[0].message, HasSubstr("checksum stored 0x"));
}

TEST(LogReaderTest, MayResumeWithinTheBlock) {
  const std::string good = ManyRecords();
  for (size_t byte = 0; byte < 17; ++byte) {  // checksum, size, type and payload
    for (int bit = 0; bit < 8; ++bit) {
      std::string bytes = good;
      bytes[170 + byte] = static_cast<char>(bytes[170 + byte] ^ (1 << bit));
      const ReadLog log = Read(bytes, /*resume_within_block=*/true);
      ASSERT_EQ(log.records.size(), 3999u) << byte << " " << bit;
      ASSERT_EQ(log.records[10], "record 111") << byte << " " << bit;
      ASSERT_EQ(log.damage.size(), 1u) << byte << " " << bit;
      ASSERT_EQ(log.damage[0].offset, 170u) << byte << " " << bit;
      ASSERT_EQ(log.damage[0].size, 17u) << byte << " " << bit;
    }
  }
}

TEST(LogReaderTest, ResumesBetweenTwoDamagedRecordsOfABlock) {
  std::string bytes = ManyRecords();
  for (const size_t record : {10, 15, 100}) bytes[17 * record + 5] ^= 1;  // the size's upper byte
  const ReadLog log = Read(bytes, /*resume_within_block=*/true);
  EXPECT_EQ(log.records.size(), 3997u);
  EXPECT_EQ(log.damage.size(), 3u);
  EXPECT_EQ(log.dropped_size, 51u);
}

TEST(LogReaderTest, DoesNotTakePartOfAValueForARecord) {
  // The inner log's record is truncated, and the outer record's size can't be trusted.
  std::string bytes = WriteLog({"before", WriteLog({"inner"}) + "more", "after"});
  bytes[13 + 4] = 2;
  const ReadLog log = Read(bytes, /*resume_within_block=*/true);
  EXPECT_THAT(log.records, ElementsAre("before", "after"));
}

TEST(LogReaderTest, TellsADamagedSizeFromATornEnd) {
  std::string bytes = WriteLog({"one", "two", "three", "four"});
  bytes[10 + 5] = 3;  // so that "two" seems to extend past the end of the file
  EXPECT_THAT(Read(bytes, true).records, ElementsAre("one", "three", "four"));
  const ReadLog log = Read(bytes);
  EXPECT_THAT(log.records, ElementsAre("one"));
  ASSERT_EQ(log.damage.size(), 1u);
  EXPECT_THAT(log.damage[0].message, HasSubstr("record size is 771, with"));
  EXPECT_FALSE(log.torn_end.has_value());
}

TEST(LogReaderTest, DropsFragmentsWithoutTheirFirstOrLast) {
  const Records records = {"one", Record(3 * kLogBlockSize), "three"};
  std::string bytes = WriteLog(records);
  bytes[kLogBlockSize + 100] ^= 1;  // in the first middle fragment
  const ReadLog log = Read(bytes);
  EXPECT_THAT(log.records, ElementsAre("one", "three"));
  ASSERT_EQ(log.damage.size(), 1u);  // all of the record
  EXPECT_EQ(log.damage[0].offset, 10u);
  EXPECT_EQ(log.damage[0].size, bytes.size() - 10 - 12);
  EXPECT_THAT(log.damage[0].message, HasSubstr("in the fragment at offset 32768"));

  const std::string two_starts =
      WriteLog({Record(kLogBlockSize)}).substr(0, kLogBlockSize) + WriteLog({"whole"});
  EXPECT_THAT(Read(two_starts).records, ElementsAre("whole"));
  EXPECT_EQ(Read(two_starts).damage[0].message, "a record without an end");
}

// LevelDB drops only this record, since its checksum is correct.
TEST(LogReaderTest, GoesOnAfterARecordOfAnUnknownType) {
  for (const uint8_t type : {0, 5, 9, 255}) {
    const std::string payload = "unknown";
    std::string unknown;
    AppendFixed32(&unknown, FragmentCrc(type, payload));
    unknown += std::string{static_cast<char>(payload.size()), '\0', static_cast<char>(type)};
    const ReadLog log = Read(WriteLog({"one"}) + unknown + payload + WriteLog({"two"}));
    EXPECT_THAT(log.records, ElementsAre("one", "two")) << int{type};
    ASSERT_EQ(log.damage.size(), 1u);
    EXPECT_EQ(log.damage[0].offset, 10u);
    EXPECT_EQ(log.damage[0].size, 14u);
  }
}

TEST(LogReaderTest, FindsDamageOrTheRightRecordsWhateverBitIsFlipped) {
  const Records records = {"one", Record(40), "three", Record(kLogBlockSize), "five"};
  const std::string good = WriteLog(records);
  for (size_t i = 0; i<good.size(); i += i> 120 && i < kLogBlockSize - 50 ? 977 : 1) {
    for (const bool resume : {false, true}) {
      std::string bytes = good;
      bytes[i] = static_cast<char>(bytes[i] ^ (1 << i % 8));
      const ReadLog log = Read(bytes, resume);
      for (const std::string& record : log.records) {
        ASSERT_EQ(std::count(records.begin(), records.end(), record), 1) << i;
      }
      ASSERT_TRUE(!log.damage.empty() || log.torn_end.has_value() || log.records == records) << i;
      if (resume) {
        ASSERT_GE(log.records.size(), 4u) << i;
      }
    }
  }
}

TEST(LogReaderTest, SaysWhereTheFileCannotBeRead) {
  FakeFile file(WriteLog({Record(3 * kLogBlockSize), "end"}));
  file.SetBadRange(kLogBlockSize + 5, 1);
  const ReadLog log = Read(file);
  EXPECT_THAT(log.records, IsEmpty());
  EXPECT_THAT(log.status,
              StatusIs(absl::StatusCode::kUnavailable, "fake: at offset 32768: fake: read failed"));
}

TEST(LogReaderTest, KeepsABoundedNumberOfDrops) {
  Records records;
  for (int i = 0; i < 5000; ++i) records.push_back("0123456789");
  std::string bytes = WriteLog(records);
  for (size_t i = 9; i < bytes.size(); i += 34) bytes[i] ^= 1;
  const auto file = NewMemoryFile(bytes);
  LogReader reader(file.get(), {true});
  while (reader.Next()) continue;
  EXPECT_EQ(reader.damage().size(), LogReader::kMaxDrops);
  EXPECT_GT(reader.drop_count(), 2000u);
}

}  // namespace
}  // namespace sstable::test
