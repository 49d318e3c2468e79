#include "tools/cli/ordered_output.h"

#include <atomic>
#include <cstddef>
#include <memory>
#include <string>
#include <thread>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace sstable::tools {
namespace {

class OrderedOutputTest : public testing::Test {
 protected:
  OrderedOutputTest() { testing::internal::CaptureStdout(); }

  // Returns everything that was written to standard output.
  std::string Output() {
    console_.Flush();
    return testing::internal::GetCapturedStdout();
  }

  Console console_;
};

TEST_F(OrderedOutputTest, HoldsWhatIsWrittenOutOfTurn) {
  OrderedOutput output(&console_, 100);
  auto first = std::make_unique<OrderedOutput::Job>(&output, 0);
  auto second = std::make_unique<OrderedOutput::Job>(&output, 1);
  auto third = std::make_unique<OrderedOutput::Job>(&output, 2);
  third->WriteData("3");
  second->WriteData("2a");
  third.reset();
  first->WriteData("1");
  first.reset();
  second->WriteData("2b");
  second.reset();
  EXPECT_EQ(Output(), "12a2b3");
}

TEST_F(OrderedOutputTest, KeepsTheOrderOfDataAndMessagesOfAJob) {
  testing::internal::CaptureStderr();
  OrderedOutput output(&console_, 100);
  auto first = std::make_unique<OrderedOutput::Job>(&output, 0);
  {
    OrderedOutput::Job second(&output, 1);
    Console console(&console_, &second, 0);
    console.Write("data");
    console.Say("message");
    console.Write("more");
    console.Flush();
  }
  first.reset();
  EXPECT_EQ(Output(), "datamore");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "sst: message\n");
}

TEST_F(OrderedOutputTest, DropsWhatFollowsTheLastJob) {
  OrderedOutput output(&console_, 100);
  auto first = std::make_unique<OrderedOutput::Job>(&output, 0);
  auto second = std::make_unique<OrderedOutput::Job>(&output, 1);
  auto third = std::make_unique<OrderedOutput::Job>(&output, 2);
  third->WriteData("3 held");
  second->MakeLast();
  EXPECT_TRUE(third->closed());
  EXPECT_FALSE(second->closed());
  third->WriteData(std::string(1000, '3'));  // exceeds the limit, but does not block
  third.reset();
  second->WriteData("2");
  first->WriteData("1");
  second.reset();
  first.reset();
  EXPECT_EQ(Output(), "12");
}

TEST_F(OrderedOutputTest, ManyJobsOfManyThreads) {
  constexpr size_t kJobs = 200;
  std::string expected;
  for (size_t job = 0; job < kJobs; ++job) {
    for (int i = 0; i < 10; ++i) absl::StrAppend(&expected, job, ".", i, "\n");
  }
  {
    OrderedOutput output(&console_, 50);
    std::atomic<size_t> next{0};
    const auto work = [&] {
      for (size_t job = next++; job < kJobs; job = next++) {
        OrderedOutput::Job part(&output, job);
        for (int i = 0; i < 10; ++i) part.WriteData(absl::StrCat(job, ".", i, "\n"));
      }
    };
    std::thread a(work), b(work), c(work);
    a.join();
    b.join();
    c.join();
  }
  EXPECT_EQ(Output(), expected);
}

}  // namespace
}  // namespace sstable::tools
