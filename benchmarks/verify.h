// Compares every answer with LevelDB's; ends the program at the first that differs.
#ifndef SSTABLE_BENCHMARKS_VERIFY_H_
#define SSTABLE_BENCHMARKS_VERIFY_H_

#include "benchmarks/build_spec.h"
#include "benchmarks/data_set.h"
#include "benchmarks/workload.h"

namespace sstable::bench {

// The bytes of a table, whatever the spec's path is. With zstd, which LevelDB 1.23 hasn't, the
// entries that are read back.
void VerifyBuild(const Entries& entries, const BuildSpec& spec);

// The table's bytes; a lookup of every key and of as many absent ones; all entries, forward and
// backward; a seek to each key that is timed. Of all readers that the data set has. It also brings
// the files into memory, and each block past its first touch.
void VerifyDataSet(const DataSet& data_set);

}  // namespace sstable::bench

#endif  // SSTABLE_BENCHMARKS_VERIFY_H_
