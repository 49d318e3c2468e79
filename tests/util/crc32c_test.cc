#include "util/crc32c.h"

#include <sys/mman.h>

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "tests/support/hex.h"
#include "tests/support/random_bytes.h"

namespace sstable::test {
namespace {

std::string Repeated(int count, int first, int step) {
  std::string bytes;
  for (int i = 0; i < count; ++i) bytes.push_back(static_cast<char>(first + i * step));
  return bytes;
}

struct CrcCase {
  const char* name;
  std::string bytes;
  uint32_t crc;
};

std::vector<CrcCase> CrcCases() {
  return {
      {"Nothing", "", 0},
      // From RFC 3720, appendix B.4.
      {"Zeros", Repeated(32, 0, 0), 0x8a9136aa},
      {"Ones", Repeated(32, 0xff, 0), 0x62a8ab43},
      {"Rising", Repeated(32, 0, 1), 0x46dd794e},
      {"Falling", Repeated(32, 31, -1), 0x113fdb5c},
      {"IscsiRead",
       FromHex("01c00000000000000000000000000000 14000000000004000000001400000018"
               " 28000000000000000200000000000000"),
       0xd9963a56},
      {"Digits", "123456789", 0xe3069283},
  };
}

class Crc32cVectorTest : public testing::TestWithParam<CrcCase> {};

TEST_P(Crc32cVectorTest, HasThePublishedValue) {
  EXPECT_EQ(Crc32c(GetParam().bytes), GetParam().crc);
}

TEST_P(Crc32cVectorTest, IsTheSameWhereverItIsSplit) {
  const absl::string_view bytes = GetParam().bytes;
  for (size_t split = 0; split <= bytes.size(); ++split) {
    EXPECT_EQ(ExtendCrc32c(Crc32c(bytes.substr(0, split)), bytes.substr(split)), GetParam().crc)
        << split;
  }
}

INSTANTIATE_TEST_SUITE_P(Vectors, Crc32cVectorTest, testing::ValuesIn(CrcCases()),
                         [](const auto& info) { return info.param.name; });

// Computes the CRC bit by bit from its definition: reflected, polynomial 0x1edc6f41.
uint32_t NaiveCrc32c(absl::string_view data) {
  uint32_t crc = ~uint32_t{0};
  for (char c : data) {
    crc ^= static_cast<unsigned char>(c);
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (crc & 1 ? 0x82f63b78u : 0);
  }
  return ~crc;
}

TEST(Crc32cTest, AgreesWithTheDefinitionAtEverySizeAndAlignment) {
  constexpr uint64_t kSeed = 1;
  Rng rng(kSeed);
  const std::string bytes = RandomBytes(rng, 1000);
  for (size_t offset = 0; offset < 16; ++offset) {
    for (size_t size = 0; size < 80; ++size) {
      const ExactCopy part(absl::string_view(bytes).substr(offset, size));
      ASSERT_EQ(Crc32c(absl::string_view(bytes).substr(offset, size)), NaiveCrc32c(part.view()));
      ASSERT_EQ(Crc32c(part.view()), NaiveCrc32c(part.view()));
    }
    const absl::string_view rest = absl::string_view(bytes).substr(offset);
    ASSERT_EQ(Crc32c(rest), NaiveCrc32c(rest)) << "seed " << kSeed;
  }
}

#ifdef __LP64__
TEST(Crc32cTest, CoversMoreThanFourGigabytes) {
  // ISA-L's length parameter is an int. Pages that are never written take no memory.
  constexpr size_t kSize = (size_t{1} << 32) + 5;
  void* const mapping =
      mmap(nullptr, kSize, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  ASSERT_NE(mapping, MAP_FAILED);
  const absl::string_view zeros(static_cast<const char*>(mapping), kSize);
  constexpr size_t kPartSize = 1000000;
  uint32_t in_parts = 0;
  for (size_t offset = 0; offset < kSize; offset += kPartSize) {
    in_parts = ExtendCrc32c(in_parts, zeros.substr(offset, kPartSize));
  }
  EXPECT_EQ(Crc32c(zeros), in_parts);
  munmap(mapping, kSize);
}
#endif

#ifdef __x86_64__
// Returns the bitwise OR of the upper halves of registers ymm0 to ymm15.
__attribute__((target("avx"))) uint64_t UpperHalves() {
  uint64_t low, high;
  asm volatile(
      "vextractf128 $1, %%ymm0, %%xmm0\n\t"
      ".irp register, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15\n\t"
      "vextractf128 $1, %%ymm\\register, %%xmm\\register\n\t"
      "vorps %%xmm\\register, %%xmm0, %%xmm0\n\t"
      ".endr\n\t"
      "vmovq %%xmm0, %0\n\t"
      "vpextrq $1, %%xmm0, %1\n\t"
      : "=r"(low), "=r"(high)
      :
      : "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10",
        "xmm11", "xmm12", "xmm13", "xmm14", "xmm15");
  return low | high;
}

TEST(Crc32cTest, LeavesTheUpperHalvesOfVectorRegistersEmpty) {
  if (!__builtin_cpu_supports("avx")) GTEST_SKIP() << "this processor has none";
  Rng rng(3);
  const std::string bytes = RandomBytes(rng, 10000);
  for (size_t size : {0, 1, 16, 100, 256, 1000, 4096, 10000}) {
    const uint32_t crc = Crc32c(absl::string_view(bytes).substr(0, size));
    EXPECT_EQ(UpperHalves(), 0u) << size << " bytes, CRC " << crc;
  }
}
#endif

TEST(MaskCrcTest, HasLevelDbsValue) { EXPECT_EQ(MaskCrc(Crc32c("123456789")), 0xc78ab0e5); }

TEST(MaskCrcTest, IsUndoneByUnmask) {
  Rng rng(2);
  for (uint32_t crc : {0u, 1u, 0xffffffffu, kCrcMaskDelta, 0u - kCrcMaskDelta}) {
    EXPECT_EQ(UnmaskCrc(MaskCrc(crc)), crc);
    EXPECT_EQ(MaskCrc(UnmaskCrc(crc)), crc);
  }
  for (int i = 0; i < 10000; ++i) {
    const auto crc = static_cast<uint32_t>(rng());
    ASSERT_EQ(UnmaskCrc(MaskCrc(crc)), crc);
    ASSERT_EQ(MaskCrc(UnmaskCrc(crc)), crc);
  }
}

}  // namespace
}  // namespace sstable::test
