#define XXH_INLINE_ALL  // as in the library
#include <xxhash.h>

#include "benchmarks/filter_lab/lab_filter.h"

namespace sstable::bench {

uint64_t SeededHash(absl::string_view key, uint64_t seed) {
  return XXH3_64bits_withSeed(key.data(), key.size(), seed);
}

}  // namespace sstable::bench
