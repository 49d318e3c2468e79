// A cache of uncompressed data blocks, which any number of tables share.
//
// Bytes:    never more than `capacity`, counted to the byte: the buffers of blocks and what the
//           cache keeps about each. (Not counted: 16 bytes for each data block in every reader
//           that uses it.)
// Threads:  all methods may be called from any number of threads at once. A block that is cached
//           is found without a lock, and nothing is allocated.
// Pattern:  options.block_cache = std::make_shared<BlockCache>(capacity), and the same pointer
//           for each TableReader that shares it. A reader adds the blocks that it would otherwise
//           read or uncompress on each lookup; raw blocks of a file in memory are never copied.
#ifndef SSTABLE_BLOCK_CACHE_H_
#define SSTABLE_BLOCK_CACHE_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace sstable {

class BlockCache {
 public:
  // `capacity` in bytes. From 4 MiB on it is divided into up to 16 parts of at least 2 MiB; a block
  // larger than its part is not cached. A cache too small for any block is allowed, and stays
  // empty.
  explicit BlockCache(size_t capacity);
  ~BlockCache();
  BlockCache(const BlockCache&) = delete;
  BlockCache& operator=(const BlockCache&) = delete;

  size_t capacity() const { return capacity_; }

  // The current contents; approximate while other threads use the cache.
  size_t usage() const;  // in bytes, at most capacity()
  size_t block_count() const;

  // Blocks removed to make room for others.
  uint64_t eviction_count() const;

 private:
  friend class CachedBlocks;
  friend class PinnedBlock;
  struct Slot;
  class Shard;

  // The first of `count` numbers that no other block has.
  uint64_t TakeIds(size_t count) { return next_id_.fetch_add(count, std::memory_order_relaxed); }
  Shard& ShardOf(uint64_t id) const;

  const size_t capacity_;
  std::vector<std::unique_ptr<Shard>> shards_;  // a power of two
  std::atomic<uint64_t> next_id_{1};
};

}  // namespace sstable

#endif  // SSTABLE_BLOCK_CACHE_H_
