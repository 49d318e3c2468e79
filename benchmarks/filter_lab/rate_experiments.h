// Measures how many absent keys pass filters of random keys and of consecutive numbers.
//
// The keys, and thus all figures, are the same in every run.
#ifndef SSTABLE_BENCHMARKS_FILTER_LAB_RATE_EXPERIMENTS_H_
#define SSTABLE_BENCHMARKS_FILTER_LAB_RATE_EXPERIMENTS_H_

#include <vector>

#include "benchmarks/filter_lab/point.h"

namespace sstable::bench {

// Compares kinds of probes in one filter of 100,000 keys. x: bits per key.
std::vector<Point> CompareProbes();

// Compares kinds of filters, of a data block's keys and of 100,000 keys. x: bits per key, 4 to 24.
std::vector<Point> VaryBitsPerKey();

// Compares kinds of filters with 10 bits per key. x: keys in a filter, 10 to 1,000,000.
std::vector<Point> VaryFilterSize();

// Probes filters of consecutive even decimal numbers, 10 bits per key, for the odd numbers in
// between. x: keys in a filter, 10 to 100.
std::vector<Point> CountUp();

}  // namespace sstable::bench

#endif  // SSTABLE_BENCHMARKS_FILTER_LAB_RATE_EXPERIMENTS_H_
