// Tables to damage and salvage, and the results of salvage.
#ifndef SSTABLE_TESTS_TABLE_SALVAGE_SALVAGE_SAMPLES_H_
#define SSTABLE_TESTS_TABLE_SALVAGE_SALVAGE_SAMPLES_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "sstable/experimental/table_salvage.h"
#include "sstable/format.h"
#include "sstable/options.h"
#include "table/block/key_order.h"
#include "tests/support/table_bytes.h"

namespace sstable::test {

// The entries that Salvage() saved, and the salvaged table.
struct Salvaged {
  std::unique_ptr<Salvager> salvager;
  Entries entries;
  std::string table;
};

// Salvages `bytes`. Expects the new table to be sound and to have the saved entries.
Salvaged Salvage(absl::string_view bytes, const SalvageOptions& options = {});

// A table and the entries of each of its blocks.
struct Sample {
  std::string bytes;
  Footer footer;
  std::vector<BlockHandle> blocks;
  std::vector<Entries> entries;  // for each block
  KeyKind key_kind = KeyKind::kPlain;
};

struct Shape {
  const char* name;
  Compression compression = Compression::kSnappy;
  size_t block_size = 4096;
  int restart_interval = 16;
  KeyKind key_kind = KeyKind::kPlain;
  bool filter = true;
  int count = 6000;
};

Sample MakeSample(const Shape& shape);

using Blocks = std::vector<Entries>;

// A table of these entries in uncompressed blocks, without a filter.
struct RawSample {
  explicit RawSample(const Blocks& of_blocks);

  std::string Stored(const BlockHandle& handle) const;  // the block and its trailer
  uint64_t End(size_t i) const;                         // end of block `i` and its trailer

  std::vector<BlockHandle> blocks;
  std::string bytes;
  Footer footer;
};

// Returns a value of this size.
std::string V(size_t size);

// Returns all entries except those of the blocks in `lost`.
Entries EntriesBut(const Sample& sample, const std::set<size_t>& lost);

// Returns the blocks that overlap a range of bytes.
std::set<size_t> BlocksIn(const Sample& sample, uint64_t offset, uint64_t size);

}  // namespace sstable::test

#endif  // SSTABLE_TESTS_TABLE_SALVAGE_SALVAGE_SAMPLES_H_
