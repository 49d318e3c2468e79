// What one open table costs in memory. For a process of its own, where nothing else is.
#ifndef SSTABLE_BENCHMARKS_MEMORY_PROBE_H_
#define SSTABLE_BENCHMARKS_MEMORY_PROBE_H_

#include <cstddef>
#include <string>

namespace sstable::bench {

// Opens the plain table of a data set, whose files are in `folder`, with the library called `who`
// (ours, leveldb or rocksdb) and looks up 1000 keys, evenly spread over its `entry_count` decimal
// ones. Prints on a line of JSON:
//   heap_bytes      taken from malloc and still held after the lookups, so with the index loaded
//   peak_rss_bytes  by how much the process grew at most, pages of the mapped file included
//   block_count     data blocks of table.ldb
void RunMemoryProbe(const std::string& who, const std::string& folder, size_t entry_count);

}  // namespace sstable::bench

#endif  // SSTABLE_BENCHMARKS_MEMORY_PROBE_H_
