// Salvage of tables whose blocks are sound, but not where footer and index have them, or of another
// kind than they seem. tests/mutants found each case.
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "sstable/experimental/table_salvage.h"
#include "sstable/internal_key.h"
#include "tests/support/status_matchers.h"
#include "tests/support/table_parts.h"
#include "tests/table/salvage/salvage_samples.h"

namespace sstable::test {
namespace {

using ::testing::IsSupersetOf;

// Blocks of one size, with two entries each.
struct RawTable {
  explicit RawTable(const std::vector<int>& first_keys = {10, 20, 30, 40},
                    bool has_filter = false) {
    TableAssembler table;
    for (const int i : first_keys) {
      const Entries block = {{absl::StrCat("key", i), "value"},
                             {absl::StrCat("key", i + 5), "value"}};
      blocks.push_back(table.AddDataBlock(block.back().first, block));
      entries.insert(entries.end(), block.begin(), block.end());
    }
    if (has_filter) table.AddMetaBlock("filter.x", "bytes");
    bytes = table.Finish();
    footer = *Footer::Parse(bytes.substr(bytes.size() - kFooterSize), bytes.size());
  }
  std::string Stored(const BlockHandle& handle) const {
    return bytes.substr(handle.offset, handle.size + kBlockTrailerSize);
  }

