// How to write a table, how to read one, and the cache that readers share.
#ifndef SSTABLE_OPTIONS_H_
#define SSTABLE_OPTIONS_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "sstable/comparator.h"
#include "sstable/experimental/table_filter.h"
#include "sstable/filter_block.h"
#include "sstable/filter_policy.h"
#include "sstable/format.h"
#include "sstable/internal_key.h"
#include "sstable/version.h"

namespace sstable {

// The defaults are LevelDB's; with the options that LevelDB also has, the bytes are LevelDB's, too.
// (Blocks of zstd and zlib depend on the version of those libraries.)
// TableBuilder::Create() returns InvalidArgument for values out of range.
struct TableBuilderOptions {
  const Comparator* comparator = BytewiseComparator();  // order of plain or user keys; borrowed
  KeyKind key_kind = KeyKind::kPlain;

  // Keeps keys in the order in which they are added, for when the table's comparator is not
  // available: `comparator` is not used, and each index key is the last key of its block, not
  // shortened. Only a key that equals the one before it, or is a newer version of its user key, is
  // refused.
  bool keep_input_order = false;

  // A data block ends with the entry that reaches this many bytes, before compression; 1 to
  // 2^31 - 1.
  size_t block_size = 4096;
  int block_restart_interval = 16;  // entries between restart points, at least 1
  Compression compression = Compression::kSnappy;
  int zstd_level = 1;   // for kZstd
  int zlib_level = -1;  // for kZlib and kRawDeflate; 0 compresses no block

  // Threads that compress, 1 to 64, including the caller's; the builder starts the others. The
  // bytes do not depend on the number.
  int compression_threads = 1;

  const FilterPolicy* filter_policy = nullptr;  // for user keys; borrowed; null: no filter block
  // Binary logarithm of the window size, which is the number of bytes of the file that share a
  // filter: 0 to 63. Each window costs 4 bytes. LevelDB writes only the default, 11, but reads any.
  // kAutoFilterBaseLg: chosen when the first blocks are known.
  int filter_base_lg = kDefaultFilterBaseLg;

  // A filter of user keys for the whole table, with or without `filter_policy`; borrowed.
  // Null: none, as in LevelDB's tables. Building it takes 8 bytes of memory per key.
  const TableFilterPolicy* table_filter_policy = nullptr;

  // Puts the prefixes of user keys into that filter, too, so that it can rule out scans of a prefix
  // (TableReader::NewPrefixIterator).
  std::optional<PrefixExtractor> table_filter_prefixes;

  bool sync = true;  // Finish() makes the file durable, as an LSM engine needs
};

// A cache of uncompressed data blocks, which any number of tables share.
//
// Bytes:    never more than `capacity`, counted to the byte: the buffers of blocks and what the
//           cache keeps about each. (Not counted: 16 bytes for each data block in every reader
//           that uses it.)
// Threads:  all methods may be called from any number of threads at once. A block that is cached
//           is found without a lock, and nothing is allocated.
// Pattern:  options.block_cache = std::make_shared<BlockCache>(capacity), and the same pointer
//           for each TableReader that shares it. A reader adds the blocks that it would otherwise
//           read or uncompress on each lookup. If the cache is full, it adds a block only when it
//           reads it again soon. Raw blocks of a file in memory are never copied.
class SSTABLE_EXPORT BlockCache {
 public:
  // `capacity` in bytes. From 4 MiB on it is divided into up to 16 parts of at least 2 MiB; a block
  // larger than its part is not cached. A cache too small for any block is allowed, and stays
  // empty.
  explicit BlockCache(size_t capacity);
  ~BlockCache();
  BlockCache(const BlockCache&) = delete;
  BlockCache& operator=(const BlockCache&) = delete;

  size_t capacity() const;

  // The current contents, which other threads may change at any time.
  size_t usage() const;  // in bytes, at most capacity()
  size_t block_count() const;

  // Blocks removed to make room for others.
  uint64_t eviction_count() const;

  class Impl;  // the private half

 private:
  const std::unique_ptr<Impl> impl_;
};

enum class VerifyChecksums {
  kFirstTouch,  // when the reader first reads a data block
  kAlways,      // each time a data block is read, but not when it is found in a cache
  kNever,       // never those of data blocks
};

struct TableReaderOptions {
  const Comparator* comparator = BytewiseComparator();  // the writer's order; borrowed, not null
  KeyKind key_kind = KeyKind::kPlain;

  // Policies of your own; LevelDB's Bloom filter is always known. Borrowed.
  std::vector<const FilterPolicy*> filter_policies;
  std::vector<const TableFilterPolicy*> table_filter_policies;  // the same, for whole tables
  bool use_filter = true;

  // Index, metaindex and filter blocks are always verified, once.
  VerifyChecksums verify_checksums = VerifyChecksums::kFirstTouch;

  // A compressed block that holds more bytes than this is refused with OutOfRange, and uses no more
  // memory. nullopt: 1100 times its stored bytes, but at least 4 MiB; above 64 MiB, 4 times its
  // stored bytes, at most 256 MiB. Few blocks of sound tables are larger.
  std::optional<uint64_t> max_uncompressed_block_size;

  // Limits the work that a small file can cause. The reader, its iterators and functions that read
  // the whole table may together produce keys and uncompressed blocks of this many times the size
  // of the file (10 MiB for a smaller file), counted each time they are produced. More is refused
  // with OutOfRange. nullopt: no limit on lookups and iterators, and 100 for each CheckTable(),
  // CollectStats() and so on.
  std::optional<uint32_t> max_work;

  // Caches data blocks that would otherwise be uncompressed, or read from a file that is not in
  // memory, each time. Any number of readers may share one. Null: no cache.
  std::shared_ptr<BlockCache> block_cache;
};

// How to look up keys and how to iterate.
struct ReadOptions {
  // With internal keys, lookups do not see versions with a higher sequence; InvalidArgument above
  // kMaxSequence. Iterators over a table visit all versions. Ignored with plain keys.
  uint64_t snapshot = kMaxSequence;

  // Whether an iterator over a table adds blocks to the cache. Either way it uses the blocks that
  // are there. Set it to false for scans of more data than will soon be needed again.
  bool fill_cache = true;

  static ReadOptions ForScan() {
    ReadOptions options;
    options.fill_cache = false;
    return options;
  }
};

}  // namespace sstable

#endif  // SSTABLE_OPTIONS_H_
