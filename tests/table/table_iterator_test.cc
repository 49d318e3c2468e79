#include "sstable/table_iterator.h"

#include <iterator>
#include <map>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "sstable/file.h"
#include "sstable/table_reader.h"
#include "table/index/table_index.h"
#include "tests/support/block_bytes.h"
#include "tests/support/fake_files.h"
#include "tests/support/status_matchers.h"
#include "tests/support/table_bytes.h"
#include "tests/support/table_parts.h"
#include "tests/support/table_walk.h"

namespace sstable {
namespace {

using ::sstable::test::BuildTable;
using ::sstable::test::EncodeEntry;
using ::sstable::test::EncodeRestarts;
using ::sstable::test::Entries;
using ::sstable::test::FakeFile;
using ::sstable::test::StatusIs;
using ::sstable::test::TableAssembler;
using ::testing::HasSubstr;

// The current entry as "key", or "none", or "damage".
std::string At(const TableIterator& it) {
  if (it.Valid()) {
    EXPECT_OK(it.status());
    return std::string(it.key());
  }
  return it.status().ok() ? "none" : "damage";
}

std::unique_ptr<TableReader> OpenBytes(absl::string_view bytes) {
  return TableReader::Open(NewMemoryFile(bytes, "t.ldb")).value();
}

// Five data blocks of two keys each: a0 a1, b0 b1, ... e0 e1.
class FiveBlocksTest : public testing::Test {
 protected:
  void SetUp() override {
    TableAssembler assembler;
    for (const char* name : {"a", "b", "c", "d", "e"}) {
      handles_.push_back(
          assembler.AddDataBlock(absl::StrCat(name, "1"),
                                 {{absl::StrCat(name, "0"), "v"}, {absl::StrCat(name, "1"), "v"}}));
    }
    bytes_ = assembler.Finish();
  }

  void Damage(size_t block) { bytes_[handles_[block].offset] ^= 1; }
  std::unique_ptr<TableIterator> Iterate() {
    table_ = OpenBytes(bytes_);
    return table_->NewIterator();
  }
  // The keys visited until it ends, then how it ended, e.g. "d0 d1 e0 e1 none".
  static std::string Forward(TableIterator* it) {
    std::string met;
    for (; it->Valid(); it->Next()) absl::StrAppend(&met, it->key(), " ");
    return met + At(*it);
  }
  static std::string Backward(TableIterator* it) {
    std::string met;
    for (; it->Valid(); it->Prev()) absl::StrAppend(&met, it->key(), " ");
    return met + At(*it);
  }

