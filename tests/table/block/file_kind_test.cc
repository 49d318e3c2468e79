#include "table/block/file_kind.h"

#include <cstdint>
#include <filesystem>
#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "sstable/format.h"
#include "sstable/table_reader.h"
#include "tests/support/hex.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_folder.h"
#include "util/coding.h"
#include "util/log_fragment.h"

namespace sstable::test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

std::string EndsWithMagic(uint64_t magic) {
  std::string bytes(60, '\0');
  AppendFixed64(&bytes, magic);
  return bytes;
}

std::string Fragment(FragmentType type, absl::string_view payload) {
  std::string bytes;
  AppendFixed32(&bytes, FragmentCrc(static_cast<uint8_t>(type), payload));
  bytes.push_back(static_cast<char>(payload.size()));
  bytes.push_back(static_cast<char>(payload.size() >> 8));
  bytes.push_back(static_cast<char>(type));
  return absl::StrCat(bytes, payload);
}

std::string Padded(absl::string_view name, char padding = '\0') {
  std::string field(name);
  field.push_back('\0');
  field.resize(32, padding);
  return field;
}

const std::string kBatch = FromHex(
    "0100000000000000"
    "01000000"
    "01"
    "016b"
    "0176");
const std::string kEdit = FromHex("011a") + "leveldb.BytewiseComparator";
const std::string kNetEase = FromHex("801d3001");

struct KindCase {
  const char* name;
  std::string bytes;
  FileKind kind;
  const char* text;  // the message begins with this
  const char* file = "f";
};

class FileKindTest : public testing::TestWithParam<KindCase> {};

TEST_P(FileKindTest, IsNamed) {
  const auto file = NewMemoryFile(GetParam().bytes, GetParam().file);
  const FileIdentity identity = IdentifyFile(*file);
  EXPECT_EQ(identity.kind, GetParam().kind);
  EXPECT_THAT(identity.text, StartsWith(GetParam().text));
}

