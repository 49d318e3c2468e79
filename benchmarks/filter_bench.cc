#include "benchmarks/filter_bench.h"

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "benchmark/benchmark.h"
#include "benchmarks/filter_workload.h"
#include "benchmarks/leveldb_rival.h"
#include "benchmarks/ours.h"
#include "benchmarks/require.h"
#include "benchmarks/workload.h"

namespace sstable::bench {
namespace {

constexpr size_t kKeysPerFilter[] = {20, 40, 60, 100, 1000, size_t{1} << 23};
constexpr size_t kKeysPerPass = 20000;

// A workload shared by both libraries and the verification, made on first use.
template <FilterWorkload (*Make)()>
const FilterWorkload& Shared() {
  static const FilterWorkload workload = Make();
  return workload;
}

template <typename Maker>
void TimeCreate(benchmark::State& state, size_t keys_per_filter) {
  const KeyList keys = KeysForFilters(keys_per_filter, kKeysPerPass);
  const Maker maker(keys);
  std::string filter;
  for (auto _ : state) {
    for (size_t first = 0; first < keys.size(); first += keys_per_filter) {
      maker.Create(first, keys_per_filter, &filter);
      benchmark::DoNotOptimize(filter.data());
    }
  }
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(keys.size()));
}

template <typename Windows>
void TimeMatch(benchmark::State& state, const FilterWorkload& workload,
               const FilterProbes& probes) {
  const Windows windows(workload.windows);
  for (auto _ : state) {
    benchmark::DoNotOptimize(windows.CountMatches(probes.keys, probes.windows));
  }
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(probes.keys.size()));
}

template <typename Windows, FilterWorkload (*Make)()>
void RegisterMatch(const std::string& workload_name, const std::string& who) {
  const std::string stem = absl::StrCat("key_may_match/", workload_name);
  benchmark::RegisterBenchmark(absl::StrCat(stem, "/hit/", who).c_str(),
                               [](benchmark::State& state) {
                                 TimeMatch<Windows>(state, Shared<Make>(), Shared<Make>().hits);
                               });
  benchmark::RegisterBenchmark(absl::StrCat(stem, "/miss/", who).c_str(),
                               [](benchmark::State& state) {
                                 TimeMatch<Windows>(state, Shared<Make>(), Shared<Make>().misses);
                               });
}

template <typename Maker>
void RegisterCreate(size_t keys_per_filter, const std::string& who) {
  benchmark::RegisterBenchmark(
      absl::StrCat("create_filter/n=", keys_per_filter, "/", who).c_str(),
      [keys_per_filter](benchmark::State& state) { TimeCreate<Maker>(state, keys_per_filter); });
}

void VerifyCreate(size_t keys_per_filter) {
  const KeyList keys = KeysForFilters(keys_per_filter, kKeysPerPass);
  const OurFilterMaker ours(keys);
  const LevelDbFilterMaker leveldb(keys);
  std::string our_filter;
  std::string leveldb_filter;
  for (size_t first = 0; first < keys.size(); first += keys_per_filter) {
    ours.Create(first, keys_per_filter, &our_filter);
    leveldb.Create(first, keys_per_filter, &leveldb_filter);
    if (our_filter == leveldb_filter) continue;
    Fail(absl::StrCat("filter of ", keys_per_filter, " keys from key ", first,
                      " on is not LevelDB's"));
  }
}

void VerifyProbes(const OurFilterWindows& ours, const LevelDbFilterWindows& leveldb,
                  const FilterProbes& probes) {
  for (size_t i = 0; i < probes.keys.size(); ++i) {
    const size_t window = probes.windows[i];
    if (ours.Matches(window, probes.keys[i]) == leveldb.Matches(window, probes.keys[i])) continue;
    Fail(absl::StrCat("KeyMayMatch of probe ", i, " in window ", window, " is not LevelDB's"));
  }
  Require(ours.CountMatches(probes.keys, probes.windows) ==
              leveldb.CountMatches(probes.keys, probes.windows),
          "the counts of matches differ");
}

template <typename OurWindows>
void VerifyWorkload(const FilterWorkload& workload) {
  const OurWindows ours(workload.windows);
  const LevelDbFilterWindows leveldb(workload.windows);
  for (size_t i = 0; i < workload.windows.size(); ++i) {
    Require(ours.filter(i) == leveldb.filter(i), "a window's filter is not LevelDB's");
  }
  VerifyProbes(ours, leveldb, workload.hits);
  VerifyProbes(ours, leveldb, workload.misses);
}

}  // namespace

void RegisterFilterBenchmarks() {
  for (const size_t n : kKeysPerFilter) {
    RegisterCreate<OurFilterMaker>(n, "ours");
    RegisterCreate<LevelDbFilterMaker>(n, "leveldb");
  }
  RegisterMatch<OurFilterWindows, SmallWindows>("windows", "ours");
  RegisterMatch<OurPortableFilterWindows, SmallWindows>("windows", "ours_portable");
  RegisterMatch<LevelDbFilterWindows, SmallWindows>("windows", "leveldb");
  RegisterMatch<OurFilterWindows, OneLargeFilter>("10MB", "ours");
  RegisterMatch<LevelDbFilterWindows, OneLargeFilter>("10MB", "leveldb");
}

void VerifyFilters() {
  for (const size_t n : kKeysPerFilter) VerifyCreate(n);
  VerifyWorkload<OurFilterWindows>(Shared<SmallWindows>());
  VerifyWorkload<OurPortableFilterWindows>(Shared<SmallWindows>());
  VerifyWorkload<OurFilterWindows>(Shared<OneLargeFilter>());
}

}  // namespace sstable::bench
