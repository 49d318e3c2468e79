// Evicts by the clock algorithm: a hand goes round the slots, skips those that were used since its
// last visit, and evicts the first of the others that is not pinned. A block that was used only
// once is therefore evicted before one that was used again, so a scan does not displace the other
// blocks. A full cache admits only a block that it has refused lately. Replacing another block
// takes a third as long as a lookup, and the new block may never be read again.
#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "sstable/options.h"
#include "table/cached_blocks.h"

namespace sstable {
namespace {

// Shards reduce contention between threads that insert. Each has its own part of the capacity,
// which must hold several large blocks.
constexpr size_t kMinShardCapacity = size_t{2} << 20;
constexpr size_t kMaxShardCount = 16;

size_t ShardCount(size_t capacity) {
  size_t count = 1;
  while (count < kMaxShardCount && capacity / (2 * count) >= kMinShardCapacity) count *= 2;
  return count;
}

}  // namespace

class CacheShard {
  static_assert(sizeof(CacheSlot) == ABSL_CACHELINE_SIZE, "a hit touches one line");

 public:
  explicit CacheShard(size_t capacity) : capacity_(capacity) {}

  bool Admits(CachedBlocks::Place* place, uint64_t id, size_t size) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (HasRoom(size)) return true;
    // Another thread may have inserted it.
    const CacheSlot* const slot = place->slot.load(std::memory_order_relaxed);
    if (slot != nullptr && slot->id.load(std::memory_order_relaxed) == id) return true;
    const uint64_t last = place->refusal();
    place->SetRefusal(++refusal_count_);
    return last != 0 && refusal_count_ - last <= block_count_;
  }

  // Returns the pinned slot, or null if there is no room.
  CacheSlot* Insert(CachedBlocks::Place* place, uint64_t id, const Block& block,
                    ByteBuffer* buffer) {
    const std::lock_guard<std::mutex> lock(mutex_);
    // All threads that insert this block take this lock, so one check is enough.
    CacheSlot* slot = place->slot.load(std::memory_order_relaxed);
    if (slot != nullptr && CachedBlocks::Pin(slot, id)) return slot;
    slot = TakeSlot(buffer->capacity());
    if (slot == nullptr) return nullptr;
    slot->block = block;
    slot->buffer = std::move(*buffer);
    slot->id.store(id, std::memory_order_release);
    // Goes from busy to one pin. Other threads may be adding and removing pins; theirs stay
    // counted.
    slot->state.fetch_sub(CacheSlot::kBusy - 1, std::memory_order_release);
    place->slot.store(slot, std::memory_order_release);
    place->extent.store(CachedBlocks::ExtentOf(block), std::memory_order_relaxed);
    return slot;
  }

  // Erases a block that only the caller has pinned. Other pins on the slot belong to threads that
  // look for another block, and will be removed.
  void Erase(CacheSlot* slot) {
    const std::lock_guard<std::mutex> lock(mutex_);
    slot->state.fetch_or(CacheSlot::kBusy, std::memory_order_acquire);
    Vacate(slot);
    slot->state.fetch_sub(1, std::memory_order_release);
  }

