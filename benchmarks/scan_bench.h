// Iterating over all entries.
#ifndef SSTABLE_BENCHMARKS_SCAN_BENCH_H_
#define SSTABLE_BENCHMARKS_SCAN_BENCH_H_

#include "benchmarks/data_set.h"

namespace sstable::bench {

// scan/{forward,backward}/SET/WHO, per entry. SET-internal has internal keys. WHO_cached has a
// cache with all uncompressed blocks. `data_set` must be open when the benchmarks run.
void RegisterScanBenchmarks(const DataSet& data_set);

}  // namespace sstable::bench

#endif  // SSTABLE_BENCHMARKS_SCAN_BENCH_H_
