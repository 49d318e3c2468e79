#include "table/salvage.h"

#include <algorithm>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "filter/bloom_filter_policy.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "table/check.h"
#include "table/layout.h"
#include "table/table_builder.h"
#include "table/table_iterator.h"
#include "table/table_reader.h"
#include "tests/support/fake_files.h"
#include "tests/support/status_matchers.h"
#include "tests/support/table_bytes.h"
#include "tests/support/table_parts.h"
#include "tests/support/table_walk.h"
#include "util/internal_key.h"

namespace sstable::test {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

// What is left of a table, as a table.
struct Salvaged {
  std::unique_ptr<Salvager> salvager;
  Entries entries;
  std::string table;
};

Salvaged Salvage(absl::string_view bytes, const SalvageOptions& options = {}) {
  Salvaged result;
  const auto file = NewMemoryFile(bytes);
  auto salvager = Salvager::Open(*file, options);
  EXPECT_OK(salvager.status());
  result.salvager = *std::move(salvager);
  const auto policy = NewBloomFilterPolicy(10);
  TableBuilderOptions builder_options = result.salvager->BuilderOptions();
  builder_options.filter_policy = policy.get();
  auto builder = TableBuilder::Create(builder_options, NewStringFile(&result.table));
  EXPECT_OK(builder.status());
  EXPECT_OK(result.salvager->VisitEntries([&](absl::string_view key, absl::string_view value) {
    result.entries.emplace_back(key, value);
    return (*builder)->Add(key, value);
  }));
  EXPECT_OK((*builder)->Finish());
  EXPECT_EQ(result.salvager->report().entries_saved, result.entries.size());

  // It is sound, and has these entries.
  TableReaderOptions reader_options;
  reader_options.key_kind = builder_options.key_kind;
  reader_options.comparator = builder_options.comparator;
  auto reader = TableReader::Open(reader_options, NewMemoryFile(result.table));
  EXPECT_OK(reader.status());
  CheckOptions check_options;
  if (!result.salvager->order_known()) check_options.order = CheckOptions::Order::kUnknown;
  const CheckReport report = CheckTable(**reader, check_options);
  EXPECT_TRUE(report.ok()) << report.problems[0].message;
  EXPECT_EQ(report.entries, result.entries.size());
  EXPECT_TRUE(WalkForward((*reader)->NewIterator().get()).entries == result.entries);
  return result;
}

// A table, and which entries are in which of its blocks.
struct Sample {
  std::string bytes;
  Footer footer;
  std::vector<BlockHandle> blocks;
  std::vector<Entries> entries;  // by block
  KeyKind key_kind = KeyKind::kPlain;
};

struct Shape {
  const char* name;
  Compression compression = Compression::kSnappy;
  size_t block_size = 4096;
  int restart_interval = 16;
  KeyKind key_kind = KeyKind::kPlain;
  bool filter = true;
  int count = 6000;
};

Sample MakeSample(const Shape& shape) {
  Sample sample;
  std::mt19937_64 random(7);
  Entries entries;
  for (int i = 0; i < shape.count; ++i) {
    std::string key = absl::StrFormat("user:%08d/name", i * 3);
    if (shape.key_kind == KeyKind::kInternal) {
      key = MakeInternalKey(key, random() % 100000,
                            random() % 8 == 0 ? ValueType::kDeletion : ValueType::kValue);
    }
    std::string value;
    const size_t size = random() % 120;
    while (value.size() < size) {
      // Half random, half text, and zeros.
      value += random() % 4 == 0 ? std::string(random() % 20, '\0')
               : random() % 2    ? "some text "
                                 : std::string(1, static_cast<char>(random()));
    }
    entries.emplace_back(std::move(key), std::move(value));
  }
  const auto policy = NewBloomFilterPolicy(10);
  TableBuilderOptions options;
  options.compression = shape.compression;
  options.block_size = shape.block_size;
  options.block_restart_interval = shape.restart_interval;
  options.key_kind = sample.key_kind = shape.key_kind;
  if (shape.filter) options.filter_policy = policy.get();
  const auto bytes = BuildTable(options, entries);
  EXPECT_OK(bytes.status());
  sample.bytes = *bytes;

  TableReaderOptions reader_options;
  reader_options.key_kind = shape.key_kind;
  auto reader = TableReader::Open(reader_options, NewMemoryFile(sample.bytes));
  EXPECT_OK(reader.status());
  sample.footer = (*reader)->footer();
  size_t next = 0;
  for (const BlockInfo& block : DescribeLayout(**reader).blocks) {
    if (block.kind != BlockKind::kData) continue;
    sample.blocks.push_back(block.handle);
    sample.entries.emplace_back(entries.begin() + next, entries.begin() + next + block.entry_count);
    next += block.entry_count;
  }
  EXPECT_EQ(next, entries.size());
  return sample;
}

Entries EntriesBut(const Sample& sample, const std::set<size_t>& lost) {
  Entries entries;
  for (size_t i = 0; i < sample.blocks.size(); ++i) {
    if (lost.count(i) > 0) continue;
    entries.insert(entries.end(), sample.entries[i].begin(), sample.entries[i].end());
  }
  return entries;
}

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

// Which blocks have bytes in a range.
std::set<size_t> BlocksIn(const Sample& sample, uint64_t offset, uint64_t size) {
  std::set<size_t> blocks;
  for (size_t i = 0; i < sample.blocks.size(); ++i) {
    const BlockHandle& handle = sample.blocks[i];
    if (handle.offset < offset + size && handle.offset + handle.size + kBlockTrailerSize > offset) {
      blocks.insert(i);
    }
  }
  return blocks;
}

// With an index: exactly these blocks are told as lost, with keys around theirs.
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

// Without one: the ranges lost are the bytes of these blocks, those side by side in one.
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

