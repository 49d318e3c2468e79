// Options of a database. The defaults are LevelDB's.
#ifndef SSTABLE_EXAMPLES_TOY_LSM_OPTIONS_H_
#define SSTABLE_EXAMPLES_TOY_LSM_OPTIONS_H_

#include <cstddef>
#include <memory>
#include <optional>

#include "sstable/experimental/table_filter.h"
#include "sstable/filter_policy.h"
#include "sstable/options.h"

namespace toy_lsm {

struct Options {
  bool create_if_missing = true;
  size_t write_buffer_size = size_t{4} << 20;  // bytes; a memtable of this size is flushed
  size_t max_table_size = size_t{2} << 20;     // bytes; a compaction then starts a new table
  size_t level1_size = size_t{10} << 20;  // bytes; each deeper level may have ten times as many
  size_t block_size = 4096;
  sstable::Compression compression = sstable::Compression::kSnappy;
  int bloom_bits_per_key = 10;  // if 0, filters are neither written nor used
  // Scans of a prefix of this kind skip tables without such a key. Tables written with this option
  // have a second filter with all their keys and prefixes, and as many bits for each.
  std::optional<sstable::PrefixExtractor> prefixes;
  // Must not be null. Databases may share it; those opened with copies of these options do.
  std::shared_ptr<sstable::BlockCache> block_cache =
      std::make_shared<sstable::BlockCache>(size_t{8} << 20);
};

inline constexpr int kLevelCount = 7;
inline constexpr size_t kLevel0Trigger = 4;  // this many level-0 tables trigger a compaction
inline constexpr size_t kLevel0Stop = 12;    // this many make writers wait

}  // namespace toy_lsm

#endif  // SSTABLE_EXAMPLES_TOY_LSM_OPTIONS_H_
