// When a reader verifies checksums, and how damage in one place affects the rest.
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "sstable/file.h"
#include "sstable/filter_policy.h"
#include "sstable/options.h"
#include "sstable/table_iterator.h"
#include "sstable/table_reader.h"
#include "table/index/table_index.h"
#include "table/table_internals.h"
#include "tests/support/block_bytes.h"
#include "tests/support/status_matchers.h"
#include "tests/support/table_bytes.h"
#include "tests/support/table_parts.h"
#include "util/crc32c.h"

namespace sstable {
namespace {

using ::sstable::test::BuildTable;
using ::sstable::test::Entries;
using ::sstable::test::StatusIs;
using ::sstable::test::TableAssembler;
using ::testing::AllOf;
using ::testing::HasSubstr;

// Data blocks "a" -> "1" at offset 0, "b" -> "2" at 18 and "c" -> "3" at 36, each of 13 bytes, in
// memory that can be changed while a reader has it open.
class VerifyTest : public testing::Test {
 protected:
  void SetUp() override {
    TableBuilderOptions options;
    options.compression = Compression::kNone;
    options.block_size = 1;
    bytes_ = BuildTable(options, {{"a", "1"}, {"b", "2"}, {"c", "3"}}).value();
    ASSERT_EQ(bytes_[kValueOfA], '1');
    ASSERT_EQ(bytes_[kValueOfB], '2');
    ASSERT_EQ(bytes_[kValueOfC], '3');
  }

  std::unique_ptr<TableReader> Open(VerifyChecksums verify) {
    TableReaderOptions options;
    options.verify_checksums = verify;
    return TableReader::Open(NewMemoryFile(bytes_, "t.ldb"), options).value();
  }

  // The value, "absent", or "damage".
  static std::string Get(const TableReader& table, absl::string_view key) {
    const absl::StatusOr<std::optional<std::string>> value = table.Get(key);
    if (!value.ok()) {
      EXPECT_THAT(value, StatusIs(absl::StatusCode::kDataLoss, HasSubstr("crc32c stored")));
      return "damage";
    }
    return value->value_or("absent");
  }

