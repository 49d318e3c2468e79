// Salvage when it is in doubt whether an intact block is the table's own, or within a value of a
// damaged one: it is saved unless the latter is certain. tests/mutants found each case.
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "sstable/comparator.h"
#include "sstable/experimental/table_salvage.h"
#include "sstable/format.h"
#include "tests/support/status_matchers.h"
#include "tests/support/table_parts.h"
#include "tests/table/salvage/salvage_samples.h"
#include "util/coding.h"

namespace sstable::test {
namespace {

using ::testing::IsSupersetOf;

// Writes zeros from one offset to another.
void Clear(size_t from, size_t to, std::string* bytes) {
  bytes->replace(from, to - from, to - from, '\0');
}

TEST(SalvageStandingTest, ABlockAfterADamagedSizeIsTheTablesOwn) {
  const RawSample sample(Blocks{{{"key1", V(20)}}, {{"key2", V(20)}}, {{"key3", V(20)}}});
  std::string bytes = sample.bytes.substr(0, sample.End(2));
  bytes[sample.blocks[1].offset + 2] = '\x7f';  // the value ends after the file
  const Salvaged salvaged = Salvage(bytes);
  EXPECT_EQ(salvaged.entries, (Entries{{"key1", V(20)}, {"key3", V(20)}}));
  EXPECT_FALSE(salvaged.salvager->scan().belonging_known);
  EXPECT_FALSE(salvaged.salvager->complete());
}

TEST(SalvageStandingTest, AFooterAtTheEndIsTheFilesOwnWhereItsIndexIsDamaged) {
  const RawSample inner(Blocks{{{"b", "inner"}}});
  const RawSample sample(Blocks{
      {{"a", absl::StrCat(V(100), inner.bytes, V(100))}}, {{"key2", V(20)}}, {{"key3", V(20)}}});
  std::string bytes = sample.bytes;
  bytes[sample.footer.index.offset + 3] ^= 1;
  // The remains of the inner table have its index and its footer.
  const size_t inner_start = sample.bytes.find(inner.bytes);
  bytes.erase(0, inner_start + 10);
  EXPECT_EQ(Salvage(bytes).entries, (Entries{{"key2", V(20)}, {"key3", V(20)}}));
}

TEST(SalvageStandingTest, AnInnerIndexIsNotTheTablesOwnWhereOtherBlocksFollow) {
  const RawSample inner(Blocks{{{"b", "inner"}}});
  const RawSample sample(Blocks{
      {{"a", absl::StrCat(V(100), inner.bytes, V(100))}}, {{"key2", V(20)}}, {{"key3", V(20)}}});
  std::string bytes = sample.bytes.substr(0, sample.footer.metaindex.offset);
  bytes.erase(0, sample.bytes.find(inner.bytes) + 10);
  EXPECT_EQ(Salvage(bytes).entries, (Entries{{"key2", V(20)}, {"key3", V(20)}}));
}

TEST(SalvageStandingTest, BlocksMovedByTwoDamagedOnesAreNoCopies) {
  // The first and the last change places, and are damaged, so that those between have moved.
  const RawSample sample(Blocks{{{"key0", V(20)}},
                                {{"key1", V(300)}},
                                {{"key2", V(310)}},
                                {{"key3", V(290)}},
                                {{"key4", V(150)}}});
  std::string last = sample.Stored(sample.blocks[4]), second = sample.Stored(sample.blocks[1]);
  last[20] ^= 1;
  second[20] ^= 1;
  const std::string bytes =
      absl::StrCat(sample.Stored(sample.blocks[0]), last, sample.Stored(sample.blocks[2]),
                   sample.Stored(sample.blocks[3]), second, sample.bytes.substr(sample.End(4)));
  EXPECT_EQ(Salvage(bytes).entries, (Entries{{"key0", V(20)}, {"key2", V(310)}, {"key3", V(290)}}));
}

TEST(SalvageStandingTest, ALostFirstBlockDoesNotMoveWithTheNextOne) {
  const RawSample sample(Blocks{{{"key0", V(400)}}, {{"key1", V(200)}}, {{"key2", V(20)}}}, V(60));
  // The second block and the metaindex change places.
  std::string first = sample.Stored(sample.blocks[0]);
  first[20] ^= 1;
  const std::string bytes =
      absl::StrCat(first, sample.Stored(sample.footer.metaindex), sample.Stored(sample.blocks[2]),
                   sample.Stored(sample.meta), sample.Stored(sample.blocks[1]),
                   sample.bytes.substr(sample.footer.index.offset));
  ASSERT_EQ(bytes.size(), sample.bytes.size());
  EXPECT_EQ(Salvage(bytes).entries, (Entries{{"key1", V(200)}, {"key2", V(20)}}));
}

TEST(SalvageStandingTest, ABlockAcrossThePlacesOfTwoLostOnesIsInNeither) {
  const RawSample sample(Blocks{{{"key0", V(20)}},
                                {{"key1", V(150)}},
                                {{"key2", V(5)}},
                                {{"key3", V(150)}},
                                {{"key4", V(20)}}});
  std::string bytes = sample.bytes;
  bytes.insert(sample.blocks[2].offset, "13 more bytes");
  bytes.erase(bytes.size() - (sample.bytes.size() - sample.End(3)) - 13, 13);  // in the fourth
  Clear(sample.blocks[2].offset - 10, sample.blocks[2].offset, &bytes);
  const Salvaged salvaged = Salvage(bytes);
  EXPECT_EQ(salvaged.entries, (Entries{{"key0", V(20)}, {"key2", V(5)}, {"key4", V(20)}}));
  EXPECT_FALSE(salvaged.salvager->scan().belonging_known);
}

TEST(SalvageStandingTest, ABlockOfOtherKeysInThePlaceOfALostOneMayBeAValues) {
  const RawSample sample(Blocks{{{"key0", V(20)}},
                                {{"key1", V(100)}},
                                {{"key2", V(20)}},
                                {{"key3", V(100)}},
                                {{"key4", V(20)}}});
  const RawSample other(Blocks{{{"zlie", V(20)}}});
  ASSERT_EQ(other.blocks[0].size, sample.blocks[2].size);
  std::string bytes = sample.bytes;
  bytes.replace(sample.blocks[2].offset, other.blocks[0].size + kBlockTrailerSize,
                other.Stored(other.blocks[0]));
  bytes[sample.blocks[1].offset + 30] ^= 1;
  bytes[sample.blocks[3].offset + 30] ^= 1;
  EXPECT_FALSE(Salvage(bytes).salvager->scan().belonging_known);
}

TEST(SalvageStandingTest, ACopyOfTheMetaindexIsNoDataBlock) {
  const RawSample with_filter(Blocks{{{"key1", V(20)}}}, "filter");
  const std::string metaindex = with_filter.Stored(with_filter.footer.metaindex);
  // A block of the same size as the metaindex.
  const size_t size = with_filter.footer.metaindex.size - with_filter.blocks[0].size + 20;
  const RawSample sample(Blocks{{{"key1", V(size)}}, {{"key2", V(20)}}}, "filter");
  ASSERT_EQ(sample.blocks[0].size, sample.footer.metaindex.size);
  std::string bytes = sample.bytes;
  const std::string copy = sample.Stored(sample.footer.metaindex);
  bytes.replace(0, copy.size(), copy);
  EXPECT_EQ(Salvage(bytes).entries, (Entries{{"key2", V(20)}}));
}

TEST(SalvageStandingTest, ADataBlockInThePlaceOfTheFilterIsStillOne) {
  const RawSample small(Blocks{{{"key2", V(20)}}});
  const std::string filter(small.blocks[0].size, 'f');
  const RawSample sample(Blocks{{{"key1", V(50)}}, {{"key2", V(20)}}, {{"key3", V(60)}}}, filter);
  std::string bytes = sample.bytes;
  bytes.replace(sample.blocks[1].offset, filter.size() + kBlockTrailerSize,
                sample.Stored(sample.meta));
  bytes.replace(sample.meta.offset, filter.size() + kBlockTrailerSize,
                sample.Stored(sample.blocks[1]));
  EXPECT_EQ(Salvage(bytes).entries, (Entries{{"key1", V(50)}, {"key2", V(20)}, {"key3", V(60)}}));
}

TEST(SalvageStandingTest, ACopyOfTheFilterIsInThePlaceOfALostBlock) {
  std::string block = V(60);  // one filter, the array with its offset, and base lg
  AppendFixed32(&block, 0);
  AppendFixed32(&block, 60);
  block.push_back('\x0b');
  const RawSample sample(Blocks{{{"key1", V(50)}}, {{"key2", V(20)}}}, block);
  std::string bytes = sample.bytes;
  const std::string filter = sample.Stored(sample.meta);
  ASSERT_GT(filter.size(), sample.Stored(sample.blocks[1]).size());
  bytes.replace(sample.blocks[1].offset, filter.size(), filter);
  bytes[sample.footer.index.offset + 3] ^= 1;
  const Salvaged salvaged = Salvage(bytes);
  EXPECT_EQ(salvaged.entries, (Entries{{"key1", V(50)}}));
  EXPECT_FALSE(salvaged.salvager->complete());
}

TEST(SalvageStandingTest, BlocksThatFollowADuplicateAreOfTheTable) {
  const RawSample sample(Blocks{{{"key1", V(150)}}, {{"key2", V(20)}}, {{"key3", V(160)}}});
  // The first block twice, damaged; and no footer.
  std::string first = sample.Stored(sample.blocks[0]);
  first[40] ^= 1;
  std::string bytes = absl::StrCat(first, first, sample.bytes.substr(first.size()));
  bytes.erase(bytes.size() - kFooterSize);
  const Salvaged salvaged = Salvage(bytes);
  EXPECT_EQ(salvaged.salvager->scan().index_source, IndexSource::kCarved);
  EXPECT_EQ(salvaged.entries, (Entries{{"key2", V(20)}, {"key3", V(160)}}));
}

TEST(SalvageStandingTest, BlocksAfterBytesAndADuplicateAreNoInnerTables) {
  const RawSample sample(Blocks{{{"key1", V(150)}}, {{"key2", V(20)}}, {{"key3", V(160)}}});
  const std::string first = sample.Stored(sample.blocks[0]);
  // Junk before the table, and as much as its first block within its last.
  std::string bytes = sample.bytes;
  bytes.insert(sample.blocks[2].offset + 50, V(first.size()));
  bytes.insert(0, "junk in front");
  EXPECT_THAT(Salvage(bytes).entries, IsSupersetOf(Entries{{"key1", V(150)}, {"key2", V(20)}}));
}

TEST(SalvageStandingTest, TwoBlocksThatChangedPlacesAreNoInnerTable) {
  const RawSample sample(Blocks{{{"key1", V(200)}}, {{"key2", V(100)}}});
  // The metaindex is damaged and before the blocks, and the footer is missing.
  std::string metaindex = sample.Stored(sample.footer.metaindex);
  metaindex[0] ^= 1;
  const std::string bytes =
      absl::StrCat(metaindex, sample.Stored(sample.blocks[1]), sample.Stored(sample.blocks[0]),
                   sample.Stored(sample.footer.index));
  EXPECT_EQ(Salvage(bytes).entries, (Entries{{"key1", V(200)}, {"key2", V(100)}}));
}

TEST(SalvageStandingTest, AnIndexWithAWrongHandleIsNoData) {
  const RawSample sample(Blocks{{{"key1", V(50)}}, {{"key2", V(20)}}, {{"key3", V(40)}}});
  Entries index;
  for (size_t i = 0; i < sample.blocks.size(); ++i) {
    BlockHandle handle = sample.blocks[i];
    if (i == 1) handle.offset += 3;
    index.emplace_back(absl::StrCat("key", i + 1), handle.Encode());
  }
  TableAssembler other;
  const BlockHandle handle = other.AddDataBlock("key3", index);
  const std::string bytes = absl::StrCat(sample.bytes.substr(0, sample.End(2)),
                                         other.Finish().substr(0, handle.size + kBlockTrailerSize));
  const Salvaged salvaged = Salvage(bytes);
  EXPECT_EQ(salvaged.entries, (Entries{{"key1", V(50)}, {"key2", V(20)}, {"key3", V(40)}}));
  EXPECT_FALSE(salvaged.salvager->complete());
}

TEST(SalvageStandingTest, AnIndexThatTheFooterTakesForTheMetaindexNamesNoMetaBlocks) {
  const RawSample sample(Blocks{{{"key1", V(50)}}, {{"key2", V(20)}}});
  std::string bytes = sample.bytes.substr(0, sample.bytes.size() - kFooterSize);
  Footer footer;
  footer.metaindex = sample.footer.index;
  footer.index = {bytes.size(), 20};  // no block
  absl::StrAppend(&bytes, V(20 + kBlockTrailerSize), footer.Encode());
  EXPECT_EQ(Salvage(bytes).entries, (Entries{{"key1", V(50)}, {"key2", V(20)}}));
}

TEST(SalvageStandingTest, AnInnerTableThatEndsWhereDataEndsIsNotTheTablesOwn) {
  const RawSample inner(Blocks{{{"b", "inner"}}});
  const RawSample sample(Blocks{{{"a", absl::StrCat(V(100), inner.bytes, V(100))}}});
  // Bytes are missing from the inner table's footer to the end of the block.
  const size_t end = sample.bytes.find(inner.bytes) + inner.bytes.size() - kFooterSize;
  std::string bytes = sample.bytes;
  bytes.erase(end, sample.footer.metaindex.offset - end);
  EXPECT_EQ(Salvage(bytes).entries, Entries());
}

TEST(SalvageStandingTest, ACopyOfABlockBeforeATableDoesNotMakeThatAValue) {
  const RawSample sample(Blocks{{{"key1", V(150)}}, {{"key2", V(20)}}, {{"key3", V(60)}}});
  const std::string bytes = absl::StrCat(V(50), sample.Stored(sample.blocks[1]),
                                         sample.bytes.substr(0, sample.bytes.size() - kFooterSize));
  const Salvaged salvaged = Salvage(bytes);
  EXPECT_EQ(salvaged.entries, (Entries{{"key1", V(150)}, {"key2", V(20)}, {"key3", V(60)}}));
  EXPECT_FALSE(salvaged.salvager->complete());
}

TEST(SalvageStandingTest, ABlockAfterTheIndexThatNamesItIsOfItsTable) {
  const RawSample sample(
      Blocks{{{"key0", V(90)}}, {{"key1", V(50)}}, {{"key2", V(20)}}, {{"key3", V(60)}}});
  const std::string bytes =
      absl::StrCat(sample.bytes.substr(10, sample.End(2) - 10), sample.Stored(sample.footer.index),
                   sample.Stored(sample.blocks[3]));
  const Salvaged salvaged = Salvage(bytes);
  EXPECT_EQ(salvaged.salvager->scan().index_source, IndexSource::kCarved);
  EXPECT_EQ(salvaged.entries, (Entries{{"key1", V(50)}, {"key2", V(20)}, {"key3", V(60)}}));
}

TEST(SalvageStandingTest, AValueThatBeginsLikeAHandleMakesNoIndex) {
  const auto make = [](size_t size) {  // the second block
    std::string value = BlockHandle{0, size}.Encode();
    value.resize(size - 15, 'v');
    return RawSample(Blocks{{{"key1", V(50)}}, {{"key2", value}}});
  };
  const RawSample sample = make(make(50).footer.index.size);
  ASSERT_EQ(sample.blocks[1].size, sample.footer.index.size);
  std::string bytes = sample.bytes;
  const std::string copy = sample.Stored(sample.blocks[1]);
  bytes.replace(sample.footer.index.offset, copy.size(), copy);
  const Salvaged salvaged = Salvage(bytes);
  EXPECT_EQ(salvaged.entries.size(), 2);
  EXPECT_EQ(salvaged.salvager->scan().index_source, IndexSource::kNone);
}

TEST(SalvageStandingTest, ABlockIsNotCutByTheEndOfAFileThatHasAFooter) {
  const RawSample inner(Blocks{{{"b", "inner"}}});
  const RawSample sample(
      Blocks{{{"a", absl::StrCat(inner.bytes, V(300))}}, {{"key2", V(20)}}, {{"key3", V(20)}}});
  // Bytes of the value are missing, so its size extends beyond the end of the file; so is the
  // index, so that the footer's handles do, too.
  std::string bytes = sample.bytes;
  bytes.erase(sample.footer.index.offset, sample.footer.index.size + kBlockTrailerSize);
  bytes.erase(sample.End(0) - 250, 200);
  EXPECT_EQ(Salvage(bytes).entries, (Entries{{"key2", V(20)}, {"key3", V(20)}}));
}

TEST(SalvageStandingTest, AnEmptyTableWithAMetaBlockOfAnyNameIsWhole) {
  TableAssembler table;
  table.AddMetaBlock("other", V(20));
  EXPECT_TRUE(Salvage(table.Finish()).salvager->complete());
}

TEST(SalvageStandingTest, ACopyAtTheStartOfAFileDoesNotMakeTheTableAfterItAValue) {
  const RawSample sample(Blocks{{{"key1", V(150)}}, {{"key2", V(20)}}, {{"key3", V(60)}}});
  const Entries all = {{"key1", V(150)}, {"key2", V(20)}, {"key3", V(60)}};
  EXPECT_EQ(Salvage(absl::StrCat(sample.Stored(sample.blocks[1]), sample.bytes)).entries, all);
  std::string damaged = sample.bytes;
  damaged[sample.blocks[1].offset + 20] ^= 1;
  const std::string bytes = absl::StrCat(sample.Stored(sample.blocks[2]), damaged);
  EXPECT_EQ(Salvage(bytes).entries, (Entries{{"key1", V(150)}, {"key3", V(60)}}));
}

TEST(SalvageStandingTest, WithoutAnIndexACopyAtTheStartDoesNotMakeTheTableAfterItAValue) {
  const RawSample sample(Blocks{{{"key1", V(150)}},
                                {{"key2", V(20)}},
                                {{"key3", V(60)}},
                                {{"key4", V(40)}},
                                {{"key5", V(30)}}});
  std::string damaged = sample.bytes;
  damaged[sample.blocks[2].offset] = '\x7f';  // so that it can't be walked
  damaged[sample.footer.index.offset + 3] ^= 1;
  SalvageOptions options;
  options.comparator = BytewiseComparator();  // such few keys show no order
  const Salvaged salvaged =
      Salvage(absl::StrCat(sample.Stored(sample.blocks[1]), damaged), options);
  EXPECT_EQ(salvaged.entries,
            (Entries{{"key1", V(150)}, {"key2", V(20)}, {"key4", V(40)}, {"key5", V(30)}}));
  EXPECT_FALSE(salvaged.salvager->complete());
}

TEST(SalvageStandingTest, AWholeTableAtTheStartIsAValueWhereTheIndexOfAnotherOneEndsTheFile) {
  const RawSample inner(Blocks{{{"a", "inner"}}, {{"key2", "inner"}}});
  const RawSample sample(
      Blocks{{{"a", absl::StrCat(V(100), inner.bytes, V(100))}}, {{"key2", V(20)}}});
  std::string bytes = sample.bytes.substr(sample.bytes.find(inner.bytes));
  Clear(bytes.size() - kFooterSize, bytes.size(), &bytes);
  const Salvaged salvaged = Salvage(bytes);
  EXPECT_EQ(salvaged.entries, (Entries{{"key2", V(20)}}));
  EXPECT_FALSE(salvaged.salvager->scan().belonging_known);
}

TEST(SalvageStandingTest, AfterACopyOfTheMetaindexATableMayBeAValue) {
  const RawSample inner(Blocks{{{"key0", "inner"}}, {{"key15", "inner"}}});
  const RawSample sample(Blocks{
      {{"key0", V(20)}}, {{"key1-----", absl::StrCat(inner.bytes, V(100))}}, {{"key2", V(20)}}});
  const std::string metaindex = sample.Stored(sample.footer.metaindex);
  std::string bytes = sample.bytes;
  // Overwrites all of the second block before its value.
  ASSERT_EQ(bytes.find(inner.bytes), sample.blocks[1].offset + metaindex.size());
  bytes.replace(sample.blocks[1].offset, metaindex.size(), metaindex);
  bytes[sample.footer.index.offset + 3] ^= 1;
  const Salvaged salvaged = Salvage(bytes);
  EXPECT_EQ(salvaged.entries, (Entries{{"key0", V(20)}, {"key2", V(20)}}));
  EXPECT_FALSE(salvaged.salvager->complete());
}

TEST(SalvageStandingTest, AnIndexBeforeTheBlocksThatItNamesIsTheTablesOwn) {
  const RawSample stale(Blocks{{{"key1", "stale"}}, {{"key2", "stale"}}});
  const RawSample sample(Blocks{{{"key0", V(100) + stale.bytes.substr(0, stale.End(1))}},
                                {{"key1", V(60)}},
                                {{"key2", V(40)}}});
  // The index and the first block change places; the latter can't be walked, and there is no
  // footer.
  std::string first = sample.Stored(sample.blocks[0]);
  first[0] = '\x7f';
  const std::string bytes =
      absl::StrCat(sample.Stored(sample.footer.index), sample.Stored(sample.blocks[1]),
                   sample.Stored(sample.blocks[2]), sample.Stored(sample.footer.metaindex), first);
  const Salvaged salvaged = Salvage(bytes);
  EXPECT_EQ(salvaged.salvager->scan().index_source, IndexSource::kCarved);
  EXPECT_EQ(salvaged.entries, (Entries{{"key1", V(60)}, {"key2", V(40)}}));
  EXPECT_FALSE(salvaged.salvager->complete());
}

TEST(SalvageStandingTest, BytesInAFirstBlockWithATableDoNotMakeTheFileAValue) {
  const RawSample inner(Blocks{{{"b", "inner"}}});
  const RawSample sample(Blocks{{{"a", absl::StrCat(inner.bytes, V(100))}}, {{"key2", V(20)}}});
  std::string bytes = sample.bytes;
  bytes.insert(sample.End(0) - 50, "four");
  bytes[2] = '\xff', bytes[3] = '\x7f';  // the first value ends after the file
  const Salvaged salvaged = Salvage(bytes);
  EXPECT_EQ(salvaged.entries, (Entries{{"key2", V(20)}}));
  EXPECT_FALSE(salvaged.salvager->complete());
}

TEST(SalvageStandingTest, ABlockBeforeTheMetaindexIsNoIndex) {
  const RawSample sample(Blocks{{{"key1", std::string(6, '\0')}}});
  std::string bytes = sample.bytes;
  bytes[sample.footer.index.offset + 3] ^= 1;
  const Salvaged salvaged = Salvage(bytes);
  EXPECT_EQ(salvaged.entries, (Entries{{"key1", std::string(6, '\0')}}));
  EXPECT_FALSE(salvaged.salvager->scan().belonging_known);
}

TEST(SalvageStandingTest, WhatFollowsABlockThatIsNoDataIsNoStartOfADataBlock) {
  const RawSample sample(
      Blocks{{{"key1", V(20)}}, {{"key2", V(20)}}, {{"key3", V(20)}}, {{"key4", V(20)}}});
  // An entry whose value would extend beyond the end of the file.
  const std::string cut = absl::StrCat(absl::string_view("\0\4\xff\x7f", 4), "kzzz", V(20));
  const std::string bytes =
      absl::StrCat(sample.Stored(sample.blocks[0]), sample.Stored(sample.footer.metaindex), cut,
                   sample.Stored(sample.blocks[2]), sample.Stored(sample.blocks[3]), V(30));
  const Salvaged salvaged = Salvage(bytes);
  EXPECT_EQ(salvaged.entries, (Entries{{"key1", V(20)}, {"key3", V(20)}, {"key4", V(20)}}));
  EXPECT_FALSE(salvaged.salvager->scan().belonging_known);
}

}  // namespace
}  // namespace sstable::test
