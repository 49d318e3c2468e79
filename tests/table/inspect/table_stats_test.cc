#include "sstable/experimental/table_stats.h"

#include <cstdint>
#include <limits>

#include "gtest/gtest.h"

namespace sstable {
namespace {

// The scripts of `sst stats` test the rest.
TEST(SizeHistogramTest, CountsSizesByBitWidth) {
  SizeHistogram sizes;
  EXPECT_EQ(sizes.Mean(), 0);
  for (const uint64_t size : {uint64_t{0}, uint64_t{1}, uint64_t{4}, uint64_t{7}}) sizes.Add(size);
  EXPECT_EQ(sizes.count, 4);
  EXPECT_EQ(sizes.sum, 12);
  EXPECT_EQ(sizes.min, 0);
  EXPECT_EQ(sizes.max, 7);
  EXPECT_EQ(sizes.Mean(), 3);
  EXPECT_EQ(sizes.by_bit_width[0], 1);
  EXPECT_EQ(sizes.by_bit_width[1], 1);
  EXPECT_EQ(sizes.by_bit_width[2], 0);
  EXPECT_EQ(sizes.by_bit_width[3], 2) << "4 and 7";
  sizes.Add(std::numeric_limits<uint64_t>::max());
  EXPECT_EQ(sizes.by_bit_width[64], 1);
}

}  // namespace
}  // namespace sstable