  static constexpr size_t kValueOfA = 4, kValueOfB = 22, kValueOfC = 40;
  std::string bytes_;
};

TEST_F(VerifyTest, FirstTouchLooksOnceAtEachBlock) {
  const auto table = Open(VerifyChecksums::kFirstTouch);
  EXPECT_EQ(Get(*table, "a"), "1");
  bytes_[kValueOfA] = bytes_[kValueOfB] = 'X';
  EXPECT_EQ(Get(*table, "a"), "X") << "it was found good before";
  EXPECT_EQ(Get(*table, "b"), "damage") << "it was not looked at yet";
  EXPECT_EQ(Get(*table, "b"), "damage") << "a bad block is never taken for verified";
  bytes_[kValueOfB] = '2';
  EXPECT_EQ(Get(*table, "b"), "2");
}

TEST_F(VerifyTest, FirstTouchCountsIteratorsToo) {
  const auto table = Open(VerifyChecksums::kFirstTouch);
  const auto it = table->NewIterator();
  it->Seek("b");
  bytes_[kValueOfB] = bytes_[kValueOfC] = 'X';
  EXPECT_EQ(Get(*table, "b"), "X");
  EXPECT_EQ(Get(*table, "c"), "damage");
}

TEST_F(VerifyTest, AlwaysLooksEachTime) {
  const auto table = Open(VerifyChecksums::kAlways);
  EXPECT_EQ(Get(*table, "a"), "1");
  bytes_[kValueOfA] = 'X';
  EXPECT_EQ(Get(*table, "a"), "damage");
  const auto it = table->NewIterator();
  it->SeekToFirst();
  EXPECT_THAT(it->status(), StatusIs(absl::StatusCode::kDataLoss, testing::_));
}

TEST_F(VerifyTest, NeverDoesNotLookAtDataBlocks) {
  const auto table = Open(VerifyChecksums::kNever);
  bytes_[kValueOfA] = 'X';
  EXPECT_EQ(Get(*table, "a"), "X");
}

TEST_F(VerifyTest, NeverStillLooksAtTheIndex) {
  const uint64_t index_offset = Open(VerifyChecksums::kNever)->footer().index.offset;
  bytes_[index_offset + 3] = 'A';  // the first separator
  const auto table = Open(VerifyChecksums::kNever);
  EXPECT_EQ(Get(*table, "a"), "damage");
}

TEST_F(VerifyTest, RemembersManyBlocks) {
  TableBuilderOptions options;
  options.block_size = 1;
  Entries entries;
  for (int i = 1000; i < 1200; ++i) entries.emplace_back(absl::StrCat(i), "v");
  bytes_ = BuildTable(options, entries).value();
  const auto table = Open(VerifyChecksums::kFirstTouch);
  ASSERT_EQ(IndexOf(*table)->size(), 200);
  for (size_t i = 0; i < 200; i += 3) EXPECT_EQ(Get(*table, entries[i].first), "v");
  for (size_t i = 0; i < 200; ++i) bytes_[IndexOf(*table)->record(i).block_offset + 7] = 'X';
  for (size_t i = 0; i < 200; ++i) {
    EXPECT_EQ(Get(*table, entries[i].first), i % 3 == 0 ? "X" : "damage") << i;
  }
}

TEST_F(VerifyTest, FirstTouchLooksOnceAtCompressedBlocksToo) {
  TableBuilderOptions options;
  bytes_ = BuildTable(options, {{"a", std::string(1000, 'v')}}).value();
  const auto once = Open(VerifyChecksums::kFirstTouch);
  const auto always = Open(VerifyChecksums::kAlways);
  EXPECT_EQ(Get(*once, "a"), std::string(1000, 'v'));
  EXPECT_EQ(Get(*always, "a"), std::string(1000, 'v'));
  const IndexRecord& record = IndexOf(*once)->record(0);
  ASSERT_LT(record.block_size, 100);
  bytes_[record.block_offset + record.block_size + 1] ^= 1;  // the stored checksum
  EXPECT_EQ(Get(*once, "a"), std::string(1000, 'v'));
  EXPECT_EQ(Get(*always, "a"), "damage");
}

TEST_F(VerifyTest, ErrorsGiveFileBlockOffsetAndBothSums) {
  bytes_[kValueOfB] = 'X';
  const absl::string_view good("\0\1\1b2\0\0\0\0\1\0\0\0\0", 14),
      bad("\0\1\1bX\0\0\0\0\1\0\0\0\0", 14);
  const std::string message = absl::StrFormat(
      "t.ldb: data block at offset 18 (13 bytes): crc32c stored 0x%08x, computed 0x%08x",
      Crc32c(good), Crc32c(bad));
  const auto table = Open(VerifyChecksums::kFirstTouch);
  EXPECT_THAT(table->Get("b"), StatusIs(absl::StatusCode::kDataLoss, message));
  EXPECT_THAT(table->InternalGet("b", [](absl::string_view, absl::string_view) { ADD_FAILURE(); }),
              StatusIs(absl::StatusCode::kDataLoss, message));
  const auto it = table->NewIterator();
  it->Seek("b");
  EXPECT_THAT(it->status(), StatusIs(absl::StatusCode::kDataLoss, message));
}

class DamagedTableTest : public testing::Test {
 protected:
  void SetUp() override {
    TableBuilderOptions options;
    options.filter_policy = policy_.get();
    options.block_size = 100;
    for (int i = 1000; i < 1200; ++i) entries_.emplace_back(absl::StrCat("key", i), "value");
    bytes_ = BuildTable(options, entries_).value();
  }

  void Flip(uint64_t offset) { bytes_[offset] = static_cast<char>(bytes_[offset] ^ 0x10); }
  std::unique_ptr<TableReader> Open() const {
    return TableReader::Open(NewMemoryFile(bytes_, "t.ldb")).value();
  }

