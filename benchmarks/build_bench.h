// Building tables.
#ifndef SSTABLE_BENCHMARKS_BUILD_BENCH_H_
#define SSTABLE_BENCHMARKS_BUILD_BENCH_H_

#include <string>

namespace sstable::bench {

// build/16+VALUE/{null,tmpfs}/CODEC[+filter]/WHO, per entry. Tables are written to `folder`, which
// must exist when the benchmarks run.
void RegisterBuildBenchmarks(const std::string& folder);

// Compares each table's bytes with LevelDB's.
void VerifyBuilds();

}  // namespace sstable::bench

#endif  // SSTABLE_BENCHMARKS_BUILD_BENCH_H_
