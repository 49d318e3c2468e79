// Every block of a file that can be found by its checksum, and its probable kind.
#ifndef SSTABLE_TABLE_SALVAGE_CARVED_FILE_H_
#define SSTABLE_TABLE_SALVAGE_CARVED_FILE_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sstable/format.h"
#include "table/salvage/carved_block.h"
#include "table/salvage/scanned_file.h"

namespace sstable {

struct CarvedFile {
  struct Unreadable {
    uint64_t size = 0;  // without the trailer
    std::string reason;
  };

  std::vector<CarvedBlock> blocks;  // by offset; they do not overlap
  // By offset: runs with a correct checksum, possibly blocks, that can't be read as one.
  std::map<uint64_t, Unreadable> unreadable;
  std::optional<uint64_t> stopped_at;  // where the search ended, if it took too long

  // Returns the first block that starts at or after a file offset.
  std::vector<CarvedBlock>::const_iterator LowerBound(uint64_t offset) const;
  // Returns the block that starts at a file offset; null if none does.
  const CarvedBlock* Find(uint64_t offset) const;
  // Returns the block exactly at a handle, for a table that starts at file offset `base`; null if
  // there is none.
  const CarvedBlock* Find(const BlockHandle& handle, int64_t base) const;
};

// Searches the whole file. Blocks are read by `file->dialect`. If a metaindex of RocksDB's is
// found, that becomes kRocksDb and the file is searched once more, unless `has_leveldb_types`:
// blocks were read whose type byte means something else to RocksDB.
CarvedFile CarveFile(ScannedFile* file, bool has_leveldb_types);

}  // namespace sstable

#endif  // SSTABLE_TABLE_SALVAGE_CARVED_FILE_H_
