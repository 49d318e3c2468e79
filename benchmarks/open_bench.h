// Opening tables.
#ifndef SSTABLE_BENCHMARKS_OPEN_BENCH_H_
#define SSTABLE_BENCHMARKS_OPEN_BENCH_H_

#include <string>

#include "benchmarks/data_set.h"

namespace sstable::bench {

// open/SET/WHO: opening and closing a table whose file is in memory. open_get/SET/WHO: the same
// with one lookup in between. `data_set` must be open when the benchmarks run.
void RegisterOpenBenchmarks(const DataSet& data_set);

// open_many/LOOKUPS/ANSWER/WHO: opening the next of many tables of 2 MiB, looking up this many
// present or absent keys, and closing it. The tables in FOLDER/many are made before they run. They
// take 330 MB, more than a processor's cache.
void MakeManyTables(const std::string& folder);
void RegisterManyTablesBenchmarks(const std::string& folder);

}  // namespace sstable::bench

#endif  // SSTABLE_BENCHMARKS_OPEN_BENCH_H_
