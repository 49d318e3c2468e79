// Writes tables to a full disk: a small tmpfs in this test's own mount namespace.
#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "sstable/filter_policy.h"
#include "sstable/options.h"
#include "sstable/table_builder.h"
#include "tests/support/status_matchers.h"
#include "tests/tools/sst_test.h"

namespace sstable::tools {
namespace {

using ::sstable::test::StatusIs;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr char kFull[] = "No space left on device";

// Moves this process to its own mount namespace. Returns false, with errno, if that is not allowed.
bool HaveOwnMounts() {
  if (::unshare(CLONE_NEWNS) != 0) {
    const std::string map = absl::StrCat("0 ", ::getuid(), " 1\n");
    const std::string group_map = absl::StrCat("0 ", ::getgid(), " 1\n");
    if (::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return false;
    std::ofstream("/proc/self/setgroups") << "deny";
    std::ofstream("/proc/self/uid_map") << map;
    std::ofstream("/proc/self/gid_map") << group_map;
  }
  return ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0;
}

class SstFullDiskTest : public SstTest {
 protected:
  static constexpr size_t kPageSize = 4096;

  void SetUp() override {
    static const int error = HaveOwnMounts() ? 0 : errno;
    if (error != 0) GTEST_SKIP() << "no mounts of its own: " << std::strerror(error);
    std::filesystem::create_directory(Path("disk"));
    if (::mount("tmpfs", Path("disk").c_str(), "tmpfs", 0, "size=4k") != 0) {
      GTEST_SKIP() << "can't mount a tmpfs: " << std::strerror(errno);
    }
    is_mounted_ = true;
    std::mt19937 random(1);
    for (int i = 0; i < 200; ++i) {
      std::string value(1000, 'v');
      for (char& c : value) c = static_cast<char>('a' + random() % 26);
      values_.push_back(value);
    }
  }
  void TearDown() override {
    if (!is_mounted_) return;
    EXPECT_EQ(::umount2(Path("disk").c_str(), MNT_DETACH), 0);
  }

  // Sets the size of the disk, and the number of files and folders that it can hold, including its
  // root.
  void Resize(size_t size, int files = 100) const {
    const std::string options = absl::StrCat("size=", size, ",nr_inodes=", files);
    ASSERT_EQ(::mount(nullptr, Path("disk").c_str(), nullptr, MS_REMOUNT, options.c_str()), 0)
        << std::strerror(errno);
  }

  // The table has some 200 KB, with any compression.
  absl::Status BuildTable(int threads) const {
    const auto policy = NewBloomFilterPolicy(10);
    TableBuilderOptions options;
    options.filter_policy = policy.get();
    options.compression_threads = threads;
    const auto builder = TableBuilder::Create(Path("disk/t.ldb"), options);
    if (!builder.ok()) return builder.status();
    int key = 1000;
    for (const std::string& value : values_) {
      static_cast<void>((*builder)->Add(absl::StrCat(key++), value));
    }
    return (*builder)->Finish();
  }
  // Returns `count` records for each value, all of the same size.
  std::string Tsv(int count = 1) const {
    std::string tsv;
    int key = 1000;
    for (int i = 0; i < count; ++i) {
      for (const std::string& value : values_) absl::StrAppend(&tsv, key++, "\t", value, "\n");
    }
    return tsv;
  }

  std::vector<std::string> Names() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(Path("disk"))) {
      names.push_back(entry.path().filename());
    }
    return names;
  }

  bool is_mounted_ = false;
  std::vector<std::string> values_;
};

TEST_F(SstFullDiskTest, ATableThatDoesNotFitIsReportedAndLeavesNothing) {
  Resize(size_t{1} << 20);
  ASSERT_OK(BuildTable(1));
  const std::string bytes = folder_.Read("disk/t.ldb");
  const size_t needed = (bytes.size() + kPageSize - 1) / kPageSize;
  ASSERT_GT(needed, 40);
  for (const int threads : {1, 2}) {
    for (const bool replaces : {false, true}) {
      for (size_t pages = 1; pages < needed + 4; ++pages) {
        SCOPED_TRACE(absl::StrCat(pages, " pages", replaces ? ", replacing" : ""));
        std::filesystem::remove(Path("disk/t.ldb"));
        Resize(pages * kPageSize);
        if (replaces) folder_.Write("disk/t.ldb", "old");
        const absl::Status status = BuildTable(threads);
        if (pages >= needed + (replaces ? 1 : 0)) {
          ASSERT_OK(status);
          EXPECT_TRUE(folder_.Read("disk/t.ldb") == bytes);
          EXPECT_THAT(Names(), ElementsAre("t.ldb"));
          continue;
        }
        ASSERT_THAT(status, StatusIs(absl::StatusCode::kResourceExhausted,
                                     AllOf(HasSubstr(Path("disk/t.ldb")), HasSubstr(kFull))));
        if (replaces) {
          EXPECT_THAT(Names(), ElementsAre("t.ldb"));
          EXPECT_EQ(folder_.Read("disk/t.ldb"), "old");
        } else {
          EXPECT_THAT(Names(), IsEmpty());
        }
      }
    }
  }
}

TEST_F(SstFullDiskTest, BuildAndSalvageSayWhatIsFull) {
  Build("fits.ldb", Tsv());
  folder_.Write("in.tsv", Tsv());
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"build", "--force", Path("disk/t.ldb"), Path("in.tsv")},
        std::vector<std::string>{"salvage", "--force", Path("fits.ldb"), "-o",
                                 Path("disk/t.ldb")}}) {
    Resize(10 * kPageSize);
    const Result result = Run(command);
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_THAT(result.err, HasSubstr(Path("disk/t.ldb") + ": can't write: " + kFull));
    EXPECT_THAT(Names(), IsEmpty());

    const std::string old = Build("disk/t.ldb", kFruit);
    const std::string old_bytes = folder_.Read("disk/t.ldb");
    EXPECT_EQ(Run(command).exit_code, 2);
    EXPECT_THAT(Names(), ElementsAre("t.ldb"));
    EXPECT_EQ(folder_.Read("disk/t.ldb"), old_bytes);

    Resize(100 * kPageSize, /*files=*/2);
    const Result no_inode = Run(command);
    EXPECT_EQ(no_inode.exit_code, 2);
    EXPECT_THAT(no_inode.err, HasSubstr(Path("disk/t.ldb") + ": can't create: " + kFull));
    EXPECT_EQ(folder_.Read("disk/t.ldb"), old_bytes);

    Resize(100 * kPageSize);
    EXPECT_EQ(Run(command).exit_code, 0);
    EXPECT_EQ(Run({"check", Path("disk/t.ldb")}).exit_code, 0);
    std::filesystem::remove(Path("disk/t.ldb"));
  }
}

TEST_F(SstFullDiskTest, AFileThatMayNotGrowIsAFullDisk) {
  folder_.Write("in.tsv", Tsv(8));
  Resize(size_t{1} << 21);
  const Result result = test::RunCommand({"/bin/sh", "-c",
                                          "ulimit -f 2000; exec tools/sst build '" +
                                              Path("disk/t.ldb") + "' '" + Path("in.tsv") + "'"});
  EXPECT_EQ(result.exit_code, 2) << "SIGXFSZ would leave a temporary file at 1000 KiB";
  EXPECT_THAT(result.err, HasSubstr(Path("disk/t.ldb") + ": can't write: File too large"));
  EXPECT_THAT(Names(), IsEmpty());
}

}  // namespace
}  // namespace sstable::tools
