// What lookups and a scan cost in a table that no cache has. For a process of its own.
#ifndef SSTABLE_BENCHMARKS_COLD_PROBE_H_
#define SSTABLE_BENCHMARKS_COLD_PROBE_H_

#include <cstddef>
#include <string>

namespace sstable::bench {

// Copies the plain table of a data set, whose files are in `folder`, to `scratch`, a folder on a
// device, drops its pages, and reads it with the library called `who`: ours or rocksdb (mapped),
// ours_read or rocksdb_read (by pread; RocksDB's default), leveldb (mapped, its default). Removes
// the copy. Prints on a line of JSON, in microseconds of wall time and in bytes that the device
// had to read, as the kernel counts them for the process:
//   open_get_us, open_get_bytes     to open it and find a key
//   get_us, get_bytes               each of 1000 more, in random order, of blocks all over the file
//   multi_get_us, multi_get_bytes   each of 32 in a MultiGet, of which there are 32; only ours
//   scan_us, scan_bytes             a scan of all, after the pages were dropped again
//   file_bytes
void RunColdProbe(const std::string& who, const std::string& folder, const std::string& scratch,
                  size_t entry_count);

}  // namespace sstable::bench

#endif  // SSTABLE_BENCHMARKS_COLD_PROBE_H_
