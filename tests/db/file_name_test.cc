#include <optional>
#include <string>

#include "gtest/gtest.h"
#include "sstable/database_files.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_folder.h"

namespace sstable::test {
namespace {

using Kind = DatabaseFileKind;

TEST(FileNameTest, ParsesWhatLevelDbAndGoleveldbWrite) {
  const struct {
    const char* name;
    Kind kind;
    uint64_t number;
  } kCases[] = {
      {"000005.ldb", Kind::kTable, 5},
      {"000005.sst", Kind::kTable, 5},
      {"1234567.ldb", Kind::kTable, 1234567},
      {"18446744073709551615.log", Kind::kLog, UINT64_MAX},
      {"000006.log", Kind::kLog, 6},
      {"MANIFEST-000004", Kind::kManifest, 4},
      {"CURRENT", Kind::kCurrent, 0},
      {"CURRENT.bak", Kind::kCurrent, 0},
      {"CURRENT.7", Kind::kCurrent, 7},
      {"LOCK", Kind::kLock, 0},
      {"LOG", Kind::kInfoLog, 0},
      {"LOG.old", Kind::kInfoLog, 0},
      {"000009.dbtmp", Kind::kTemporary, 9},
      {"000009.tmp", Kind::kTemporary, 9},
      {"000009.ldb.tmp-123-4", Kind::kTemporary, 0},
      {"CURRENT.tmp-123-4", Kind::kTemporary, 0},
  };
  for (const auto& c : kCases) {
    const auto parsed = ParseDatabaseFileName(c.name);
    ASSERT_TRUE(parsed.has_value()) << c.name;
    EXPECT_EQ(parsed->kind, c.kind) << c.name;
    EXPECT_EQ(parsed->number, c.number) << c.name;
  }
}

TEST(FileNameTest, RefusesOtherNames) {
  for (const char* const name :
       {"",         "foo",      "foo.ldb",  ".ldb",      "100",       "-1.log",
        "+1.log",   " 1.log",   "1.log ",   "MANIFEST",  "MANIFEST-", "MANIFEST-3x",
        "CURRENT.", "CURRENTS", "LOCKED",   "LOG.older", "1.ldb.bak", "18446744073709551616.ldb",
        "100.",     "0x10.ldb", "a.tmp-1-1"}) {
    EXPECT_FALSE(ParseDatabaseFileName(name).has_value()) << name;
  }
}

TEST(FileNameTest, MakesLevelDbsNames) {
  EXPECT_EQ(TableFileName(5), "000005.ldb");
  EXPECT_EQ(LogFileName(1234567), "1234567.log");
  EXPECT_EQ(ManifestFileName(4), "MANIFEST-000004");
}

TEST(FileNameTest, SetsCurrent) {
  const TempFolder folder;
  ASSERT_OK(SetCurrentFile(folder.File(""), 4));
  ASSERT_OK(SetCurrentFile(folder.File(""), 12));
  EXPECT_EQ(folder.Read("CURRENT"), "MANIFEST-000012\n");
  EXPECT_EQ(folder.Names().size(), 1u);
  EXPECT_EQ(*ReadCurrentFile(folder.File("")), "MANIFEST-000012");
}

TEST(FileNameTest, RefusesAnotherCurrent) {
  const TempFolder folder;
  EXPECT_THAT(ReadCurrentFile(folder.File("")),
              StatusIs(absl::StatusCode::kNotFound, testing::HasSubstr("CURRENT")));
  const std::string lfs = "version https://git-lfs.github.com/spec/v1\noid sha256:01\nsize 16\n";
  const struct {
    std::string contents;
    const char* message;
    absl::StatusCode code = absl::StatusCode::kDataLoss;
  } kCases[] = {
      {"", "is empty (0 bytes), expected the name of a MANIFEST and a newline"},
      {"\n", R"(is "\n", expected the name of a MANIFEST and a newline)"},
      {"000004.ldb\n", R"(is "000004.ldb\n", expected the name of a MANIFEST and a newline)"},
      {std::string(16, '\0'), "is 16 NUL bytes, expected the name of a MANIFEST and a newline"},
      // The message quotes the expected line.
      {"MANIFEST-000004", R"(is "MANIFEST-000004", expected "MANIFEST-000004\n")"},
      {"MANIFEST-000004\n\n", R"(is "MANIFEST-000004\n\n", expected "MANIFEST-000004\n")"},
      {"MANIFEST-000004\r\n", R"(is "MANIFEST-000004\r\n", expected "MANIFEST-000004\n")"},
      {std::string("MANIFEST-000004\n\0\0", 18),
       R"(is "MANIFEST-000004\n\x00\x00", expected "MANIFEST-000004\n")"},
      {"../MANIFEST-1\n", R"(is "../MANIFEST-1\n", expected "MANIFEST-1\n")"},
      {"<<<<<<< HEAD\nMANIFEST-000004\n=======\nMANIFEST-000009\n>>>>>>> theirs\n",
       "has marks of a merge conflict, with MANIFEST-000004 and MANIFEST-000009, expected the name "
       "of a MANIFEST and a newline"},
      {lfs, "is only a git-lfs pointer", absl::StatusCode::kFailedPrecondition},
  };
  for (const auto& c : kCases) {
    folder.Write("CURRENT", c.contents);
    EXPECT_THAT(ReadCurrentFile(folder.File("")), StatusIs(c.code, testing::HasSubstr(c.message)))
        << c.contents;
  }
}

}  // namespace
}  // namespace sstable::test
