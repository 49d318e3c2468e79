// Building and probing Bloom filters.
#ifndef SSTABLE_BENCHMARKS_FILTER_BENCH_H_
#define SSTABLE_BENCHMARKS_FILTER_BENCH_H_

namespace sstable::bench {

// create_filter/n=N/WHO, per key; key_may_match/WINDOWS/{hit,miss}/WHO, per call.
void RegisterFilterBenchmarks();

// Compares with LevelDB everything that will be timed: the filters' bytes, and every answer.
void VerifyFilters();

}  // namespace sstable::bench

#endif  // SSTABLE_BENCHMARKS_FILTER_BENCH_H_
