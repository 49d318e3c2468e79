// Compares every answer with LevelDB's. Ends the program at the first difference.
#ifndef SSTABLE_BENCHMARKS_VERIFY_H_
#define SSTABLE_BENCHMARKS_VERIFY_H_

#include "benchmarks/build_spec.h"
#include "benchmarks/data_set.h"
#include "benchmarks/workload.h"

namespace sstable::bench {

// Compares a table's bytes, ignoring the spec's path. With zstd, which LevelDB 1.23 does not
// support, compares the entries read back instead.
void VerifyBuild(const Entries& entries, const BuildSpec& spec);

// Compares all readers of the data set: the table's bytes, lookups of every key and of as many
// absent keys, all entries forward and backward, and a seek to each key that will be timed. This
// also loads the files into memory and verifies each block once.
void VerifyDataSet(const DataSet& data_set);

}  // namespace sstable::bench

#endif  // SSTABLE_BENCHMARKS_VERIFY_H_
