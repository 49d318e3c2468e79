#include "sstable/table_iterator.h"

#include <iterator>
#include <map>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "sstable/file.h"
#include "sstable/table_reader.h"
#include "tests/support/fake_files.h"
#include "tests/support/status_matchers.h"
#include "tests/support/table_bytes.h"
#include "tests/support/table_parts.h"
#include "tests/support/table_walk.h"

namespace sstable::test {
namespace {

TEST(TableIteratorTest, SeeksToViewsOfTheBlockBeingLeft) {
  // Values are views into the block, and the next block may reuse its memory.
  const std::string far(3000, 'x');
  TableAssembler assembler;
  assembler.AddDataBlock("a", {{"a", far}});
  assembler.AddDataBlock(far, {{"b", "1"}, {"bb", "2"}, {far, "found"}});
  ASSERT_OK_AND_ASSIGN(const auto table,
                       TableReader::Open(std::make_unique<FakeFile>(assembler.Finish())));
  const auto it = table->NewIterator();
  it->Seek("a");
  it->Seek(it->value());
  ASSERT_TRUE(it->Valid());
  EXPECT_EQ(it->value(), "found");
  it->Seek("bb");
  it->Seek(it->key());
  EXPECT_EQ(it->value(), "2");
  it->Seek(it->key().substr(0, 1));
  EXPECT_EQ(it->value(), "1");
}

// Returns entries whose sizes are near the limits of one-byte size fields and of the inline step's
// copies. Some keys exceed the iterator's buffer.
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

TEST(TableIteratorTest, StepsOverEntriesOfAllSizes) {
  const Entries entries = EntriesOfAllSizes();
  for (const size_t block_size : {500, 1 << 20}) {
    TableBuilderOptions options;
    options.block_size = block_size;
    ASSERT_OK_AND_ASSIGN(const std::string bytes, BuildTable(options, entries));
    ASSERT_OK_AND_ASSIGN(const auto table, TableReader::Open(NewMemoryFile(bytes)));
    EXPECT_EQ(WalkForward(table->NewIterator().get()).entries, entries);
    EXPECT_EQ(WalkBackward(table->NewIterator().get()).entries, entries);

    // Reverses after one step and after two.
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

}  // namespace
}  // namespace sstable::test
