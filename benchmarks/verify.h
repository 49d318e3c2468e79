// Compares every answer with LevelDB's; ends the program at the first difference.
#ifndef SSTABLE_BENCHMARKS_VERIFY_H_
#define SSTABLE_BENCHMARKS_VERIFY_H_

#include "benchmarks/build_spec.h"
#include "benchmarks/data_set.h"
#include "benchmarks/workload.h"

namespace sstable::bench {

// Compares the bytes of a table, whatever the spec's path is. With zstd, which LevelDB 1.23 does
// not support, compares the entries that are read back.
void VerifyBuild(const Entries& entries, const BuildSpec& spec);

// Compares, for all readers of the data set: the table's bytes; lookups of every key and of as many
// absent ones; all entries, forward and backward; a seek to each key that is timed. This also
// brings the files into memory, and verifies each block once.
void VerifyDataSet(const DataSet& data_set);

}  // namespace sstable::bench

#endif  // SSTABLE_BENCHMARKS_VERIFY_H_
