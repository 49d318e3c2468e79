#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "sstable/comparator.h"
#include "sstable/internal_key.h"
#include "sstable/iterator.h"
#include "table/merging_iterator.h"
#include "tests/support/random_bytes.h"
#include "tests/support/status_matchers.h"

namespace sstable::test {
namespace {

struct KeyLess {
  bool operator()(const std::string& a, const std::string& b) const {
    return InternalKeyComparator(BytewiseComparator()).Compare(a, b) < 0;
  }
};
using Versions = std::map<std::string, std::string, KeyLess>;  // by internal key

class MapIterator final : public Iterator {
 public:
  explicit MapIterator(const Versions* map) : map_(*map), it_(map->end()) {}
  bool Valid() const override { return it_ != map_.end(); }
  void SeekToFirst() override { it_ = map_.begin(); }
  void SeekToLast() override { it_ = map_.empty() ? map_.end() : std::prev(map_.end()); }
  void Seek(Slice target) override { it_ = map_.lower_bound(std::string(target)); }
  void Next() override { ++it_; }
  void Prev() override { it_ = it_ == map_.begin() ? map_.end() : std::prev(it_); }
  absl::string_view key() const override { return it_->first; }
  absl::string_view value() const override { return it_->second; }
  absl::Status status() const override { return absl::OkStatus(); }

 private:
  const Versions& map_;
  Versions::const_iterator it_;
};

using Model = std::map<std::string, std::string>;

TEST(SnapshotIteratorTest, EqualsAModelInAnyWalk) {
  Rng rng(141);
  for (int round = 0; round < 300; ++round) {
    const uint64_t count = RandomUpTo(rng, 59), snapshot = RandomUpTo(rng, 69);
    std::vector<Versions> sources(3);
    std::map<std::string, std::optional<std::string>> newest;
    for (uint64_t sequence = 1; sequence <= count; ++sequence) {
      const std::string key(1, static_cast<char>('a' + RandomUpTo(rng, 7)));
      const bool is_value = RandomUpTo(rng, 2) > 0;
      const std::string value = is_value ? absl::StrCat(key, sequence) : "";
      sources[RandomUpTo(rng, 2)][MakeInternalKey(
          key, sequence, is_value ? ValueType::kValue : ValueType::kDeletion)] = value;
      if (sequence <= snapshot) {
        newest[key] = is_value ? std::optional<std::string>(value) : std::nullopt;
      }
    }
    Model model;
    for (const auto& [key, value] : newest) {
      if (value.has_value()) model[key] = *value;
    }
    std::vector<std::unique_ptr<Iterator>> children;
    for (const Versions& source : sources) {
      children.push_back(std::make_unique<MapIterator>(&source));
    }
    const auto it =
        NewSnapshotIterator(std::make_unique<MergingIterator>(
                                BytewiseComparator(), KeyKind::kInternal, std::move(children)),
                            BytewiseComparator(), snapshot);
    auto at = model.end();
    for (int step = 0; step < 60; ++step) {
      SCOPED_TRACE(absl::StrCat("round ", round, ", step ", step));
      const std::string target(1, static_cast<char>('a' + RandomUpTo(rng, 8)));
      switch (at == model.end() ? RandomUpTo(rng, 2) : RandomUpTo(rng, 7)) {
        case 0:
          it->SeekToFirst();
          at = model.begin();
          break;
        case 1:
          it->SeekToLast();
          at = model.empty() ? model.end() : std::prev(model.end());
          break;
        case 2:
          it->Seek(target);
          at = model.lower_bound(target);
          break;
        case 3:
        case 4:
          it->Prev();
          at = at == model.begin() ? model.end() : std::prev(at);
          break;
        default:
          it->Next();
          ++at;
      }
      ASSERT_OK(it->status());
      ASSERT_EQ(it->Valid(), at != model.end());
      if (!it->Valid()) continue;
      ASSERT_EQ(it->key(), at->first);
      ASSERT_EQ(it->value(), at->second);
    }
  }
}

TEST(SnapshotIteratorTest, EndsAtAKeyThatIsNotInternal) {
  Versions versions = {{MakeInternalKey("a", 1, ValueType::kValue), "1"},
                       {std::string("b\7\0\0\0\0\0\0\0", 9), "2"}};  // type 7
  const auto it =
      NewSnapshotIterator(std::make_unique<MapIterator>(&versions), BytewiseComparator());
  it->SeekToFirst();
  ASSERT_TRUE(it->Valid());
  it->Next();
  EXPECT_FALSE(it->Valid());
  EXPECT_THAT(it->status(),
              StatusIs(absl::StatusCode::kDataLoss, testing::HasSubstr("is not an internal key")));
  it->SeekToLast();
  EXPECT_FALSE(it->Valid());
  EXPECT_FALSE(it->status().ok());
}

}  // namespace
}  // namespace sstable::test
