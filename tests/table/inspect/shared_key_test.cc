#include "table/inspect/shared_key.h"

#include <string>

#include "gtest/gtest.h"

namespace sstable {
namespace {

TEST(SharedKeyTest, HoldsWhatWasAssignedLast) {
  SharedKey key;
  EXPECT_EQ(key.view(), "");
  for (const size_t size : {size_t{10}, size_t{4096}, size_t{4097}, size_t{100'000}, size_t{0}}) {
    const std::string bytes(size, static_cast<char>('a' + size % 7));
    key.Assign(bytes);
    EXPECT_EQ(key.view(), bytes);
  }
}

TEST(SharedKeyTest, CopiesShareALargeKeyAndKeepIt) {
  const std::string large(8 << 20, 'k');
  SharedKey key;
  key.Assign(large);
  const SharedKey copy = key;
  EXPECT_EQ(copy.view().data(), key.view().data());
  key.Assign("small");
  EXPECT_EQ(copy.view(), large);
  EXPECT_EQ(key.view(), "small");
}

}  // namespace
}  // namespace sstable
