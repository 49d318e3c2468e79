// Point lookups and seeks in random order.
#ifndef SSTABLE_BENCHMARKS_LOOKUP_BENCH_H_
#define SSTABLE_BENCHMARKS_LOOKUP_BENCH_H_

#include "benchmarks/data_set.h"

namespace sstable::bench {

// get/{hit,miss}/SET/WHO, multi_get/{hit,miss}/SET/WHO and seek/SET/WHO, per key. Of the set's
// internal keys, SET-internal; with all uncompressed blocks in a cache, WHO_cached.
// WHO/threads:N: by the clock on the wall, of all threads together. `data_set` is opened before
// they run.
void RegisterLookupBenchmarks(const DataSet& data_set);

}  // namespace sstable::bench

#endif  // SSTABLE_BENCHMARKS_LOOKUP_BENCH_H_
