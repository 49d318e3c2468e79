#include "util/portable_crc32c.h"

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "tests/support/random_bytes.h"
#include "util/crc32c.h"

namespace sstable {
namespace {

// One uses this processor's instructions, the other uses tables.
constexpr uint32_t (*kImplementations[])(uint32_t, absl::string_view) = {&PortableExtendCrc32c,
                                                                         &TableExtendCrc32c};

TEST(PortableCrc32cTest, HasThePublishedValue) {
  for (const auto extend : kImplementations) {
    EXPECT_EQ(extend(0, "123456789"), 0xe3069283);
    EXPECT_EQ(extend(0, std::string(32, '\0')), 0x8a9136aa);  // RFC 3720, B.4
  }
}

TEST(PortableCrc32cTest, IsThatOfTheLibraryAtEverySizeAlignmentAndSplit) {
  constexpr uint64_t kSeed = 1;
  test::Rng rng(kSeed);
  const std::string bytes = test::RandomBytes(rng, 10000);
  const auto check = [&](size_t offset, size_t size) {
    const absl::string_view part = absl::string_view(bytes).substr(offset, size);
    for (const auto extend : kImplementations) {
      ASSERT_EQ(extend(0, part), Crc32c(part)) << "seed " << kSeed << ", " << size << " bytes";
      const uint32_t first = extend(7, part.substr(0, size / 3));
      ASSERT_EQ(extend(first, part.substr(size / 3)), ExtendCrc32c(7, part));
    }
  };
  for (size_t offset = 0; offset < 16; ++offset) {
    for (size_t size = 0; size < 80; ++size) check(offset, size);
    for (size_t part : {3 * 256, 3 * 1024, 3 * 1024 + 3 * 256, 6 * 1024}) {
      for (size_t size = part - 9; size < part + 10; ++size) check(offset, size);
    }
  }
}

}  // namespace
}  // namespace sstable
