#include "table/raw_index.h"

#include <utility>

#include "table/index/index_walk.h"

namespace sstable {
RawIndex::RawIndex(BlockContents contents, const Block& block, const TableParts* table)
    : contents_(std::move(contents)),
      block_(block),
      table_(*table),
      lookups_left_(static_cast<int64_t>(MostLookups(*table->file))) {}

uint64_t RawIndex::MostLookups(const RandomAccessFile& file) {
  return file.IsUnmapped() ? 1 + file.size() / kBytesPerLookupUnmapped
                           : file.size() / kBytesPerLookup;
}

bool RawIndex::IsInOrder() {
  Proof proof = proof_.load(std::memory_order_relaxed);
  if (proof == Proof::kNotTried) {
    proof = ProveOrder() ? Proof::kInOrder : Proof::kNone;
    proof_.store(proof, std::memory_order_relaxed);
  }
  return proof == Proof::kInOrder;
}

bool RawIndex::ProveOrder() const {
  SeparatorFacts separators;
  uint32_t restarts = 0;  // number of restarts at entries
  const absl::Status status = WalkIndex(
      block_, table_.order, table_.file->size(), &separators,
      [&](uint32_t entry_offset, const BlockHandle&) {
        if (restarts < block_.restart_count() && block_.RestartOffset(restarts) == entry_offset) {
          ++restarts;
        }
      });
  return status.ok() && separators.order.ok() && restarts == block_.restart_count();
}

}  // namespace sstable
