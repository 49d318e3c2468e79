// Measures the memory of one open table. Needs its own process.
#ifndef SSTABLE_BENCHMARKS_MEMORY_PROBE_H_
#define SSTABLE_BENCHMARKS_MEMORY_PROBE_H_

#include <cstddef>
#include <string>

namespace sstable::bench {

// Opens the plain table of a data set, whose files are in `folder`, with the library called `who`
// (ours, leveldb or rocksdb) and looks up 1000 of its `entry_count` decimal keys, evenly spread.
// Prints a line of JSON:
//   heap_bytes      allocated by malloc after the lookups, including the loaded index
//   peak_rss_bytes  the maximum growth of the process, including pages of the mapped file
//   block_count     data blocks of table.ldb
void RunMemoryProbe(const std::string& who, const std::string& folder, size_t entry_count);

}  // namespace sstable::bench

#endif  // SSTABLE_BENCHMARKS_MEMORY_PROBE_H_