  size_t usage() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return usage_;
  }
  size_t block_count() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return block_count_;
  }
  uint64_t eviction_count() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return eviction_count_;
  }

 private:
  bool HasRoom(size_t size) const {
    return usage_ + size + (free_ == nullptr ? sizeof(CacheSlot) : 0) <= capacity_;
  }

  // Returns a busy slot whose size is charged together with a buffer of `size` bytes; null if there
  // is no room.
  CacheSlot* TakeSlot(size_t size) {
    // Slots are never freed, so their memory is not available to blocks.
    const size_t slot_count = slots_.empty() ? 1 : slots_.size();
    const size_t slots_size = slot_count * sizeof(CacheSlot);
    if (slots_size > capacity_ || size > capacity_ - slots_size) return nullptr;
    while (!HasRoom(size)) {
      if (!EvictOne()) return nullptr;
    }
    if (free_ == nullptr) {
      free_ = &slots_.emplace_back();
      usage_ += sizeof(CacheSlot);
    }
    CacheSlot* const slot = std::exchange(free_, free_->next_free);
    usage_ += size;
    ++block_count_;
    return slot;
  }

  bool EvictOne() {
    // In two rounds, the hand visits every slot at least once after clearing its mark.
    for (size_t steps = 2 * slots_.size(); steps > 0; --steps) {
      if (hand_ >= slots_.size()) hand_ = 0;
      CacheSlot& slot = slots_[hand_++];
      if (slot.used.load(std::memory_order_relaxed)) {
        slot.used.store(false, std::memory_order_relaxed);
        continue;
      }
      uint32_t no_pins = 0;
      if (slot.state.compare_exchange_strong(no_pins, CacheSlot::kBusy, std::memory_order_acquire,
                                             std::memory_order_relaxed)) {
        Vacate(&slot);
        ++eviction_count_;
        return true;
      }
    }
    return false;
  }

  // Puts a busy slot on the list of free ones.
  void Vacate(CacheSlot* slot) {
    slot->id.store(0, std::memory_order_relaxed);
    slot->used.store(false, std::memory_order_relaxed);
    usage_ -= slot->buffer.capacity();
    --block_count_;
    slot->block = Block();
    slot->buffer = ByteBuffer();
    slot->next_free = std::exchange(free_, slot);
  }

  const size_t capacity_;
  // A std::mutex, since ThreadSanitizer sees it.
  mutable std::mutex mutex_;
  std::deque<CacheSlot> slots_;
  CacheSlot* free_ = nullptr;
  size_t hand_ = 0;
  size_t usage_ = 0;
  size_t block_count_ = 0;
  uint64_t eviction_count_ = 0;
  uint64_t refusal_count_ = 0;
};

class BlockCache::Impl {
 public:
  explicit Impl(size_t size) : capacity(size) {
    const size_t count = ShardCount(size);
    for (size_t i = 0; i < count; ++i) {
      shards.push_back(std::make_unique<CacheShard>(size / count));
    }
  }

  static Impl& Of(const BlockCache& cache) { return *cache.impl_; }

  // A table's blocks have consecutive numbers, so each shard gets its share of them.
  CacheShard& ShardOf(uint64_t id) { return *shards[id & (shards.size() - 1)]; }

  // Returns the first of `count` consecutive numbers that no other block has.
  uint64_t TakeIds(size_t count) { return next_id_.fetch_add(count, std::memory_order_relaxed); }

  const size_t capacity;
  std::vector<std::unique_ptr<CacheShard>> shards;  // their number is a power of two

 private:
  std::atomic<uint64_t> next_id_{1};
};

BlockCache::BlockCache(size_t capacity) : impl_(std::make_unique<Impl>(capacity)) {}

BlockCache::~BlockCache() = default;

size_t BlockCache::capacity() const { return impl_->capacity; }

size_t BlockCache::usage() const {
  size_t sum = 0;
  for (const auto& shard : impl_->shards) sum += shard->usage();
  return sum;
}

size_t BlockCache::block_count() const {
  size_t sum = 0;
  for (const auto& shard : impl_->shards) sum += shard->block_count();
  return sum;
}

uint64_t BlockCache::eviction_count() const {
  uint64_t sum = 0;
  for (const auto& shard : impl_->shards) sum += shard->eviction_count();
  return sum;
}

CachedBlocks::CachedBlocks(std::shared_ptr<BlockCache> cache, size_t block_count)
    : cache_(std::move(cache)),
      block_count_(block_count),
      first_id_(BlockCache::Impl::Of(*cache_).TakeIds(block_count)),
      places_(new Place[block_count]) {}

CachedBlocks::~CachedBlocks() {
  for (size_t i = 0; i < block_count_; ++i) {
    PinnedBlock pin = Find(i);
    if (!pin.has_block()) continue;
    BlockCache::Impl::Of(*cache_).ShardOf(first_id_ + i).Erase(std::exchange(pin.slot_, nullptr));
  }
}

bool CachedBlocks::Admits(size_t i, size_t size) const {
  const uint64_t id = first_id_ + i;
  return BlockCache::Impl::Of(*cache_).ShardOf(id).Admits(&places_[i], id, size);
}

PinnedBlock CachedBlocks::Insert(size_t i, const Block& block, ByteBuffer* buffer) const {
  const uint64_t id = first_id_ + i;
  CacheShard& shard = BlockCache::Impl::Of(*cache_).ShardOf(id);
  return PinnedBlock(shard.Insert(&places_[i], id, block, buffer));
}

}  // namespace sstable
