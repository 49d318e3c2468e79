// Lines are read completely, even where they span the blocks in which files are read.
#include "tools/records/line_reader.h"

#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/temp_folder.h"

namespace sstable::tools {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

class LineReaderTest : public testing::Test {
 protected:
  std::string Write(const std::string& name, const std::string& contents) const {
    folder_.Write(name, contents);
    return folder_.File(name);
  }

  // Returns each line with its number.
  std::vector<std::pair<uint64_t, std::string>> Lines(std::vector<std::string> inputs) {
    LineReader reader(std::move(inputs), &console_);
    std::vector<std::pair<uint64_t, std::string>> lines;
    absl::string_view line;
    for (;;) {
      const absl::StatusOr<bool> has_line = reader.Next(&line);
      EXPECT_TRUE(has_line.ok()) << has_line.status();
      if (!has_line.ok() || !*has_line) return lines;
      lines.emplace_back(reader.place().line, line);
    }
  }

  test::TempFolder folder_;
  Console console_;
};

TEST_F(LineReaderTest, ALineEndsWithItsInput) {
  EXPECT_THAT(Lines({Write("a", "one\n\ntwo"), Write("b", ""), Write("c", "three\n")}),
              ElementsAre(Pair(1, "one"), Pair(2, ""), Pair(3, "two"), Pair(1, "three")));
  EXPECT_THAT(Lines({}), IsEmpty());
}

TEST_F(LineReaderTest, AByteOrderMarkAtTheStartOfAnInputIsLeftOut) {
  EXPECT_THAT(
      Lines({Write("a", "\xef\xbb\xbfone\r\n\xef\xbb\xbftwo\n"), Write("b", "\xef\xbb\xbf"),
             Write("c", "\xef\xbb")}),
      ElementsAre(Pair(1, "one\r"), Pair(2, "\xef\xbb\xbftwo"), Pair(1, ""), Pair(1, "\xef\xbb")));
}

TEST_F(LineReaderTest, LinesMayBeLongerThanABlockAndEndAnywhereInOne) {
  constexpr size_t kBlock = 256 * 1024;
  for (const size_t size : {kBlock - 1, kBlock, kBlock + 1, 5 * kBlock}) {
    SCOPED_TRACE(size);
    const std::string first(size - 3, 'x'), second(size, 'y');
    EXPECT_THAT(Lines({Write("in", "a\n" + first + "\n" + second + "\nb")}),
                ElementsAre(Pair(1, "a"), Pair(2, first), Pair(3, second), Pair(4, "b")));
  }
}

}  // namespace
}  // namespace sstable::tools
