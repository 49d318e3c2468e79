// Point lookups and seeks in random order.
#ifndef SSTABLE_BENCHMARKS_LOOKUP_BENCH_H_
#define SSTABLE_BENCHMARKS_LOOKUP_BENCH_H_

#include "benchmarks/data_set.h"

namespace sstable::bench {

// get/{hit,miss}/SET/WHO, multi_get/{hit,miss}/SET/WHO and seek/SET/WHO, per key. SET-internal has
// internal keys. WHO_cached has a cache with all uncompressed blocks. WHO/threads:N is the wall
// time of all threads together. `data_set` must be open when the benchmarks run.
void RegisterLookupBenchmarks(const DataSet& data_set);

}  // namespace sstable::bench

#endif  // SSTABLE_BENCHMARKS_LOOKUP_BENCH_H_
