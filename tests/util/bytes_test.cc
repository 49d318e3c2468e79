#include "util/bytes.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "tests/support/random_bytes.h"

namespace sstable::test {
namespace {

TEST(CommonPrefixSizeTest, FindsADifferenceAtEveryPlace) {
  for (size_t size = 0; size <= 40; ++size) {
    for (size_t place = 0; place < size; ++place) {
      for (int bit = 0; bit < 8; ++bit) {
        std::string changed(size, '\x5a');
        changed[place] = static_cast<char>(changed[place] ^ 1 << bit);
        const ExactCopy a(std::string(size, '\x5a')), b(changed);
        ASSERT_EQ(CommonPrefixSize(a.view(), b.view()), place) << size << " bytes, bit " << bit;
      }
    }
  }
}

TEST(CopyWideTest, CopiesAllAndTouchesNoMoreThanTheSlack) {
  for (size_t size = 0; size <= 200; ++size) {
    Rng rng(size);
    const std::string source = RandomBytes(rng, size + kCopySlack);
    std::string copy(size + kCopySlack + 16, '\x7e');
    CopyWide(copy.data(), absl::string_view(source).substr(0, size));
    EXPECT_EQ(copy.substr(0, size), source.substr(0, size));
    EXPECT_EQ(copy.substr(size + kCopySlack), std::string(16, '\x7e')) << size;
  }
}

TEST(ByteBufferTest, KeepsItsContentsWhileItGrows) {
  constexpr uint64_t kSeed = 2;
  Rng rng(kSeed);
  ByteBuffer buffer;
  std::string expected;
  while (expected.size() < 100000) {
    const std::string bytes = RandomBytes(rng, RandomUpTo(rng, 300));
    buffer.Append(bytes);
    expected += bytes;
    ASSERT_EQ(buffer.view(), expected) << "seed " << kSeed << ", " << expected.size() << " bytes";
  }
}

TEST(ByteBufferTest, ReservesRoomAndSlackBehindTheContents) {
  ByteBuffer buffer;
  std::string expected;
  for (size_t room = 0; room <= 500; room += 7) {
    char* const dst = buffer.Reserve(room);
    ASSERT_EQ(dst, buffer.data() + buffer.size());
    // AddressSanitizer detects a write past the buffer.
    std::fill_n(dst, room + kCopySlack, static_cast<char>(room));
    buffer.SetSize(buffer.size() + room);
    expected.append(room, static_cast<char>(room));
    ASSERT_EQ(buffer.view(), expected);
  }
}

TEST(ByteBufferTest, HasItsSlackAlsoAfterAppend) {
  ByteBuffer buffer;
  for (size_t i = 0; i < 300; ++i) {
    buffer.Append("x");
    std::fill_n(buffer.data() + buffer.size(), kCopySlack, 'y');
  }
  EXPECT_EQ(buffer.view(), std::string(300, 'x'));
}

TEST(ByteBufferTest, MovesSeldomWhileItGrowsByteByByte) {
  ByteBuffer buffer;
  const char* last = nullptr;
  int moves = 0;
  for (size_t i = 0; i < 1000000; ++i) {
    buffer.Append("x");
    if (buffer.data() != last) ++moves;
    last = buffer.data();
  }
  EXPECT_LE(moves, 40);  // since 1.5^40 > 10^6
}

TEST(ByteBufferTest, CanBeCutAndCleared) {
  ByteBuffer buffer;
  buffer.Append("abcdef");
  buffer.SetSize(3);
  EXPECT_EQ(buffer.view(), "abc");
  buffer.Append("xyz");
  EXPECT_EQ(buffer.view(), "abcxyz");
  buffer.Clear();
  EXPECT_EQ(buffer.view(), "");
  buffer.SetSize(0);
  buffer.Append("q");
  EXPECT_EQ(buffer.view(), "q");
}

TEST(ByteBufferTest, MovesItsBytesAndIsUsableAfterwards) {
  ByteBuffer from;
  from.Append(std::string(100, 'a'));
  const char* const data = from.data();
  ByteBuffer to = std::move(from);
  EXPECT_EQ(to.data(), data);
  EXPECT_EQ(to.view(), std::string(100, 'a'));
  EXPECT_EQ(from.size(), 0);  // NOLINT(bugprone-use-after-move): that is the point
  from.Append("b");
  EXPECT_EQ(from.view(), "b");

  from = std::move(to);
  EXPECT_EQ(from.view(), std::string(100, 'a'));
  to.Append("c");  // NOLINT(bugprone-use-after-move)
  EXPECT_EQ(to.view(), "c");
}

// `bytes` followed by the slack that KeyBuffer::Replace() requires.
class Padded {
 public:
  explicit Padded(absl::string_view bytes)
      : bytes_(absl::StrCat(bytes, std::string(kCopySlack, '#'))) {}
  absl::string_view view() const {
    return absl::string_view(bytes_.view().data(), bytes_.view().size() - kCopySlack);
  }

