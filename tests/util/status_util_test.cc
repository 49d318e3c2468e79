#include "util/status_util.h"

#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"

namespace sstable::test {
namespace {

TEST(AtPlaceTest, PutsThePlaceInFrontAndKeepsTheCode) {
  EXPECT_THAT(AtPlace("block at offset 7", absl::DataLossError("no restarts")),
              StatusIs(absl::StatusCode::kDataLoss, "block at offset 7: no restarts"));
  EXPECT_THAT(AtPlace("a.ldb", AtPlace("footer", absl::UnimplementedError("magic"))),
              StatusIs(absl::StatusCode::kUnimplemented, "a.ldb: footer: magic"));
}

TEST(AtPlaceTest, LeavesOkAlone) {
  EXPECT_EQ(AtPlace("a.ldb", absl::OkStatus()), absl::OkStatus());
}

absl::Status RunAll(const std::vector<absl::Status>& steps, int* done) {
  for (const absl::Status& step : steps) {
    RETURN_IF_ERROR(step);
    ++*done;
  }
  return absl::OkStatus();
}

TEST(ReturnIfErrorTest, ReturnsTheFirstErrorAndDoesNoMore) {
  int done = 0;
  EXPECT_THAT(
      RunAll({absl::OkStatus(), absl::DataLossError("first"), absl::InternalError("second")},
             &done),
      StatusIs(absl::StatusCode::kDataLoss, "first"));
  EXPECT_EQ(done, 1);
}

TEST(ReturnIfErrorTest, GoesOnWhileAllIsWell) {
  int done = 0;
  EXPECT_OK(RunAll({absl::OkStatus(), absl::OkStatus()}, &done));
  EXPECT_EQ(done, 2);
}

TEST(ReturnIfErrorTest, EvaluatesItsExpressionOnce) {
  int calls = 0;
  const auto run = [&calls]() -> absl::Status {
    RETURN_IF_ERROR((++calls, absl::InternalError("x")));
    return absl::OkStatus();
  };
  EXPECT_FALSE(run().ok());
  EXPECT_EQ(calls, 1);
}

TEST(ReturnIfErrorTest, IsOneStatementAndReturnsAsStatusOr) {
  const auto run = [](bool fail) -> absl::StatusOr<int> {
    if (fail)
      RETURN_IF_ERROR(absl::InternalError("asked for"));
    else
      return 1;
    return 2;
  };
  EXPECT_EQ(run(false).value(), 1);
  EXPECT_THAT(run(true), StatusIs(absl::StatusCode::kInternal, "asked for"));
}

absl::StatusOr<int> HalfOf(int number) {
  if (number % 2 != 0) return absl::InvalidArgumentError("odd");
  return number / 2;
}

absl::StatusOr<int> QuarterOf(int number, int* reached) {
  ASSIGN_OR_RETURN(const int half, HalfOf(number));
  ++*reached;
  int quarter = 0;
  ASSIGN_OR_RETURN(quarter, HalfOf(half));
  ++*reached;
  return quarter;
}

TEST(AssignOrReturnTest, AssignsToOldAndNewVariables) {
  int reached = 0;
  EXPECT_EQ(QuarterOf(12, &reached).value(), 3);
  EXPECT_EQ(reached, 2);
}

TEST(AssignOrReturnTest, ReturnsTheErrorAndDoesNoMore) {
  int reached = 0;
  EXPECT_THAT(QuarterOf(7, &reached), StatusIs(absl::StatusCode::kInvalidArgument, "odd"));
  EXPECT_EQ(reached, 0);
  EXPECT_THAT(QuarterOf(6, &reached), StatusIs(absl::StatusCode::kInvalidArgument, "odd"));
  EXPECT_EQ(reached, 1);
}

TEST(AssignOrReturnTest, MovesWhatCannotBeCopied) {
  const auto make = []() -> absl::StatusOr<std::unique_ptr<int>> {
    return std::make_unique<int>(5);
  };
  const auto run = [&make]() -> absl::StatusOr<int> {
    ASSIGN_OR_RETURN(const std::unique_ptr<int> number, make());
    return *number;
  };
  EXPECT_EQ(run().value(), 5);
}

TEST(AssignOrReturnTest, ReturnsAPlainStatusToo) {
  const auto run = []() -> absl::Status {
    ASSIGN_OR_RETURN([[maybe_unused]] const int half, HalfOf(3));
    return absl::OkStatus();
  };
  EXPECT_THAT(run(), StatusIs(absl::StatusCode::kInvalidArgument, "odd"));
}

}  // namespace
}  // namespace sstable::test
