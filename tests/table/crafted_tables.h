// Tables of a few KB whose blocks would be far more costly for a careless reader.
#ifndef SSTABLE_TESTS_TABLE_CRAFTED_TABLES_H_
#define SSTABLE_TESTS_TABLE_CRAFTED_TABLES_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace sstable::test {

constexpr size_t kCraftedSize = 4096;  // approximate file size in bytes

struct CraftedTable {
  const char* name;
  std::string (*make)();
};
std::vector<CraftedTable> CraftedTables();

// These functions return uncompressed blocks.

// Entries with an empty key and value, three bytes each.
std::string TinyEntries(size_t size);
// The maximum number of such entries in a compressed block.
std::string MostTinyEntries();
// A single entry.
std::string LargeValue(size_t block_size);
std::string LargeKey(size_t block_size);
// One long key, then entries that share all of it and take 6 bytes each; at most `size` bytes.
std::string EntriesThatShare(size_t size, absl::string_view value);

// Returns `raw` as a zstd frame.
std::string Zstd(absl::string_view raw);

// These return tables of compressed blocks like those above.
std::string ManyBlocks(absl::string_view raw);
std::string OneBlock(absl::string_view raw);
std::string OneBlockNamedManyTimes();

}  // namespace sstable::test

#endif  // SSTABLE_TESTS_TABLE_CRAFTED_TABLES_H_
