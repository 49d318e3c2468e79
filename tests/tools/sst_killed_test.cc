// Kills `sst build` at random system calls and, for a small table, at each. Afterwards there is the
// old file or the complete new table. Only files with temporary names may be left.
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <random>
#include <regex>
#include <string>

#include "tests/tools/sst_test.h"

namespace sstable::tools {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class SstKilledTest : public SstTest {
 protected:
  // Makes the input and the tables that may exist afterwards.
  void Prepare(int record_count) {
    std::mt19937 random(1);
    std::string tsv;
    for (int i = 0; i < record_count; ++i) {
      tsv += "key" + std::to_string(100000 + i) + "\t";
      for (int n = 0; n < 100; ++n) tsv += static_cast<char>('a' + random() % 26);
      tsv += "\n";
    }
    folder_.Write("in.tsv", tsv);
    ASSERT_EQ(Run({"build", Path("new"), Path("in.tsv")}).exit_code, 0);
    ASSERT_EQ(RunWithInput({"build", Path("old")}, kFruit).exit_code, 0);
    new_ = folder_.Read("new");
    old_ = folder_.Read("old");
    std::filesystem::create_directory(Path("out"));
  }

  // Builds out/t.ldb, with or without an old table to replace.
  Result BuildOut(bool replaces, test::CommandOptions options = {}) const {
    std::filesystem::remove_all(Path("out"));
    std::filesystem::create_directory(Path("out"));
    if (replaces) folder_.Write("out/t.ldb", old_);
    // LeakSanitizer does not work under ptrace().
    options.environment.push_back("ASAN_OPTIONS=detect_leaks=0");
    const Result result = Run({"build", "--force", Path("out/t.ldb"), Path("in.tsv")}, options);
    EXPECT_THAT(result.err, Not(HasSubstr("anitizer")));
    return result;
  }

  struct Counts {
    int before = 0;    // runs that left the old state
    int complete = 0;  // runs with a complete new table
    int litter = 0;    // runs that left a temporary file
  };

  void Look(bool replaces, Counts* counts) const {
    bool has_table = false;
    for (const auto& entry : std::filesystem::directory_iterator(Path("out"))) {
      const std::string name = entry.path().filename();
      if (name == "t.ldb") {
        has_table = true;
        continue;
      }
      EXPECT_TRUE(std::regex_match(name, std::regex("t\\.ldb\\.tmp-[0-9]+-[0-9]+"))) << name;
      ++counts->litter;
    }
    const std::string bytes = has_table ? folder_.Read("out/t.ldb") : "";
    if (has_table && bytes == new_) {
      ++counts->complete;
      const Result checked = Run({"check", Path("out/t.ldb")});
      EXPECT_EQ(checked.exit_code, 0) << checked;
    } else {
      ++counts->before;
      EXPECT_EQ(has_table, replaces);
      EXPECT_TRUE(bytes == (replaces ? old_ : ""));
    }
  }

  bool CanTrace() const {
    test::CommandOptions options;
    options.signal = SIGKILL;
    options.signal_at_call = 0;
    return BuildOut(false, options).got_signal;
  }

  // Returns a call before which there is no temporary file yet: the last such one among every tenth
  // call.
  int LastTenthCallWithoutFile() const {
    constexpr int kStep = 10;
    test::CommandOptions options;
    options.signal = SIGKILL;
    for (int call = 0;; call += kStep) {
      options.signal_at_call = call;
      EXPECT_TRUE(BuildOut(false, options).got_signal);
      if (!std::filesystem::is_empty(Path("out"))) return call - kStep;
    }
  }

  // Sends the signal at each system call from that one on.
  template <typename Expect>
  void ForEachCall(int signal, Expect expect) const {
    test::CommandOptions options;
    options.signal = signal;
    for (int call = LastTenthCallWithoutFile();; ++call) {
      options.signal_at_call = call;
      for (const bool replaces : {false, true}) {
        SCOPED_TRACE("call " + std::to_string(call) + (replaces ? ", replacing" : ""));
        const Result result = BuildOut(replaces, options);
        if (!result.got_signal) {
          EXPECT_EQ(result.exit_code, 0) << result;
          EXPECT_TRUE(folder_.Read("out/t.ldb") == new_);
          return;
        }
        expect(result, replaces);
      }
    }
  }

