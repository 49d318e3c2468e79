#include "table/salvage/carve.h"

#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "table/block/compression.h"
#include "tests/support/block_bytes.h"
#include "tests/support/deflate.h"
#include "tests/support/table_parts.h"
#include "util/bytes.h"

namespace sstable::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

struct Tried {
  BlockHandle handle;
  bool adjacent;
  bool operator==(const Tried& other) const {
    return handle == other.handle && adjacent == other.adjacent;
  }
};

// Returns the byte ranges that are tried, if each is accepted as a block.
std::vector<Tried> Carve(absl::string_view bytes) {
  const PaddedBytes padded(bytes);
  std::vector<Tried> runs;
  const CarveResult result =
      CarveBlocks(padded.view(), [&runs](const BlockHandle& handle, bool adjacent) {
        runs.push_back({handle, adjacent});
        return CarveVerdict::kBlock;
      });
  EXPECT_EQ(result.blocks.size(), runs.size());
  EXPECT_EQ(result.stopped_at, std::nullopt);
  return runs;
}

std::string Stored(absl::string_view stored, uint8_t type) {
  return absl::StrCat(stored, EncodeTrailer(stored, type));
}

std::string RawBlock(size_t value_size) {
  return EncodeBlock({{"apple", std::string(value_size, 'r')}, {"banana", "yellow"}});
}

// Returns blocks whose compressed streams begin in all possible ways.
std::vector<std::string> RawBlocks() {
  std::mt19937_64 random(3);
  std::vector<std::string> blocks = {EncodeBlock({}), RawBlock(0), RawBlock(3), RawBlock(200),
                                     RawBlock(100000)};
  for (int size : {1, 100, 1000, 5000, 70000}) {
    std::string noise(size, '\0');
    for (char& byte : noise) byte = static_cast<char>(random());
    blocks.push_back(EncodeBlock({{noise, noise}, {"zz", std::string(300, 'z')}}));
    blocks.push_back(EncodeBlock({{"", noise}}));
  }
  return blocks;
}

TEST(CarveTest, FindsBlocksOfEveryCodecBehindDamage) {
  std::mt19937_64 random(1);
  std::string garbage(300, '\0');
  for (char& byte : garbage) byte = static_cast<char>(random());
  for (const std::string& raw : RawBlocks()) {
    // Includes streams that are not smaller than `raw`.
    std::vector<std::pair<std::string, uint8_t>> stored = {
        {raw, 0}, {Deflate(raw, 15), 2}, {Deflate(raw, -15), 4}};
    for (const Compression compression :
         {Compression::kSnappy, Compression::kZstd, Compression::kZlib, Compression::kRawDeflate}) {
      BlockCompressor compressor(compression, 1);
      const auto bytes = compressor.Compress(raw);
      if (bytes.has_value()) stored.emplace_back(std::string(*bytes), TypeByte(compression));
    }
    for (const auto& [bytes, type] : stored) {
      SCOPED_TRACE(absl::StrCat(raw.size(), " bytes, type ", type));
      const Tried tried = {{garbage.size(), bytes.size()}, false};
      EXPECT_THAT(Carve(absl::StrCat(garbage, Stored(bytes, type), garbage)), ElementsAre(tried));
    }
  }
}

TEST(CarveTest, WhatFollowsABlockMayBeAnything) {
  const std::string first = RawBlock(5), second = "no block at all";
  EXPECT_THAT(Carve(absl::StrCat(Stored(first, 0), Stored(second, 1), "x")),
              ElementsAre(Tried{{0, first.size()}, true},
                          Tried{{first.size() + kBlockTrailerSize, second.size()}, true}));
  EXPECT_THAT(Carve(absl::StrCat("x", Stored(second, 1))), IsEmpty());
}

TEST(CarveTest, OfRunsWithinEachOtherTheFirstIsTheBlock) {
  const std::string inner = Stored(RawBlock(5), 0);
  const std::string outer = EncodeBlock({{"apple", "red"}, {"table", inner}});
  EXPECT_THAT(Carve(Stored(outer, 0)), ElementsAre(Tried{{0, outer.size()}, true}));
}

TEST(CarveTest, GoesOnWhereARunIsNoBlock) {
  const std::string block = RawBlock(5);
  const PaddedBytes bytes(absl::StrCat(Stored("chance", 1), Stored(block, 0)));
  const CarveResult result =
      CarveBlocks(bytes.view(), [](const BlockHandle& handle, bool adjacent) {
        EXPECT_EQ(adjacent, handle.offset == 0);
        return handle.offset == 0 ? CarveVerdict::kNoBlock : CarveVerdict::kBlock;
      });
  EXPECT_THAT(result.blocks, ElementsAre(BlockHandle{6 + kBlockTrailerSize, block.size()}));
}

TEST(CarveTest, SaysWhereItWasStopped) {
  const PaddedBytes bytes(absl::StrCat(Stored(RawBlock(5), 0), Stored(RawBlock(6), 0)));
  int count = 0;
  const CarveResult result = CarveBlocks(bytes.view(), [&count](const BlockHandle&, bool) {
    return count++ == 0 ? CarveVerdict::kBlock : CarveVerdict::kStop;
  });
  EXPECT_EQ(result.blocks.size(), 1);
  EXPECT_EQ(result.stopped_at, RawBlock(5).size() + kBlockTrailerSize);
}

TEST(CarveTest, FindsNothingInNothing) {
  for (size_t size : {0, 1, 5, 9, 10, 5000}) EXPECT_THAT(Carve(std::string(size, '\0')), IsEmpty());
}

}  // namespace
}  // namespace sstable::test
