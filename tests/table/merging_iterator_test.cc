#include "table/merging_iterator.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "sstable/comparator.h"
#include "sstable/file.h"
#include "sstable/internal_key.h"
#include "sstable/iterator.h"
#include "sstable/options.h"
#include "sstable/table_iterator.h"
#include "sstable/table_reader.h"
#include "table/block/key_order.h"
#include "tests/support/model_map.h"
#include "tests/support/order_cases.h"
#include "tests/support/status_matchers.h"
#include "tests/support/table_bytes.h"
#include "tests/support/table_walk.h"

namespace sstable::test {
namespace {

using ::testing::HasSubstr;

// Iterates over a list of entries. Can fail at one of them.
class ListIterator final : public Iterator {
 public:
  ListIterator(const KeyOrder* order, Entries entries, size_t bad = -1)
      : order_(order), entries_(std::move(entries)), at_(entries_.size()), bad_(bad) {}

  bool Valid() const override { return at_ < entries_.size() && at_ != bad_; }
  void SeekToFirst() override { at_ = 0; }
  void SeekToLast() override { at_ = entries_.size() - 1; }
  void Seek(Slice target) override {
    at_ = 0;
    while (at_ < entries_.size() && order_->comparator().Compare(entries_[at_].first, target) < 0) {
      ++at_;
    }
  }
  void Next() override { ++at_; }
  void Prev() override { --at_; }
  absl::string_view key() const override { return entries_[at_].first; }
  absl::string_view value() const override { return entries_[at_].second; }
  absl::Status status() const override {
    return at_ == bad_ && at_ < entries_.size() ? absl::DataLossError("a bad entry")
                                                : absl::OkStatus();
  }

