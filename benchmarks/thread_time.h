// Times measured on a busy machine: the thread's processor time in many short rounds, in which the
// candidates take turns. The result is each one's lower quartile.
#ifndef SSTABLE_BENCHMARKS_THREAD_TIME_H_
#define SSTABLE_BENCHMARKS_THREAD_TIME_H_

#include <time.h>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace sstable::bench {

inline double ThreadNanoseconds() {
  timespec time;
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_nsec);
}

// `times` must not be empty.
inline double LowerQuartile(std::vector<double> times) {
  const auto quartile = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 4);
  std::nth_element(times.begin(), quartile, times.end());
  return *quartile;
}

}  // namespace sstable::bench

#endif  // SSTABLE_BENCHMARKS_THREAD_TIME_H_
