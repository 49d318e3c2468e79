// Finds a reader's blocks in a block cache, and keeps them there while they are used.
#ifndef SSTABLE_TABLE_CACHED_BLOCKS_H_
#define SSTABLE_TABLE_CACHED_BLOCKS_H_

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "absl/base/optimization.h"
#include "sstable/options.h"
#include "table/block/block.h"
#include "table/block/block_search.h"
#include "util/bytes.h"

namespace sstable {

// Holds one block, and fills one cache line. It never moves during the life of the cache, so a
// reader can keep a pointer to it and check each time whether its block is still there.
struct alignas(ABSL_CACHELINE_SIZE) CacheSlot {
  // The number of pins, plus kBusy if the slot has no block or is being changed. A reader first
  // adds a pin and then checks; if it finds kBusy or another block's id, it removes the pin. So
  // pins may be added and removed at any time, even on a busy slot; only a thread that holds the
  // shard's lock sets kBusy.
  static constexpr uint32_t kBusy = uint32_t{1} << 31;
  std::atomic<uint32_t> state{kBusy};

  std::atomic<bool> used{false};  // used since the clock hand last passed
  std::atomic<uint64_t> id{0};    // the block's id; 0: none

  // Written only while the slot is busy.
  Block block;
  ByteBuffer buffer;

  CacheSlot* next_free = nullptr;
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

  // Invalidates all views into the block.
  void Release() {
    if (slot_ == nullptr) return;
    slot_->state.fetch_sub(1, std::memory_order_release);
    slot_ = nullptr;
  }

 private:
  friend class CachedBlocks;
  explicit PinnedBlock(CacheSlot* slot) : slot_(slot) {}

  CacheSlot* slot_ = nullptr;
};

// The cached blocks of one table. There is no hash table: each block has a pointer to the slot that
// last held it.
class CachedBlocks {
 public:
  CachedBlocks(std::shared_ptr<BlockCache> cache, size_t block_count);
  ~CachedBlocks();
  CachedBlocks(const CachedBlocks&) = delete;
  CachedBlocks& operator=(const CachedBlocks&) = delete;

  // Returns block `i` if it is in the cache, otherwise a pin without a block.
  PinnedBlock Find(size_t i) const {
    CacheSlot* const slot = places_[i].slot.load(std::memory_order_acquire);
    return slot != nullptr && Pin(slot, first_id_ + i) ? PinnedBlock(slot) : PinnedBlock();
  }

  // Call once for each read of a block of `size` bytes that is not in the cache. Returns false if
  // the block should not be inserted: the cache is full, and either has not refused this block
  // before, or has refused more blocks since then than it holds.
  bool Admits(size_t i, size_t size) const;

  // Adds `block` as block `i` and moves its bytes from `*buffer`. Returns a pin without a block if
  // there is no room: all others are in use, or the block is too large. If another thread was
  // first, the pin is for that thread's block. In both cases `*buffer` is unchanged.
  PinnedBlock Insert(size_t i, const Block& block, ByteBuffer* buffer) const;

  // Prefetch what Find() will need: first the pointer to the slot, then the slot.
  void PrefetchPlace(size_t i) const { __builtin_prefetch(&places_[i]); }
  void PrefetchSlot(size_t i) const {
    __builtin_prefetch(places_[i].slot.load(std::memory_order_relaxed), /*rw=*/1);
  }

  // Prefetches the block itself, at the address where it was when it was last cached. Find() would
  // be too late: its atomic addition delays all later loads.
  void PrefetchBlock(size_t i, size_t search_stride) const {
    const uint64_t extent = places_[i].extent.load(std::memory_order_relaxed);
    const size_t entries_size = extent & Place::kMaxExtentSize;
    if (entries_size == 0) return;
    const char* const start = reinterpret_cast<const char*>(static_cast<uintptr_t>(extent >> 16));
    const size_t size = entries_size + sizeof(uint32_t);  // restart points follow
    ForEachPrefetch(size, search_stride,
                    [start](size_t offset) { __builtin_prefetch(start + offset); });
  }

 private:
  friend class CacheShard;

  // Where a block was last cached; it may have been evicted since.
  struct Place {
    static constexpr uint64_t kMaxExtentSize = 0xffff;

    // The number of the cache's last refusal of this block; 0 if it was cached since or was never
    // refused.
    uint64_t refusal() const {
      const uint64_t number = extent.load(std::memory_order_relaxed);
      return (number & kMaxExtentSize) == 0 ? number >> 16 : 0;
    }
    void SetRefusal(uint64_t number) { extent.store(number << 16, std::memory_order_relaxed); }

    std::atomic<CacheSlot*> slot{nullptr};
    // The address (48 bits on common machines) and the size of its entries, up to 64 KiB. It may be
    // out of date, so it is only used to prefetch. If the size is 0, it is a refusal() instead.
    std::atomic<uint64_t> extent{0};
  };
  static uint64_t ExtentOf(const Block& block) {
    return static_cast<uint64_t>(reinterpret_cast<uintptr_t>(block.begin())) << 16 |
           std::min<uint64_t>(block.entries_size(), Place::kMaxExtentSize);
  }

  static bool Pin(CacheSlot* slot, uint64_t id) {
    const uint32_t before = slot->state.fetch_add(1, std::memory_order_acquire);
    // Acquire, in case the slot gets another block meanwhile.
    if (ABSL_PREDICT_FALSE((before & CacheSlot::kBusy) != 0 ||
                           slot->id.load(std::memory_order_acquire) != id)) {
      slot->state.fetch_sub(1, std::memory_order_release);
      return false;
    }
    // Avoids a write by every thread that shares the block.
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
