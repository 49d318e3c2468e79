#include "benchmarks/open_bench.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "benchmark/benchmark.h"
#include "benchmarks/leveldb_rival.h"
#include "benchmarks/ours.h"
#include "benchmarks/rocksdb_rival.h"
#include "benchmarks/workload.h"

namespace sstable::bench {
namespace {

using PathOf = const std::string& (DataSet::*)() const;

template <typename Table>
void TimeOpen(benchmark::State& state, const std::string& path) {
  for (auto _ : state) {
    Table table(path);
    benchmark::DoNotOptimize(table);
  }
  state.SetItemsProcessed(state.iterations());
}

template <typename Table>
void TimeOpenAndGet(benchmark::State& state, const std::string& path, const KeyList& keys) {
  KeyWalk walk(keys);
  std::string value;
  for (auto _ : state) {
    Table table(path);
    if (!table.Get(walk.Next(), &value)) state.SkipWithError("a key was not found");
  }
  state.SetItemsProcessed(state.iterations());
}

template <typename Table>
void Register(const DataSet& data_set, const char* who, PathOf path) {
  benchmark::RegisterBenchmark(
      absl::StrCat("open/", data_set.name(), "/", who).c_str(),
      [=, &data_set](benchmark::State& state) { TimeOpen<Table>(state, (data_set.*path)()); })
      ->Unit(benchmark::kMicrosecond);
  benchmark::RegisterBenchmark(absl::StrCat("open_get/", data_set.name(), "/", who).c_str(),
                               [=, &data_set](benchmark::State& state) {
                                 TimeOpenAndGet<Table>(state, (data_set.*path)(), data_set.hits());
                               })
      ->Unit(benchmark::kMicrosecond);
}

}  // namespace

void RegisterOpenBenchmarks(const DataSet& data_set) {
  if (data_set.is_compressed()) return;  // what is read at open never is
  Register<OurTable>(data_set, "ours", &DataSet::table_path);
  Register<LevelDbTable>(data_set, "leveldb_table", &DataSet::table_path);
  Register<RocksDbTable>(data_set, "rocksdb_table", &DataSet::rocksdb_table_path);
}

}  // namespace sstable::bench
