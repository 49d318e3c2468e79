#include "tools/cli/ordered_jobs.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace sstable::tools {
namespace {

uint64_t NoSize(size_t) { return 0; }

class OrderedJobsTest : public testing::TestWithParam<size_t> {
 protected:
  OrderedJobsTest() { testing::internal::CaptureStdout(); }

  size_t threads() const { return GetParam(); }
  std::string Output() {
    console_.Flush();
    return testing::internal::GetCapturedStdout();
  }

  Console console_;
};

INSTANTIATE_TEST_SUITE_P(Threads, OrderedJobsTest, testing::Values(1, 2, 3, 100));

std::string LinesUpTo(size_t end) {
  std::string lines;
  for (size_t i = 0; i < end; ++i) absl::StrAppend(&lines, i, "\n");
  return lines;
}

TEST_P(OrderedJobsTest, RunsEachJobOnceAndPrintsInOrder) {
  std::vector<std::atomic<int>> runs(50);
  RunInOrder(
      50, threads(), NoSize,
      [&](const JobContext& job) {
        ++runs[job.number];
        EXPECT_LT(job.thread, threads());
        job.console->Write(absl::StrCat(job.number, "\n"));
      },
      &console_);
  for (const std::atomic<int>& count : runs) EXPECT_EQ(count, 1);
  EXPECT_EQ(Output(), LinesUpTo(50));
}

TEST_P(OrderedJobsTest, HasNothingToDoWithoutJobs) {
  RunInOrder(
      0, threads(), NoSize, [](const JobContext&) { ADD_FAILURE(); }, &console_);
  EXPECT_EQ(Output(), "");
}

TEST_P(OrderedJobsTest, AnExceptionEndsTheOutputThere) {
  try {
    RunInOrder(
        50, threads(), NoSize,
        [](const JobContext& job) {
          if (job.number >= 20) throw std::runtime_error(absl::StrCat("job ", job.number));
          job.console->Write(absl::StrCat(job.number, "\n"));
        },
        &console_);
    ADD_FAILURE() << "nothing was thrown";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "job 20") << "the first one in order";
  }
  EXPECT_EQ(Output(), LinesUpTo(20));
}

TEST_P(OrderedJobsTest, TheLastJobEndsTheOutput) {
  RunInOrder(
      50, threads(), NoSize,
      [](const JobContext& job) {
        if (job.number == 20) job.output->MakeLast();
        job.console->Write(absl::StrCat(job.number, "\n"));
      },
      &console_);
  EXPECT_EQ(Output(), LinesUpTo(21));
}

}  // namespace
}  // namespace sstable::tools
