// Measures lookups and a scan in a table that is not in any cache. Needs its own process.
#ifndef SSTABLE_BENCHMARKS_COLD_PROBE_H_
#define SSTABLE_BENCHMARKS_COLD_PROBE_H_

#include <cstddef>
#include <string>

namespace sstable::bench {

// Copies the plain table of a data set, whose files are in `folder`, to `scratch`, a folder on a
// device. Drops its pages and reads it with the library called `who`: ours or rocksdb (mapped),
// ours_read or rocksdb_read (by pread; RocksDB's default), or leveldb (mapped, its default).
// Removes the copy. Prints a line of JSON, with wall time in microseconds and the bytes read from
// the device for this process, as counted by the kernel:
//   open_get_us, open_get_bytes     for opening it and finding a key
//   get_us, get_bytes               for each of 1000 further keys, in random order across the file
//   multi_get_us, multi_get_bytes   for each key in 32 calls of MultiGet with 32 keys; only ours
//   scan_us, scan_bytes             for a scan of all entries, after dropping the pages again
//   file_bytes
void RunColdProbe(const std::string& who, const std::string& folder, const std::string& scratch,
                  size_t entry_count);

}  // namespace sstable::bench

#endif  // SSTABLE_BENCHMARKS_COLD_PROBE_H_
