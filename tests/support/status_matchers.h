// GoogleTest matchers for absl::Status and absl::StatusOr, which Debian's Abseil does not have.
#ifndef SSTABLE_TESTS_SUPPORT_STATUS_MATCHERS_H_
#define SSTABLE_TESTS_SUPPORT_STATUS_MATCHERS_H_

#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace sstable::test {

inline const absl::Status& GetStatus(const absl::Status& status) { return status; }
template <typename T>
const absl::Status& GetStatus(const absl::StatusOr<T>& status_or) {
  return status_or.status();
}

// A status or StatusOr that is OK.
MATCHER(IsOk, negation ? "isn't OK" : "is OK") {
  *result_listener << GetStatus(arg);
  return GetStatus(arg).ok();
}

// A status or StatusOr with this code, and a message that equals a string or matches a matcher.
MATCHER_P2(StatusIs, code, message,
           "has code " + absl::StatusCodeToString(code) + " and a message that " +
               ::testing::DescribeMatcher<std::string>(message, negation)) {
  const absl::Status& status = GetStatus(arg);
  *result_listener << status;
  return status.code() == code &&
         ::testing::ExplainMatchResult(message, std::string(status.message()), result_listener);
}

}  // namespace sstable::test

#define EXPECT_OK(expression) EXPECT_THAT(expression, ::sstable::test::IsOk())
#define ASSERT_OK(expression) ASSERT_THAT(expression, ::sstable::test::IsOk())

// ASSERT_OK_AND_ASSIGN(auto x, F()) sets x to F()'s value, or fails the test.
#define ASSERT_OK_AND_ASSIGN(lhs, expression) \
  SSTABLE_ASSERT_OK_AND_ASSIGN_(SSTABLE_TEST_NAME_(status_or_, __LINE__), lhs, expression)
#define SSTABLE_TEST_CONCAT_(a, b) a##b
#define SSTABLE_TEST_NAME_(a, b) SSTABLE_TEST_CONCAT_(a, b)
#define SSTABLE_ASSERT_OK_AND_ASSIGN_(name, lhs, expression) \
  auto name = (expression);                                  \
  ASSERT_OK(name);                                           \
  lhs = *std::move(name)

#endif  // SSTABLE_TESTS_SUPPORT_STATUS_MATCHERS_H_
