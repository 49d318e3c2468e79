#include "util/status_util.h"

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

}  // namespace
}  // namespace sstable::test
