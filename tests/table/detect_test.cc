// What a table's order is, told by looking.
#include "table/detect.h"

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "table/key_order.h"
#include "table/options.h"
#include "table/table_builder.h"
#include "table/table_reader.h"
#include "tests/support/status_matchers.h"
#include "util/comparator.h"
#include "util/file.h"

namespace sstable {
namespace {

// The order of a list. Like most comparators it shortens no key.
class ListComparator final : public Comparator {
 public:
  explicit ListComparator(const std::vector<std::string>& keys) {
    for (const std::string& key : keys) places_.emplace(key, places_.size());
  }

  absl::string_view Name() const override { return "test.ListComparator"; }
  int Compare(absl::string_view a, absl::string_view b) const override {
    return places_.at(std::string(a)) - places_.at(std::string(b));
  }
  void FindShortestSeparator(std::string*, absl::string_view) const override {}
  void FindShortSuccessor(std::string*) const override {}

 private:
  std::map<std::string, int> places_;
};

std::vector<std::string> Ascending(int count) {
  std::vector<std::string> keys;
  for (int i = 0; i < count; ++i) keys.push_back(absl::StrFormat("key%06d", i));
  return keys;
}

constexpr int kKeysPerBlock = 300;

// Of a table with these keys in this order, by a comparator that shortens none.
const Comparator* GuessedOrder(const std::vector<std::string>& keys) {
  const ListComparator comparator(keys);
  std::string bytes;
  TableBuilderOptions options;
  options.comparator = &comparator;
  options.block_size = 1 << 20;
  const auto builder = *TableBuilder::Create(options, NewStringFile(&bytes));
  for (size_t i = 0; i < keys.size(); ++i) {
    if (i > 0 && i % kKeysPerBlock == 0) {
      EXPECT_OK(builder->Flush());
    }
    EXPECT_OK(builder->Add(keys[i], ""));
  }
  EXPECT_OK(builder->Finish());
  const auto reader = TableReader::Open({}, NewMemoryFile(bytes));
  EXPECT_OK(reader.status());
  const auto guess = GuessKeys(**reader);
  EXPECT_OK(guess.status());
  EXPECT_EQ(guess->key_kind, KeyKind::kPlain);
  return guess->comparator;
}

TEST(DetectTest, KnowsTheTwoOrders) {
  std::vector<std::string> keys = Ascending(3 * kKeysPerBlock);
  EXPECT_EQ(GuessedOrder(keys), BytewiseComparator());
  EXPECT_EQ(GuessedOrder({keys.rbegin(), keys.rend()}), ReverseBytewiseComparator());
  EXPECT_EQ(GuessedOrder({"one"}), BytewiseComparator());
}

// A lookup in a wrong order would call keys absent. Salvage of a table in an unknown order made one
// whose keys were in disorder at the end of a block only.
TEST(DetectTest, OneKeyOutOfOrderIsEnoughWhereverItIs) {
  for (size_t at = 1; at + 1 < 3 * kKeysPerBlock; ++at) {
    std::vector<std::string> keys = Ascending(3 * kKeysPerBlock);
    std::swap(keys[at], keys[at + 1]);
    ASSERT_EQ(GuessedOrder(keys), nullptr) << at;
  }
}

}  // namespace
}  // namespace sstable