  std::string new_, old_;
};

TEST_F(SstKilledTest, AtAHundredRandomSystemCalls) {
  Prepare(20000);
  if (!CanTrace()) GTEST_SKIP() << "ptrace() is not allowed";
  test::CommandOptions options;
  options.signal = SIGKILL;
  options.signal_at_call = std::numeric_limits<int>::max() / 4;
  const Result whole = BuildOut(false, options);
  ASSERT_EQ(whole.exit_code, 0) << whole;
  ASSERT_GT(whole.calls, 100);
  const int first = LastTenthCallWithoutFile();
  ASSERT_GT(whole.calls - first, 20);
  const unsigned seed = std::random_device()();
  std::mt19937 random(seed);
  Counts counts;
  for (int round = 0; round < 100; ++round) {
    // Covers each of the last calls, where the table is renamed, and random earlier ones. Only some
    // rounds include calls before the file exists.
    const int from = round % 10 == 0 ? 0 : first;
    options.signal_at_call =
        round < 10 ? whole.calls - 1 - round
                   : from + static_cast<int>(random() % static_cast<unsigned>(whole.calls - from));
    SCOPED_TRACE("seed " + std::to_string(seed) + ", round " + std::to_string(round) + ", call " +
                 std::to_string(*options.signal_at_call) + " of " + std::to_string(whole.calls));
    const bool replaces = round % 2 == 1;
    const Result result = BuildOut(replaces, options);
    // The last few calls vary between runs, for instance those that free memory.
    ASSERT_TRUE(result.got_signal || *options.signal_at_call >= whole.calls - 10);
    Look(replaces, &counts);
  }
  std::printf("seed %u: %d calls, %d as before, %d complete, %d with litter\n", seed, whole.calls,
              counts.before, counts.complete, counts.litter);
  EXPECT_EQ(counts.before + counts.complete, 100);
  EXPECT_GT(counts.complete, 0);
  EXPECT_GT(counts.litter, 10);
}

TEST_F(SstKilledTest, AtEachSystemCall) {
  Prepare(1000);
  if (!CanTrace()) GTEST_SKIP() << "ptrace() is not allowed";
  Counts counts;
  ForEachCall(SIGKILL, [&](const Result& result, bool replaces) {
    EXPECT_EQ(result.exit_code, 128 + SIGKILL);
    Look(replaces, &counts);
  });
  std::printf("%d as before, %d complete, %d with litter\n", counts.before, counts.complete,
              counts.litter);
  EXPECT_GT(counts.complete, 2) << "at the sync of the folder, and behind";
  EXPECT_GT(counts.litter, 10);
}

TEST_F(SstKilledTest, AskedToStopAtEachSystemCallItLeavesNoLitter) {
  Prepare(1000);
  if (!CanTrace()) GTEST_SKIP() << "ptrace() is not allowed";
  Counts counts;
  ForEachCall(SIGTERM, [&](const Result& result, bool replaces) {
    const int complete_before = counts.complete;
    Look(replaces, &counts);
    if (result.exit_code == 0) {  // too late to stop
      EXPECT_EQ(counts.complete, complete_before + 1);
    } else {
      EXPECT_EQ(result.exit_code, 128 + SIGTERM) << result;
    }
  });
  std::printf("%d as before, %d complete\n", counts.before, counts.complete);
  EXPECT_EQ(counts.litter, 0);
  EXPECT_GT(counts.complete, 2);
  EXPECT_GT(counts.before, 10);
}

TEST_F(SstKilledTest, WhatOneOfTheSameNumberLeftDoesNotHinderTheNext) {
  Prepare(1000);
  for (int i = 1; i <= 100; ++i) {
    folder_.Write("out/t.ldb.tmp-" + std::to_string(::getpid() + i) + "-0", "litter");
  }
  ASSERT_EQ(Run({"build", Path("out/t.ldb"), Path("in.tsv")}).exit_code, 0);
  EXPECT_TRUE(folder_.Read("out/t.ldb") == new_);
  std::filesystem::remove(Path("out/t.ldb"));
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(Path("out"))) {
    EXPECT_EQ(entry.file_size(), 6) << "it may be another's that lives";
    ++count;
  }
  EXPECT_EQ(count, 100);
}

}  // namespace
}  // namespace sstable::tools
