// Opening tables.
#ifndef SSTABLE_BENCHMARKS_OPEN_BENCH_H_
#define SSTABLE_BENCHMARKS_OPEN_BENCH_H_

#include "benchmarks/data_set.h"

namespace sstable::bench {

// open/SET/WHO: opening and closing a table whose file is in memory. open_get/SET/WHO: with one
// lookup in between. `data_set` is opened before they run.
void RegisterOpenBenchmarks(const DataSet& data_set);

}  // namespace sstable::bench

#endif  // SSTABLE_BENCHMARKS_OPEN_BENCH_H_
