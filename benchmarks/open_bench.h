// Opening tables.
#ifndef SSTABLE_BENCHMARKS_OPEN_BENCH_H_
#define SSTABLE_BENCHMARKS_OPEN_BENCH_H_

#include <string>

#include "benchmarks/data_set.h"

namespace sstable::bench {

// open/SET/WHO: opening and closing a table whose file is in memory. open_get/SET/WHO: with one
// lookup in between. `data_set` is opened before they run.
void RegisterOpenBenchmarks(const DataSet& data_set);

// open_many/LOOKUPS/ANSWER/WHO: of many tables of 2 MiB, the next one opened, asked for so many
// keys that are there or absent, and closed. The tables in FOLDER/many are made before they run;
// they take 330 MB, more than a processor's cache.
void MakeManyTables(const std::string& folder);
void RegisterManyTablesBenchmarks(const std::string& folder);

}  // namespace sstable::bench

#endif  // SSTABLE_BENCHMARKS_OPEN_BENCH_H_
