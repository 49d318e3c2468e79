// Tests the errors of system calls. Descriptors are tested with the files that use them.
#include "util/descriptor.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"

namespace sstable::test {
namespace {

using ::testing::StartsWith;

TEST(DescriptorTest, SaysWhatFailedOnWhatAndWhy) {
  errno = EACCES;
  EXPECT_THAT(ErrnoError("a.ldb", "can't open"),
              StatusIs(absl::StatusCode::kPermissionDenied, StartsWith("a.ldb: can't open: Perm")));
}

TEST(DescriptorTest, ADeviceThatHasGoneIsNoMissingFile) {
  for (const int error : {ENXIO, ENODEV}) {
    errno = error;
    EXPECT_THAT(ErrnoError("can't read"),
                StatusIs(absl::StatusCode::kUnavailable, StartsWith("can't read: No such device")));
  }
}

TEST(DescriptorTest, CodesThatMeanSomethingElseOfTables) {
  const std::pair<int, absl::StatusCode> kCodes[] = {
      {EFBIG, absl::StatusCode::kResourceExhausted},  // the file size limit, not a limit on blocks
      {EOVERFLOW, absl::StatusCode::kResourceExhausted},
      {EBADF, absl::StatusCode::kInvalidArgument},  // a closed descriptor, not another key order
      {ENOTDIR, absl::StatusCode::kInvalidArgument}};
  for (const auto& [error, code] : kCodes) {
    errno = error;
    EXPECT_THAT(ErrnoError("a.ldb", "can't open"),
                StatusIs(code, StartsWith("a.ldb: can't open: ")));
  }
}

TEST(DescriptorTest, MakesACallAgainThatWasInterrupted) {
  int calls = 0;
  const auto interrupted_twice = [&] {
    errno = EINTR;
    return ++calls < 3 ? -1 : 7;
  };
  EXPECT_EQ(Uninterrupted(interrupted_twice), 7);
  EXPECT_EQ(calls, 3);
  errno = 0;
  EXPECT_EQ(Uninterrupted([&] { return ++calls, errno = EIO, -1; }), -1);
  EXPECT_EQ(calls, 4);
}

TEST(DescriptorTest, IsClosedOnceByItsLastOwner) {
  const int value = OpenDescriptor("/dev/null", sys::OpenFor::kRead);
  ASSERT_GE(value, 0);
  EXPECT_NE(::fcntl(value, F_GETFD) & FD_CLOEXEC, 0);
  {
    ScopedDescriptor first(value);
    ScopedDescriptor second(std::move(first));
    EXPECT_EQ(first.get(), -1);
    first.Close();
    EXPECT_EQ(second.get(), value);
    EXPECT_GE(::fcntl(value, F_GETFD), 0);
  }
  EXPECT_EQ(::fcntl(value, F_GETFD), -1);
}

}  // namespace
}  // namespace sstable::test
