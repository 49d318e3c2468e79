#include "sstable/experimental/write_batch.h"

#include <string>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "sstable/internal_key.h"
#include "tests/support/status_matchers.h"

namespace sstable::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Appends "sequence type key=value" to `*changes` for each change.
absl::Status Read(absl::string_view bytes, std::vector<std::string>* changes) {
  return VisitWriteBatch(bytes, [&](const BatchChange& change) {
    changes->push_back(absl::StrCat(change.sequence, " ", static_cast<int>(change.type), " ",
                                    change.key, "=", change.value));
    return absl::OkStatus();
  });
}

TEST(WriteBatchTest, HasLevelDbsBytes) {
  WriteBatch batch;
  batch.Put("key", "value").Delete("old");
  batch.set_sequence(7);
  EXPECT_EQ(absl::BytesToHexString(batch.bytes()),
            "0700000000000000"
            "02000000"  // sequence 7, 2 changes
            "01"
            "036b6579"
            "0576616c7565"  // value "key", "value"
            "00"
            "036f6c64");  // deletion "old"
  EXPECT_EQ(batch.count(), 2u);
  EXPECT_EQ(batch.sequence(), 7u);
  EXPECT_OK(batch.status());
  std::vector<std::string> changes;
  EXPECT_OK(Read(batch.bytes(), &changes));
  EXPECT_THAT(changes, ElementsAre("7 1 key=value", "8 0 old="));
  batch.Clear();
  EXPECT_EQ(batch.bytes(), std::string(12, '\0'));
}

TEST(WriteBatchTest, KnowsItsLastSequence) {
  WriteBatch batch;
  batch.set_sequence(10);
  EXPECT_EQ(DecodeWriteBatchHeader(batch.bytes())->last_sequence(), 10u);
  batch.Put("a", "").Put("b", "");
  EXPECT_EQ(DecodeWriteBatchHeader(batch.bytes())->last_sequence(), 11u);
}

TEST(WriteBatchTest, NamesTheOffsetOfWhatIsWrong) {
  const std::string header = std::string("\1\0\0\0\0\0\0\0\2\0\0\0", 12);
  const struct {
    std::string bytes;
    std::string message;
  } kCases[] = {
      {"short", "write batch has 5 bytes, expected at least 12"},
      {header, "write batch, offset 12: ends after 0 of 2 changes"},
      {header + std::string("\0\1a", 3), "write batch, offset 15: ends after 1 of 2 changes"},
      {header + std::string("\0\1a\0\1b\0", 7), "offset 18: has bytes after its 2 changes"},
      {header + "\2", "offset 13: change type is 2, expected 0 or 1"},
      {header + "\1\5ab", "offset 13: key has 5 bytes, with 2 left"},
      {header + "\1\1a\x80", "offset 15: value is cut short or not a varint"},
      {std::string(8, '\xff') + header.substr(8), "write batch has sequence 18446744073709551615"},
      {std::string("\xff\xff\xff\xff\xff\xff\xff\0", 8) + header.substr(8),
       "and 2 changes, expected sequences up to 72057594037927935"},
  };
  for (const auto& c : kCases) {
    std::vector<std::string> changes;
    EXPECT_THAT(Read(c.bytes, &changes),
                StatusIs(absl::StatusCode::kDataLoss, HasSubstr(c.message)));
  }
}

TEST(WriteBatchTest, EndsWithTheVisitorsError) {
  WriteBatch batch;
  batch.Put("a", "1").Put("b", "2");
  int calls = 0;
  EXPECT_THAT(VisitWriteBatch(batch.bytes(),
                              [&](const BatchChange&) {
                                ++calls;
                                return absl::CancelledError("enough");
                              }),
              StatusIs(absl::StatusCode::kCancelled, "enough"));
  EXPECT_EQ(calls, 1);
}

}  // namespace
}  // namespace sstable::test
