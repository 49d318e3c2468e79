// `sst check --resume`: runs that are interrupted and continued.
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "nlohmann/json.hpp"
#include "tests/tools/sst_test.h"

namespace sstable::tools {
namespace {

using ::nlohmann::json;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class CheckResumeTest : public SstTest {
 protected:
  void SetUp() override {
    for (const char* const name : {"a.ldb", "b.ldb", "c.ldb", "d.ldb"}) {
      tables_.push_back(Build(name, ManyRecords(30)));
    }
    Corrupt(tables_[1], "b.ldb", 30);
    for (const std::string& table : tables_) absl::StrAppend(&list_, table, "\n");
  }

  std::vector<std::string> Arguments() const {
    return {"check", "-q", "--files-from", "-", "--resume", Path("state")};
  }
  Result Check(test::CommandOptions options = {}) const {
    options.input = list_;
    return Run(Arguments(), std::move(options));
  }
  size_t LineCount() const {
    const std::string state = folder_.Read("state");
    return static_cast<size_t>(std::count(state.begin(), state.end(), '\n'));
  }
  static std::string Summary(const Result& result) {
    const size_t start = result.out.find(" files: ");
    return start == result.out.npos ? "" : result.out.substr(start);
  }

  std::vector<std::string> tables_;
  std::string list_;
};

TEST_F(CheckResumeTest, WhatWasCheckedIsNotReadAgainAndCounts) {
  const Result first = Check();
  EXPECT_EQ(first.exit_code, 1) << first;
  EXPECT_THAT(first.out, HasSubstr("data block at offset 0"));
  EXPECT_EQ(LineCount(), 5);
  const Result second = Check();
  EXPECT_EQ(second.exit_code, 1) << "one was damaged";
  EXPECT_EQ(second.out, absl::StrCat("4", Summary(first)));
  EXPECT_THAT(second.err, HasSubstr(": 4 tables checked by earlier runs, not read again\n"));
  EXPECT_EQ(LineCount(), 5);
}

TEST_F(CheckResumeTest, ATableThatHasChangedIsCheckedAgain) {
  Check();
  Build("b.ldb", ManyRecords(30));
  Corrupt(tables_[2], "c.ldb", 30);
  const Result result = Check();
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, HasSubstr(": 2 tables checked by earlier runs"));
  EXPECT_THAT(result.out, StartsWith(Path("c.ldb: data block at offset 0")));
  EXPECT_THAT(result.out, EndsWith("4 files: 3 ok, 1 damaged\n  damaged: " + Path("c.ldb\n")));
  EXPECT_EQ(Check().out, "4 files: 3 ok, 1 damaged\n  damaged: " + Path("c.ldb\n"));
}

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

TEST_F(CheckResumeTest, APartOfALastLineIsDropped) {
  Check();
  const std::string state = folder_.Read("state");
  const size_t first_line = state.find('\n') + 1;
  const size_t last_line = state.rfind('\n', state.size() - 2) + 1;
  for (const size_t size :
       {size_t{0}, size_t{5}, first_line, last_line, last_line + 1, state.size() - 1}) {
    folder_.Write("state", state.substr(0, size));
    EXPECT_EQ(Check().exit_code, 1);
    EXPECT_EQ(folder_.Read("state"), state) << size;
  }
}

TEST_F(CheckResumeTest, AFileOfAnotherKindIsLeftAsItIs) {
  Check();
  const std::string state = folder_.Read("state");
  const struct {
    std::string contents, message;
  } cases[] = {
      {"a letter\n", ": starts with \"a letter\", expected \"sst "},
      {state + "ok 12 table\n", ": line 6 is damaged: \"ok 12 table\""},
      {state + "fine 12 34 table\n", ": line 6 is damaged"},
      {state + "ok 12 34 ta\\qble\nok 1 2 t\n", ": line 6 is damaged"},
  };
  for (const auto& row : cases) {
    folder_.Write("state", row.contents);
    const Result result = Check();
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_THAT(result.err, HasSubstr(row.message));
    EXPECT_EQ(folder_.Read("state"), row.contents);
  }
}

TEST_F(CheckResumeTest, AStateIsOfItsOptions) {
  Check();
  for (const std::vector<std::string>& other : {std::vector<std::string>{"--keys", "plain"},
                                                {"--comparator", "bytewise"},
                                                {"--max-block", "1M"}}) {
    std::vector<std::string> arguments = Arguments();
    arguments.insert(arguments.end(), other.begin(), other.end());
    const Result result = RunWithInput(arguments, list_);
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_THAT(result.err, HasSubstr("from another version of sst, with other options"));
  }
}

TEST_F(CheckResumeTest, NoTwoRunsHaveAState) {
  Check();
  const int descriptor = ::open(Path("state").c_str(), O_RDONLY | O_CLOEXEC);
  ASSERT_EQ(::flock(descriptor, LOCK_SH), 0);
  EXPECT_THAT(Check().err, HasSubstr("state: another run is using it"));
  ::close(descriptor);
  EXPECT_EQ(Check().exit_code, 1);
}

TEST_F(CheckResumeTest, WhatCantBeReadIsTriedAgain) {
  list_ = Path("e.ldb\n");
  EXPECT_EQ(Check().exit_code, 2);
  EXPECT_EQ(LineCount(), 1);
  Build("e.ldb", kFruit);
  EXPECT_EQ(Check().exit_code, 0);
  EXPECT_EQ(LineCount(), 2);
}

TEST_F(CheckResumeTest, NamesMayHaveAnyBytes) {
  const std::string odd = Build("odd \\n\n\x1b\xff.ldb", kFruit);
  const auto check = [&] {
    return RunWithInput({"check", "--files0-from", "-", "--resume", Path("state")}, odd);
  };
  EXPECT_EQ(check().exit_code, 0);
  EXPECT_THAT(check().err, HasSubstr(": 1 table checked by earlier runs"));
}

TEST_F(CheckResumeTest, OfADatabaseTheTablesAreNotReadAgain) {
  const Result first = Run({"check", "tests/testdata/database", "--resume", Path("state")});
  const Result second = Run({"check", "tests/testdata/database", "--resume", Path("state")});
  EXPECT_EQ(second.exit_code, first.exit_code) << second;
  EXPECT_THAT(first.err, Not(HasSubstr("earlier runs")));
  EXPECT_THAT(second.err, HasSubstr("earlier runs, not read again"));
  EXPECT_EQ(Summary(second), Summary(first));
}

TEST_F(CheckResumeTest, TheSummaryInJsonIsThatOfAllRuns) {
  Check();
  std::vector<std::string> arguments = Arguments();
  arguments.insert(arguments.end(), {"--format", "json"});
  const json summary = json::parse(RunWithInput(arguments, list_).out)["summary"];
  EXPECT_EQ(summary["ok"], 3);
  EXPECT_EQ(summary["damaged_files"], json({tables_[1]}));
}

}  // namespace
}  // namespace sstable::tools
