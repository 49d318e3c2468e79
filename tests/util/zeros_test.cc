#include "util/zeros.h"

#include <string>

#include "gtest/gtest.h"

namespace sstable {
namespace {

TEST(ZerosTest, FindsTheFirstByteThatIsNone) {
  EXPECT_TRUE(AllZeros(""));
  EXPECT_EQ(LeadingZeros(""), 0u);
  for (const size_t size : {1, 2, 4095, 4096, 4097, 10000}) {
    std::string bytes(size, '\0');
    EXPECT_TRUE(AllZeros(bytes)) << size;
    EXPECT_EQ(LeadingZeros(bytes), size);
    for (const size_t place : {size_t{0}, size / 2, size - 1}) {
      bytes[place] = '\x80';
      EXPECT_FALSE(AllZeros(bytes)) << place << " of " << size;
      EXPECT_EQ(LeadingZeros(bytes), place) << "of " << size;
      bytes[place] = '\0';
    }
  }
}

}  // namespace
}  // namespace sstable
