// Our reader must agree with an independent decoder on the structure, entries and filter of every
// real file. corpus_lookup_test.cc tests lookups.
#include "tests/corpus/corpus.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <string>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "sstable/comparator.h"
#include "sstable/format.h"
#include "sstable/internal_key.h"
#include "sstable/table_iterator.h"
#include "sstable/table_reader.h"
#include "table/block/block.h"
#include "table/block/block_io.h"
#include "table/block/block_iterator.h"
#include "table/block/key_order.h"
#include "table/table_internals.h"
#include "tests/corpus/corpus_table_test.h"
#include "tests/support/sha256.h"
#include "tests/support/status_matchers.h"
#include "tests/support/whole_file.h"
#include "util/bytes.h"
#include "util/coding.h"

namespace sstable::test {
namespace {

using ::nlohmann::json;

TEST(CorpusTest, HasAll78Files) {
  if (Corpus().empty()) {
    GTEST_SKIP() << "THE CORPUS WAS NOT TESTED: there is no folder ../shared/corpus beside this "
                    "workspace (looked for "
                 << CorpusFolder() << "; see @sstable_corpus in WORKSPACE)";
  }
  EXPECT_EQ(Corpus().size(), 78);
  EXPECT_EQ(ReadableFiles().size() + RefusedFiles().size(), 2 * 78);
  std::set<std::string> in_manifest = {"README.md", "manifest.json"};
  for (const CorpusFile& file : Corpus()) in_manifest.insert(file.name);
  std::set<std::string> in_folder;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(CorpusFolder())) {
    if (entry.is_directory()) continue;
    in_folder.insert(entry.path().lexically_relative(CorpusFolder()).string());
  }
  EXPECT_EQ(in_folder, in_manifest);
}

json ToJson(const BlockHandle& handle) { return json::array({handle.offset, handle.size}); }

class RefusedFileTest : public testing::TestWithParam<CorpusParameter> {};

TEST_P(RefusedFileTest, IsRefusedByItsMagic) {
  const CorpusFile& file = *GetParam().file;
  const std::string expected =
      absl::StrCat(file.path, ": ends with the magic of RocksDB's block-based table, 0x",
                   std::string(file.facts.at("magic")));
  EXPECT_THAT(OpenCorpusFile(GetParam(), OptionsFor(file)),
              StatusIs(absl::StatusCode::kUnimplemented, testing::HasSubstr(expected)));
}

class ReadableFileTest : public CorpusTableTest {
 protected:
  BlockContents Read(BlockKind kind, const BlockHandle& handle) {
    BlockReadOptions options;
    options.dialect = table_->dialect();
    absl::StatusOr<BlockContents> contents = ReadBlock(table_->file(), kind, handle, options);
    EXPECT_OK(contents);
    return contents.ok() ? *std::move(contents) : BlockContents{};
  }

