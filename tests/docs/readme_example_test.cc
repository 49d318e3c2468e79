// The C++ example of README.md must compile unchanged and do what it says.
#include <iostream>
#include <optional>
#include <string>

#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"
#include "util/status_util.h"

// clang-format off
#include "tests/docs/readme_code.h"  // generated from README.md, and uses these macros
// clang-format on

namespace sstable::test {
namespace {

TEST(ReadmeExampleTest, PrintsWhatItsCommentSays) {
  testing::internal::CaptureStdout();
  const absl::Status status = WriteAndLookUp(testing::TempDir() + "/readme_example.ldb");
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "blue, absent\n");
  EXPECT_OK(status);
}

}  // namespace
}  // namespace sstable::test
