#include "web/core/portable_crc32c.h"

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "tests/support/random_bytes.h"
#include "util/crc32c.h"

namespace sstable {
namespace {

TEST(PortableCrc32cTest, HasThePublishedValue) {
  EXPECT_EQ(PortableExtendCrc32c(0, "123456789"), 0xe3069283);
  EXPECT_EQ(PortableExtendCrc32c(0, std::string(32, '\0')), 0x8a9136aa);  // RFC 3720, B.4
}

TEST(PortableCrc32cTest, IsThatOfTheLibraryAtEverySizeAlignmentAndSplit) {
  constexpr uint64_t kSeed = 1;
  test::Rng rng(kSeed);
  const std::string bytes = test::RandomBytes(rng, 1000);
  for (size_t offset = 0; offset < 16; ++offset) {
    for (size_t size = 0; size < 80; ++size) {
      const absl::string_view part = absl::string_view(bytes).substr(offset, size);
      ASSERT_EQ(PortableExtendCrc32c(0, part), Crc32c(part)) << "seed " << kSeed;
      const uint32_t first = PortableExtendCrc32c(0, part.substr(0, size / 3));
      ASSERT_EQ(PortableExtendCrc32c(first, part.substr(size / 3)), Crc32c(part));
    }
  }
  EXPECT_EQ(PortableExtendCrc32c(7, bytes), ExtendCrc32c(7, bytes));
}

}  // namespace
}  // namespace sstable
