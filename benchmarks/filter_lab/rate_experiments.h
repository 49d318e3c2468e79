// Measures how many absent keys pass filters of random keys, and of consecutive numbers.
//
// The keys are the same in each run, and so are all figures.
#ifndef SSTABLE_BENCHMARKS_FILTER_LAB_RATE_EXPERIMENTS_H_
#define SSTABLE_BENCHMARKS_FILTER_LAB_RATE_EXPERIMENTS_H_

#include <vector>

#include "benchmarks/filter_lab/point.h"

namespace sstable::bench {

// One filter of 100,000 keys with several kinds of probes. x: bits per key.
std::vector<Point> CompareProbes();

// Kinds of filters, of a data block's keys and of 100,000 keys. x: bits per key, 4 to 24.
std::vector<Point> VaryBitsPerKey();

// Kinds of filters with 10 bits per key. x: keys in a filter, 10 to 1,000,000.
std::vector<Point> VaryFilterSize();

// Filters of consecutive even decimal numbers, 10 bits per key, probed for the odd numbers between
// them. x: keys in a filter, 10 to 100.
std::vector<Point> CountUp();

}  // namespace sstable::bench

#endif  // SSTABLE_BENCHMARKS_FILTER_LAB_RATE_EXPERIMENTS_H_
