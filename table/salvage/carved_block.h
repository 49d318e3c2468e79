// What a block is that was found by its checksum alone, as far as it shows.
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
  bool may_be_index = false;  // though it is taken for data
};

inline bool IsData(const CarvedBlock& block) {
  return block.kind == CarvedBlock::Kind::kData && block.data.entry_count > 0;
}

// Whether a key is one of the metaindex, by any program that writes one.
bool IsMetaName(absl::string_view key);

// Whether bytes that are no block of entries may be a filter block.
bool MayBeFilterBlock(const StoredBlock& stored);

// Settles what `carved` is, whose data was parsed of `contents`. `before`: all that were carved
// before it, in order of offset.
void Classify(const std::vector<CarvedBlock>& before, const BlockContents& contents,
              ScannedFile* file, CarvedBlock* carved);

}  // namespace sstable

#endif  // SSTABLE_TABLE_SALVAGE_CARVED_BLOCK_H_
