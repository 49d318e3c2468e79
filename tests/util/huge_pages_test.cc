#include "util/huge_pages.h"

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "gtest/gtest.h"

namespace sstable {
namespace {

using Numbers = std::vector<uint64_t, HugePageAllocator<uint64_t>>;

// Sizes near 2 MiB, from which on huge pages are requested.
TEST(HugePageAllocatorTest, HoldsArraysOfEverySize) {
  constexpr size_t kHuge = (size_t{2} << 20) / sizeof(uint64_t);
  for (size_t size : {size_t{0}, size_t{1}, size_t{9}, kHuge - 1, kHuge, kHuge + 1, 3 * kHuge}) {
    Numbers numbers(size);
    std::iota(numbers.begin(), numbers.end(), size);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(numbers.data()) % (size < kHuge ? 64 : size_t{2} << 20),
              0u);
    const Numbers copy = numbers;
    numbers.push_back(7);
    for (size_t i = 0; i < size; ++i) {
      ASSERT_EQ(copy[i], size + i);
      ASSERT_EQ(numbers[i], size + i);
    }
  }
}

}  // namespace
}  // namespace sstable
