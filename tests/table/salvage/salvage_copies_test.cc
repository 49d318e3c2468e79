// Salvage when several blocks have the same key, since values may be older copies of the table, or
// when the kind of keys shows which table a block belongs to. tests/mutants found each case.
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "sstable/comparator.h"
#include "sstable/experimental/table_salvage.h"
#include "sstable/format.h"
#include "sstable/internal_key.h"
#include "tests/table/salvage/salvage_samples.h"

namespace sstable::test {
namespace {

TEST(SalvageCopiesTest, OfAKeyTheBlockIsKeptThatIsInTheHeavierRun) {
  // Has two keys of the table, and is cut short.
  const RawSample stale(Blocks{{{"key2", "stale"}}, {{"key3", "stale"}}});
  const RawSample sample(
      Blocks{{{"key0", V(20)}},
             {{"key1", absl::StrCat(V(100), stale.bytes.substr(0, stale.End(1)), V(100))}},
             {{"key2", V(50)}},
             {{"key3", V(50)}},
             {{"key4", V(20)}}});
  std::string bytes = sample.bytes;
  bytes[sample.blocks[1].offset] = '\x7f';   // so that it can't be walked
  bytes[sample.blocks[4].offset + 20] ^= 1;  // so that no block leads from the end to those before
  bytes[sample.footer.index.offset + 3] ^= 1;
  const Salvaged salvaged = Salvage(bytes);
  EXPECT_EQ(salvaged.entries, (Entries{{"key0", V(20)}, {"key2", V(50)}, {"key3", V(50)}}));
  EXPECT_EQ(salvaged.salvager->report().conflict_count, 2);
  EXPECT_FALSE(salvaged.salvager->scan().belonging_known);
}

TEST(SalvageCopiesTest, OfAKeyTheBlockIsKeptThatNoOtherTableNames) {
  const RawSample stale(Blocks{{{"key15", "damaged"}}, {{"key2", "stale"}}});
  const RawSample sample(Blocks{{{"key1", V(100) + stale.bytes}}, {{"key2", V(20)}}});
  std::string table = sample.bytes;
  table[sample.blocks[0].offset] = '\x7f';  // so that it can't be walked
  table[table.find("damaged")] ^= 1;        // so that the stale table has no start
  // The table up to its metaindex, and its first block once more: data follows the table's end.
  const Salvaged salvaged = Salvage(absl::StrCat(table.substr(0, sample.footer.index.offset),
                                                 "junk", table.substr(0, sample.End(0))));
  EXPECT_EQ(salvaged.entries, (Entries{{"key2", V(20)}}));
  EXPECT_FALSE(salvaged.salvager->scan().belonging_known);
}

TEST(SalvageCopiesTest, AnIndexBeforeItsBlocksIsFoundBehindAnInnerTableThatLostItsStart) {
  const RawSample stale(Blocks{{{"key1", V(600)}}, {{"key2", "stale"}}});
  const RawSample sample(
      Blocks{{{"key0", absl::StrCat(stale.bytes, V(100))}}, {{"key1", V(60)}}, {{"key2", V(40)}}});
  const std::string rest_of_first =
      sample.Stored(sample.blocks[0]).substr(sample.bytes.find(stale.bytes) + stale.End(0) - 10);
  const Salvaged salvaged = Salvage(absl::StrCat(sample.Stored(sample.footer.index), rest_of_first,
                                                 sample.Stored(sample.blocks[1]),
                                                 sample.Stored(sample.blocks[2]), V(30)));
  EXPECT_EQ(salvaged.salvager->scan().index_source, IndexSource::kCarved);
  EXPECT_EQ(salvaged.entries, (Entries{{"key1", V(60)}, {"key2", V(40)}}));
  EXPECT_FALSE(salvaged.salvager->complete());
}

TEST(SalvageCopiesTest, AWholeTableAtTheStartIsAValueWhereAnotherOneIsAroundItAndEndsTheFile) {
  const RawSample inner(Blocks{{{"a", "inner"}}, {{"b", "inner"}}});
  const RawSample sample(Blocks{{{"a", absl::StrCat(inner.bytes, V(20))}}, {{"key2", V(20)}}});
  const size_t cut = sample.bytes.find(inner.bytes);
  std::string bytes = sample.bytes.substr(cut);
  bytes.insert(sample.End(0) - cut, V(cut + 2));
  const Salvaged salvaged = Salvage(bytes);
  EXPECT_EQ(salvaged.entries, (Entries{{"key2", V(20)}}));
  EXPECT_FALSE(salvaged.salvager->scan().belonging_known);
}

TEST(SalvageCopiesTest, AWholeTableAtTheStartMayBeAValueWhereDataFollows) {
  const RawSample inner(Blocks{{{"a", "inner"}}, {{"b", "inner"}}});
  const RawSample sample(Blocks{{{"a", absl::StrCat(inner.bytes, V(20))}}, {{"key2", V(20)}}});
  const size_t cut = sample.bytes.find(inner.bytes);
  const Salvaged salvaged = Salvage(sample.bytes.substr(cut, sample.End(1) - cut));
  EXPECT_EQ(salvaged.entries, (Entries{{"a", "inner"}, {"b", "inner"}}));
  EXPECT_FALSE(salvaged.salvager->scan().belonging_known);
}

TEST(SalvageCopiesTest, ABlockBeforeTheEndOfDataIsAValuesIfItHasNotTheSizeInTheIndex) {
  const std::string filter("\0\0\0\0\x0b", 5);  // an empty one
  const RawSample stale(Blocks{{{"key1", "stale"}}}, filter);
  const RawSample sample(Blocks{{{"key1", stale.bytes}}}, filter);
  // Copies from the end of the filter in the value to the end of the other filter.
  const size_t start = sample.bytes.find(stale.bytes) + stale.meta.offset + stale.meta.size;
  std::string bytes = sample.bytes;
  bytes.erase(start, sample.meta.offset + sample.meta.size - start);
  const Salvaged salvaged = Salvage(bytes);
  EXPECT_EQ(salvaged.entries, Entries());
  EXPECT_EQ(salvaged.salvager->scan().unnamed_blocks, 1);
  EXPECT_FALSE(salvaged.salvager->complete());
}

TEST(SalvageCopiesTest, OfAKeyTheBlockIsKeptThatIsSurelyTheTablesOwn) {
  const RawSample stale(Blocks{{{"key15", "damaged"}}, {{"key2", "stale"}}});
  const RawSample sample(
      Blocks{{{"key0", V(20)}}, {{"key1", V(100) + stale.bytes}}, {{"key2", V(20)}}});
  std::string bytes = sample.bytes;
  bytes[sample.blocks[1].offset] = '\x7f';  // so that it can't be walked
  bytes[bytes.find("damaged")] ^= 1;        // so that the stale table has no start
  bytes[sample.footer.index.offset + 3] ^= 1;
  const Salvaged salvaged = Salvage(bytes);
  EXPECT_EQ(salvaged.entries, (Entries{{"key0", V(20)}, {"key2", V(20)}}));
  EXPECT_EQ(salvaged.salvager->report().conflict_count, 1);
}

TEST(SalvageCopiesTest, OfAKeyTheBlockIsKeptThatIsSurelyNoIndex) {
  const RawSample sample(Blocks{{{"", "value"}}});
  // The index, which has that key, is before the data; and there is no footer.
  const std::string bytes =
      absl::StrCat(sample.Stored(sample.footer.index), sample.Stored(sample.blocks[0]), V(30));
  EXPECT_EQ(Salvage(bytes).entries, (Entries{{"", "value"}}));
}

TEST(SalvageCopiesTest, BlocksBesideOneBelowTheKeysBeforeAreOfAnotherTable) {
  const RawSample stale(Blocks{{{"key0", "stale"}}, {{"key7", "stale"}}});
  const RawSample sample(
      Blocks{{{"key0", V(20)}},
             {{"key5", absl::StrCat(V(100), stale.bytes.substr(0, stale.End(1)), V(100))}},
             {{"key7", V(20)}},
             {{"key8", V(20)}}});
  std::string bytes = sample.bytes;
  bytes[sample.blocks[1].offset] = '\x7f';   // so that it can't be walked
  bytes[sample.blocks[3].offset + 20] ^= 1;  // so that no block leads from the end to the third
  bytes[sample.footer.index.offset + 3] ^= 1;
  EXPECT_EQ(Salvage(bytes).entries, (Entries{{"key0", V(20)}, {"key7", V(20)}}));
}

TEST(SalvageCopiesTest, BlocksBesideTheEndOfATableAreOfAnotherIfDataFollows) {
  const RawSample stale(Blocks{{{"key7", "stale"}}});
  const RawSample sample(Blocks{{{"key0", V(20)}},
                                {{"key5", absl::StrCat(V(100), stale.bytes, V(100))}},
                                {{"key7", V(20)}},
                                {{"key8", V(20)}}});
  std::string bytes = sample.bytes;
  const size_t stale_start = bytes.find(stale.bytes);
  bytes.erase(stale_start + stale.footer.index.offset,
              stale.bytes.size() - stale.footer.index.offset);
  bytes[sample.blocks[0].offset + 20] ^= 1;
  bytes[sample.blocks[1].offset] = '\x7f';      // so that it can't be walked
  bytes[bytes.size() - kFooterSize - 20] ^= 1;  // the index
  bytes.erase(bytes.size() - kFooterSize);
  const Salvaged salvaged = Salvage(bytes);
  EXPECT_EQ(salvaged.entries, (Entries{{"key7", V(20)}, {"key8", V(20)}}));
  EXPECT_FALSE(salvaged.salvager->scan().belonging_known);
}

TEST(SalvageCopiesTest, KeysWithoutATagAreNoneOfATableOfInternalKeys) {
  const RawSample inner(Blocks{{{"plain key", "inner"}}});
  Blocks blocks;
  for (int i = 0; i < 17; ++i) {
    const std::string key = MakeInternalKey(absl::StrCat("key", i + 10), i + 1, ValueType::kValue);
    blocks.push_back({{key, i == 5 ? absl::StrCat(V(100), inner.bytes) : V(20)}});
  }
  const RawSample sample(blocks);
  std::string bytes = sample.bytes.substr(0, sample.End(16));
  bytes[sample.blocks[5].offset] = '\x7f';  // so that it can't be walked
  const size_t inner_start = bytes.find(inner.bytes);
  bytes[inner_start + inner.footer.index.offset + 3] ^= 1;
  bytes[inner_start + inner.footer.metaindex.offset + 3] ^= 1;
  const Salvaged salvaged = Salvage(bytes);
  EXPECT_EQ(salvaged.salvager->key_kind(), KeyKind::kInternal);
  EXPECT_EQ(salvaged.entries.size(), 16);
  EXPECT_EQ(salvaged.salvager->report().conflict_count, 1);
}

TEST(SalvageCopiesTest, KeysThatAreLeftOutSayNothingOfTheirBlocksOrder) {
  const auto key = [](absl::string_view user_key, uint64_t sequence) {
    return MakeInternalKey(user_key, sequence, ValueType::kValue);
  };
  SalvageOptions options;
  options.key_kind = KeyKind::kInternal;
  options.comparator = BytewiseComparator();
  const Salvaged salvaged =
      Salvage(RawSample(Blocks{{{key("colour/a", 6), "1"}, {"colour/ch", "no tag"}},
                               {{key("colour/c", 7), "2"}, {key("colour/a", 6), "1"}}})
                  .bytes,
              options);
  EXPECT_EQ(salvaged.entries, (Entries{{key("colour/a", 6), "1"}, {key("colour/c", 7), "2"}}));
  EXPECT_EQ(salvaged.salvager->report().duplicates, 1);
  EXPECT_FALSE(salvaged.salvager->complete());
}

TEST(SalvageCopiesTest, InternalKeysAreNoneOfATableOfOthers) {
  Blocks inner_blocks;
  for (int i = 0; i < 40; ++i) {
    const std::string key = MakeInternalKey(absl::StrCat("k", i + 10), i + 1, ValueType::kValue);
    inner_blocks.push_back({{key, "inner"}});
  }
  const RawSample inner(inner_blocks);
  const RawSample sample(Blocks{{{"key1", V(20)}}, {{"key2", V(100) + inner.bytes}}});
  std::string bytes = sample.bytes.substr(0, sample.End(0) + 150 + inner.End(39));
  bytes[sample.blocks[1].offset] = '\x7f';  // so that it can't be walked
  const Salvaged salvaged = Salvage(bytes);
  EXPECT_EQ(salvaged.salvager->key_kind(), KeyKind::kPlain);
  EXPECT_EQ(salvaged.entries, (Entries{{"key1", V(20)}}));
  EXPECT_EQ(salvaged.salvager->report().conflict_count, 40);
}

TEST(SalvageCopiesTest, FewInternalKeysThatAreSurelyTheTablesOwnShowItsKind) {
  Blocks inner_blocks, blocks;
  for (int i = 0; i < 40; ++i) inner_blocks.push_back({{absl::StrCat("k", i + 10), "inner"}});
  const RawSample inner(inner_blocks);
  Entries own;
  for (int i = 0; i < 9; ++i) {
    const std::string key = MakeInternalKey(absl::StrCat("key", i), i + 1, ValueType::kValue);
    own.push_back({key, V(20)});
    blocks.push_back({own.back()});
  }
  const std::string last_key = MakeInternalKey("key9", 10, ValueType::kValue);
  blocks.push_back({{last_key, V(100) + inner.bytes}});
  const RawSample sample(blocks);
  std::string bytes = sample.bytes.substr(0, sample.End(8) + 150 + inner.End(39));
  bytes[sample.blocks[9].offset] = '\x7f';  // so that it can't be walked
  const Salvaged salvaged = Salvage(bytes);
  EXPECT_EQ(salvaged.salvager->key_kind(), KeyKind::kInternal);
  EXPECT_EQ(salvaged.entries, own);
  EXPECT_EQ(salvaged.salvager->report().conflict_count, 40);
}

TEST(SalvageCopiesTest, BlocksAtTheStartOfAValueThatLostBytesAreInner) {
  const RawSample stale(Blocks{{{"key1", V(200)}}, {{"key2", V(200)}}, {{"key3", V(200)}}});
  const RawSample sample(
      Blocks{{{"key1", V(20)}}, {{"key2", V(20)}}, {{"key3", stale.bytes}}, {{"key4", V(20)}}});
  std::string bytes = sample.bytes;
  bytes[sample.footer.index.offset + 3] ^= 1;
  // Then the value extends into the next block, and the footer shows that bytes are missing.
  bytes.erase(bytes.find(stale.bytes) + stale.End(1) + 20, 200);
  const Salvaged salvaged = Salvage(bytes);
  EXPECT_EQ(salvaged.entries, (Entries{{"key1", V(20)}, {"key2", V(20)}, {"key4", V(20)}}));
  EXPECT_EQ(salvaged.salvager->scan().inner_blocks, 2);
  EXPECT_FALSE(salvaged.salvager->complete());
}

TEST(SalvageCopiesTest, BlocksAfterAValueThatGainedBytesAreNotInner) {
  // The end of the value, which the walk takes for the next entry, has a key above all others.
  const std::string like_an_entry("\x00\x05\xff\x7fzzzzz", 9);
  const RawSample sample(Blocks{{{"key1", V(20)}},
                                {{"key2", V(100) + like_an_entry}},
                                {{"key3", V(20)}},
                                {{"key4", V(20)}},
                                {{"key5", V(20)}}});
  std::string bytes = sample.bytes.substr(0, sample.End(3) + 10);
  bytes.insert(sample.blocks[1].offset + 50, like_an_entry.size(), 'v');
  const Salvaged salvaged = Salvage(bytes);
  EXPECT_EQ(salvaged.entries, (Entries{{"key1", V(20)}, {"key3", V(20)}, {"key4", V(20)}}));
  EXPECT_FALSE(salvaged.salvager->scan().belonging_known);
}

TEST(SalvageCopiesTest, AKeyThatIsThereTwiceShowsNoOrderOfItsOwn) {
  const RawSample sample(Blocks{{{"key5", V(20)}, {"key5", V(20)}},
                                {{"key6", V(20)}},
                                {{"key7", V(20)}},
                                {{"key1", V(20)}},
                                {{"key2", V(20)}}});
  std::string bytes = sample.bytes.substr(0, sample.footer.metaindex.offset);
  bytes[sample.blocks[2].offset + 10] ^= 1;  // so that keys descend only where bytes are lost
  const Salvaged salvaged = Salvage(bytes);
  EXPECT_TRUE(salvaged.salvager->order_known());
  EXPECT_EQ(salvaged.entries,
            (Entries{{"key1", V(20)}, {"key2", V(20)}, {"key5", V(20)}, {"key6", V(20)}}));
  EXPECT_EQ(salvaged.salvager->report().duplicates, 1);
}

TEST(SalvageCopiesTest, VersionsOfAKeyAreSavedInTheirOrderWhereNoOrderIsKnown) {
  const auto key = [](const char* user_key, uint64_t sequence) {
    return MakeInternalKey(user_key, sequence, ValueType::kValue);
  };
  const RawSample sample(Blocks{{{key("d", 9), "1"}},
                                {{key("b", 3), "2"}},
                                {{key("b", 5), "3"}},
                                {{key("a", 4), "4"}},
                                {{key("c", 6), "5"}}});
  const std::string bytes = sample.bytes.substr(0, sample.footer.metaindex.offset);
  const Salvaged salvaged = Salvage(bytes);
  EXPECT_EQ(salvaged.entries.size(), 5);
  EXPECT_EQ(salvaged.salvager->report().conflict_count, 0);
  EXPECT_FALSE(salvaged.salvager->complete());
}

}  // namespace
}  // namespace sstable::test
