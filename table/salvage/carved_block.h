// The kind of a block that was found by its checksum alone, as far as it can be determined.
#ifndef SSTABLE_TABLE_SALVAGE_CARVED_BLOCK_H_
#define SSTABLE_TABLE_SALVAGE_CARVED_BLOCK_H_

#include <vector>

#include "absl/strings/string_view.h"
#include "table/block/block_io.h"
#include "table/block/index_entries.h"
#include "table/salvage/scanned_file.h"

namespace sstable {

struct CarvedBlock {
  enum class Kind { kData, kIndex, kMeta, kMetaindex };
  Kind kind = Kind::kData;
  ScannedBlock data;
  Index index;                // the entries of an index or metaindex block
  bool may_be_index = false;  // although it is treated as data
};

inline bool IsData(const CarvedBlock& block) {
  return block.kind == CarvedBlock::Kind::kData && block.data.entry_count > 0;
}

// Returns true if a key belongs in a metaindex, of any program that writes one.
bool IsMetaName(absl::string_view key);

// Returns true if bytes that are not a block of entries may be a filter block.
bool MayBeFilterBlock(const StoredBlock& stored);

// Determines the kind of `carved`, whose data was parsed from `contents`. `before` has all blocks
// carved before it, by offset.
void Classify(const std::vector<CarvedBlock>& before, const BlockContents& contents,
              ScannedFile* file, CarvedBlock* carved);

}  // namespace sstable

#endif  // SSTABLE_TABLE_SALVAGE_CARVED_BLOCK_H_