  // Cut where a block ends, and without an index, nothing shows but that handles don't fit.
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
         {"LargeBlocks", Compression::kSnappy, 64 << 10},
         {"LargeRawBlocks", Compression::kNone, 64 << 10},
         {"RestartsEverywhere", Compression::kSnappy, 4096, 1},
         {"InternalKeys", Compression::kNone, 4096, 16, KeyKind::kInternal},
         {"InternalSnappy", Compression::kSnappy, 1024, 16, KeyKind::kInternal},
         {"NoFilter", Compression::kSnappy, 4096, 16, KeyKind::kPlain, false},
         {"OneBlock", Compression::kNone, 1 << 20, 16, KeyKind::kPlain, true, 50}}),
    [](const auto& info) { return info.param.name; });

TEST(SalvageEdgesTest, EveryCutOfASmallTableGivesItsWholeBlocks) {
  for (const Compression compression : {Compression::kNone, Compression::kSnappy}) {
    Shape shape = {"small", compression, 256};
    shape.count = 40;
    const Sample sample = MakeSample(shape);
    for (size_t size = 0; size < sample.bytes.size(); ++size) {
      SCOPED_TRACE(size);
      const Salvaged cut = Salvage(sample.bytes.substr(0, size));
      const std::set<size_t> lost = BlocksIn(sample, size, sample.bytes.size());
      EXPECT_TRUE(cut.entries == EntriesBut(sample, lost));
      EXPECT_TRUE(lost.empty() || !cut.salvager->complete());
    }
  }
}

TEST(SalvageEdgesTest, EveryFlippedByteLosesAtMostItsBlock) {
  Shape shape = {"small", Compression::kSnappy, 256};
  shape.count = 40;
  const Sample sample = MakeSample(shape);
  for (size_t at = 0; at < sample.bytes.size(); ++at) {
    SCOPED_TRACE(at);
    std::string bytes = sample.bytes;
    bytes[at] ^= 0x10;
    const std::set<size_t> lost = BlocksIn(sample, at, 1);
    const Salvaged flipped = Salvage(bytes);
    EXPECT_TRUE(flipped.entries == EntriesBut(sample, lost));
    EXPECT_EQ(flipped.salvager->scan().lost.empty(), lost.empty());
    EXPECT_EQ(flipped.salvager->complete(), lost.empty());
  }
}

TEST(SalvageEdgesTest, NothingComesFromNothing) {
  std::mt19937_64 random(1);
  std::string noise(20000, '\0');
  for (char& byte : noise) byte = static_cast<char>(random());
  for (const std::string& bytes :
       {std::string(), std::string(1, 'x'), std::string(100000, '\0'), noise}) {
    const Salvaged nothing = Salvage(bytes);
    EXPECT_THAT(nothing.entries, IsEmpty());
    EXPECT_FALSE(nothing.salvager->complete());
  }
}

TEST(SalvageEdgesTest, TwoTablesInOneFileAreMerged) {
  TableBuilderOptions options;
  const auto first = BuildTable(options, {{"a", "1"}, {"c", "3"}, {"e", "5"}});
  const auto second = BuildTable(options, {{"b", "2"}, {"c", "3"}, {"e", "other"}});
  const Salvaged merged = Salvage(first->substr(0, first->size() - 48 - 22) +
                                  second->substr(0, second->size() - 48 - 22) + "no tail");
  EXPECT_EQ(merged.entries, (Entries{{"a", "1"}, {"b", "2"}, {"c", "3"}, {"e", "5"}}));
  EXPECT_EQ(merged.salvager->report().duplicates, 1);
  ASSERT_THAT(merged.salvager->report().conflicts, SizeIs(1));
  EXPECT_EQ(merged.salvager->report().conflicts[0].key, "e");
  EXPECT_FALSE(merged.salvager->complete());
}

