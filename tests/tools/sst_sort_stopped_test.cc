// Sends `sst build --sort` a signal to stop before any system call.
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <string>
#include <utility>

#include "tests/tools/sst_test.h"

namespace sstable::tools {
namespace {

class SstSortStoppedTest : public SstTest {
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
    // LeakSanitizer does not work under ptrace().
    options.environment.push_back("ASAN_OPTIONS=detect_leaks=0");
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

  // Returns the number of system calls made by the command.
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

// The last calls complete the table (rename, fsync, close), report it and end the program. Before
// them, 16 calls write a megabyte, and earlier ones sort and read. If the signal arrives before the
// table is complete, there must be no table.
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
