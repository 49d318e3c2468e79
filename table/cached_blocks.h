// How a reader finds its blocks in a block cache, and keeps them there while it looks at them.
#ifndef SSTABLE_TABLE_CACHED_BLOCKS_H_
#define SSTABLE_TABLE_CACHED_BLOCKS_H_

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "absl/base/optimization.h"
#include "absl/strings/string_view.h"
#include "sstable/block_cache.h"
#include "table/block/block.h"
#include "util/bytes.h"

namespace sstable {

// A place for one block, in one cache line. It stays where it is for as long as the cache lives,
// so that a reader can keep a pointer to it and ask, each time, whether its block is still
// there.
struct alignas(ABSL_CACHELINE_SIZE) BlockCache::Slot {
  // The number of pins; and kBusy, if the slot has no block or is being changed. A reader adds
  // itself first and looks then: where it finds kBusy or another block's id, it takes itself
  // away again. So a pin may come and go at any time, of a busy slot, too; kBusy is set only by
  // a thread that holds the shard's lock.
  static constexpr uint32_t kBusy = uint32_t{1} << 31;
  std::atomic<uint32_t> state{kBusy};

  std::atomic<bool> used{false};  // since the last eviction came by
  std::atomic<uint64_t> id{0};    // of the block; 0: none

  // Written only while the slot is busy.
  Block block;
  ByteBuffer buffer;

  Slot* next_free = nullptr;
};

// Keeps a block in the cache while it is looked at.
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

  // Views into the block end here.
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

// The blocks of one table in a cache. There is no hash table: for each block it knows the slot
// that last held it.
//
// Ownership: shares the cache. Destroying it gives the blocks back; no pin may be left then.
// Threads:   as the cache.
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

  // Takes `*buffer`, in which `block` is, for block `i`. A pin without a block if there is no
  // room: all others are in use, or the block is too large; `*buffer` is then as it was. If
  // another thread came first, the pin is of that one's block, and `*buffer` as it was, too.
  PinnedBlock Insert(size_t i, const Block& block, ByteBuffer* buffer) const;

  // Ask the processor for what Find() will need: first where the slot is, then the slot.
  void PrefetchPlace(size_t i) const { __builtin_prefetch(&places_[i]); }
  void PrefetchSlot(size_t i) const {
    __builtin_prefetch(places_[i].slot.load(std::memory_order_relaxed), /*rw=*/1);
  }

  // Where the entries of block `i` are, if the cache has it and their size is below 64 KiB; else
  // anything. Not to be looked at, but to be asked for ahead of Find(): that is an atomic
  // addition, behind which the processor starts no loads before all those in front are done.
  absl::string_view Guess(size_t i) const {
    const uint64_t guess = places_[i].guess.load(std::memory_order_relaxed);
    return absl::string_view(reinterpret_cast<const char*>(static_cast<uintptr_t>(guess >> 16)),
                             guess & kMaxGuessSize);
  }

 private:
  friend class BlockCache::Shard;

  // Where a block was put last; it may have gone since.
  struct Place {
    std::atomic<BlockCache::Slot*> slot{nullptr};
    std::atomic<uint64_t> guess{0};  // address (on common machines it has 48 bits) and size
  };
  static constexpr uint64_t kMaxGuessSize = 0xffff;
  static uint64_t GuessOf(const Block& block) {
    return static_cast<uint64_t>(reinterpret_cast<uintptr_t>(block.begin())) << 16 |
           std::min<uint64_t>(block.entries_size(), kMaxGuessSize);
  }

  static bool Pin(BlockCache::Slot* slot, uint64_t id) {
    const uint32_t before = slot->state.fetch_add(1, std::memory_order_acquire);
    // The acquire below is for a slot that changes hands in between, while this thread is in it.
    if (ABSL_PREDICT_FALSE((before & BlockCache::Slot::kBusy) != 0 ||
                           slot->id.load(std::memory_order_acquire) != id)) {
      slot->state.fetch_sub(1, std::memory_order_release);
      return false;
    }
    // Threads that share a block need not all write.
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
