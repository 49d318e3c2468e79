// How commands that write a table treat an existing file at OUT, and a signal to stop.
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
  // Every command that writes OUT.
  std::vector<std::vector<std::string>> Commands(const std::string& out) const {
    return {{"build", out, Path("in.tsv")},
            {"build", "--sort", out, Path("in.tsv")},
            {"salvage", Path("good.ldb"), "-o", out},
            {"filter", "add", Path("good.ldb"), "-o", out},
            {"filter", "strip", Path("good.ldb"), "-o", out},
            {"report", Path("good.ldb"), "-o", out}};
  }

  void SetUp() override {
    folder_.Write("in.tsv", kFruit);
    Build("good.ldb", kFruit);
  }
};

// Whatever it contains.
TEST_F(SstOutputTest, AFileIsReplacedOnlyByForceUnlessItIsEmpty) {
  for (const std::string& contents : {std::string("notes"), folder_.Read("good.ldb")}) {
    for (std::vector<std::string> command : Commands(Path("out"))) {
      SCOPED_TRACE(command[0] + " " + command[1]);
      folder_.Write("out", contents);
      const Result refused = Run(command);
      EXPECT_EQ(refused.exit_code, 2) << refused;
      EXPECT_THAT(refused.err, HasSubstr(Path("out") + ": exists; --force replaces it"));
      EXPECT_EQ(folder_.Read("out"), contents);
      folder_.Write("out", "");  // like a file of mktemp
      EXPECT_EQ(Run(command).exit_code, 0);
      const std::string written = folder_.Read("out");
      EXPECT_GT(written.size(), 100);
      folder_.Write("out", contents);
      command.push_back("--force");
      EXPECT_EQ(Run(command).exit_code, 0);
      EXPECT_EQ(folder_.Read("out"), written);
    }
  }
}

TEST_F(SstOutputTest, ATableOfADatabaseIsReplacedOnlyByForce) {
  std::filesystem::create_directory(Path("db"));
  const Result part = Run({"build", "--number", "5", Path("db"), Path("in.tsv")});
  ASSERT_EQ(part.exit_code, 0) << part;
  ASSERT_EQ(RunWithInput({"manifest", Path("db")}, part.out).exit_code, 0);
  const std::string table = folder_.Read("db/000005.ldb");
  EXPECT_EQ(RunWithInput({"build", Path("db/000005.ldb")}, "a\tb\n").exit_code, 2);
  EXPECT_EQ(RunWithInput({"build", "--number", "5", Path("db")}, "a\tb\n").exit_code, 2);
  EXPECT_EQ(folder_.Read("db/000005.ldb"), table);
}

// `sst build --sort`, with a signal to stop before a system call.
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

  // The number of system calls that it makes.
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

// The last calls complete the table (rename, fsync, close), report it and end the program; those
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
