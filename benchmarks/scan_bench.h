// Walking over all entries.
#ifndef SSTABLE_BENCHMARKS_SCAN_BENCH_H_
#define SSTABLE_BENCHMARKS_SCAN_BENCH_H_

#include "benchmarks/data_set.h"

namespace sstable::bench {

// scan/{forward,backward}/SET/WHO, per entry. SET-internal has internal keys; WHO_cached has all
// uncompressed blocks in a cache. `data_set` is opened before they run.
void RegisterScanBenchmarks(const DataSet& data_set);

}  // namespace sstable::bench

#endif  // SSTABLE_BENCHMARKS_SCAN_BENCH_H_