  const std::unique_ptr<const FilterPolicy> policy_ = NewBloomFilterPolicy(10);
  Entries entries_;
  std::string bytes_;
};

TEST_F(DamagedTableTest, DamageInOneBlockLeavesTheOthers) {
  const BlockHandle bad = IndexOf(*Open())->record(3).handle();
  Flip(bad.offset + bad.size / 2);
  const auto table = Open();
  size_t lost = 0;
  for (const auto& [key, value] : entries_) {
    const auto found = table->Get(key);
    size_t block = 0;
    ASSERT_OK(IndexOf(*table)->Find(KeyOrderOf(*table).Split(key), &block));
    if (block == 3) {
      ++lost;
      EXPECT_THAT(found, StatusIs(absl::StatusCode::kDataLoss,
                                  HasSubstr(absl::StrCat("t.ldb: data block at offset ", bad.offset,
                                                         " (", bad.size, " bytes): crc32c"))));
    } else {
      EXPECT_EQ(found.value(), value);
    }
  }
  EXPECT_GT(lost, 2);
}

TEST_F(DamagedTableTest, DamageInTheFirstBlockIsNotTheFiltersFault) {
  Flip(0);
  const auto table = Open();
  EXPECT_OK(table->LoadFilter());
  EXPECT_THAT(table->Get("key1000"), StatusIs(absl::StatusCode::kDataLoss, testing::_));
  EXPECT_EQ(table->Get("key1199").value(), "value");
}

TEST_F(DamagedTableTest, NothingCanBeLookedUpWithoutTheIndex) {
  Flip(Open()->footer().index.offset);
  const auto table = Open();
  const auto is_damaged =
      StatusIs(absl::StatusCode::kDataLoss,
               AllOf(HasSubstr("t.ldb: index block at offset"), HasSubstr("crc32c stored")));
  EXPECT_THAT(table->LoadIndex(), is_damaged);
  EXPECT_THAT(table->Get("key1000"), is_damaged);
  EXPECT_THAT(table->ApproximateOffsetOf("key1000"), is_damaged);
  EXPECT_EQ(IndexOf(*table), nullptr);
  const auto it = table->NewIterator();
  it->SeekToFirst();
  EXPECT_THAT(it->status(), is_damaged);
  it->SeekToLast();
  EXPECT_THAT(it->status(), is_damaged);
  it->Seek("key1000");
  EXPECT_THAT(it->status(), is_damaged);
  EXPECT_FALSE(it->Valid());
}

TEST_F(DamagedTableTest, ATableWhoseMetaindexIsMissingIsReadable) {
  for (const BlockHandle handle : {BlockHandle{0, 0}, BlockHandle{1, 2}}) {
    // The footer says that the metaindex is elsewhere.
    const Footer footer = {handle, Open()->footer().index};
    const std::string bytes =
        absl::StrCat(bytes_.substr(0, bytes_.size() - kFooterSize), footer.Encode());
    ASSERT_OK_AND_ASSIGN(const auto table, TableReader::Open(NewMemoryFile(bytes, "t.ldb")));
    EXPECT_THAT(table->metaindex_status(),
                StatusIs(absl::StatusCode::kDataLoss, HasSubstr("metaindex block at offset")));
    EXPECT_TRUE(table->meta_blocks().empty());
    for (const auto& [key, value] : entries_) EXPECT_EQ(table->Get(key).value(), value);
  }
}

TEST(MetaindexTest, AnEntryWithoutAHandleIsNamed) {
  TableAssembler assembler;
  assembler.AddDataBlock("a", {{"a", "1"}});
  assembler.AddMetaBlock("good", "contents");
  assembler.AddMetaEntry("odd\n", "\x80");
  const std::string bytes = assembler.Finish();
  ASSERT_OK_AND_ASSIGN(const auto table, TableReader::Open(NewMemoryFile(bytes, "t.ldb")));
  EXPECT_THAT(table->metaindex_status(),
              StatusIs(absl::StatusCode::kDataLoss,
                       AllOf(HasSubstr("t.ldb: metaindex block at offset"),
                             HasSubstr("entry \"odd\\n\": block handle is cut short"))));
  EXPECT_EQ(*table->ReadMetaBlock("good"), "contents") << "what came before stays";
}

TEST(DamagedBlockTest, ErrorsBehindAGoodChecksumNameTheirPlaceToo) {
  TableAssembler assembler;
  const BlockHandle no_array = assembler.AddBlock("few");
  assembler.AddIndexEntry("a", no_array.Encode());
  const BlockHandle bad_entry = assembler.AddBlock(
      absl::StrCat(test::EncodeEntry(0, "b", "1"), "\x01\x02", test::EncodeRestarts({0})));
  assembler.AddIndexEntry("c", bad_entry.Encode());
  const BlockHandle unknown = assembler.AddBlock("data", 77);
  assembler.AddIndexEntry("d", unknown.Encode());
  const std::string bytes = assembler.Finish();
  ASSERT_OK_AND_ASSIGN(const auto table, TableReader::Open(NewMemoryFile(bytes, "t.ldb")));
  EXPECT_THAT(table->Get("a"),
              StatusIs(absl::StatusCode::kDataLoss,
                       "t.ldb: data block at offset 0 (3 bytes): block of 3 bytes has no room for "
                       "its restart count"));
  EXPECT_EQ(table->Get("b").value(), "1") << "it comes before the damage";
  EXPECT_THAT(table->Get("c"), StatusIs(absl::StatusCode::kDataLoss,
                                        "t.ldb: data block at offset 8 (15 bytes): entry at offset "
                                        "5: its three sizes are cut short"));
  EXPECT_THAT(table->Get("d"), StatusIs(absl::StatusCode::kUnimplemented,
                                        "t.ldb: data block at offset 28 (4 bytes): compression "
                                        "type 77 (unknown) is not supported"));
}

}  // namespace
}  // namespace sstable