  std::vector<BlockHandle> handles_;
  std::string bytes_;
  std::unique_ptr<TableReader> table_;
};

TEST_F(FiveBlocksTest, IsOnNoEntryAtFirst) { EXPECT_EQ(At(*Iterate()), "none"); }

TEST_F(FiveBlocksTest, WalksOverAllBlocks) {
  const auto it = Iterate();
  it->SeekToFirst();
  EXPECT_EQ(Forward(it.get()), "a0 a1 b0 b1 c0 c1 d0 d1 e0 e1 none");
  it->SeekToLast();
  EXPECT_EQ(Backward(it.get()), "e1 e0 d1 d0 c1 c0 b1 b0 a1 a0 none");
}

TEST_F(FiveBlocksTest, SeeksToTheFirstKeyNotBelowTheTarget) {
  const auto it = Iterate();
  for (const auto& [target, key] : Entries{{"", "a0"},
                                           {"a0", "a0"},
                                           {"a00", "a1"},
                                           {"a1", "a1"},
                                           {"a2", "b0"},
                                           {"c05", "c1"},
                                           {"e1", "e1"},
                                           {"e2", "none"}}) {
    it->Seek(target);
    EXPECT_EQ(At(*it), key) << target;
  }
}

TEST_F(FiveBlocksTest, SeeksToViewsOfItsOwnKey) {
  const auto it = Iterate();
  it->Seek("c1");
  it->Seek(it->key());
  EXPECT_EQ(At(*it), "c1");
  it->Seek(it->key().substr(0, 1));
  EXPECT_EQ(At(*it), "c0");
}

TEST_F(FiveBlocksTest, TurnsRoundBetweenBlocks) {
  const auto it = Iterate();
  it->Seek("b1");
  it->Next();
  EXPECT_EQ(At(*it), "c0");
  it->Prev();
  EXPECT_EQ(At(*it), "b1");
  it->Next();
  EXPECT_EQ(At(*it), "c0");
}

TEST_F(FiveBlocksTest, KnowsWhichBlockItIsIn) {
  const auto it = Iterate();
  it->SeekToFirst();
  EXPECT_EQ(it->block_index(), 0);
  it->Seek("d1");
  EXPECT_EQ(it->block_index(), 3);
  it->Next();
  EXPECT_EQ(it->block_index(), 4);
  it->Seek("z");
  EXPECT_EQ(it->block_index(), 5);
  it->Seek("e1");
  EXPECT_EQ(it->block_index(), 4);
  it->Next();
  EXPECT_EQ(it->block_index(), 5);
}

TEST_F(FiveBlocksTest, StartsAtAnyBlock) {
  const auto it = Iterate();
  it->SeekToBlock(3);
  EXPECT_EQ(Forward(it.get()), "d0 d1 e0 e1 none");
  it->SeekToBlock(0);
  EXPECT_EQ(At(*it), "a0");
  it->SeekToBlock(5);
  EXPECT_EQ(At(*it), "none");
  EXPECT_EQ(it->block_index(), 5);
}

TEST_F(FiveBlocksTest, DamageEndsAForwardWalkAndCanBeSkipped) {
  Damage(2);
  const auto it = Iterate();
  it->SeekToFirst();
  EXPECT_EQ(Forward(it.get()), "a0 a1 b0 b1 damage");
  EXPECT_THAT(it->status(),
              StatusIs(absl::StatusCode::kDataLoss,
                       HasSubstr(absl::StrCat("t.ldb: data block at offset ", handles_[2].offset,
                                              " (", handles_[2].size, " bytes): crc32c stored"))));
  EXPECT_EQ(it->block_index(), 2);
  EXPECT_TRUE(it->SkipDamage());
  EXPECT_EQ(Forward(it.get()), "d0 d1 e0 e1 none");
}

TEST_F(FiveBlocksTest, DamageEndsABackwardWalkAndIsSkippedForward) {
  Damage(2);
  const auto it = Iterate();
  it->SeekToLast();
  EXPECT_EQ(Backward(it.get()), "e1 e0 d1 d0 damage");
  EXPECT_EQ(it->block_index(), 2);
  EXPECT_TRUE(it->SkipDamage());
  EXPECT_EQ(At(*it), "d0");
}

TEST_F(FiveBlocksTest, SkipsDamageInTheFirstAndTheLastBlock) {
  Damage(0);
  Damage(4);
  const auto it = Iterate();
  it->SeekToFirst();
  EXPECT_EQ(At(*it), "damage");
  EXPECT_TRUE(it->SkipDamage());
  EXPECT_EQ(Forward(it.get()), "b0 b1 c0 c1 d0 d1 damage");
  EXPECT_TRUE(it->SkipDamage());
  EXPECT_EQ(At(*it), "none");
  EXPECT_EQ(it->block_index(), 5);
  it->SeekToLast();
  EXPECT_EQ(At(*it), "damage");
}

TEST_F(FiveBlocksTest, SkipsOneDamagedBlockAtATime) {
  Damage(1);
  Damage(2);
  const auto it = Iterate();
  it->Seek("a1");
  it->Next();
  EXPECT_EQ(At(*it), "damage");
  EXPECT_EQ(it->block_index(), 1);
  EXPECT_TRUE(it->SkipDamage());
  EXPECT_EQ(At(*it), "damage");
  EXPECT_EQ(it->block_index(), 2);
  EXPECT_TRUE(it->SkipDamage());
  EXPECT_EQ(At(*it), "d0");
}

TEST_F(FiveBlocksTest, SkipsNothingWhereNothingIsDamaged) {
  const auto it = Iterate();
  EXPECT_FALSE(it->SkipDamage());
  it->Seek("b1");
  EXPECT_FALSE(it->SkipDamage());
  EXPECT_EQ(At(*it), "b1");
  it->Seek("z");
  EXPECT_FALSE(it->SkipDamage());
}

TEST_F(FiveBlocksTest, ASeekIntoDamageFailsAndTheNextOneIsFree) {
  Damage(2);
  const auto it = Iterate();
  it->Seek("c0");
  EXPECT_EQ(At(*it), "damage");
  it->Seek("b2");  // above all of the previous block, but below its separator's successor
  EXPECT_EQ(At(*it), "damage");
  it->Seek("b1");
  EXPECT_EQ(At(*it), "b1");
  it->Seek("c1");
  EXPECT_TRUE(it->SkipDamage());
  EXPECT_EQ(At(*it), "d0");
  it->Seek("c1");
  it->Seek("z");
  EXPECT_FALSE(it->SkipDamage()) << "the damage was left behind";
}

TEST_F(FiveBlocksTest, ADamagedIndexIsNotSkipped) {
  bytes_[OpenBytes(bytes_)->footer().index.offset] ^= 1;
  const auto it = Iterate();
  for (int i = 0; i < 2; ++i) {
    it->SeekToFirst();
    EXPECT_THAT(it->status(),
                StatusIs(absl::StatusCode::kDataLoss, HasSubstr("t.ldb: index block at offset")));
    EXPECT_FALSE(it->SkipDamage());
  }
}

TEST_F(FiveBlocksTest, AFileThatFailsOnceCanBeReadAgain) {
  auto owned = std::make_unique<FakeFile>(bytes_);
  FakeFile* const file = owned.get();
  ASSERT_OK_AND_ASSIGN(table_, TableReader::Open(std::move(owned)));
  const auto it = table_->NewIterator();
  it->Seek("b1");
  file->FailReadAfter(0);
  it->Next();
  EXPECT_THAT(it->status(),
              StatusIs(absl::StatusCode::kUnavailable,
                       HasSubstr(absl::StrCat("fake: data block at offset ", handles_[2].offset))));
  it->Seek("c0");
  EXPECT_EQ(Forward(it.get()), "c0 c1 d0 d1 e0 e1 none");
}

// A block with a correct checksum whose third entry is malformed.
class BadEntryTest : public testing::Test {
 protected:
  void SetUp() override {
    TableAssembler assembler;
    assembler.AddDataBlock("a1", {{"a1", "v"}});
    const std::string entries = absl::StrCat(EncodeEntry(0, "b1", "v"), EncodeEntry(1, "2", "v"),
                                             EncodeEntry(9, "3", "v"), EncodeEntry(0, "b4", "v"));
    const BlockHandle handle = assembler.AddBlock(absl::StrCat(entries, EncodeRestarts({0, 16})));
    assembler.AddIndexEntry("b4", handle.Encode());
    assembler.AddDataBlock("c1", {{"c1", "v"}});
    bytes_ = assembler.Finish();
    table_ = OpenBytes(bytes_);
    it_ = table_->NewIterator();
  }
  std::string bytes_;
  std::unique_ptr<TableReader> table_;
  std::unique_ptr<TableIterator> it_;
};

TEST_F(BadEntryTest, IsReachedAndThenTheRestOfTheBlockIsSkipped) {
  it_->SeekToFirst();
  it_->Next();
  it_->Next();
  EXPECT_EQ(At(*it_), "b2");
  it_->Next();
  EXPECT_EQ(At(*it_), "damage");
  EXPECT_THAT(it_->status(),
              StatusIs(absl::StatusCode::kDataLoss,
                       HasSubstr("entry at offset 11 shares 9 bytes of a key of 2")));
  EXPECT_THAT(it_->status().message(), HasSubstr("t.ldb: data block at offset"));
  EXPECT_EQ(it_->block_index(), 1);
  EXPECT_TRUE(it_->SkipDamage());
  EXPECT_EQ(At(*it_), "c1");
}

TEST_F(BadEntryTest, EndsABackwardWalk) {
  it_->SeekToLast();
  it_->Prev();
  EXPECT_EQ(At(*it_), "b4") << "it starts anew at a restart point";
  it_->Prev();
  EXPECT_EQ(At(*it_), "damage");
  EXPECT_TRUE(it_->SkipDamage());
  EXPECT_EQ(At(*it_), "c1");
}

TEST_F(BadEntryTest, EndsASeekThatMeetsIt) {
  it_->Seek("b3");
  EXPECT_EQ(At(*it_), "damage");
  it_->Seek("b2");
  EXPECT_EQ(At(*it_), "b2");
}

TEST(EmptyBlocksTest, AreWalkedOver) {
  TableAssembler assembler;
  assembler.AddDataBlock("a", {});
  assembler.AddDataBlock("b", {{"b", "1"}});
  assembler.AddDataBlock("c", {});
  const BlockHandle no_restarts = assembler.AddBlock(EncodeRestarts({}));
  assembler.AddIndexEntry("d", no_restarts.Encode());
  assembler.AddDataBlock("e", {{"e", "2"}});
  assembler.AddDataBlock("f", {});
  const std::string bytes = assembler.Finish();
  const auto table = OpenBytes(bytes);
  const auto it = table->NewIterator();
  EXPECT_EQ(test::WalkForward(it.get()).entries, (Entries{{"b", "1"}, {"e", "2"}}));
  EXPECT_EQ(test::WalkBackward(it.get()).entries, (Entries{{"b", "1"}, {"e", "2"}}));
  it->Seek("a");
  EXPECT_EQ(At(*it), "b");
  it->Seek("c");
  EXPECT_EQ(At(*it), "e");
  it->Seek("f");
  EXPECT_EQ(At(*it), "none");
  EXPECT_OK(it->status());
}

TEST(SeekTest, TakesViewsOfTheBlockBeingLeft) {
  // Values are views into the block, whose memory the next block may take over.
  const std::string far(3000, 'x');
  TableAssembler assembler;
  assembler.AddDataBlock("a", {{"a", far}});
  assembler.AddDataBlock(far, {{"b", "1"}, {far, "found"}});
  ASSERT_OK_AND_ASSIGN(const auto table,
                       TableReader::Open(std::make_unique<FakeFile>(assembler.Finish())));
  const auto it = table->NewIterator();
  it->Seek("a");
  it->Seek(it->value());
  ASSERT_TRUE(it->Valid());
  EXPECT_EQ(it->value(), "found");
}

TEST(EmptyTableTest, HasNoEntry) {
  ASSERT_OK_AND_ASSIGN(const std::string bytes, BuildTable({}, {}));
  const auto table = OpenBytes(bytes);
  const auto it = table->NewIterator();
  it->SeekToFirst();
  EXPECT_EQ(At(*it), "none");
  it->SeekToLast();
  EXPECT_EQ(At(*it), "none");
  it->Seek("");
  EXPECT_EQ(At(*it), "none");
  EXPECT_FALSE(it->SkipDamage());
}

// Sizes near those that fit in one byte of an entry's header, or in the copies of the inline step;
// some keys exceed the iterator's buffer.
Entries EntriesOfAllSizes() {
  constexpr size_t kKeyParts[] = {0, 1, 31, 32, 33, 127, 128, 300};
  constexpr size_t kValueSizes[] = {0, 1, 127, 128, 129, (1 << 14) - 1, 1 << 14};
  std::map<std::string, std::string> sorted;
  size_t i = 0;
  for (const size_t shared : kKeyParts) {
    for (const size_t unshared : kKeyParts) {
      const size_t value_size = kValueSizes[i++ % std::size(kValueSizes)];
      sorted[absl::StrCat(std::string(shared, 'k'), std::string(unshared, 'l'))] =
          std::string(value_size, static_cast<char>('a' + i % 26));
    }
  }
  return {sorted.begin(), sorted.end()};
}

TEST(EntrySizesTest, MakeNoDifferenceToAScan) {
  const Entries entries = EntriesOfAllSizes();
  for (const size_t block_size : {500, 1 << 20}) {
    TableBuilderOptions options;
    options.block_size = block_size;
    ASSERT_OK_AND_ASSIGN(const std::string bytes, BuildTable(options, entries));
    const auto table = OpenBytes(bytes);
    EXPECT_EQ(test::WalkForward(table->NewIterator().get()).entries, entries);
    EXPECT_EQ(test::WalkBackward(table->NewIterator().get()).entries, entries);

    // Reverses direction after one step and after two.
    const auto it = table->NewIterator();
    it->SeekToFirst();
    for (size_t i = 0; i + 2 < entries.size(); ++i) {
      it->Next();
      it->Prev();
      EXPECT_EQ(it->key(), entries[i].first);
      it->Next();
      it->Next();
      it->Prev();
      EXPECT_EQ(it->key(), entries[i + 1].first);
      EXPECT_EQ(it->value(), entries[i + 1].second);
    }
  }
}

TEST(UnknownCodecTest, IsSkippedLikeDamage) {
  TableAssembler assembler;
  assembler.AddIndexEntry("a", assembler.AddBlock("strange", 77).Encode());
  assembler.AddDataBlock("b", {{"b", "1"}});
  const std::string bytes = assembler.Finish();
  const auto table = OpenBytes(bytes);
  const auto it = table->NewIterator();
  it->SeekToFirst();
  EXPECT_THAT(it->status(), StatusIs(absl::StatusCode::kUnimplemented, HasSubstr("type 77")));
  EXPECT_TRUE(it->SkipDamage());
  EXPECT_EQ(At(*it), "b");
}

}  // namespace
}  // namespace sstable
