// What commands that write a table do to what is at OUT, and when they are told to stop.
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "tests/tools/sst_test.h"

namespace sstable::tools {
namespace {

using ::testing::HasSubstr;

class SstOutputTest : public SstTest {
 protected:
  // Both commands that write a table, with OUT.
  std::vector<std::vector<std::string>> Commands(const std::string& out) const {
    return {{"build", out, Path("in.tsv")}, {"salvage", Path("good.ldb"), "-o", out}};
  }

  void SetUp() override {
    folder_.Write("in.tsv", kFruit);
    Build("good.ldb", kFruit);
    old_ = folder_.Read("good.ldb");
  }

  // Both refuse to replace out.ldb, and say why; with --force they do it.
  void ExpectRefused(const std::vector<std::vector<std::string>>& commands,
                     const std::string& reason, mode_t mode, uid_t owner) {
    for (std::vector<std::string> command : commands) {
      SCOPED_TRACE(command[0]);
      std::filesystem::remove(Path("out.ldb"));
      folder_.Write("out.ldb", old_);
      ASSERT_EQ(::chmod(Path("out.ldb").c_str(), mode), 0);
      ASSERT_EQ(::chown(Path("out.ldb").c_str(), owner, static_cast<gid_t>(-1)), 0);
      struct stat before, after;
      ASSERT_EQ(::stat(Path("out.ldb").c_str(), &before), 0);
      const Result refused = Run(command);
      EXPECT_EQ(refused.exit_code, 2) << refused;
      EXPECT_THAT(refused.err, HasSubstr(Path("out.ldb") + ": " + reason));
      ASSERT_EQ(::stat(Path("out.ldb").c_str(), &after), 0);
      EXPECT_EQ(after.st_ino, before.st_ino);
      command.push_back("--force");
      const Result forced = Run(command);
      EXPECT_EQ(forced.exit_code, 0) << forced;
      ASSERT_EQ(::stat(Path("out.ldb").c_str(), &after), 0);
      EXPECT_NE(after.st_ino, before.st_ino);
    }
  }

  std::string old_;
};

TEST_F(SstOutputTest, AReadOnlyFileIsReplacedOnlyByForce) {
  ExpectRefused(Commands(Path("out.ldb")), "exists and is read-only; --force replaces it", 0444,
                ::geteuid());
}

TEST_F(SstOutputTest, AnotherUsersFileIsReplacedOnlyByForce) {
  folder_.Write("out.ldb", "");
  if (::chown(Path("out.ldb").c_str(), 1234, static_cast<gid_t>(-1)) != 0) {
    GTEST_SKIP() << "only root can make one";
  }
  ExpectRefused(Commands(Path("out.ldb")), "exists and is another user's; --force replaces it",
                0666, 1234);
}

TEST_F(SstOutputTest, SalvageReplacesNoTableButByForce) {
  ExpectRefused({Commands(Path("out.ldb"))[1]}, "exists; --force replaces it", 0644, ::geteuid());
  folder_.Write("empty.ldb", "");  // as mktemp makes it
  EXPECT_EQ(Run({"salvage", Path("good.ldb"), "-o", Path("empty.ldb")}).exit_code, 0);
}

// `sst build --sort`, told to stop when it is about to make a system call.
class SstSortStoppedTest : public SstOutputTest {
 protected:
  void SetUp() override {
    std::string tsv;
    for (int i = 0; i < 5000; ++i) {
      tsv += "key" + std::to_string(100000 + i * 7919 % 5000) + "\t" + std::string(200, 'v') + "\n";
    }
    folder_.Write("in.tsv", tsv);
    std::filesystem::create_directory(Path("out"));
  }

  bool HasTable() const { return std::filesystem::exists(Path("out/t.ldb")); }

  Result StopAt(int call) const {
    std::filesystem::remove(Path("out/t.ldb"));
    test::CommandOptions options;
    options.environment.push_back("ASAN_OPTIONS=detect_leaks=0");  // it can't, while it is traced
    options.signal = SIGTERM;
    options.signal_at_call = call;
    Result result = Run({"build", "--sort", "--memory", memory_, "--compression", "none",
                         Path("out/t.ldb"), Path("in.tsv")},
                        options);
    const auto files = std::distance(std::filesystem::directory_iterator(Path("out")), {});
    EXPECT_EQ(files, HasTable() ? 1 : 0) << "a temporary file is left";
    EXPECT_TRUE(result.exit_code == 128 + SIGTERM || (HasTable() && result.exit_code == 0))
        << result;
    return result;
  }

  std::string memory_ = "256M";

  // How many system calls it makes.
  int CallCount() const {
    int made = 0, too_many = 1;
    while (StopAt(too_many).got_signal) made = std::exchange(too_many, 2 * too_many);
    while (too_many - made > 1) {
      const int middle = made + (too_many - made) / 2;
      (StopAt(middle).got_signal ? made : too_many) = middle;
    }
    return made + 1;
  }
};

// The last calls complete the table (rename, fsync, close), say so and end the program; those
// before them write a megabyte in 16 calls, and those before them sort and read. Whenever the
// signal comes before the table is complete, there is none.
TEST_F(SstSortStoppedTest, ThereIsNoTableUnlessItWasCompleteBefore) {
  if (!StopAt(0).got_signal) GTEST_SKIP() << "ptrace() is not allowed";
  const int count = CallCount();
  int complete = 0, incomplete = 0;
  for (int call = count - 1; call >= 0 && incomplete < 30; --call) {
    SCOPED_TRACE("call " + std::to_string(call) + " of " + std::to_string(count));
    StopAt(call);
    ++(HasTable() ? complete : incomplete);
    if (HasFailure()) return;
  }
  std::printf("%d calls; complete at the last %d\n", count, complete);
  EXPECT_GT(complete, 2);
  EXPECT_EQ(incomplete, 30);
}

TEST_F(SstSortStoppedTest, RunsInFilesLeaveNothing) {
  memory_ = "64K";  // about 20 runs
  if (!StopAt(0).got_signal) GTEST_SKIP() << "ptrace() is not allowed";
  const int count = CallCount();
  for (int call = 0; call < count && !HasFailure(); call += count / 50 + 1) {
    SCOPED_TRACE("call " + std::to_string(call) + " of " + std::to_string(count));
    StopAt(call);
  }
}

}  // namespace
}  // namespace sstable::tools
