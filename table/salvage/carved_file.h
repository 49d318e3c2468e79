// Every block of a file that its checksum shows, and what each may be.
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
    uint64_t size = 0;  // the trailer not counted
    std::string reason;
  };

  std::vector<CarvedBlock> blocks;  // in order of offset; none overlaps another
  // By offset: runs with a right checksum, where a block may be, that can't be read as one.
  std::map<uint64_t, Unreadable> unreadable;
  std::optional<uint64_t> stopped_at;  // too much work: nothing from there on was searched

  // The first block that starts at or after a file offset.
  std::vector<CarvedBlock>::const_iterator LowerBound(uint64_t offset) const;
  // The block that starts at a file offset; null if none does.
  const CarvedBlock* Find(uint64_t offset) const;
  // Whether a block is exactly where a handle says that it is, if the table starts at file offset
  // `base`.
  const CarvedBlock* Find(const BlockHandle& handle, int64_t base) const;
};

// Searches the whole file. Blocks are read by `file->dialect`; where a metaindex of RocksDB's turns
// up it becomes kRocksDb, and the file is searched once more, unless `has_leveldb_types`: blocks
// were read before whose type byte is something else to RocksDB.
CarvedFile CarveFile(ScannedFile* file, bool has_leveldb_types);

}  // namespace sstable

#endif  // SSTABLE_TABLE_SALVAGE_CARVED_FILE_H_