  int TypeByte(const BlockHandle& handle) {
    ByteBuffer buffer;
    const absl::StatusOr<StoredBlock> block = ReadStoredBlock(table_->file(), handle, &buffer);
    EXPECT_OK(block);
    return block.ok() ? block->type : -1;
  }
};

TEST_P(ReadableFileTest, IsTheFileOfTheManifest) {
  const std::string bytes = ReadWholeFile(file().path);
  EXPECT_EQ(bytes.size(), facts().at("bytes"));
  EXPECT_EQ(Sha256Hex(bytes), facts().at("sha256"));
}

TEST_P(ReadableFileTest, HasTheFooterMetaindexAndIndex) {
  EXPECT_EQ(table_->file().size(), facts().at("bytes"));
  EXPECT_EQ(ToJson(table_->footer().metaindex), facts().at("footer").at("metaindex"));
  EXPECT_EQ(ToJson(table_->footer().index), facts().at("footer").at("index"));
  json meta_types = {{"metaindex", TypeByte(table_->footer().metaindex)},
                     {"index", TypeByte(table_->footer().index)}};
  json names = json::array();
  for (const MetaBlock& block : table_->meta_blocks()) {
    names.push_back(block.name);
    if (absl::string_view(block.name).substr(0, 7) == kFilterKeyPrefix) {
      meta_types["filter"] = TypeByte(block.handle);
    }
    EXPECT_OK(table_->ReadMetaBlock(block.name));
  }
  EXPECT_EQ(names, facts().at("metaindex_keys"));
  EXPECT_EQ(meta_types, facts().at("meta_compression_types"));

  const BlockContents contents = Read(BlockKind::kIndex, table_->footer().index);
  ASSERT_OK_AND_ASSIGN(const Block block, Block::Parse(contents.bytes));
  EXPECT_EQ(block.restart_count(), facts().at("index_restarts"));
  Sha256 sha256;
  size_t count = 0;
  BlockIterator it(&KeyOrderOf(*table_), block);
  for (it.SeekToFirst(); it.Valid(); it.Next(), ++count) {
    absl::string_view value = it.value();
    ASSERT_OK_AND_ASSIGN(const BlockHandle handle, BlockHandle::Parse(&value));
    ASSERT_LT(count, IndexOf(*table_)->size());
    EXPECT_EQ(IndexOf(*table_)->record(count).handle(), handle) << "index entry " << count;
    std::string bytes;
    AppendFixed32(&bytes, static_cast<uint32_t>(it.key().size()));
    absl::StrAppend(&bytes, it.key());
    AppendFixed64(&bytes, handle.offset);
    AppendFixed64(&bytes, handle.size);
    sha256.Add(bytes);
  }
  EXPECT_OK(it.status());
  EXPECT_EQ(count, facts().at("n_index_entries"));
  EXPECT_EQ(IndexOf(*table_)->size(), facts().at("n_index_entries"));
  EXPECT_EQ(sha256.HexDigest(), facts().at("index_sha256"));
}

TEST_P(ReadableFileTest, HasTheDataBlocks) {
  EXPECT_EQ(IndexOf(*table_)->size(), facts().at("n_data_blocks"));
  std::map<std::string, int> types;
  uint64_t raw_size = 0, largest = 0, restarts = 0;
  for (size_t i = 0; i < IndexOf(*table_)->size(); ++i) {
    const BlockHandle handle = IndexOf(*table_)->record(i).handle();
    ++types[absl::StrCat(TypeByte(handle))];
    const BlockContents contents = Read(BlockKind::kData, handle);
    raw_size += contents.bytes.size();
    largest = std::max<uint64_t>(largest, contents.bytes.size());
    ASSERT_OK_AND_ASSIGN(const Block block, Block::Parse(contents.bytes));
    restarts += block.restart_count();
  }
  EXPECT_EQ(json(types), facts().at("compression_types"));
  EXPECT_EQ(raw_size, facts().at("data_bytes_uncompressed"));
  EXPECT_EQ(largest, facts().at("largest_data_block"));
  EXPECT_EQ(restarts, facts().at("data_restarts"));
}

TEST_P(ReadableFileTest, HasTheEntriesForwardsAndBackwards) {
  const Entries entries = ReadEntries(*table_);
  EXPECT_EQ(entries.size(), facts().at("n_entries"));
  EXPECT_EQ(EntriesSha256(entries), facts().at("entries_sha256"));
  size_t max_key = 0, max_value = 0, empty_values = 0;
  for (const auto& [key, value] : entries) {
    max_key = std::max(max_key, key.size());
    max_value = std::max(max_value, value.size());
    empty_values += value.empty();
  }
  EXPECT_EQ(max_key, facts().at("max_key_len"));
  EXPECT_EQ(max_value, facts().at("max_value_len"));
  EXPECT_EQ(empty_values, facts().at("n_empty_values"));
  const std::string first = entries.empty() ? "" : entries.front().first;
  const std::string last = entries.empty() ? "" : entries.back().first;
  EXPECT_EQ(absl::BytesToHexString(first).substr(0, 64), facts().at("first_key_hex"));
  EXPECT_EQ(absl::BytesToHexString(last).substr(0, 64), facts().at("last_key_hex"));
  EXPECT_EQ(first.size(), facts().at("first_key_len"));
  EXPECT_EQ(last.size(), facts().at("last_key_len"));

  auto expected = entries.rbegin();
  const auto it = table_->NewIterator();
  for (it->SeekToLast(); it->Valid(); it->Prev(), ++expected) {
    ASSERT_NE(expected, entries.rend());
    ASSERT_EQ(it->key(), expected->first);
    ASSERT_EQ(it->value(), expected->second);
  }
  EXPECT_OK(it->status());
  EXPECT_EQ(expected, entries.rend());
}

TEST_P(ReadableFileTest, HasTheVersionsOfUserKeys) {
  if (!file().internal_keys()) return;
  std::map<std::string, int> by_type;
  std::set<std::string> user_keys;
  uint64_t max_sequence = 0;
  Entries live;
  for (const auto& [key, value] : ReadEntries(*table_)) {
    const auto parsed = ParseInternalKey(key);
    ASSERT_TRUE(parsed.has_value()) << absl::CHexEscape(key);
    ++by_type[absl::StrCat(static_cast<int>(parsed->type))];
    max_sequence = std::max(max_sequence, parsed->sequence);
    const bool is_newest = user_keys.emplace(parsed->user_key).second;
    if (is_newest && parsed->type == ValueType::kValue) live.emplace_back(parsed->user_key, value);
  }
  EXPECT_EQ(json(by_type), facts().at("n_by_value_type"));
  EXPECT_EQ(user_keys.size(), facts().at("n_distinct_user_keys"));
  EXPECT_EQ(max_sequence, facts().at("max_sequence"));
  EXPECT_EQ(live.size(), facts().at("live").at("n"));
  EXPECT_EQ(EntriesSha256(live), facts().at("live").at("sha256"));
}

TEST_P(ReadableFileTest, HasTheKeysInTheOrderThatTheManifestSays) {
  const KeyOrder bytewise(BytewiseComparator(), OptionsFor(file()).key_kind);
  bool is_bytewise = true;
  std::string last;
  size_t count = 0;
  for (const auto& [key, value] : ReadEntries(*table_)) {
    if (count++ > 0) {
      is_bytewise = is_bytewise && bytewise.Compare(last, key) < 0;
      if (file().comparator_known()) {
        ASSERT_LT(KeyOrderOf(*table_).Compare(last, key), 0);
      }
    }
    last = key;
  }
  EXPECT_EQ(is_bytewise, facts().at("bytewise_order"));
}

INSTANTIATE_FOR_READABLE_FILES(ReadableFileTest);
INSTANTIATE_TEST_SUITE_P(Corpus, RefusedFileTest, testing::ValuesIn(RefusedFiles()),
                         [](const auto& info) { return CorpusParameterName(info.param); });
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(RefusedFileTest);

}  // namespace
}  // namespace sstable::test
