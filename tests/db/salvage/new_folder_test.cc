#include "db/salvage/new_folder.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <tuple>
#include <vector>

#include "gtest/gtest.h"
#include "tests/db/salvage/salvage_database_test.h"
#include "tests/support/faulty_system.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_folder.h"
#include "util/descriptor.h"

static bool g_clones;  // whether the file system can share blocks

// These replace libc's functions in this program, to simulate a file system without hard links.
extern "C" int linkat(int, const char*, int, const char*, int) noexcept {
  errno = EXDEV;
  return -1;
}
extern "C" int ioctl(int to, unsigned long request, ...) noexcept {
  va_list arguments;
  va_start(arguments, request);
  const int from = va_arg(arguments, int);
  va_end(arguments);
  char bytes[1000];
  const ssize_t size = request == FICLONE && g_clones ? ::pread(from, bytes, sizeof(bytes), 0) : -1;
  if (size >= 0) return ::write(to, bytes, static_cast<size_t>(size)) == size ? 0 : -1;
  errno = EOPNOTSUPP;
  return -1;
}

namespace sstable::test {
namespace {

struct LinkCase {
  const char* name;
  bool clones;
  uint64_t size;  // expected by the caller; the file has 3 bytes
  bool exists;    // whether the new file exists already
  bool is_linked;
};

TEST(LinkFileTest, ClonesWhereItCantLink) {
  for (const LinkCase& c : {LinkCase{"Clones", true, 3, false, true},
                            {"CantClone", false, 3, false, false},
                            {"IsDecrypted", true, 2, false, false},
                            {"IsThereAlready", true, 3, true, false}}) {
    SCOPED_TRACE(c.name);
    const TempFolder folder;
    folder.Write("old", "abc");
    if (c.exists) folder.Write("new", "kept");
    g_clones = c.clones;
    EXPECT_EQ(LinkFile(folder.File("old"), folder.File("new"), c.size), c.is_linked);
    ASSERT_EQ(folder.Names().size(), c.exists || c.is_linked ? 2U : 1U);
    if (folder.Names().size() == 2) {
      EXPECT_EQ(folder.Read("new"), c.exists ? "kept" : "abc");
    }
  }
}

class LinkTablesTest : public SalvageDatabaseTest, public testing::WithParamInterface<bool> {};

TEST_P(LinkTablesTest, MakesTheSameFileByACloneOrACopy) {
  namespace fs = std::filesystem;
  g_clones = GetParam();
  WriteManifest({WriteTable(5, 2, {{Key("a", 5), "a"}})});
  fs::permissions(old_.File("000005.ldb"), fs::perms::owner_read | fs::perms::owner_write);
  std::ignore = ::chown(old_.File("000005.ldb").c_str(), 123, 456);  // works only for root
  DatabaseSalvageOptions options;
  options.link_tables = true;
  ASSERT_OK_AND_ASSIGN(const DatabaseSalvageReport report, Salvage(options));
  EXPECT_EQ(report.files.at(0).outcome,
            g_clones ? RescuedFile::Outcome::kLinked : RescuedFile::Outcome::kCopied);
  EXPECT_EQ(new_.Read("000005.ldb"), old_.Read("000005.ldb"));
  struct stat from, to;
  ASSERT_EQ(::stat(old_.File("000005.ldb").c_str(), &from), 0);
  ASSERT_EQ(::stat(new_.File("000005.ldb").c_str(), &to), 0);
  EXPECT_NE(from.st_ino, to.st_ino);
  EXPECT_EQ(std::tie(from.st_mode, from.st_uid, from.st_gid),
            std::tie(to.st_mode, to.st_uid, to.st_gid));
}

INSTANTIATE_TEST_SUITE_P(Clones, LinkTablesTest, testing::Bool());

// Syncing each copy separately would take most of the time.
TEST_F(SalvageDatabaseTest, SyncsAllCopiesAtOnceBeforeThereIsADatabase) {
  size_t table_count = 0;
  std::vector<ptrdiff_t> syncs;
  for (const uint64_t more : {2, 20}) {
    for (uint64_t i = 0; i < more; ++i) {
      ++table_count;
      WriteTable(4 + table_count, 0, {{Key(absl::StrCat(table_count), table_count), ""}});
    }
    const TempFolder saved;
    const FaultySystem faulty;
    ASSERT_OK(SalvageDatabase(old_.File("."), saved.File(""), {}));
    const std::vector<std::string> calls = faulty.calls();
    EXPECT_EQ(std::count(calls.begin(), calls.end(), "syncfs"), 1);
    syncs.push_back(std::count(calls.begin(), calls.end(), "fsync") +
                    std::count(calls.begin(), calls.end(), "fdatasync"));
  }
  EXPECT_EQ(syncs[0], syncs[1]);
  Fault fault{"failed sync", EIO};
  fault.only = "syncfs";
  const FaultySystem faulty(0, fault);
  EXPECT_THAT(Salvage(),
              StatusIs(absl::StatusCode::kUnknown, testing::HasSubstr("can't sync its files")));
  EXPECT_THAT(new_.Names(), testing::Not(testing::Contains("CURRENT")));
}

}  // namespace
}  // namespace sstable::test
