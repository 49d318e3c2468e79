// What a reader's first lookup loads. Internal to the reader's own files.
#ifndef SSTABLE_TABLE_LOADED_TABLE_H_
#define SSTABLE_TABLE_LOADED_TABLE_H_

#include <cstddef>
#include <optional>

#include "absl/base/optimization.h"
#include "absl/status/status.h"
#include "filter/bloom.h"
#include "filter/filter_block_reader.h"
#include "filter/internal_filter_policy.h"
#include "table/block/block_io.h"
#include "table/block_cache.h"
#include "table/table_index.h"
#include "table/table_reader.h"

namespace sstable {

struct TableReader::Loaded {
  absl::Status index_status;
  std::optional<TableIndex> index;

  absl::Status filter_status;
  BlockContents filter_contents;  // kBloomLoadSize readable bytes follow
  std::optional<InternalFilterPolicy> internal_filter_policy;
  std::optional<FilterBlockReader> filter;  // set only if lookups are to ask it
  const BloomTraits* bloom = nullptr;       // of that filter's policy, if it is a Bloom filter

  const char* file_bytes = nullptr;  // the file, if it is in memory
  size_t restart_distance = 1024;    // bytes between restart points, about

  // Set only if there are an index and a cache.
  std::optional<CachedBlocks> cached_blocks;

  // Whether the filter is left out only because of a read that may succeed another time.
  bool is_incomplete = false;
};

// Asks the processor for the parts of a block that a search will touch.
inline void TableReader::Prefetch(const Loaded& loaded, const char* start, size_t size) const {
  ForEachPrefetch(size, loaded.restart_distance,
                  [start](size_t offset) { __builtin_prefetch(start + offset); });
}

inline TableReader::FilterAnswer TableReader::AskFilter(const Loaded& loaded,
                                                        const IndexRecord& record,
                                                        absl::string_view key,
                                                        uint32_t hash) const {
  if (record.filter_size == 0 || !loaded.filter.has_value()) return FilterAnswer::kNotAsked;
  const char* const bits = loaded.filter->contents().data() + record.filter_offset;
  bool may_match;
  if (ABSL_PREDICT_TRUE(record.filter_probe_count > 0)) {
    const uint32_t bit_count = 8 * (record.filter_size - 1);
    const auto probe = [&](uint32_t key_hash) {
      return bloom_kernels_->probe(bits, bit_count, record.filter_reciprocal,
                                   record.filter_probe_count, key_hash);
    };
    may_match = probe(hash) ||
                (loaded.bloom->hash == BloomHash::kEitherTail &&
                 probe(BloomKeyHash<HashTail::kSigned>(WithoutIgnoredSuffix(*loaded.bloom, key))));
  } else {
    const absl::string_view filter(bits, record.filter_size);
    may_match = loaded.filter->Matches({FilterWindow::State::kPresent, filter}, key);
  }
  return may_match ? FilterAnswer::kMayMatch : FilterAnswer::kAbsent;
}

}  // namespace sstable

#endif  // SSTABLE_TABLE_LOADED_TABLE_H_
