#include "table/index_in_place.h"

#include <utility>

#include "table/index_walk.h"

namespace sstable {
namespace {

// Verifying a byte of a filter costs less than decoding one of the index.
constexpr uint64_t kFilterBytesPerIndexByte = 4;
// Of mapping a file, of the faults of its last pages, and of unmapping it.
constexpr uint64_t kMappingCost = 12288;
// Lookups then wait for a fault, of about 3 us, for each 64 KiB that they touch, and verify blocks
// once more. They are charged as if they touched two thirds of the file.
constexpr uint64_t kMappedBytesPerCost = 32;

uint64_t CostOfMapping(const RandomAccessFile& file) {
  return file.IsUnmapped() ? kMappingCost + file.size() / kMappedBytesPerCost : 0;
}

}  // namespace

IndexInPlace::IndexInPlace(BlockContents contents, const Block& block, const KeyOrder* order,
                           const RandomAccessFile* file, uint64_t filter_size)
    : contents_(std::move(contents)),
      block_(block),
      order_(*order),
      file_(*file),
      loading_cost_(contents_.bytes.size() + filter_size / kFilterBytesPerIndexByte +
                    CostOfMapping(*file)),
      has_filter_(filter_size > 0) {}

bool IndexInPlace::IsInOrder() {
  Proof proof = proof_.load(std::memory_order_relaxed);
  if (proof == Proof::kNotTried) {
    proof = ProveOrder() ? Proof::kInOrder : Proof::kNone;
    proof_.store(proof, std::memory_order_relaxed);
  }
  return proof == Proof::kInOrder;
}

bool IndexInPlace::ProveOrder() const {
  SeparatorFacts separators;
  uint32_t restarts = 0;  // that are at entries
  const absl::Status status = WalkIndex(
      block_, order_, file_.size(), &separators, [&](uint32_t entry_offset, const BlockHandle&) {
        if (restarts < block_.restart_count() && block_.RestartOffset(restarts) == entry_offset) {
          ++restarts;
        }
      });
  return status.ok() && separators.order.ok() && restarts == block_.restart_count();
}

}  // namespace sstable
