// Counters of a reader.
#ifndef SSTABLE_READER_STATS_H_
#define SSTABLE_READER_STATS_H_

#include <cstdint>

namespace sstable {

// What a TableReader has done since it was opened.
struct ReaderStats {
  uint64_t lookups = 0;           // keys looked up without an error
  uint64_t filter_negatives = 0;  // lookups in which the filter ruled the key out
  uint64_t filter_positives = 0;  // lookups that the filter let through
  uint64_t false_positives = 0;   // lookups let through whose key was not in the block
  uint64_t blocks_read = 0;       // data blocks read, from the file or a mapping of it
  uint64_t bytes_read = 0;        // their stored bytes, trailers included
  uint64_t cache_hits = 0;        // data blocks found in the block cache, and so not read
  uint64_t cache_misses = 0;      // data blocks read that could have been in the cache
};

}  // namespace sstable

#endif  // SSTABLE_READER_STATS_H_
