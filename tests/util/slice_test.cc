#include "sstable/slice.h"

#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "leveldb/slice.h"

namespace sstable {
namespace {

// Takes its argument as functions of the API do.
std::string Copy(Slice bytes) { return std::string(bytes); }

TEST(SliceTest, TakesEveryViewOfChars) {
  const std::string bytes("a\0b", 3);
  EXPECT_EQ(Copy(bytes), bytes);
  EXPECT_EQ(Copy(std::string_view(bytes)), bytes);
  EXPECT_EQ(Copy(absl::string_view(bytes)), bytes);
  EXPECT_EQ(Copy(leveldb::Slice(bytes)), bytes);
  EXPECT_EQ(Copy(std::vector<char>(bytes.begin(), bytes.end())), bytes);
  EXPECT_EQ(Copy("ab"), "ab");
  EXPECT_EQ(Copy({bytes.data(), bytes.size()}), bytes);
  EXPECT_EQ(Copy({}), "");
}

TEST(SliceTest, TakesNothingElse) {
  EXPECT_FALSE((std::is_convertible_v<std::vector<int>, Slice>));
  EXPECT_FALSE((std::is_convertible_v<std::wstring, Slice>));
  EXPECT_FALSE((std::is_convertible_v<int, Slice>));
}

// It must be passed in registers, as absl::string_view is.
TEST(SliceTest, IsPassedLikeAView) {
  EXPECT_TRUE(std::is_trivially_copyable_v<Slice>);
  EXPECT_EQ(sizeof(Slice), sizeof(absl::string_view));
}

}  // namespace
}  // namespace sstable
