// Tests the size limit of a filter block. Needs 5 GB of memory, so it runs only when requested by
// name.
#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "sstable/filter_block.h"
#include "sstable/filter_policy.h"
#include "tests/support/status_matchers.h"
#include "util/coding.h"

namespace sstable {
namespace {

// Makes filters of a given size from any keys.
class SizedPolicy final : public FilterPolicy {
 public:
  explicit SizedPolicy(uint64_t size) : size_(size) {}
  absl::string_view Name() const override { return "test.Sized"; }
  void CreateFilter(absl::Span<const absl::string_view>, std::string* dst) const override {
    dst->reserve(size_ + 100);
    dst->resize(dst->size() + size_);
  }
  bool KeyMayMatch(absl::string_view, absl::string_view) const override { return true; }

 private:
  uint64_t size_;
};

constexpr uint64_t kLargestFilter = 0xffffffff - 4 - 5;  // minus one offset and the tail

TEST(FilterBlockLimitTest, TakesAFilterThatLeavesTheBlockBelowFourGigabytes) {
  const SizedPolicy policy(kLargestFilter);
  FilterBlockBuilder builder(&policy);
  builder.AddKey("a");
  ASSERT_OK_AND_ASSIGN(const absl::string_view contents, builder.Finish());
  EXPECT_EQ(contents.size(), 0xffffffff);
  EXPECT_EQ(DecodeFixed32(contents.data() + contents.size() - 5), kLargestFilter);
}

TEST(FilterBlockLimitTest, RefusesOneByteMore) {
  const SizedPolicy policy(kLargestFilter + 1);
  FilterBlockBuilder builder(&policy);
  builder.AddKey("a");
  EXPECT_THAT(builder.Finish(),
              test::StatusIs(absl::StatusCode::kInvalidArgument, testing::HasSubstr("4294967296")));
}

}  // namespace
}  // namespace sstable
