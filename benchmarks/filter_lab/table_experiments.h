// Experiments with filters in tables, and in a store with several levels.
#ifndef SSTABLE_BENCHMARKS_FILTER_LAB_TABLE_EXPERIMENTS_H_
#define SSTABLE_BENCHMARKS_FILTER_LAB_TABLE_EXPERIMENTS_H_

#include <string>
#include <vector>

#include "benchmarks/filter_lab/point.h"

namespace sstable::bench {

// Probes tables of 100,000 even decimal numbers, 10 bits per key, for random keys and for the odd
// numbers in between. x: restart interval.
std::vector<Point> AskTablesOfCountedKeys();

// Probes a toy_lsm database of 400,000 random keys for absent keys, as written and after
// compaction. x: bits per key, 0 without filters; "passed": data blocks searched. `folder` must
// exist; the database in it is removed.
std::vector<Point> AskLevels(const std::string& folder);

}  // namespace sstable::bench

#endif  // SSTABLE_BENCHMARKS_FILTER_LAB_TABLE_EXPERIMENTS_H_
