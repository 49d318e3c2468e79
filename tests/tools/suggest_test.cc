#include "tools/cli/suggest.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace sstable::tools {
namespace {

TEST(EditDistanceTest, CountsInsertionsDeletionsReplacementsAndSwaps) {
  EXPECT_EQ(EditDistance("", ""), 0u);
  EXPECT_EQ(EditDistance("", "abc"), 3u);
  EXPECT_EQ(EditDistance("dump", "dump"), 0u);
  EXPECT_EQ(EditDistance("dmup", "dump"), 1u);
  EXPECT_EQ(EditDistance("dumpp", "dump"), 1u);
  EXPECT_EQ(EditDistance("bump", "dump"), 1u);
  EXPECT_EQ(EditDistance("kitten", "sitting"), 3u);
}

TEST(SuggestionTest, NamesTheNearestIfItIsNear) {
  const std::vector<std::string> words = {"build", "dump", "get", "stats"};
  EXPECT_EQ(Suggestion("statz", words), "; did you mean 'stats'?");
  EXPECT_EQ(Suggestion("dmup", words), "; did you mean 'dump'?");
  EXPECT_EQ(Suggestion("sta", words), "; did you mean 'stats'?");
  EXPECT_EQ(Suggestion("compact", words), "");
  EXPECT_EQ(Suggestion("", words), "");
}

}  // namespace
}  // namespace sstable::tools
