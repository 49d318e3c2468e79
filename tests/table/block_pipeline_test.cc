#include "table/block_pipeline.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "sstable/options.h"
#include "table/block/block_io.h"
#include "table/block/compression.h"
#include "util/bytes.h"

namespace sstable {
namespace {

// Blocks of many sizes, some of which don't compress.
std::string RawBlock(size_t i) {
  std::string raw = absl::StrCat("block ", i, ": ");
  uint32_t state = static_cast<uint32_t>(i) + 1;
  while (raw.size() < 100 + i * 37 % 5000) {
    state = state * 1664525 + 1013904223;
    raw += i % 3 == 0 ? static_cast<char>(state >> 24) : static_cast<char>('a' + (state >> 30));
  }
  return raw;
}

std::string Sealed(const std::string& raw) {
  BlockCompressor compressor(Compression::kSnappy, 1);
  ByteBuffer bytes;
  bytes.Append(raw);
  SealBlock(&compressor, 0, &bytes);
  return std::string(bytes.view());
}

void Fill(BlockPipeline* pipeline, size_t i) {
  pipeline->StartInput();
  BlockPipeline::DataBlock& block = pipeline->input();
  EXPECT_EQ(block.bytes.size(), 0u);
  EXPECT_EQ(block.separator, "");
  block.bytes.Append(RawBlock(i));
  block.separator = absl::StrCat(i);
}

// Parameters: the number of threads and of blocks.
class BlockPipelineTest : public testing::TestWithParam<std::tuple<int, size_t>> {};

TEST_P(BlockPipelineTest, GivesSealedBlocksBackInOrder) {
  const auto [threads, count] = GetParam();
  BlockCompressor compressor(Compression::kSnappy, 1);
  BlockPipeline pipeline(threads, &compressor);
  size_t taken = 0;
  const auto take = [&](BlockPipeline::Wait wait) {
    while (const BlockPipeline::DataBlock* block = pipeline.PopSealed(wait)) {
      ASSERT_EQ(block->separator, absl::StrCat(taken));
      ASSERT_EQ(block->bytes.view(), Sealed(RawBlock(taken)));
      ASSERT_EQ(block->stored_size + 5, block->bytes.size());
      ++taken;
    }
  };
  for (size_t i = 0; i < count; ++i) {
    Fill(&pipeline, i);
    pipeline.Submit();
    ASSERT_NO_FATAL_FAILURE(take(BlockPipeline::Wait::kIfFull));
  }
  ASSERT_NO_FATAL_FAILURE(take(BlockPipeline::Wait::kAlways));
  EXPECT_EQ(taken, count);
  EXPECT_EQ(pipeline.PopSealed(BlockPipeline::Wait::kAlways), nullptr);
}

TEST_P(BlockPipelineTest, CanBeGivenUpAtAnyTime) {
  const auto [threads, count] = GetParam();
  BlockCompressor compressor(Compression::kSnappy, 1);
  BlockPipeline pipeline(threads, &compressor);
  for (size_t i = 0; i < count; ++i) {
    Fill(&pipeline, i);
    pipeline.Submit();
    while (pipeline.PopSealed(BlockPipeline::Wait::kIfFull) != nullptr) {
    }
  }
  Fill(&pipeline, count);
}

INSTANTIATE_TEST_SUITE_P(Threads, BlockPipelineTest,
                         testing::Combine(testing::Values(1, 2, 3, 16),
                                          testing::Values<size_t>(0, 1, 15, 16, 17, 33, 1000)),
                         [](const auto& info) {
                           return absl::StrCat(std::get<0>(info.param), "Threads",
                                               std::get<1>(info.param), "Blocks");
                         });

}  // namespace
}  // namespace sstable