INSTANTIATE_TEST_SUITE_P(
    Files, FileKindTest,
    testing::ValuesIn<KindCase>({
        {"Nothing", "", FileKind::kEmpty, "is empty (0 bytes)"},
        {"Table", EndsWithMagic(kTableMagic), FileKind::kTable, "is a table"},
        {"TableThatBeginsAsZip", "PK\x03\x04" + EndsWithMagic(kTableMagic), FileKind::kTable, ""},
        {"Log", Fragment(FragmentType::kFull, kBatch), FileKind::kLog, "is a database's log"},
        {"LogWithAnEmptyBatch", Fragment(FragmentType::kFull, std::string(12, '\0')),
         FileKind::kLog, ""},
        {"LogWithALongRecord",
         Fragment(FragmentType::kFirst, kBatch + std::string(32749, 'x')) + "...", FileKind::kLog,
         ""},
        {"Manifest", Fragment(FragmentType::kFull, kEdit), FileKind::kManifest,
         "is a database's MANIFEST"},
        {"LogWithAWrongChecksum", "x" + Fragment(FragmentType::kFull, kBatch).substr(1),
         FileKind::kUnknown, ""},
        {"CutLog", Fragment(FragmentType::kFull, kBatch).substr(0, 20), FileKind::kUnknown, ""},
        {"Lfs", "version https://git-lfs.github.com/spec/v1\noid sha256:01\nsize 5\n",
         FileKind::kPointer, "is only a git-lfs pointer; `git lfs pull` fetches its content"},
        {"Annex", "/annex/objects/SHA256E-s123--0123456789abcdef.ldb\n", FileKind::kPointer,
         "is only a git-annex pointer; `git annex get` fetches its content"},
        {"AnnexLink", "../.git/annex/objects/zX/4Q/SHA256E-s9--01.ldb/x", FileKind::kPointer,
         "is only a git-annex pointer"},
        {"Gzip", "\x1f\x8b\x08 and more", FileKind::kForeign, "is compressed by gzip"},
        {"Zip", "PK\x03\x04 and more", FileKind::kForeign, "is a zip archive, as .mcworld"},
        {"Sqlite", std::string("SQLite format 3\0 and more", 25), FileKind::kForeign,
         "is an SQLite database"},
        {"Html", "\n <!DOCTYPE HTML><html>", FileKind::kForeign, "is an HTML page"},
        {"Text", "CURRENT is not this", FileKind::kText,
         "begins with text: \"CURRENT is not this\""},
        {"AccessLock", Padded("MY-PC") + Padded("Admin", ' '), FileKind::kForeign,
         "is a lock file of Microsoft Access"},
        {"TwoUsersOfAccess", Padded("A") + Padded("Admin") + Padded("B") + Padded("Admin"),
         FileKind::kForeign, "is a lock file of Microsoft Access"},
        {"NoAccessLock", Padded("MY-PC") + std::string(32, '\0'), FileKind::kUnknown, ""},
        {"TensorFlow", std::string(100, '\0'), FileKind::kForeign,
         "has the numbers of a TensorFlow checkpoint; its .index is the table",
         "model/variables.data-00000-of-00001"},
        {"NoTensorFlow", std::string(100, '\0'), FileKind::kUnknown, "", "data-00000-of-00001"},
        {"RocksDb", EndsWithMagic(0x88e241b785f4cff7), FileKind::kForeign,
         "ends with the magic of RocksDB's block-based table, 0x88e241b785f4cff7"},
        {"Pebble", EndsWithMagic(0xb3aa9ff0b3aa9ff0), FileKind::kForeign,
         "ends with the magic of Pebble's table"},
        {"Badger", std::string("Bdgr\0\0\0\x08", 8), FileKind::kForeign, "is Badger's MANIFEST"},
        {"NetEase", kNetEase + std::string(100, '\x9b'), FileKind::kForeign,
         "is encrypted by NetEase's edition of Minecraft"},
        {"OlderNetEase", FromHex("901d3001") + std::string(100, '\x9b'), FileKind::kForeign,
         "is encrypted by an older version of NetEase's edition of Minecraft"},
        {"Marketplace", FromHex("00000000fcb9cf9b0000000000000000"), FileKind::kForeign,
         "is encrypted, as worlds of Minecraft's Marketplace are"},
        {"Zeros", std::string(4096, '\0'), FileKind::kUnknown, ""},
    }),
    [](const auto& info) { return info.param.name; });

TEST(FileKindTest, AFileThatIsReadAsATableIsNamed) {
  const std::string zip = "PK\x03\x04" + std::string(100, 'x'), text(100, 'x');
  EXPECT_THAT(TableReader::Open(NewMemoryFile(zip, "a.ldb")),
              StatusIs(absl::StatusCode::kUnimplemented, StartsWith("a.ldb: is a zip archive")));
  EXPECT_THAT(TableReader::Open(NewMemoryFile(text, "a.ldb")),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("; it begins with text: \"xxx")));
  const std::string log = Fragment(FragmentType::kFull, kBatch + std::string(100, 'x'));
  EXPECT_THAT(TableReader::Open(NewMemoryFile(log, "a.ldb")),
              StatusIs(absl::StatusCode::kUnimplemented,
                       "a.ldb: is a database's log, judging by its first record"));
}

TEST(FileKindTest, AFileThatCannotBeReadIsUnknown) {
  class Unreadable final : public RandomAccessFile {
   public:
    Unreadable() : RandomAccessFile("f", 100) {}
    absl::Status Read(uint64_t, size_t, char*) const override {
      return absl::UnavailableError("no");
    }
  };
  EXPECT_EQ(IdentifyFile(Unreadable()).kind, FileKind::kUnknown);
}

TEST(FileKindTest, OnlyALinkToNothingIsGitAnnexs) {
  const TempFolder folder;
  std::filesystem::create_directories(folder.File(".git/annex/objects"));
  folder.Write(".git/annex/objects/there", "content");
  std::filesystem::create_symlink(".git/annex/objects/there", folder.File("fetched"));
  std::filesystem::create_symlink(".git/annex/objects/x", folder.File("link"));
  EXPECT_FALSE(LinksToAnnex(folder.File("fetched")));
  EXPECT_TRUE(LinksToAnnex(folder.File("link")));
}

}  // namespace
}  // namespace sstable::test