  std::vector<BlockHandle> blocks;
  Entries entries;
  std::string bytes;
  Footer footer;
};

std::string Replaced(std::string bytes, uint64_t offset, absl::string_view by) {
  return bytes.replace(offset, by.size(), std::string(by));
}
std::string WithFooter(const std::string& bytes, const Footer& footer) {
  return Replaced(bytes, bytes.size() - kFooterSize, footer.Encode());
}

TEST(SalvagePlacesTest, BlocksThatChangedPlacesAreKnownByTheirKeys) {
  const RawTable sample;
  std::string bytes =
      Replaced(sample.bytes, sample.blocks[0].offset, sample.Stored(sample.blocks[2]));
  bytes = Replaced(bytes, sample.blocks[2].offset, sample.Stored(sample.blocks[0]));
  const Salvaged salvaged = Salvage(bytes);
  EXPECT_EQ(salvaged.entries, sample.entries);
  EXPECT_TRUE(salvaged.salvager->complete());
}

// Blocks of different sizes; the first and the fourth change places.
struct Unequal {
  Unequal() {
    TableAssembler table;
    for (int i = 0; i < 6; ++i) {
      const Entries block = {{absl::StrCat("key", i, "a"), std::string(20 + 30 * i, 'v')},
                             {absl::StrCat("key", i, "b"), "value"}};
      blocks.push_back(table.AddDataBlock(block.back().first, block));
      entries.insert(entries.end(), block.begin(), block.end());
    }
    bytes = table.Finish();
    const auto stored = [this](size_t i) {
      return bytes.substr(blocks[i].offset, blocks[i].size + kBlockTrailerSize);
    };
    const std::string swapped = stored(3) + stored(1) + stored(2) + stored(0);
    bytes.replace(0, swapped.size(), swapped);
    moved = static_cast<size_t>(blocks[3].size - blocks[0].size);
  }
  std::vector<BlockHandle> blocks;
  Entries entries;
  std::string bytes;
  size_t moved;  // by which the blocks between are later
};

TEST(SalvagePlacesTest, BlocksOfUnequalSizeThatChangedPlacesMoveThoseBetween) {
  const Unequal table;
  const Salvaged salvaged = Salvage(table.bytes);
  EXPECT_EQ(salvaged.entries, table.entries);
  EXPECT_TRUE(salvaged.salvager->scan().belonging_known);
}

TEST(SalvagePlacesTest, AMovedBlockAfterADamagedOneIsAsFarAsTheIndexHasIt) {
  const Unequal table;
  std::string bytes = table.bytes;
  bytes[table.blocks[1].offset + table.moved + 10] ^= 1;
  Entries left = table.entries;
  left.erase(left.begin() + 2, left.begin() + 4);
  EXPECT_EQ(Salvage(bytes).entries, left);
}

TEST(SalvagePlacesTest, ATableThatLostItsStartAndHasBytesAfterItMayBeAValue) {
  const RawTable sample;
  const Salvaged salvaged = Salvage(sample.bytes.substr(7) + "the rest of a block");
  EXPECT_EQ(salvaged.entries, Entries(sample.entries.begin() + 2, sample.entries.end()));
  EXPECT_FALSE(salvaged.salvager->scan().belonging_known);
  EXPECT_FALSE(salvaged.salvager->complete());
}

TEST(SalvagePlacesTest, ABlockWrittenOverAnotherOneIsALoss) {
  const RawTable sample;
  std::string bytes =
      Replaced(sample.bytes, sample.blocks[0].offset, sample.Stored(sample.blocks[2]));
  const Entries left(sample.entries.begin() + 2, sample.entries.end());
  const Salvaged with_index = Salvage(bytes);
  EXPECT_EQ(with_index.entries, left);
  EXPECT_FALSE(with_index.salvager->complete());
  bytes[sample.footer.index.offset] ^= 1;
  EXPECT_FALSE(Salvage(bytes).salvager->complete())
      << "without an index, entries that are there twice tell";
}

TEST(SalvagePlacesTest, BlocksOfAnUnknownOrderThatMovedAreKnownByTheirLastKey) {
  const RawTable sample({30, 10, 40, 20});
  std::string bytes = sample.bytes;
  bytes.insert(sample.blocks[1].offset, "a few bytes");
  EXPECT_EQ(Salvage(bytes).entries, sample.entries);
}

TEST(SalvagePlacesTest, BlocksOfAnUnknownOrderThatChangedPlacesComeBack) {
  const RawTable sample({30, 10, 40, 20});
  std::string bytes =
      Replaced(sample.bytes, sample.blocks[1].offset, sample.Stored(sample.blocks[2]));
  bytes = Replaced(bytes, sample.blocks[2].offset, sample.Stored(sample.blocks[1]));
  EXPECT_EQ(Salvage(bytes).entries, sample.entries);
}

TEST(SalvagePlacesTest, WithoutAnIndexAnUnknownOrderMayBeThatOfBlocksThatMoved) {
  const RawTable sample({30, 10, 40, 20});
  EXPECT_TRUE(Salvage(sample.bytes).salvager->complete());
  std::string bytes = sample.bytes;
  bytes[sample.footer.index.offset] ^= 1;
  const Salvaged salvaged = Salvage(bytes);
  EXPECT_EQ(salvaged.entries, sample.entries);
  EXPECT_FALSE(salvaged.salvager->complete());
}

TEST(SalvagePlacesTest, AFooterThatNamesAnotherBlockAsTheIndexIsNotBelieved) {
  const RawTable sample;
  const Salvaged swapped =
      Salvage(WithFooter(sample.bytes, {sample.footer.index, sample.footer.metaindex}));
  EXPECT_EQ(swapped.entries, sample.entries);
  std::string damaged = WithFooter(sample.bytes, {sample.footer.index, sample.footer.metaindex});
  damaged[sample.footer.metaindex.offset] ^= 1;
  EXPECT_EQ(Salvage(damaged).entries, sample.entries);
  const Salvaged twice =
      Salvage(WithFooter(sample.bytes, {sample.footer.metaindex, sample.footer.metaindex}));
  EXPECT_EQ(twice.entries, sample.entries);
}

TEST(SalvagePlacesTest, ADamagedBlockThatTheFooterNamesAsTheIndexIsALoss) {
  const RawTable sample({10, 20, 30, 40}, /*has_filter=*/true);
  for (const BlockHandle& block : sample.blocks) {
    Footer footer = sample.footer;
    footer.index = block;
    std::string bytes = WithFooter(sample.bytes, footer);
    bytes[block.offset + 3] ^= 1;
    bytes[sample.footer.index.offset + 3] ^= 1;
    const Salvaged salvaged = Salvage(bytes);
    EXPECT_EQ(salvaged.entries.size(), sample.entries.size() - 2);
    EXPECT_FALSE(salvaged.salvager->complete());
  }
}

TEST(SalvagePlacesTest, AFooterOfZerosDoesNotSayThatNothingIsLost) {
  const RawTable sample;
  std::string bytes = Replaced(sample.bytes, 0, std::string(sample.blocks[2].offset, '\0'));
  bytes = Replaced(bytes, bytes.size() - kFooterSize, std::string(kFooterHandlesSize, '\0'));
  const Salvaged salvaged = Salvage(bytes);
  EXPECT_EQ(salvaged.entries, Entries(sample.entries.begin() + 4, sample.entries.end()));
  EXPECT_FALSE(salvaged.salvager->complete());
}

TEST(SalvagePlacesTest, AnIndexOfOneEntryIsNoDataBlock) {
  const RawTable sample({10});
  EXPECT_TRUE(Salvage(sample.bytes).salvager->complete());
  // The index is not where the footer has it, and its neighbour is missing.
  std::string moved = sample.bytes;
  moved.insert(sample.footer.index.offset, "a few bytes");
  EXPECT_EQ(Salvage(moved).entries, sample.entries);
  EXPECT_THAT(Salvage(sample.bytes.substr(sample.footer.index.offset)).entries, testing::IsEmpty());
}

TEST(SalvagePlacesTest, ABlockOfHandlesOfOtherBlocksIsAnIndexBehindADamagedMetaindex) {
  const RawTable sample({10}, /*has_filter=*/true);
  std::string bytes = sample.bytes;
  bytes[sample.footer.metaindex.offset + 3] ^= 1;
  bytes[bytes.size() - 1] ^= 1;  // the magic
  const Salvaged salvaged = Salvage(bytes);
  EXPECT_EQ(salvaged.entries, sample.entries);
  EXPECT_FALSE(salvaged.salvager->complete())
      << "nothing says what the bytes of the metaindex were";
  // If the block that it names is damaged, it is still not data.
  bytes[sample.blocks[0].offset + 3] ^= 1;
  EXPECT_THAT(Salvage(bytes).entries, testing::IsEmpty());
}

TEST(SalvagePlacesTest, BytesAfterATableAreNotExplainedByItsIndex) {
  const RawTable sample;
  const Salvaged salvaged = Salvage(sample.bytes + std::string(100, 'x'));
  EXPECT_EQ(salvaged.entries, sample.entries);
  EXPECT_FALSE(salvaged.salvager->complete());
}

TEST(SalvagePlacesTest, AnIndexThatIsNotInTheOrderOfTheFileIsNoDataBlock) {
  const RawTable sample;
  TableAssembler table;
  for (const BlockHandle& block : sample.blocks) {
    const std::string stored = sample.Stored(block);
    table.AddBlock(stored.substr(0, block.size));
  }
  for (const int i : {2, 0, 1, 3}) {
    table.AddIndexEntry(sample.entries[2 * i + 1].first, sample.blocks[i].Encode());
  }
  EXPECT_EQ(Salvage(table.Finish()).entries, sample.entries);
}

TEST(SalvagePlacesTest, DataBehindACopyOfTheMetaindexIsNotForgotten) {
  const std::string metaindex = EncodeBlock({{"filter.some", BlockHandle{0, 0}.Encode()}});
  TableAssembler table;
  Entries entries;
  for (int i = 0; i < 4; ++i) {
    // The second is a copy of the metaindex, over a larger block.
    if (i == 1) {
      table.AddBlock(metaindex);
      continue;
    }
    entries.emplace_back(absl::StrCat("key", i), "value");
    table.AddBlock(EncodeBlock({entries.back()}));
  }
  table.AddMetaBlock("filter.some", "bytes");
  const std::string bytes = table.Finish();
  const Salvaged salvaged = Salvage(bytes.substr(0, bytes.size() - kFooterSize - 10));
  EXPECT_EQ(salvaged.entries, entries);
}

TEST(SalvagePlacesTest, AMetaindexInThePlaceOfDataIsALoss) {
  const std::string metaindex = EncodeBlock({{"filter.x", BlockHandle{0, 0}.Encode()}});
  TableAssembler table;
  table.AddBlock(EncodeBlock({{"key 1", "value"}}));
  table.AddBlock(metaindex);
  table.AddBlock(EncodeBlock({{"key 3", "value"}}));
  table.AddMetaBlock("filter.x", "bytes");
  std::string bytes = table.Finish();
  bytes[bytes.size() - kFooterSize - 10] ^= 1;  // the index
  EXPECT_FALSE(Salvage(bytes).salvager->complete());
}

TEST(SalvagePlacesTest, BlocksSideBySideAreInALostBlockOnlyTogether) {
  Blocks of_blocks = {{{"key0", V(50)}}};
  for (int i = 1; i < 9; ++i) of_blocks.push_back({{absl::StrCat("key", i), V(i < 7 ? 220 : 200)}});
  of_blocks.push_back({{"key9", V(20)}});
  const RawSample sample(of_blocks);
  // The index and the second block change places, so that those between move; many are lost. The
  // last one alone would be within the place of the previous one.
  std::string bytes =
      absl::StrCat(sample.Stored(sample.blocks[0]), sample.Stored(sample.footer.index));
  bytes.append(sample.End(6) - sample.End(1), '\0');
  for (int i = 7; i < 10; ++i) bytes += sample.Stored(sample.blocks[i]);
  bytes.append(sample.End(1) - sample.End(0), '\0');
  absl::StrAppend(&bytes, sample.Stored(sample.footer.metaindex), sample.footer.Encode());
  const Salvaged salvaged = Salvage(bytes);
  EXPECT_EQ(salvaged.entries,
            (Entries{{"key0", V(50)}, {"key7", V(200)}, {"key8", V(200)}, {"key9", V(20)}}));
  EXPECT_FALSE(salvaged.salvager->scan().belonging_known);
}

TEST(SalvagePlacesTest, AnIndexWithAWrongHandleIsNoDataBlockWhereItsBlocksHaveMoved) {
  const RawSample sample(
      Blocks{{{"key0", V(50)}}, {{"key1", V(60)}}, {{"key2", V(70)}}, {{"key3", V(80)}}});
  Entries index;
  for (int i = 0; i < 4; ++i) {
    index.emplace_back(absl::StrCat("key", i, "z"),
                       (i == 2 ? BlockHandle{7, 7} : sample.blocks[i]).Encode());
  }
  const RawSample wrong(Blocks{index});
  const Salvaged salvaged = Salvage(absl::StrCat(
      "junk", sample.bytes.substr(0, sample.footer.index.offset), wrong.Stored(wrong.blocks[0])));
  EXPECT_EQ(salvaged.entries,
            (Entries{{"key0", V(50)}, {"key1", V(60)}, {"key2", V(70)}, {"key3", V(80)}}));
  EXPECT_FALSE(salvaged.salvager->complete());
}

// A value of the block in which it lies may have been an older table; nothing else has its entries.
TEST(SalvagePlacesTest, ALostBlockIsTakenInDoubtFromThePlaceOfAnother) {
  const RawSample sample(Blocks{{{"key1", V(100)}}, {{"key2", V(300)}}, {{"key3", V(40)}}});
  std::string bytes(sample.End(2), '\0');
  const std::string moved = sample.Stored(sample.blocks[2]);
  bytes.replace(sample.blocks[1].offset + 50, moved.size(), moved);
  const Salvaged salvaged = Salvage(bytes + sample.bytes.substr(bytes.size()));
  EXPECT_EQ(salvaged.entries, (Entries{{"key3", V(40)}}));
  EXPECT_FALSE(salvaged.salvager->scan().belonging_known);
}

TEST(SalvagePlacesTest, AnIndexWithAValueThatIsNoHandleIsNoData) {
  const Blocks blocks = {{{"key1", V(50)}}, {{"key2", V(20)}}, {{"key3", V(40)}}};
  for (size_t damaged = 0; damaged < blocks.size(); ++damaged) {
    TableAssembler table;
    Entries entries;
    for (size_t i = 0; i < blocks.size(); ++i) {
      entries.push_back(blocks[i][0]);
      const std::string value =
          table.AddBlock(EncodeBlock(blocks[i], {/*restart_interval=*/1})).Encode();
      table.AddIndexEntry(absl::StrCat(blocks[i][0].first, "x"), i == damaged ? "\xff" : value);
    }
    const Salvaged salvaged = Salvage(table.Finish());
    EXPECT_EQ(salvaged.entries, entries) << damaged;
    EXPECT_FALSE(salvaged.salvager->complete());
  }
}

// The index is as large as the metaindex, and the footer's damaged handle makes it look like that.
TEST(SalvagePlacesTest, AnIndexWhereADamagedFooterHasTheMetaindexIsStillTheIndex) {
  TableAssembler table;
  for (const char* key : {"key1", "key2", "key3"}) table.AddDataBlock(key, {{key, V(300)}});
  table.AddMetaBlock("filter.of_a_name_that_is_that_long", "bytes");
  std::string bytes = table.Finish();
  Footer footer = *Footer::Parse(bytes.substr(bytes.size() - kFooterSize), bytes.size());
  ASSERT_EQ(footer.index.size, footer.metaindex.size);
  footer.index = {1, 12};
  bytes = WithFooter(bytes, footer).substr(100);
  const Salvaged salvaged = Salvage(bytes);
  EXPECT_EQ(salvaged.entries, (Entries{{"key2", V(300)}, {"key3", V(300)}}));
  EXPECT_EQ(salvaged.salvager->scan().index_source, IndexSource::kCarved);
}

// After a damaged block, keys without a tag are between internal keys that ascend.
TEST(SalvagePlacesTest, KeysThatAreLeftOutDoNotMakeTheOrderUnknown) {
  Blocks blocks;
  Entries tagged;
  for (int i = 10; i < 22; ++i) {
    const std::string key = MakeInternalKey(absl::StrCat("key", i), 1000 - i, ValueType::kValue);
    tagged.emplace_back(key, "value");
    blocks.push_back({tagged.back()});
    if (i > 18) blocks.push_back({{absl::StrCat("other", 50 - i), "value"}});
  }
  const RawSample sample(blocks);
  std::string bytes = sample.bytes.substr(0, sample.footer.metaindex.offset);
  bytes[sample.blocks[8].offset] = '\x7f';
  tagged.erase(tagged.begin() + 8);
  const Salvaged salvaged = Salvage(bytes);
  EXPECT_EQ(salvaged.entries, tagged);
  EXPECT_TRUE(salvaged.salvager->order_known());
  EXPECT_EQ(salvaged.salvager->report().conflict_count, 3);
}

// The other explanation, that it was a value which happened to end where the file was cut, is less
// likely.
TEST(SalvagePlacesTest, AWholeTableAtTheEndIsTakenInDoubtBehindAnothersBlock) {
  const RawSample other(Blocks{{{"other", V(100)}}});
  const RawSample sample(Blocks{{{"key1", V(50)}}});
  const Salvaged salvaged =
      Salvage(absl::StrCat("junk", other.Stored(other.blocks[0]), "junk", sample.bytes));
  EXPECT_EQ(salvaged.entries, (Entries{{"key1", V(50)}}));
  EXPECT_FALSE(salvaged.salvager->scan().belonging_known);
  EXPECT_FALSE(salvaged.salvager->complete());
}

// A block that may be an index is not data around the table that has the other copy of it.
TEST(SalvagePlacesTest, BehindACopyOfItsIndexATableIsNoValue) {
  const std::string filter("@\0\2\x80\0$\0\1\6\0\0\0\0\x9\0\0\0\xb", 18);
  TableAssembler table;
  table.AddDataBlock("key2", {{"key1", V(20)}});
  table.AddMetaBlock("filter.x", filter);
  const std::string bytes = table.Finish();
  const auto footer = Footer::Parse(bytes.substr(bytes.size() - kFooterSize), bytes.size());
  ASSERT_OK(footer);
  const std::string index =
      bytes.substr(footer->index.offset, footer->index.size + kBlockTrailerSize);
  const Salvaged salvaged =
      Salvage(absl::StrCat(index, "junk", bytes.substr(0, footer->metaindex.offset), index));
  EXPECT_THAT(salvaged.entries, IsSupersetOf(Entries{{"key1", V(20)}}));
  EXPECT_FALSE(salvaged.salvager->complete());
}

}  // namespace
}  // namespace sstable::test
