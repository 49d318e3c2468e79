#include "benchmarks/filter_workload.h"

#include <utility>

namespace sstable::bench {
namespace {

constexpr size_t kProbeCount = 65536;

KeyList RandomKeys(size_t count, Random* random) {
  KeyList keys;
  for (size_t i = 0; i < count; ++i) keys.Append(RandomKey(random));
  return keys;
}

FilterWorkload WithProbes(std::string name, std::vector<KeyList> windows, Random* random) {
  FilterWorkload workload;
  for (size_t i = 0; i < kProbeCount; ++i) {
    const size_t window = random->Below(windows.size());
    workload.hits.keys.Append(windows[window][random->Below(windows[window].size())]);
    workload.hits.windows.push_back(static_cast<uint32_t>(window));
    workload.misses.keys.Append(RandomKey(random));
    workload.misses.windows.push_back(static_cast<uint32_t>(window));
  }
  workload.name = std::move(name);
  workload.windows = std::move(windows);
  return workload;
}

}  // namespace

FilterWorkload SmallWindows() {
  Random random(305);
  std::vector<KeyList> windows;
  for (int i = 0; i < 64; ++i) windows.push_back(RandomKeys(20 + random.Below(41), &random));
  return WithProbes("windows", std::move(windows), &random);
}

FilterWorkload OneLargeFilter() {
  Random random(306);
  std::vector<KeyList> windows;
  windows.push_back(RandomKeys(size_t{1} << 23, &random));
  return WithProbes("10MB", std::move(windows), &random);
}

KeyList KeysForFilters(size_t keys_per_filter, size_t minimum) {
  Random random(307);
  const size_t filters = (minimum + keys_per_filter - 1) / keys_per_filter;
  return RandomKeys(filters * keys_per_filter, &random);
}

}  // namespace sstable::bench
