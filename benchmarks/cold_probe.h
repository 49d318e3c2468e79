// Measures lookups and a scan in a table that is in no cache. Needs a process of its own.
#ifndef SSTABLE_BENCHMARKS_COLD_PROBE_H_
#define SSTABLE_BENCHMARKS_COLD_PROBE_H_

#include <cstddef>
#include <string>

namespace sstable::bench {

// Copies the plain table of a data set, whose files are in `folder`, to `scratch`, a folder on a
// device, drops its pages, and reads it with the library called `who`: ours or rocksdb (mapped),
// ours_read or rocksdb_read (by pread; RocksDB's default), leveldb (mapped, its default). Removes
// the copy. Prints a line of JSON, in microseconds of wall time and in bytes that the device read,
// as counted by the kernel for the process:
//   open_get_us, open_get_bytes     to open it and find a key
//   get_us, get_bytes               for each of 1000 further keys, in random order, all over the
//   file
//   multi_get_us, multi_get_bytes   for each key in 32 calls of MultiGet with 32 keys; only ours
//   scan_us, scan_bytes             for a scan of all, after the pages were dropped again
//   file_bytes
void RunColdProbe(const std::string& who, const std::string& folder, const std::string& scratch,
                  size_t entry_count);

}  // namespace sstable::bench

#endif  // SSTABLE_BENCHMARKS_COLD_PROBE_H_
