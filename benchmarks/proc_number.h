// The kernel's counters for this process.
#ifndef SSTABLE_BENCHMARKS_PROC_NUMBER_H_
#define SSTABLE_BENCHMARKS_PROC_NUMBER_H_

#include <cstdint>
#include <fstream>
#include <string>

#include "benchmarks/require.h"

namespace sstable::bench {

// Returns the number after `field`, such as "VmRSS:", in /proc/self/`file`, in the file's unit.
inline uint64_t ProcNumber(const std::string& file, const std::string& field) {
  std::ifstream in("/proc/self/" + file);
  std::string word;
  while (in >> word) {
    uint64_t number = 0;
    if (word == field && in >> number) return number;
  }
  Fail("/proc/self/" + file + " has no " + field);
}

}  // namespace sstable::bench

#endif  // SSTABLE_BENCHMARKS_PROC_NUMBER_H_
