#include <string>

#include "absl/strings/escaping.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "sstable/database_files.h"
#include "sstable/experimental/log_file.h"
#include "sstable/file.h"
#include "sstable/internal_key.h"
#include "tests/support/hex.h"
#include "tests/support/status_matchers.h"

namespace sstable::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string Key(absl::string_view user_key, uint64_t sequence) {
  return MakeInternalKey(user_key, sequence, ValueType::kValue);
}

VersionEdit FullEdit() {
  VersionEdit edit;
  edit.comparator = "cmp";
  edit.log_number = 5;
  edit.previous_log_number = 0;
  edit.next_file_number = 300;
  edit.last_sequence = 9;
  edit.compact_pointers = {{1, Key("p", 2)}};
  edit.deleted_files = {{0, 4}, {1, 3}};
  edit.new_files = {{2, 7, 1000, Key("a", 1), Key("b", 9)}};
  return edit;
}

constexpr char kFullEditHex[] =
    "01"
    "03636d70"  // comparator "cmp"
    "02"
    "05"  // log number
    "09"
    "00"  // previous log number
    "03"
    "ac02"  // next file number 300
    "04"
    "09"  // last sequence
    "05"
    "01"
    "09"
    "70"
    "0102000000000000"  // compact pointer of level 1: "p" @2
    "06"
    "00"
    "04"
    "06"
    "01"
    "03"  // deleted: number 4 of level 0, 3 of level 1
    "07"
    "02"
    "07"
    "e807"  // new: level 2, number 7, 1000 bytes,
    "09"
    "61"
    "0101000000000000"  //   smallest "a" @1
    "09"
    "62"
    "0109000000000000";  //   largest "b" @9

TEST(VersionEditTest, HasLevelDbsBytes) {
  EXPECT_EQ(absl::BytesToHexString(FullEdit().Encode()), kFullEditHex);
  const auto decoded = VersionEdit::Decode(FromHex(kFullEditHex));
  ASSERT_OK(decoded);
  EXPECT_EQ(absl::BytesToHexString(decoded->Encode()), kFullEditHex);
  EXPECT_EQ(decoded->new_files[0].size, 1000u);
}

TEST(VersionEditTest, NamesTheOffsetOfWhatIsWrong) {
  const struct {
    const char* hex;
    const char* message;
  } kCases[] = {
      {"020508", "version edit, offset 2: unknown tag 8"},
      {"00", "offset 0: unknown tag 0"},
      {"80", "offset 0: tag is cut short or not a varint"},
      {"02", "offset 1: log number is cut short or not a varint"},
      {"0105636d70", "offset 1: comparator has 5 bytes, with 3 left"},
      {"064005", "offset 2: level is 64, expected at most 63"},
      {"0501036b6579", "offset 6: compact pointer has 3 bytes, expected an internal key"},
      {"070207", "offset 3: size of a new file is cut short"},
  };
  for (const auto& c : kCases) {
    EXPECT_THAT(VersionEdit::Decode(FromHex(c.hex)),
                StatusIs(absl::StatusCode::kDataLoss, HasSubstr(c.message)));
  }
}

TEST(VersionStateTest, IsTheSumOfItsEdits) {
  VersionState state;
  ASSERT_OK(state.Apply(FullEdit()));
  VersionEdit move;  // like an edit by which LevelDB moves a table to the next level
  move.deleted_files = {{2, 7}};
  move.new_files = {{3, 7, 1000, Key("a", 1), Key("b", 9)}};
  move.log_number = 8;
  ASSERT_OK(state.Apply(move));
  ASSERT_EQ(state.tables.size(), 1u);
  EXPECT_EQ(state.tables.begin()->second.level, 3);
  EXPECT_THAT(state.dropped, ElementsAre(3, 4));
  EXPECT_FALSE(state.NeedsLog(0));
  EXPECT_FALSE(state.NeedsLog(7));
  EXPECT_TRUE(state.NeedsLog(8));

  VersionState again;
  ASSERT_OK(again.Apply(*VersionEdit::Decode(state.Snapshot().Encode())));
  EXPECT_EQ(again.Snapshot().Encode(), state.Snapshot().Encode());

  VersionEdit other;
  other.comparator = "other";
  EXPECT_THAT(state.Apply(other),
              StatusIs(absl::StatusCode::kDataLoss,
                       HasSubstr("comparator \"other\", an earlier one has \"cmp\"")));
}

std::string WriteManifest(const std::vector<std::string>& records) {
  std::string bytes;
  const auto file = NewStringFile(&bytes);
  LogWriter log(file.get());
  for (const std::string& record : records) EXPECT_OK(log.AddRecord(record));
  return bytes;
}

TEST(ReadManifestTest, ReadsEdits) {
  VersionEdit second;
  second.last_sequence = 20;
  const std::string bytes = WriteManifest({FullEdit().Encode(), second.Encode()});
  const auto manifest = ReadManifest(*NewMemoryFile(bytes));
  ASSERT_OK(manifest);
  EXPECT_OK(manifest->status);
  EXPECT_EQ(manifest->edit_count, 2u);
  EXPECT_EQ(manifest->state.last_sequence, 20u);
}

TEST(ReadManifestTest, LeavesOutATornEdit) {
  VersionEdit second;
  second.last_sequence = 20;
  const std::string bytes = WriteManifest({FullEdit().Encode(), second.Encode()});
  const auto manifest = ReadManifest(*NewMemoryFile(bytes.substr(0, bytes.size() - 1)));
  ASSERT_OK(manifest);
  EXPECT_OK(manifest->status);
  EXPECT_TRUE(manifest->torn_end.has_value());
  EXPECT_EQ(manifest->state.last_sequence, 9u);
}

TEST(ReadManifestTest, StopsAtDamage) {
  VersionEdit second;
  second.last_sequence = 20;
  std::string bytes = WriteManifest({FullEdit().Encode(), second.Encode()});
  bytes.back() ^= 1;
  const auto manifest = ReadManifest(*NewMemoryFile(bytes, "M"));
  ASSERT_OK(manifest);
  EXPECT_THAT(manifest->status,
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("M: at offset 64: checksum")));
  EXPECT_EQ(manifest->state.last_sequence, 9u);

  const std::string unknown = WriteManifest({FullEdit().Encode(), "\x08"});
  EXPECT_THAT(ReadManifest(*NewMemoryFile(unknown, "M"))->status,
              StatusIs(absl::StatusCode::kDataLoss,
                       "M: at offset 64: version edit, offset 0: unknown tag 8"));
}

TEST(ReadManifestTest, NamesWhatIsMissing) {
  VersionEdit edit = FullEdit();
  edit.next_file_number.reset();
  const std::string bytes = WriteManifest({edit.Encode()});
  EXPECT_THAT(ReadManifest(*NewMemoryFile(bytes, "M"))->status,
              StatusIs(absl::StatusCode::kDataLoss, "M: no edit has a next file number"));
}

}  // namespace
}  // namespace sstable::test
