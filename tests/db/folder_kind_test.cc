#include "db/folder_kind.h"

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "db/database_file.h"
#include "db/folder.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "sstable/database_files.h"
#include "sstable/database_view.h"
#include "sstable/experimental/log_file.h"
#include "sstable/experimental/write_batch.h"
#include "tests/support/hex.h"
#include "tests/support/status_matchers.h"
#include "tests/support/table_bytes.h"
#include "tests/support/temp_folder.h"

namespace sstable::test {
namespace {

using testing::HasSubstr;

constexpr char kLfs[] = "version https://git-lfs.github.com/spec/v1\noid sha256:01\nsize 5\n";
constexpr absl::StatusCode kUnimplemented = absl::StatusCode::kUnimplemented;
constexpr absl::StatusCode kFailedPrecondition = absl::StatusCode::kFailedPrecondition;
constexpr absl::StatusCode kNotFound = absl::StatusCode::kNotFound;

std::string LogOf(absl::string_view record) {
  std::string bytes;
  const auto file = NewStringFile(&bytes);
  EXPECT_OK(LogWriter(file.get()).AddRecord(record));
  return bytes;
}

std::string LogOfOnePut() {
  WriteBatch batch;
  batch.Put("kiwi", "green").set_sequence(9);
  return LogOf(batch.bytes());
}

std::string TableOfOneEntry() {
  TableBuilderOptions options;
  options.key_kind = KeyKind::kInternal;
  return *BuildTable(options, {{MakeInternalKey("apple", 1, ValueType::kValue), "red"}});
}

std::string ManifestOf(absl::string_view table) {
  VersionEdit edit;
  edit.comparator = "leveldb.BytewiseComparator";
  edit.log_number = 6;
  edit.next_file_number = 7;
  edit.last_sequence = 1;
  const std::string key = MakeInternalKey("apple", 1, ValueType::kValue);
  edit.new_files.push_back({0, 5, table.size(), key, key});
  return LogOf(edit.Encode());
}

struct FolderCase {
  const char* name;
  std::vector<std::pair<std::string, std::string>> files;  // a name that ends in a slash is a
                                                           // folder
  absl::StatusCode code;
  const char* message;
};

class FolderKindTest : public testing::TestWithParam<FolderCase> {};

TEST_P(FolderKindTest, IsNamedOnce) {
  const TempFolder folder;
  for (const auto& [name, contents] : GetParam().files) {
    std::filesystem::create_directories(std::filesystem::path(folder.File(name)).parent_path());
    if (name.back() != '/') folder.Write(name, contents);
  }
  const std::string path = folder.File("").substr(0, folder.File("").size() - 1);
  const auto files = ListFolder(path);
  ASSERT_OK(files);
  const absl::Status status = CheckFolderKind(path, *files);
  EXPECT_EQ(status.code(), GetParam().code) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr(GetParam().message));
  if (!status.ok()) {
    EXPECT_THAT(DatabaseView::Open(path), StatusIs(status.code(), HasSubstr(GetParam().message)));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Folders, FolderKindTest,
    testing::ValuesIn<FolderCase>({
        {"Pointers",
         {{"CURRENT", kLfs}, {"000005.ldb", kLfs}, {"000007.ldb", kLfs}, {"000008.log", kLfs}},
         kFailedPrecondition,
         ": each table, such as 000005.ldb, is only a git-lfs pointer; `git lfs pull` fetches its "
         "content"},
        {"PointersWithoutTables",
         {{"CURRENT", kLfs}, {"MANIFEST-000004", kLfs}, {"000008.log", kLfs}},
         kFailedPrecondition,
         ": each file, such as CURRENT, is only a git-lfs pointer"},
        {"OnePointer",
         {{"000008.log", kLfs}},
         kFailedPrecondition,
         ": 000008.log is only a git-lfs pointer"},
        {"PointersBesideATable",
         {{"000005.ldb", kLfs}, {"000007.ldb", TableOfOneEntry()}},
         absl::StatusCode::kOk,
         ""},
        {"APointerBesideADamagedTable",
         {{"000005.ldb", kLfs}, {"000007.ldb", std::string(99, '\1')}},
         absl::StatusCode::kOk,
         ""},
        {"RocksDb",
         {{"CURRENT", "MANIFEST-000004\n"},
          {"OPTIONS-000007", "[Version]\n  rocksdb_version=7.8.3\n"}},
         kUnimplemented,
         ": is a database of RocksDB, not of LevelDB: it has OPTIONS-000007"},
        {"RocksDbWithTablesLikeLevelDbs",
         {{"000005.sst", TableOfOneEntry()}, {"OPTIONS-000007", "rocksdb_version=4.5.1\n"}},
         kUnimplemented,
         ": is a database of RocksDB, not of LevelDB: it has OPTIONS-000007"},
        {"OtherFilesBesideATable",
         {{"000005.sst", TableOfOneEntry()}, {"KEYREGISTRY", ""}, {"1.vlog", ""}},
         absl::StatusCode::kOk,
         ""},
        {"OldRocksDb",
         {{"IDENTITY", "01234567-89ab-cdef-0123-456789abcdef\n"}, {"000008.log", ""}},
         kUnimplemented,
         ": is a database of RocksDB, not of LevelDB: it has IDENTITY"},
        {"AnotherIdentity",
         {{"IDENTITY", "me"}, {"000008.log", LogOfOnePut()}},
         absl::StatusCode::kOk,
         ""},
        {"RocksDbWithoutOptions",
         {{"000004.sst", std::string(60, '\0') + "\xf7\xcf\xf4\x85\xb7\x41\xe2\x88"}},
         kUnimplemented,
         ": 000004.sst ends with the magic of RocksDB's block-based table"},
        {"OptionsOfSomethingElse",
         {{"OPTIONS-000007", "?"}, {"000005.ldb", TableOfOneEntry()}},
         absl::StatusCode::kOk,
         ""},
        {"Pebble",
         {{"000008.log", ""}, {"marker.manifest.000001.MANIFEST-000001", ""}},
         kUnimplemented,
         ": is a database of Pebble, not of LevelDB: it has marker.manifest"},
        {"PebbleByOptions",
         {{"CURRENT", "MANIFEST-000004\n"},
          {"OPTIONS-000007", "[Version]\n  pebble_version=0.1\n"}},
         kUnimplemented,
         ": is a database of Pebble"},
        {"Badger",
         {{"MANIFEST", "Bdgr"}, {"000001.sst", "?"}, {"000001.vlog", ""}},
         kUnimplemented,
         ": is a database of Badger, not of LevelDB: it has 000001.vlog"},
        {"OlderNetEase",
         {{"CURRENT", "\x90\x1d\x30\x01?"},
          {"000005.ldb", "\x90\x1d\x30\x01?"},
          {"000008.log", ""}},
         kUnimplemented,
         ": 000005.ldb is encrypted by an older version of NetEase's edition of Minecraft, with a "
         "key that is on NetEase's server; nothing is lost"},
        {"NetEaseWithoutItsCurrent",
         {{"000005.ldb", "\x80\x1d\x30\x01?"}},
         kUnimplemented,
         ": 000005.ldb is encrypted by NetEase's edition of Minecraft"},
        {"Parent",
         {{"db/CURRENT", ""}, {"level.dat", ""}},
         kNotFound,
         ": is not a database: it has no CURRENT, MANIFEST, table or log; did you mean "},
        {"ParentOfMany",
         {{"1/CURRENT", ""},
          {"2/CURRENT", ""},
          {"3/CURRENT", ""},
          {"4/CURRENT", ""},
          {"5/CURRENT", ""},
          {"6/", ""}},
         kNotFound,
         "/3 or one of 2 more?"},
        {"SqliteIndexedDb",
         {{"1.sqlite", "SQLite format 3\0"}},
         kNotFound,
         "or log; 1.sqlite is an SQLite database"},
        {"Nothing", {}, kNotFound, "or log"},
    }),
    [](const auto& info) { return info.param.name; });

TEST(FolderKindTest, LinksThatGitAnnexHasNotFetchedArePointers) {
  const TempFolder folder;
  std::filesystem::create_symlink("../.git/annex/objects/x", folder.File("000005.ldb"));
  EXPECT_THAT(DatabaseView::Open(folder.File("")),
              StatusIs(kFailedPrecondition, HasSubstr("000005.ldb is only a git-annex pointer")));
}

TEST(FolderKindTest, AManifestWithRocksDbsTagsIsNotLevelDbs) {
  const TempFolder folder;
  folder.Write("MANIFEST-000004", LogOf("\x67\x01"));
  folder.Write("000008.log", LogOfOnePut());
  EXPECT_THAT(DatabaseView::Open(folder.File("")), StatusIs(kUnimplemented, HasSubstr("tag 103")));
  folder.Write("CURRENT", "MANIFEST-000004\n");
  EXPECT_THAT(
      DatabaseView::Open(folder.File("")),
      StatusIs(kUnimplemented, HasSubstr("MANIFEST-000004: at offset 0: version edit, offset "
                                         "0: tag 103 is RocksDB's or Pebble's")));
}

TEST(FolderKindTest, ALogThatIsAPointerIsOneProblem) {
  const TempFolder folder;
  folder.Write("000005.ldb", TableOfOneEntry());
  folder.Write("000008.log", kLfs);
  const auto view = DatabaseView::Open(folder.File(""));
  ASSERT_OK(view);
  size_t count = 0;
  for (const DatabaseProblem& problem : (*view)->FindProblems())
    count += problem.file == "000008.log";
  EXPECT_EQ(count, 1u);
  EXPECT_THAT((*view)->FindProblems().back().message, HasSubstr("is only a git-lfs pointer"));
}

TEST(FolderKindTest, AMissingNewlineIsOneProblem) {
  const TempFolder folder;
  const std::string table = TableOfOneEntry();
  folder.Write("CURRENT", "MANIFEST-000004");
  folder.Write("MANIFEST-000004", ManifestOf(table));
  folder.Write("000005.ldb", table);
  folder.Write("000006.log", LogOfOnePut());
  const auto view = DatabaseView::Open(folder.File(""));
  ASSERT_OK(view);
  ASSERT_EQ((*view)->FindProblems().size(), 1u);
  EXPECT_THAT(
      (*view)->FindProblems()[0].message,
      HasSubstr(
          R"(CURRENT: is "MANIFEST-000004", expected "MANIFEST-000004\n"; MANIFEST-000004 is used)"));
}

TEST(FolderKindTest, AnEmptyManifestIsCalledEmpty) {
  const auto manifest = ReadManifest(*NewMemoryFile("", "M"));
  ASSERT_OK(manifest);
  EXPECT_THAT(manifest->status, StatusIs(absl::StatusCode::kDataLoss, "M: is empty (0 bytes)"));
}

// A world written by NetEase's edition of Minecraft.
class EncryptedFolderTest : public testing::Test {
 protected:
  EncryptedFolderTest() {
    const std::string table = TableOfOneEntry();
    folder_.Write("CURRENT", Encrypt("MANIFEST-000004\n"));
    folder_.Write("MANIFEST-000004", Encrypt(ManifestOf(table)));
    folder_.Write("000005.ldb", Encrypt(table));
    folder_.Write("000006.log", LogOfOnePut());
  }

