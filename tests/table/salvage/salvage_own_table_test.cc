// Salvage of files with several tables, one of which is the file's own. tests/mutants found each
// case.
#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "sstable/experimental/table_salvage.h"
#include "tests/table/salvage/salvage_samples.h"

namespace sstable::test {
namespace {

TEST(SalvageOwnTableTest, BlocksThatMovedByManyAmountsAreThoseOfTheTableThatEndsTheFile) {
  Blocks blocks;
  for (const char* key : {"key0", "key1", "key2", "key3", "key4", "key5", "key6"}) {
    blocks.push_back({{key, V(30)}});
  }
  const RawSample sample(blocks);
  std::string bytes = sample.bytes;
  bytes.erase(sample.blocks[5].offset, 9);
  bytes.insert(sample.End(2), sample.Stored(sample.blocks[1]));
  const Salvaged salvaged = Salvage(bytes);
  EXPECT_EQ(salvaged.salvager->scan().index_source, IndexSource::kCarved);
  EXPECT_EQ(salvaged.entries.size(), 6);
  EXPECT_EQ(salvaged.salvager->scan().lost.size(), 1);
  EXPECT_FALSE(salvaged.salvager->complete());
}

TEST(SalvageOwnTableTest, AnIndexBeforeItsBlocksNeedNotNameThoseOfInnerTables) {
  const RawSample inner(Blocks{{{"k1", "inner"}}, {{"k2", "inner"}}, {{"k3", "inner"}}});
  const RawSample sample(
      Blocks{{{"a", V(20)}}, {{"b", absl::StrCat(inner.bytes, V(20))}}, {{"c", V(30)}}});
  std::string damaged = sample.Stored(sample.blocks[1]);
  damaged[0] = '\x7f';  // so that it can't be walked
  // The index and the first block change places.
  const Salvaged salvaged = Salvage(
      absl::StrCat(sample.Stored(sample.footer.index), damaged, sample.Stored(sample.blocks[2]),
                   sample.Stored(sample.footer.metaindex), sample.Stored(sample.blocks[0])));
  EXPECT_EQ(salvaged.salvager->scan().index_source, IndexSource::kCarved);
  EXPECT_EQ(salvaged.entries, (Entries{{"a", V(20)}, {"c", V(30)}}));
}

TEST(SalvageOwnTableTest, AnIndexInItsPlaceIsTakenInDoubtIfItNamesMostBlocksButNotTheFirst) {
  const RawSample other(Blocks{{{"x1", "other"}}, {{"x2", "other"}}});
  const RawSample sample(
      Blocks{{{"key0", V(200)}}, {{"key1", V(20)}}, {{"key2", V(20)}}, {{"key3", V(20)}}});
  std::string bytes = sample.bytes.substr(0, sample.bytes.size() - 40);  // without a footer
  const std::string over = other.bytes.substr(0, other.End(1));
  bytes.replace(0, over.size(), over);
  const Salvaged salvaged = Salvage(bytes);
  EXPECT_EQ(salvaged.entries, (Entries{{"key1", V(20)}, {"key2", V(20)}, {"key3", V(20)}}));
  EXPECT_FALSE(salvaged.salvager->scan().belonging_known);
}

TEST(SalvageOwnTableTest, ABlockAcrossTheStartOfATableIsOfAValueOfItsFirstBlock) {
  const RawSample inner(Blocks{{{"b", "inner"}}, {{"c", "inner"}}, {{"d", "inner"}}});
  const RawSample sample(
      Blocks{{{"a", inner.bytes}}, {{"b", V(20)}}, {{"c", "outer"}}, {{"d", V(30)}}});
  const size_t inner_at = sample.bytes.find(inner.bytes);
  for (const size_t inserted : {inner_at + 1, size_t{8}, inner_at + inner.End(0) + 1}) {
    std::string bytes = sample.bytes;
    bytes.erase(bytes.size() - 20, 4);
    bytes.insert(inner_at + inner.footer.index.offset, V(inserted));
    const Salvaged salvaged = Salvage(bytes);
    EXPECT_EQ(salvaged.entries, (Entries{{"b", V(20)}, {"c", "outer"}, {"d", V(30)}})) << inserted;
    EXPECT_FALSE(salvaged.salvager->scan().belonging_known);
    EXPECT_FALSE(salvaged.salvager->complete());
  }
}

TEST(SalvageOwnTableTest, BlocksWithoutRoomInTheFirstBlockOfATableAreOfNoValueOfIt) {
  const RawSample inner(Blocks{{{"g", V(530)}}}, "a filter");
  const RawSample sample(Blocks{{{"a", inner.bytes}}, {{"b", V(300)}}, {{"c", V(330)}}});
  // The index and the first block change places, and the latter loses bytes: so the inner table
  // seems to start within the last block.
  const std::string first = sample.Stored(sample.blocks[0]).erase(30, 300);
  const Salvaged salvaged =
      Salvage(absl::StrCat(sample.Stored(sample.footer.index), sample.Stored(sample.blocks[1]),
                           sample.Stored(sample.blocks[2]), sample.Stored(sample.footer.metaindex),
                           first, sample.bytes.substr(sample.bytes.size() - kFooterSize)));
  EXPECT_EQ(salvaged.entries, (Entries{{"b", V(300)}, {"c", V(330)}}));
  EXPECT_FALSE(salvaged.salvager->complete());
}

TEST(SalvageOwnTableTest, AnIndexAtTheStartIsTakenInDoubtIfTheNextBlockIsOneOfItsOwn) {
  const RawSample other(Blocks{{{"k1", "x"}}, {{"k2", "x"}}, {{"k3", "x"}}});
  const RawSample sample(Blocks{{{"b", V(30)}}, {{"c", absl::StrCat(V(100), other.bytes)}}});
  // Only other blocks are left of the second block, and nothing shows that they belong to a table.
  const Salvaged salvaged =
      Salvage(absl::StrCat(sample.Stored(sample.footer.index), sample.Stored(sample.blocks[0]),
                           V(9), other.bytes.substr(0, other.End(2))));
  EXPECT_EQ(salvaged.entries, (Entries{{"b", V(30)}}));
  EXPECT_FALSE(salvaged.salvager->scan().belonging_known);
}

TEST(SalvageOwnTableTest, AWholeTableAtTheStartMayBeAValueWhereAnyBlockFollows) {
  const RawSample inner(Blocks{{{"a", "inner"}}, {{"b", "inner"}}}, "a filter");
  const Salvaged salvaged =
      Salvage(absl::StrCat(inner.bytes, V(17), inner.Stored(inner.footer.metaindex), V(60)));
  EXPECT_EQ(salvaged.entries, (Entries{{"a", "inner"}, {"b", "inner"}}));
  EXPECT_FALSE(salvaged.salvager->scan().belonging_known);
}

}  // namespace
}  // namespace sstable::test
