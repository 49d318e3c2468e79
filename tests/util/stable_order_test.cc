#include "util/stable_order.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace sstable::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(StableOrderTest, KeepsTheOrderOfEqualItems) {
  const std::vector<int> items = {3, 1, 3, 2, 1};
  const auto is_before = [&](size_t a, size_t b) { return items[a] < items[b]; };
  EXPECT_THAT(StableOrder(items.size(), is_before), ElementsAre(1, 4, 3, 0, 2));
  EXPECT_THAT(StableOrder(0, is_before), IsEmpty());
}

TEST(StableOrderTest, SortsItemsThatOwnMemory) {
  std::vector<std::pair<int, std::string>> items, expected;
  for (int i = 0; i < 100; ++i) {
    items.emplace_back(i * 7 % 10, absl::StrCat("an item that needs memory, ", i));
  }
  for (int key = 0; key < 10; ++key) {
    for (const auto& item : items) {
      if (item.first == key) expected.push_back(item);
    }
  }
  SortStably(&items, [](const auto& a, const auto& b) { return a.first < b.first; });
  EXPECT_EQ(items, expected);
}

}  // namespace
}  // namespace sstable::test
