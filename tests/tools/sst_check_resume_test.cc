// `sst check --resume` is killed at any call, and continued.
#include <algorithm>
#include <csignal>
#include <limits>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "tests/tools/sst_test.h"

namespace sstable::tools {
namespace {

class CheckResumeTest : public SstTest {
 protected:
  void SetUp() override {
    for (const char* const name : {"a.ldb", "b.ldb", "c.ldb", "d.ldb"}) {
      absl::StrAppend(&list_, Build(name, ManyRecords(30)), "\n");
    }
    Corrupt(Path("b.ldb"), "b.ldb", 30);
  }

  Result Check(test::CommandOptions options = {}) const {
    options.input = list_;
    return Run({"check", "-q", "--files-from", "-", "--resume", Path("state")}, std::move(options));
  }
  size_t LineCount() const {
    const std::string state = folder_.Read("state");
    return static_cast<size_t>(std::count(state.begin(), state.end(), '\n'));
  }
  static std::string Summary(const Result& result) {
    const size_t start = result.out.find(" files: ");
    return start == result.out.npos ? "" : result.out.substr(start);
  }

  std::string list_;
};

TEST_F(CheckResumeTest, ARunThatIsKilledAtAnyCallIsContinued) {
  test::CommandOptions options;
  options.signal = SIGKILL;
  // asan can't look for leaks while it is traced.
  options.environment.push_back("ASAN_OPTIONS=detect_leaks=0");
  options.signal_at_call = std::numeric_limits<int>::max() / 4;
  const Result whole = Check(options);
  ASSERT_EQ(whole.exit_code, 1) << whole;
  const std::string state = folder_.Read("state");
  folder_.Write("state", "");
  options.signal_at_call = 0;
  if (!Check(options).got_signal) GTEST_SKIP() << "ptrace() is not allowed";
  size_t lines = 0;
  int kills = 0;
  for (int call = 0; call < whole.calls; call += 7, ++kills) {  // each run continues the last one
    options.signal_at_call = call;
    if (!Check(options).got_signal) break;
    EXPECT_GE(LineCount(), lines);
    lines = LineCount();
  }
  EXPECT_GT(kills, 10);
  const Result last = Check();
  EXPECT_EQ(last.exit_code, 1);
  EXPECT_EQ(Summary(last), Summary(whole));
  EXPECT_EQ(folder_.Read("state"), state);
}

}  // namespace
}  // namespace sstable::tools
