// Every block of a file that can be found by its checksum, and its probable kind.
#ifndef SSTABLE_TABLE_SALVAGE_CARVED_FILE_H_
#define SSTABLE_TABLE_SALVAGE_CARVED_FILE_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "sstable/format.h"
#include "table/block/index_entries.h"
#include "table/block/key_order.h"
#include "table/salvage/scanned_file.h"

namespace sstable {

// The orders of KnownComparators(), for plain keys and for internal ones.
const std::vector<KeyOrder>& KnownOrders();

struct CarvedBlock {
  enum class Kind { kData, kIndex, kMeta, kMetaindex };
  Kind kind = Kind::kData;
  ScannedBlock data;
  Index index;  // the entries of an index or metaindex block
  // Bit `n` is set if the keys of the block are not in the order KnownOrders()[n].
  uint32_t refuted_orders = 0;
};

inline bool IsData(const CarvedBlock& block) {
  return block.kind == CarvedBlock::Kind::kData && block.data.entry_count > 0;
}

struct CarvedFile {
  struct Unreadable {
    uint64_t size = 0;  // without the trailer
    std::string reason;
  };

  std::vector<CarvedBlock> blocks;  // by offset; they do not overlap
  // Byte ranges with a correct checksum that may be blocks but can't be read, by offset.
  std::map<uint64_t, Unreadable> unreadable;
  std::optional<uint64_t> stopped_at;  // where the search ended, if it took too long

  // Returns the index in `blocks` of the first block that starts at or after a file offset.
  size_t LowerBound(uint64_t offset) const;
  // Returns the index of the block exactly at a handle, for a table that starts at file offset
  // `base`; nullopt if there is none.
  std::optional<size_t> Find(const BlockHandle& handle, int64_t base) const;
  // Returns true if block `n` starts where the block before it ends.
  bool TouchesPrevious(size_t n) const {
    return n > 0 && EndOf(blocks[n - 1].data.handle) == blocks[n].data.handle.offset;
  }
  // Returns the end of the run of adjacent blocks of one table that starts with `first`. The run
  // ends where data follows the end of a table, since that data is another table's.
  size_t EndOfRun(size_t first) const;
};

// Returns true if a known program writes this key into a metaindex.
bool IsMetaName(absl::string_view key);

// Searches the whole file. Blocks are read by `file->dialect`. If a metaindex of RocksDB's is
// found, sets it to kRocksDb and searches the file again, unless `has_leveldb_types` is true, which
// means that blocks were read whose type byte has a different meaning in RocksDB.
CarvedFile CarveFile(ScannedFile* file, bool has_leveldb_types);

}  // namespace sstable

#endif  // SSTABLE_TABLE_SALVAGE_CARVED_FILE_H_
