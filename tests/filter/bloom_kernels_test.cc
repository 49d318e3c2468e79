// Compares the vector kernels with the portable ones, and the portable ones with the format.
#include "filter/bloom_kernels.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "filter/bloom.h"
#include "gtest/gtest.h"

namespace sstable {
namespace {

constexpr uint32_t kSeed = 20261121;

// A filter's bits, followed by exactly as many bytes as vector loads need.
class PaddedFilter {
 public:
  PaddedFilter(size_t byte_count, int probe_count)
      : byte_count_(byte_count), bytes_(new char[byte_count + 1 + kBloomLoadSize]()) {
    bytes_[byte_count] = static_cast<char>(probe_count);
  }
  char* bits() { return bytes_.get(); }
  absl::string_view view() const { return absl::string_view(bytes_.get(), byte_count_ + 1); }

 private:
  size_t byte_count_;
  std::unique_ptr<char[]> bytes_;
};

TEST(BloomBitTest, IsTheRemainder) {
  std::mt19937 random(kSeed);
  for (int i = 0; i < 2000000; ++i) {
    // Tries filters of all sizes, small ones more often.
    const uint32_t bit_count = std::max<uint32_t>(8, (random() >> (random() % 30)) & ~7u);
    const uint32_t hash = i % 5 == 0 ? bit_count * (random() % 9) - random() % 3 : random();
    ASSERT_EQ(BloomBit(hash, bit_count, BloomProbe::Reciprocal(bit_count)), hash % bit_count)
        << hash << " mod " << bit_count;
  }
}

// Tests every size for which fractions are used, at random hashes and where the quotient changes.
TEST(BloomBitTest, OfAFractionIsTheRemainder) {
  std::mt19937 random(kSeed);
  for (uint32_t bit_count = 8; bit_count <= kMaxFractionBits; bit_count += 8) {
    const uint64_t fraction = BloomFraction(bit_count, BloomProbe::Reciprocal(bit_count));
    for (int i = 0; i < 200; ++i) {
      const uint32_t any = i < 100 ? random() : 0xffffffff - static_cast<uint32_t>(i - 100);
      const uint32_t multiple = any / bit_count * bit_count;
      for (const uint32_t hash : {any, multiple - 1, multiple, multiple + 1}) {
        ASSERT_EQ(BloomBitOfFraction(hash, bit_count, fraction), hash % bit_count)
            << hash << " mod " << bit_count;
      }
    }
  }
}

TEST(BloomKernelsTest, VectorAndPortableSetTheSameBits) {
  std::mt19937 random(kSeed);
  for (int round = 0; round < 3000; ++round) {
    const size_t key_count = random() % 200;
    const size_t byte_count = round % 100 == 0 ? 33000 + random() % 5000 : 8 + random() % 300;
    const int probe_count = 1 + static_cast<int>(random() % kMaxBloomProbes);
    SCOPED_TRACE(absl::StrCat("round ", round, ": ", key_count, " keys, ", byte_count, " bytes, ",
                              probe_count, " probes"));
    std::vector<uint32_t> hashes(key_count);
    for (uint32_t& hash : hashes) hash = random();
    PaddedFilter vector(byte_count, probe_count), portable(byte_count, probe_count);
    const auto bit_count = static_cast<uint32_t>(8 * byte_count);
    BestBloomKernels().set_bits(hashes.data(), key_count, probe_count, bit_count, vector.bits());
    kPortableBloomKernels.set_bits(hashes.data(), key_count, probe_count, bit_count,
                                   portable.bits());
    ASSERT_EQ(vector.view(), portable.view());
  }
}

TEST(BloomKernelsTest, VectorAndPortableGiveTheSameAnswers) {
  std::mt19937 random(kSeed);
  size_t yes = 0, asked = 0;
  for (int round = 0; round < 1500; ++round) {
    // Includes sizes near the limits for the short forms of both kernels.
    const size_t byte_count = round % 50 == 0   ? 5000
                              : round % 50 == 1 ? kMaxFractionBits / 8 - 1 + random() % 3
                              : round % 50 == 2 ? kBloomLoadSize - 1 + random() % 3
                                                : 1 + random() % 200;
    const int probe_count = static_cast<int>(random() % (kMaxBloomProbes + 1));
    PaddedFilter filter(byte_count, probe_count);
    const int density = static_cast<int>(random() % 4);
    for (size_t i = 0; i < byte_count; ++i) {
      filter.bits()[i] = static_cast<char>(density == 0 ? random() : random() | random());
      if (density == 3) filter.bits()[i] = static_cast<char>(0xff ^ (1 << (random() % 8)));
    }
    const BloomProbe probe(BloomView(filter.view()));
    for (int i = 0; i < 1000; ++i, ++asked) {
      const uint32_t hash = random();
      const bool portable = kPortableBloomKernels.Probe(probe, hash);
      yes += portable;
      ASSERT_EQ(BestBloomKernels().Probe(probe, hash), portable)
          << byte_count << " bytes, " << probe_count << " probes, hash " << hash;
    }
  }
  EXPECT_GE(asked, 1000000);
  EXPECT_GT(yes, asked / 20) << "the test must see both answers";
  EXPECT_LT(yes, asked - asked / 20);
}

TEST(BloomKernelsTest, VectorAndPortableHashAlike) {
  std::mt19937 random(kSeed);
  for (int round = 0; round < 20000; ++round) {
    std::vector<std::string> keys(random() % 50);
    const size_t common_size = random() % 80;
    for (std::string& key : keys) {
      key.resize(round % 3 == 0 ? random() % 80 : common_size);
      for (char& byte : key) byte = static_cast<char>(random());
    }
    const std::vector<absl::string_view> views(keys.begin(), keys.end());
    std::vector<uint32_t> vector(keys.size()), portable(keys.size());
    BestBloomKernels().hash_keys(views.data(), views.size(), vector.data());
    kPortableBloomKernels.hash_keys(views.data(), views.size(), portable.data());
    ASSERT_EQ(vector, portable) << "round " << round;
    for (size_t i = 0; i < keys.size(); ++i) ASSERT_EQ(portable[i], BloomKeyHash(keys[i]));
  }
}

}  // namespace
}  // namespace sstable
