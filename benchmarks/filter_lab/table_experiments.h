// Filters in tables, and in a store of several levels.
#ifndef SSTABLE_BENCHMARKS_FILTER_LAB_TABLE_EXPERIMENTS_H_
#define SSTABLE_BENCHMARKS_FILTER_LAB_TABLE_EXPERIMENTS_H_

#include <string>
#include <vector>

#include "benchmarks/filter_lab/point.h"

namespace sstable::bench {

// Tables of 100,000 even decimal numbers, 10 bits per key, probed for random keys and for the odd
// numbers between theirs. x: restart interval.
std::vector<Point> AskTablesOfCountedKeys();

// A toy_lsm database of 400,000 random keys, as written and after compaction, probed for absent
// keys. x: bits per key, 0 without filters; "passed": data blocks that were searched. `folder` must
// exist; the database in it is removed.
std::vector<Point> AskLevels(const std::string& folder);

}  // namespace sstable::bench

#endif  // SSTABLE_BENCHMARKS_FILTER_LAB_TABLE_EXPERIMENTS_H_
