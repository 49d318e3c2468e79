// Checks that the processor has the features that these tests are meant to cover.
#include <climits>

#include "gtest/gtest.h"
#include "hwy/targets.h"

namespace sstable {
namespace {

TEST(ProcessorTest, HasVectorsThatHighwayUses) {
#if defined(__aarch64__)
  EXPECT_NE(hwy::SupportedTargets() & HWY_NEON, 0);
#else
  FAIL() << "compiled for another processor";
#endif
}

TEST(ProcessorTest, HasUnsignedCharacters) { EXPECT_EQ(CHAR_MIN, 0); }

}  // namespace
}  // namespace sstable
