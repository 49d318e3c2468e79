// Tables of a few KB whose blocks would cost a careless reader much more.
#ifndef SSTABLE_TESTS_TABLE_CRAFTED_TABLES_H_
#define SSTABLE_TESTS_TABLE_CRAFTED_TABLES_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace sstable::test {

constexpr size_t kCraftedSize = 4096;  // approximate size of a file in bytes

struct CraftedTable {
  const char* name;
  std::string (*make)();
};
std::vector<CraftedTable> CraftedTables();

// These return blocks, uncompressed.

// Entries of three bytes each: an empty key, an empty value.
std::string TinyEntries(size_t size);
// As many of them as a compressed block may have.
std::string MostTinyEntries();
// One entry.
std::string LargeValue(size_t block_size);
std::string LargeKey(size_t block_size);
// A long key, and entries that repeat it in 6 bytes each. At most `size` bytes.
std::string EntriesThatShare(size_t size, absl::string_view value);

// `raw` as a zstd frame.
std::string Zstd(absl::string_view raw);

// Tables of such blocks, compressed.
std::string ManyBlocks(absl::string_view raw);
std::string OneBlock(absl::string_view raw);
std::string OneBlockNamedManyTimes();

}  // namespace sstable::test

#endif  // SSTABLE_TESTS_TABLE_CRAFTED_TABLES_H_