TEST(SalvageEdgesTest, KeysOfAnUnknownOrderStayInTheirOrder) {
  Entries entries;
  for (int i = 0; i < 500; ++i) entries.emplace_back(absl::StrCat(i), std::string(50, 'v'));
  TableAssembler table;
  for (size_t i = 0; i < entries.size(); i += 50) {
    const Entries block(entries.begin() + i, entries.begin() + i + 50);
    table.AddDataBlock(block.back().first, block);
  }
  std::string bytes = table.Finish();
  const Salvaged whole = Salvage(bytes);
  EXPECT_TRUE(whole.entries == entries);
  EXPECT_FALSE(whole.salvager->order_known());
  EXPECT_TRUE(whole.salvager->complete());
  bytes.resize(bytes.size() - 100);
  EXPECT_TRUE(Salvage(bytes).entries == entries);
  SalvageOptions sorted;
  sorted.comparator = BytewiseComparator();
  std::sort(entries.begin(), entries.end());
  EXPECT_TRUE(Salvage(bytes, sorted).entries == entries);
}

TEST(SalvageEdgesTest, AKeyTwiceInAnUnknownOrderIsLeftOutOnce) {
  TableAssembler table;
  table.AddDataBlock("b", {{"z", "1"}, {"b", "2"}});
  table.AddDataBlock("c", {{"b", "other"}, {"c", "3"}});
  const Salvaged salvaged = Salvage(table.Finish());
  EXPECT_EQ(salvaged.entries, (Entries{{"z", "1"}, {"b", "2"}, {"c", "3"}}));
  EXPECT_FALSE(salvaged.salvager->complete());
  EXPECT_THAT(salvaged.salvager->report().conflicts, SizeIs(1));
}

TEST(SalvageEdgesTest, ATableInsideAValueIsNoPartOfTheTable) {
  Shape shape = {"inner", Compression::kNone, 256};
  shape.count = 40;
  const std::string inner = MakeSample(shape).bytes;
  TableBuilderOptions options;
  options.compression = Compression::kNone;
  const Entries entries = {{"a", "1"}, {"m", inner}, {"z", "26"}};
  std::string bytes = *BuildTable(options, entries);
  EXPECT_TRUE(Salvage(bytes.substr(0, bytes.size() - 48)).entries == entries);
  bytes[bytes.size() - 60] ^= 1;  // the index
  EXPECT_TRUE(Salvage(bytes).entries == entries);
}

TEST(SalvageEdgesTest, UserKeysThatLookLikeMetaNamesAreKept) {
  TableBuilderOptions options;
  options.block_size = 64;
  Entries entries;
  for (int i = 0; i < 30; ++i) entries.emplace_back(absl::StrCat("filter.", 100 + i), "value");
  const std::string bytes = *BuildTable(options, entries);
  EXPECT_TRUE(Salvage(bytes.substr(0, bytes.size() - 48)).entries == entries);
}

TEST(SalvageEdgesTest, BytesThatCannotBeReadAreLostAlone) {
  const Sample sample = MakeSample({"raw", Compression::kNone});
  FakeFile file(sample.bytes);
  file.FailReadAfter(0);  // the first piece; its small pieces can be read
  auto salvager = Salvager::Open(file, {});
  ASSERT_OK(salvager.status());
  EXPECT_EQ((*salvager)->total_entries(), EntriesBut(sample, {}).size());
}

TEST(SalvageEdgesTest, HostileFilesTakeLittleTime) {
  // Every offset looks like a start and like an end.
  std::string starts;
  while (starts.size() < 8192) starts.append("\0\1\0a\0\0\1\0", 8);
  const absl::Time before = absl::Now();
  EXPECT_THAT(Salvage(starts).entries, IsEmpty());
  // Blocks within blocks within blocks: each is a prefix of the next, none can be read.
  std::string nested;
  while (nested.size() < 8192) nested += EncodeTrailer(nested, 1);
  EXPECT_THAT(Salvage(nested).entries, IsEmpty());
  EXPECT_LT(absl::Now() - before, absl::Seconds(10));
}

}  // namespace
}  // namespace sstable::test
