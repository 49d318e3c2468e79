#include <algorithm>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "sstable/comparator.h"
#include "sstable/experimental/table_salvage.h"
#include "sstable/format.h"
#include "sstable/options.h"
#include "table/block/key_order.h"
#include "tests/support/table_bytes.h"
#include "tests/table/salvage/salvage_samples.h"

namespace sstable::test {
namespace {

using ::testing::SizeIs;

enum class Damage { kFlipBit, kZero, kNoise };

void Destroy(std::string* bytes, const BlockHandle& handle, Damage damage,
             std::mt19937_64* random) {
  switch (damage) {
    case Damage::kFlipBit: {
      char& byte = (*bytes)[handle.offset + (*random)() % (handle.size + kBlockTrailerSize)];
      byte = static_cast<char>(byte ^ 1 << (*random)() % 8);
      return;
    }
    case Damage::kZero:
      std::fill_n(bytes->begin() + handle.offset, handle.size + kBlockTrailerSize, '\0');
      return;
    case Damage::kNoise:
      for (size_t i = 0; i < handle.size + kBlockTrailerSize; ++i) {
        (*bytes)[handle.offset + i] = static_cast<char>((*random)());
      }
  }
}

// If there is an index, exactly these blocks must be reported as lost, with the keys around them.
void ExpectLostBlocks(const Sample& sample, const std::set<size_t>& expected,
                      const Salvager& salvager) {
  const std::vector<LostRange>& lost = salvager.scan().lost;
  ASSERT_THAT(lost, SizeIs(expected.size()));
  const KeyOrder order(BytewiseComparator(), sample.key_kind);
  auto range = lost.begin();
  for (const size_t i : expected) {
    EXPECT_TRUE(range->is_block);
    EXPECT_EQ(range->offset, sample.blocks[i].offset);
    EXPECT_EQ(range->size, sample.blocks[i].size);
    EXPECT_FALSE(range->reason.empty());
    EXPECT_EQ(range->after.has_value(), i > 0);
    if (i > 0) {
      EXPECT_LT(order.Compare(*range->after, sample.entries[i].front().first), 0);
    }
    ASSERT_TRUE(range->until.has_value());
    EXPECT_GE(order.Compare(*range->until, sample.entries[i].back().first), 0);
    ++range;
  }
}

// If there is no index, the lost ranges must be the bytes of these blocks; adjacent blocks form one
// range.
void ExpectLostBytes(const Sample& sample, const std::set<size_t>& expected,
                     const Salvager& salvager) {
  std::vector<std::pair<uint64_t, uint64_t>> ranges;  // offset, end
  for (const size_t i : expected) {
    const BlockHandle& handle = sample.blocks[i];
    if (ranges.empty() || ranges.back().second != handle.offset) {
      ranges.emplace_back(handle.offset, 0);
    }
    ranges.back().second = handle.offset + handle.size + kBlockTrailerSize;
  }
  const std::vector<LostRange>& lost = salvager.scan().lost;
  ASSERT_THAT(lost, SizeIs(ranges.size()));
  for (size_t i = 0; i < lost.size(); ++i) {
    EXPECT_FALSE(lost[i].is_block);
    EXPECT_EQ(lost[i].offset, ranges[i].first);
    EXPECT_EQ(lost[i].offset + lost[i].size, ranges[i].second);
  }
}

class SalvageTest : public testing::TestWithParam<Shape> {};

TEST_P(SalvageTest, ASoundTableIsCompleteWithAndWithoutItsTail) {
  const Sample sample = MakeSample(GetParam());
  const Entries all = EntriesBut(sample, {});
  const Salvaged whole = Salvage(sample.bytes);
  EXPECT_TRUE(whole.salvager->complete());
  EXPECT_TRUE(whole.entries == all);
  EXPECT_EQ(whole.salvager->scan().index_source, IndexSource::kFooter);

  std::string no_index = sample.bytes;
  no_index[sample.footer.index.offset + 3] ^= 1;
  const Salvaged without_index = Salvage(no_index);
  EXPECT_TRUE(without_index.salvager->complete());
  EXPECT_TRUE(without_index.entries == all);
  EXPECT_EQ(without_index.salvager->scan().index_source, IndexSource::kNone);

  std::string no_metaindex = sample.bytes;
  no_metaindex[sample.footer.metaindex.offset + 3] ^= 1;
  EXPECT_TRUE(Salvage(no_metaindex).salvager->complete());
  no_metaindex[sample.footer.index.offset + 3] ^= 1;
  const Salvaged with_footer = Salvage(no_metaindex);
  EXPECT_TRUE(with_footer.entries == all);

  const Salvaged without_footer = Salvage(sample.bytes.substr(0, sample.bytes.size() - 48));
  EXPECT_TRUE(without_footer.entries == all);
  EXPECT_TRUE(without_footer.salvager->complete());
  EXPECT_EQ(without_footer.salvager->scan().index_source, IndexSource::kCarved);
}

TEST_P(SalvageTest, ReturnsEveryEntryOfEveryIntactBlock) {
  const Sample sample = MakeSample(GetParam());
  for (const int percent : {1, 10, 50}) {
    for (const Damage damage : {Damage::kFlipBit, Damage::kZero, Damage::kNoise}) {
      SCOPED_TRACE(absl::StrCat(percent, " %, damage ", static_cast<int>(damage)));
      std::mt19937_64 random(percent);
      std::string bytes = sample.bytes;
      std::set<size_t> lost;
      while (lost.size() * 100 < sample.blocks.size() * percent) {
        const size_t i = random() % sample.blocks.size();
        if (lost.insert(i).second) Destroy(&bytes, sample.blocks[i], damage, &random);
      }
      const Entries expected = EntriesBut(sample, lost);
      const Salvaged with_index = Salvage(bytes);
      EXPECT_TRUE(with_index.entries == expected);
      EXPECT_FALSE(with_index.salvager->complete());
      ExpectLostBlocks(sample, lost, *with_index.salvager);

      std::string no_footer = bytes.substr(0, bytes.size() - 48);
      const Salvaged carved_index = Salvage(no_footer);
      EXPECT_TRUE(carved_index.entries == expected);
      EXPECT_FALSE(carved_index.salvager->complete());
      ExpectLostBlocks(sample, lost, *carved_index.salvager);

      bytes[sample.footer.index.offset] ^= 1;
      const Salvaged without_index = Salvage(bytes);
      EXPECT_TRUE(without_index.entries == expected);
      EXPECT_FALSE(without_index.salvager->complete());
      ExpectLostBytes(sample, lost, *without_index.salvager);

      bytes.resize(sample.blocks.back().offset + sample.blocks.back().size + kBlockTrailerSize);
      const Salvaged data_alone = Salvage(bytes);
      EXPECT_TRUE(data_alone.entries == expected);
      EXPECT_FALSE(data_alone.salvager->complete());
    }
  }
}

TEST_P(SalvageTest, ReturnsWhatAMissingEndLeaves) {
  const Sample sample = MakeSample(GetParam());
  const uint64_t size = sample.bytes.size();
  const uint64_t gone = std::min<uint64_t>(64 << 10, size / 2);
  const std::set<size_t> lost = BlocksIn(sample, size - gone, gone);
  std::string bytes = sample.bytes.substr(0, size - gone);
  const Salvaged cut = Salvage(bytes);
  EXPECT_TRUE(cut.entries == EntriesBut(sample, lost));
  EXPECT_FALSE(cut.salvager->complete());
  bytes.resize(size);
  const Salvaged zeros = Salvage(bytes);
  EXPECT_TRUE(zeros.entries == EntriesBut(sample, lost));
  EXPECT_FALSE(zeros.salvager->complete());
}

TEST_P(SalvageTest, ReturnsWhatAMissingStartLeaves) {
  const Sample sample = MakeSample(GetParam());
  const uint64_t gone = std::min<uint64_t>(64 << 10, sample.bytes.size() / 2);
  const std::set<size_t> lost = BlocksIn(sample, 0, gone);
  std::string zeros = sample.bytes;
  std::fill_n(zeros.begin(), gone, '\0');
  const Salvaged filled = Salvage(zeros);
  EXPECT_TRUE(filled.entries == EntriesBut(sample, lost));
  ExpectLostBlocks(sample, lost, *filled.salvager);

  const Salvaged cut = Salvage(sample.bytes.substr(gone));
  EXPECT_TRUE(cut.entries == EntriesBut(sample, lost));
  EXPECT_FALSE(cut.salvager->complete());
  if (sample.blocks.size() > 1) ExpectLostBlocks(sample, lost, *cut.salvager);

  // If the file is truncated at a block boundary and has no index, only the handles in the footer
  // reveal it.
  if (sample.blocks.size() < 2) return;
  std::string no_index = sample.bytes;
  no_index[sample.footer.index.offset] ^= 1;
  const Salvaged second_on = Salvage(no_index.substr(sample.blocks[1].offset));
  EXPECT_TRUE(second_on.entries == EntriesBut(sample, {0}));
  EXPECT_FALSE(second_on.salvager->complete());
}

TEST_P(SalvageTest, ReturnsWhatZerosInTheMiddleLeave) {
  const Sample sample = MakeSample(GetParam());
  const uint64_t size = sample.bytes.size();
  std::string bytes = sample.bytes;
  std::fill_n(bytes.begin() + size / 3, size / 4, '\0');
  const std::set<size_t> lost = BlocksIn(sample, size / 3, size / 4);
  const Salvaged with_index = Salvage(bytes);
  EXPECT_TRUE(with_index.entries == EntriesBut(sample, lost));
  ExpectLostBlocks(sample, lost, *with_index.salvager);
  bytes[sample.footer.index.offset] ^= 1;
  EXPECT_TRUE(Salvage(bytes).entries == EntriesBut(sample, lost));
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, SalvageTest,
    testing::ValuesIn<Shape>(
        {{"Snappy"},
         {"Raw", Compression::kNone},
         {"Zstd", Compression::kZstd},
         {"RawDeflate", Compression::kRawDeflate, 64 << 10},
         {"LargeBlocks", Compression::kSnappy, 64 << 10},
         {"LargeRawBlocks", Compression::kNone, 64 << 10},
         {"RestartsEverywhere", Compression::kSnappy, 4096, 1},
         {"InternalKeys", Compression::kNone, 4096, 16, KeyKind::kInternal},
         {"InternalSnappy", Compression::kSnappy, 1024, 16, KeyKind::kInternal},
         {"NoFilter", Compression::kSnappy, 4096, 16, KeyKind::kPlain, false},
         {"OneBlock", Compression::kNone, 1 << 20, 16, KeyKind::kPlain, true, 50}}),
    [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace sstable::test