 private:
  ExactCopy bytes_;
};

TEST(KeyBufferTest, ResizeKeepsTheFirstBytesAtEverySize) {
  for (size_t size = 150; size <= 600; ++size) {
    KeyBuffer key;
    key.Assign(std::string(160, 'a'));
    std::memset(key.Resize(150, size) + 150, 'b', size - 150);
    ASSERT_EQ(key.view(), std::string(150, 'a') + std::string(size - 150, 'b'));
  }
}

TEST(KeyBufferTest, AssignTakesAnyViewAtEverySize) {
  KeyBuffer key;
  for (size_t size = 0; size <= 600; ++size) {
    const ExactCopy bytes(std::string(size, static_cast<char>(size)));  // no slack
    key.Assign(bytes.view());
    ASSERT_EQ(key.view(), bytes.view());
  }
  key.Assign(absl::string_view());
  EXPECT_EQ(key.view(), "");
}

TEST(KeyBufferTest, AgreesWithAStringOverManyReplacements) {
  constexpr uint64_t kSeed = 3;
  Rng rng(kSeed);
  for (int round = 0; round < 50; ++round) {
    KeyBuffer key;
    std::string expected;
    for (int i = 0; i < 200; ++i) {
      // Most keys are short. Some are larger than the inline capacity and all earlier keys.
      const std::string bytes = RandomBytes(rng, RandomUpTo(rng, i % 20 == 19 ? 50 * i : 20));
      if (RandomUpTo(rng, 9) == 0) {
        key.Assign(bytes);
        expected = bytes;
      } else {
        const size_t shared = RandomUpTo(rng, expected.size());
        key.Replace(shared, Padded(bytes).view());
        expected = expected.substr(0, shared) + bytes;
      }
      ASSERT_EQ(key.view(), expected) << "seed " << kSeed << ", round " << round << ", step " << i;
      ASSERT_EQ(key.size(), expected.size());
    }
  }
}

TEST(KeyBufferTest, HoldsViewsIntoItselfAndNoOthers) {
  KeyBuffer key, other;
  for (const std::string& copy : {std::string("short"), std::string(1000, 'x')}) {
    key.Assign(copy);
    other.Assign(copy);
    EXPECT_TRUE(key.Holds(key.view()));
    EXPECT_TRUE(key.Holds(key.view().substr(3)));
    EXPECT_TRUE(key.Holds(key.view().substr(copy.size())));
    EXPECT_FALSE(key.Holds(other.view()));
    EXPECT_FALSE(key.Holds(copy));
    EXPECT_FALSE(key.Holds(absl::string_view()));
  }
}

TEST(KeyBufferTest, HoldsNoViewOfBytesItHasMovedAwayFrom) {
  KeyBuffer key;
  key.Assign("short");
  const absl::string_view inline_view = key.view();
  ASSERT_TRUE(key.Holds(inline_view));
  key.Assign(std::string(1000, 'x'));
  EXPECT_FALSE(key.Holds(inline_view));
}

}  // namespace
}  // namespace sstable::test