 private:
  const KeyOrder* order_;
  Entries entries_;
  size_t at_;
  size_t bad_;
};

std::unique_ptr<MergingIterator> Merge(const KeyOrder& order, const std::vector<Entries>& lists) {
  std::vector<std::unique_ptr<Iterator>> children;
  for (const Entries& entries : lists) {
    children.push_back(std::make_unique<ListIterator>(&order, entries));
  }
  return std::make_unique<MergingIterator>(&order.user_comparator(), order.kind(),
                                           std::move(children));
}

const KeyOrder& PlainOrder() {
  static const KeyOrder order(BytewiseComparator(), KeyKind::kPlain);
  return order;
}

TEST(MergingIteratorTest, MeetsEqualKeysInTheOrderOfTheirChildren) {
  const auto it = Merge(
      PlainOrder(),
      {{{"b", "newest"}, {"d", "1"}}, {{"a", "2"}, {"b", "older"}}, {{"b", "oldest"}, {"c", "3"}}});
  const Entries expected = {{"a", "2"},      {"b", "newest"}, {"b", "older"},
                            {"b", "oldest"}, {"c", "3"},      {"d", "1"}};
  EXPECT_EQ(WalkForward(it.get()).entries, expected);
  EXPECT_EQ(WalkBackward(it.get()).entries, expected);

  std::vector<size_t> children;
  for (it->SeekToFirst(); it->Valid(); it->Next()) children.push_back(it->child_index());
  EXPECT_EQ(children, (std::vector<size_t>{1, 0, 1, 2, 2, 0}));
}

// After an error, the other children must not show versions that the bad entry could hide.
TEST(MergingIteratorTest, EndsAtAChildsErrorAndSaysIt) {
  std::vector<std::unique_ptr<Iterator>> children;
  children.push_back(
      std::make_unique<ListIterator>(&PlainOrder(), Entries{{"a", ""}, {"c", ""}}, /*bad=*/1));
  children.push_back(std::make_unique<ListIterator>(&PlainOrder(), Entries{{"b", ""}, {"d", ""}}));
  MergingIterator it(BytewiseComparator(), KeyKind::kPlain, std::move(children));
  const Walk walk = WalkForward(&it);
  EXPECT_EQ(walk.entries, Entries({{"a", ""}}));  // the bad key could precede "b"
  EXPECT_THAT(walk.status, StatusIs(absl::StatusCode::kDataLoss, "a bad entry"));

  it.Seek("b");
  EXPECT_FALSE(it.Valid());
  EXPECT_FALSE(it.status().ok());
  it.Seek("d");
  ASSERT_TRUE(it.Valid());
  EXPECT_OK(it.status());
  it.Prev();  // reaches the bad entry
  EXPECT_FALSE(it.Valid());
  EXPECT_FALSE(it.status().ok());
}

// LevelDB's own programs merge with such a comparator. Here, two tags would be stripped from each
// key.
TEST(MergingIteratorTest, RefusesAComparatorOfInternalKeysForInternalKeys) {
  const InternalKeyComparator comparator(BytewiseComparator());
  std::vector<std::unique_ptr<Iterator>> children;
  const auto merged = NewMergingIterator(&comparator, KeyKind::kInternal, std::move(children));
  merged->SeekToFirst();
  EXPECT_FALSE(merged->Valid());
  EXPECT_THAT(merged->status(), StatusIs(absl::StatusCode::kInvalidArgument,
                                         HasSubstr("pass the comparator of user keys")));
}

TEST(MergingIteratorTest, SeeksToAViewOfItsOwnEntry) {
  TableBuilderOptions options;
  options.block_size = 1;
  const std::string bytes = BuildTable(options, {{"a", ""}, {"b", ""}, {"c", ""}}).value();
  const auto reader = TableReader::Open(NewMemoryFile(bytes)).value();
  std::vector<std::unique_ptr<Iterator>> children;
  for (int i = 0; i < 3; ++i) children.push_back(reader->NewIterator());
  MergingIterator it(BytewiseComparator(), KeyKind::kPlain, std::move(children));
  it.Seek("b");
  it.Seek(it.key());
  ASSERT_TRUE(it.Valid());
  EXPECT_EQ(it.key(), "b");
}

class MergingIteratorModelTest : public testing::TestWithParam<OrderCase> {};

// The model is one sorted list of all entries. For equal keys, entries of earlier children come
// first.
TEST_P(MergingIteratorModelTest, GoesAnyWayAsASortedListDoes) {
  const KeyOrder order(GetParam().comparator, GetParam().kind);
  for (uint32_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    std::vector<Entries> lists(1 + Below(6, &random));
    Entries all;
    for (size_t i = 0; i < lists.size(); ++i) {
      lists[i] = ToEntries(RandomModel(order, Below(30, &random), &random));
      if (i > 0 && Below(3, &random) == 0) lists[i] = lists[0];  // keys in several lists
      for (auto& entry : lists[i]) entry.second = absl::StrCat(i, entry.second);
      all.insert(all.end(), lists[i].begin(), lists[i].end());
    }
    std::stable_sort(all.begin(), all.end(), [&order](const auto& a, const auto& b) {
      return order.comparator().Compare(a.first, b.first) < 0;
    });

    const auto it = Merge(order, lists);
    size_t at = all.size();
    for (int step = 0; step < 200; ++step) {
      const size_t action = Below(12, &random);
      if (action == 0) {
        it->SeekToFirst();
        at = 0;
      } else if (action == 1) {
        it->SeekToLast();
        at = all.empty() ? 0 : all.size() - 1;
      } else if (action == 2 && !all.empty()) {
        const std::vector<std::string> targets =
            KeysAround(order, all[Below(all.size(), &random)].first);
        const std::string& target = targets[Below(targets.size(), &random)];
        it->Seek(target);
        for (at = 0; at < all.size(); ++at) {
          if (order.comparator().Compare(all[at].first, target) >= 0) break;
        }
      } else if (it->Valid()) {
        if (Below(2, &random) == 0) {
          it->Next();
          ++at;
        } else {
          it->Prev();
          at = at == 0 ? all.size() : at - 1;
        }
      }
      ASSERT_OK(it->status());
      ASSERT_EQ(it->Valid(), at < all.size());
      if (!it->Valid()) continue;
      ASSERT_EQ(it->key(), all[at].first);
      ASSERT_EQ(it->value(), all[at].second);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Orders, MergingIteratorModelTest,
                         testing::ValuesIn<OrderCase>({
                             {"Plain", BytewiseComparator(), KeyKind::kPlain},
                             {"Internal", BytewiseComparator(), KeyKind::kInternal},
                             {"Reverse", ReverseBytewiseComparator(), KeyKind::kPlain},
                         }),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace sstable::test
