// Merges sorted inputs without reading far ahead. tests/tools/scripts/build_merge.txt tests the
// output.
#include "tools/sort/merged_records.h"

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "sstable/comparator.h"

namespace sstable::tools {
namespace {

using ::testing::HasSubstr;

constexpr int kInputs = 10;
constexpr int kRecords = 1000;  // per source

// Returns every tenth key in order, then an error or the end.
class CountedSource final : public RecordSource {
 public:
  CountedSource(int first, int* read_count, absl::Status end)
      : next_(first), read_count_(*read_count), end_(std::move(end)) {}

  absl::StatusOr<bool> Next(Record* record) override {
    if (next_ >= kInputs * kRecords) {
      if (!end_.ok()) return end_;
      return false;
    }
    key_ = absl::StrCat(100000 + next_);
    *record = {key_, key_, {0, 1}};
    next_ += kInputs;
    ++read_count_;
    return true;
  }

 private:
  int next_;
  int& read_count_;
  const absl::Status end_;
  std::string key_;
};

class MergedRecordsTest : public testing::Test {
 protected:
  void Open(const absl::Status& end_of_last) {
    for (int i = 0; i < kInputs; ++i) {
      sources_.push_back(std::make_unique<CountedSource>(
          i, &read_count_, i == kInputs - 1 ? end_of_last : absl::OkStatus()));
      inputs_.push_back(sources_.back().get());
    }
    merged_ = std::make_unique<MergedRecords>(inputs_, &order_, Duplicates::kRefuse,
                                              [](const LinePlace&) { return "place"; });
  }

  const KeyOrder order_{BytewiseComparator(), KeyKind::kPlain};
  int read_count_ = 0;
  std::vector<std::unique_ptr<CountedSource>> sources_;
  std::vector<RecordSource*> inputs_;
  std::unique_ptr<MergedRecords> merged_;
};

TEST_F(MergedRecordsTest, HoldsTwoRecordsOfEachInput) {
  Open(absl::OkStatus());
  Record record;
  for (int i = 0; i < kInputs * kRecords; ++i) {
    ASSERT_TRUE(merged_->Next(&record).value());
    EXPECT_EQ(record.key, absl::StrCat(100000 + i));
    EXPECT_EQ(record.value, record.key);
    EXPECT_EQ(record.place.input, i % kInputs);
    EXPECT_LE(read_count_, i + 2 * kInputs);
  }
  EXPECT_FALSE(merged_->Next(&record).value());
}

TEST_F(MergedRecordsTest, AnErrorOfAnInputIsNotItsEnd) {
  Open(absl::DataLossError("broken"));
  Record record;
  absl::StatusOr<bool> result = true;
  while (result.ok() && *result) result = merged_->Next(&record);
  EXPECT_THAT(std::string(result.status().message()), HasSubstr("broken"));
}

}  // namespace
}  // namespace sstable::tools
