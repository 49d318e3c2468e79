// Tests whether parts of a folder that are read one after the other are recognized as one
// consistent state. Between the steps, a program changes the folder in ways that
// tests/model/database_view.pml shows to be possible.
#include "db/view_state.h"

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "db/folder.h"
#include "gtest/gtest.h"
#include "sstable/database_files.h"
#include "sstable/experimental/log_file.h"
#include "sstable/experimental/write_batch.h"
#include "sstable/file.h"
#include "tests/db/made_folder_test.h"

namespace sstable::test {
namespace {

constexpr bool kAllOpened = true;

VersionEdit FirstEdit() {
  VersionEdit edit;
  edit.comparator = "leveldb.BytewiseComparator";
  edit.log_number = 4;
  edit.next_file_number = 5;
  edit.last_sequence = 50;
  return edit;
}

VersionEdit EditWithLog(uint64_t log_number) {
  VersionEdit edit;
  edit.log_number = log_number;
  return edit;
}

class ViewStateTest : public MadeFolderTest {
 protected:
  // If `size` is not 0, pads the file with zeros to this size.
  void WriteEdits(absl::string_view name, const std::vector<VersionEdit>& edits, size_t size = 0) {
    std::string bytes;
    const auto file = NewStringFile(&bytes);
    LogWriter log(file.get());
    for (const VersionEdit& edit : edits) EXPECT_OK(log.AddRecord(edit.Encode()));
    if (size > 0) bytes.resize(size);
    folder_.Write(name, bytes);
  }

  FolderState Read() {
    auto state = ReadFolderState(folder_.File("."), /*needs_sizes=*/false);
    EXPECT_OK(state);
    return state.ok() ? *std::move(state) : FolderState();
  }

  bool IsValid(const FolderState& state, bool all_opened = kAllOpened) {
    return IsStillValid(folder_.File("."), state, all_opened);
  }

  bool FindsAll(uint64_t first_sequence_of_log) {
    WriteBatch batch;
    batch.Put("kiwi", "green").set_sequence(first_sequence_of_log);
    WriteRecord("000004.log", batch.bytes());
    const auto state = ReadViewState(folder_.File("."), DatabaseViewOptions());
    EXPECT_OK(state);
    return state.ok() && (*state)->found_all;
  }
};

TEST_F(ViewStateTest, KeepsItsLogsWhileTheLogNumberIsTheSame) {
  WriteEdits("MANIFEST-000002", {FirstEdit()});
  folder_.Write("CURRENT", "MANIFEST-000002\n");
  const FolderState state = Read();
  EXPECT_TRUE(IsValid(state));
  EXPECT_TRUE(IsValid(state, /*all_opened=*/false));
  WriteEdits("MANIFEST-000002", {FirstEdit(), EditWithLog(4)});
  EXPECT_TRUE(IsValid(state));
  EXPECT_FALSE(IsValid(state, /*all_opened=*/false));
  WriteEdits("MANIFEST-000002", {FirstEdit(), EditWithLog(6)});
  EXPECT_FALSE(IsValid(state));
}

// iq80's leveldb and LevelDB before 1.15 map the file, so that it keeps its size.
TEST_F(ViewStateTest, SeesAnEditInAManifestThatKeepsItsSize) {
  constexpr size_t kMapped = 4096;
  folder_.Write("CURRENT", "MANIFEST-000002\n");
  WriteEdits("MANIFEST-000002", {FirstEdit()}, kMapped);
  const FolderState state = Read();
  EXPECT_TRUE(IsValid(state, /*all_opened=*/false));
  WriteEdits("MANIFEST-000002", {FirstEdit(), EditWithLog(6)}, kMapped);
  EXPECT_FALSE(IsValid(state));

  const std::string whole = folder_.Read("MANIFEST-000002");
  std::string half = whole;
  half[half.find_last_not_of('\0')] = 0;  // the edit's last byte is not written yet
  folder_.Write("MANIFEST-000002", half);
  const FolderState between = Read();
  EXPECT_TRUE(IsValid(between)) << "if it stays, it is damage";
  folder_.Write("MANIFEST-000002", whole);
  EXPECT_FALSE(IsValid(between));
}

// Edits after the damage can't be counted.
TEST_F(ViewStateTest, ADamagedManifestThatGrewIsValidIfAllCouldBeOpened) {
  folder_.Write("CURRENT", "MANIFEST-000002\n");
  WriteEdits("MANIFEST-000002", {FirstEdit(), EditWithLog(6)});
  std::string damaged = folder_.Read("MANIFEST-000002");
  damaged.back() ^= 1;
  folder_.Write("MANIFEST-000002", damaged);
  const FolderState state = Read();
  EXPECT_TRUE(IsValid(state, /*all_opened=*/false));
  folder_.Write("MANIFEST-000002", damaged + damaged);
  EXPECT_TRUE(IsValid(state));
  EXPECT_FALSE(IsValid(state, /*all_opened=*/false));
}

TEST_F(ViewStateTest, SeesThatCurrentWasReplacedTwice) {
  WriteEdits("MANIFEST-000005", {FirstEdit()});
  folder_.Write("CURRENT", "MANIFEST-000002\n");  // this MANIFEST was removed before it was opened
  const FolderState state = Read();
  EXPECT_TRUE(IsValid(state));
  folder_.Write("CURRENT", "MANIFEST-000005\n");
  EXPECT_FALSE(IsValid(state));
  folder_.Write("CURRENT", "MANIFEST-000008\n");  // this one, too
  EXPECT_FALSE(IsValid(state));
}

// goleveldb's transactions add a table without changing the log number.
TEST_F(ViewStateTest, MissesATableIfSequencesAreMissingBeforeTheLogs) {
  WriteEdits("MANIFEST-000002", {FirstEdit()});
  folder_.Write("CURRENT", "MANIFEST-000002\n");
  EXPECT_TRUE(FindsAll(50));
  EXPECT_TRUE(FindsAll(51));
  EXPECT_FALSE(FindsAll(52));
}

// goleveldb removes an empty log without an edit.
TEST_F(ViewStateTest, NeedsNoEmptyLog) {
  WriteEdits("MANIFEST-000002", {FirstEdit()});
  folder_.Write("CURRENT", "MANIFEST-000002\n");
  const auto state = ReadViewState(folder_.File("."), DatabaseViewOptions());
  ASSERT_OK(state);
  EXPECT_TRUE((*state)->found_all);
}

}  // namespace
}  // namespace sstable::test
