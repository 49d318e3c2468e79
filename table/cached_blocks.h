// How a reader finds its blocks in a block cache, and keeps them there while it uses them.
#ifndef SSTABLE_TABLE_CACHED_BLOCKS_H_
#define SSTABLE_TABLE_CACHED_BLOCKS_H_

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "absl/base/optimization.h"
#include "sstable/block_cache.h"
#include "table/block/block.h"
#include "table/block/block_search.h"
#include "util/bytes.h"

namespace sstable {

// Holds one block; one cache line. It does not move while the cache lives, so a reader can keep a
// pointer to it and check, each time, whether its block is still there.
struct alignas(ABSL_CACHELINE_SIZE) BlockCache::Slot {
  // The number of pins; and kBusy, if the slot has no block or is being changed. A reader first
  // adds a pin and then checks; if it finds kBusy or another block's id, it removes the pin. So
  // pins may come and go at any time, even of a busy slot; only a thread that holds the shard's
  // lock sets kBusy.
  static constexpr uint32_t kBusy = uint32_t{1} << 31;
  std::atomic<uint32_t> state{kBusy};

  std::atomic<bool> used{false};  // since the hand last passed
  std::atomic<uint64_t> id{0};    // of the block; 0: none

  // Written only while the slot is busy.
  Block block;
  ByteBuffer buffer;

  Slot* next_free = nullptr;
};

// Keeps a block in the cache while it is used.
class PinnedBlock {
 public:
  PinnedBlock() = default;
  PinnedBlock(PinnedBlock&& other) noexcept : slot_(std::exchange(other.slot_, nullptr)) {}
  PinnedBlock& operator=(PinnedBlock&& other) noexcept {
    Release();
    slot_ = std::exchange(other.slot_, nullptr);
    return *this;
  }
  ~PinnedBlock() { Release(); }

  bool has_block() const { return slot_ != nullptr; }
  const Block& block() const { return slot_->block; }

  // Views into the block are invalid from here on.
  void Release() {
    if (slot_ == nullptr) return;
    slot_->state.fetch_sub(1, std::memory_order_release);
    slot_ = nullptr;
  }

 private:
  friend class CachedBlocks;
  explicit PinnedBlock(BlockCache::Slot* slot) : slot_(slot) {}

  BlockCache::Slot* slot_ = nullptr;
};

// The blocks of one table in a cache. There is no hash table: for each block it keeps a pointer to
// the slot that last held it.
//
// Ownership: shares the cache. Destroying it releases the blocks; none may be pinned.
// Threads:   any number may call const methods at once.
class CachedBlocks {
 public:
  CachedBlocks(std::shared_ptr<BlockCache> cache, size_t block_count);
  ~CachedBlocks();
  CachedBlocks(const CachedBlocks&) = delete;
  CachedBlocks& operator=(const CachedBlocks&) = delete;

  // Block `i`, if the cache has it; else a pin without a block.
  PinnedBlock Find(size_t i) const {
    BlockCache::Slot* const slot = places_[i].slot.load(std::memory_order_acquire);
    return slot != nullptr && Pin(slot, first_id_ + i) ? PinnedBlock(slot) : PinnedBlock();
  }

  // Adds block `i`: `block`, whose bytes are in `*buffer`, which it takes. Returns a pin without a
  // block if there is no room: all others are in use, or the block is too large. If another thread
  // was first, the pin is of that one's block. In both cases `*buffer` is unchanged.
  PinnedBlock Insert(size_t i, const Block& block, ByteBuffer* buffer) const;

  // Prefetch what Find() will need: first the place of the slot, then the slot.
  void PrefetchPlace(size_t i) const { __builtin_prefetch(&places_[i]); }
  void PrefetchSlot(size_t i) const {
    __builtin_prefetch(places_[i].slot.load(std::memory_order_relaxed), /*rw=*/1);
  }

  // Then the block itself, where it was when it was last put into the cache. Find() would be too
  // late: it is an atomic addition, and the processor starts no later load until that is done.
  void PrefetchBlock(size_t i, size_t search_stride) const {
    const uint64_t extent = places_[i].extent.load(std::memory_order_relaxed);
    if (extent == 0) return;
    const char* const start = reinterpret_cast<const char*>(static_cast<uintptr_t>(extent >> 16));
    const size_t size = (extent & kMaxExtentSize) + sizeof(uint32_t);  // restart points follow
    ForEachPrefetch(size, search_stride,
                    [start](size_t offset) { __builtin_prefetch(start + offset); });
  }

 private:
  friend class BlockCache::Shard;

  // Where a block was last; it may have been evicted since.
  struct Place {
    std::atomic<BlockCache::Slot*> slot{nullptr};
    // The address (on common machines it has 48 bits) and the size of its entries, up to 64 KiB.
    // Perhaps out of date, so only to prefetch.
    std::atomic<uint64_t> extent{0};
  };
  static constexpr uint64_t kMaxExtentSize = 0xffff;
  static uint64_t ExtentOf(const Block& block) {
    return static_cast<uint64_t>(reinterpret_cast<uintptr_t>(block.begin())) << 16 |
           std::min<uint64_t>(block.entries_size(), kMaxExtentSize);
  }

  static bool Pin(BlockCache::Slot* slot, uint64_t id) {
    const uint32_t before = slot->state.fetch_add(1, std::memory_order_acquire);
    // The acquire below is for a slot that gets another block in between.
    if (ABSL_PREDICT_FALSE((before & BlockCache::Slot::kBusy) != 0 ||
                           slot->id.load(std::memory_order_acquire) != id)) {
      slot->state.fetch_sub(1, std::memory_order_release);
      return false;
    }
    // Not every thread that shares a block has to write.
    if (!slot->used.load(std::memory_order_relaxed)) {
      slot->used.store(true, std::memory_order_relaxed);
    }
    return true;
  }

  const std::shared_ptr<BlockCache> cache_;
  const size_t block_count_;
  const uint64_t first_id_;
  const std::unique_ptr<Place[]> places_;
};

}  // namespace sstable

#endif  // SSTABLE_TABLE_CACHED_BLOCKS_H_