  static std::string Encrypt(std::string bytes) {
    for (size_t i = 0; i < bytes.size(); ++i) bytes[i] ^= "88329851"[i % 8];
    return kNetEaseMagic + bytes;
  }

  TempFolder folder_;
};

TEST_F(EncryptedFolderTest, IsReadWithTheKeyThatCurrentShows) {
  // These bytes are from a real world.
  EXPECT_EQ(ToHex(Encrypt("MANIFEST-000084\n")), "801d300175797d7b7f7d6665150803020900013b");
  const auto view = DatabaseView::Open(folder_.File(""));
  ASSERT_OK(view);
  EXPECT_EQ((*view)->source(), StateSource::kManifest);
  ASSERT_EQ((*view)->FindProblems().size(), 1u);
  EXPECT_FALSE((*view)->FindProblems()[0].is_damage);
  EXPECT_THAT((*view)->FindProblems()[0].message,
              HasSubstr("is encrypted by NetEase's edition of Minecraft, and read with the key"));
  std::string value;
  EXPECT_EQ(*(*view)->Get("apple", &value), Presence::kFound);
  EXPECT_EQ(value, "red");
  EXPECT_EQ(*(*view)->Get("kiwi", &value), Presence::kFound);
  EXPECT_EQ(value, "green");
}

TEST_F(EncryptedFolderTest, IsReadAtAnyOffset) {
  const std::string table = TableOfOneEntry();
  const auto file = OpenDatabaseFile(folder_.File("000005.ldb"));
  ASSERT_OK(file);
  ASSERT_EQ((*file)->size(), table.size());
  for (size_t offset = 0; offset < table.size(); ++offset) {
    std::string bytes(std::min<size_t>(11, table.size() - offset), '\0');
    ASSERT_OK((*file)->Read(offset, bytes.size(), &bytes[0]));
    EXPECT_EQ(bytes, table.substr(offset, 11));
  }
}

TEST_F(EncryptedFolderTest, IsRefusedIfCurrentShowsNoKey) {
  for (const std::string& current :
       {std::string("MANIFEST-000004\n"), std::string(kNetEaseMagic) + std::string(16, 'x'),
        Encrypt("MANIFEST-00000x\n"), Encrypt("MANIFEST-000004"), std::string(kNetEaseMagic),
        std::string()}) {
    folder_.Write("CURRENT", current);
    EXPECT_THAT(DatabaseView::Open(folder_.File("")),
                StatusIs(kUnimplemented, HasSubstr("000005.ldb is encrypted by NetEase's edition")))
        << ToHex(current);
  }
}

}  // namespace
}  // namespace sstable::test
