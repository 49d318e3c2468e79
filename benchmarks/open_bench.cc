#include "benchmarks/open_bench.h"

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "benchmark/benchmark.h"
#include "benchmarks/build_spec.h"
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

constexpr size_t kManyTables = 150;
constexpr size_t kEntriesOfMany = 18'500;
constexpr size_t kValueSizeOfMany = 100;

std::string PathOfMany(const std::string& folder, size_t i) {
  return absl::StrCat(folder, "/many/", i, ".ldb");
}

template <typename Table>
void TimeManyTables(benchmark::State& state, const std::string& folder, int lookups, bool hit) {
  static const Entries entries(KeyShape::kDecimal, kEntriesOfMany, kValueSizeOfMany);
  static const KeyList hits = ShuffledKeys(entries, entries.size());
  static const KeyList misses = ShuffledAbsentKeys(entries, entries.size());
  std::vector<std::string> paths;
  for (size_t i = 0; i < kManyTables; ++i) paths.push_back(PathOfMany(folder, i));
  KeyWalk walk(hit ? hits : misses);
  std::string value;
  size_t at = 0;
  for (auto _ : state) {
    Table table(paths[at]);
    for (int i = 0; i < lookups; ++i) {
      if (table.Get(walk.Next(), &value) != hit) state.SkipWithError("an answer was wrong");
    }
    if (++at == paths.size()) at = 0;
  }
  state.SetItemsProcessed(state.iterations());
}

template <typename Table>
void RegisterMany(const std::string& folder, const char* who) {
  for (const int lookups : {1, 10}) {
    for (const bool hit : {true, false}) {
      benchmark::RegisterBenchmark(
          absl::StrCat("open_many/", lookups, hit ? "/hit/" : "/miss/", who).c_str(),
          [=](benchmark::State& state) { TimeManyTables<Table>(state, folder, lookups, hit); })
          ->Unit(benchmark::kMicrosecond);
    }
  }
}

}  // namespace

void MakeManyTables(const std::string& folder) {
  namespace fs = std::filesystem;
  if (fs::exists(PathOfMany(folder, kManyTables - 1))) return;
  fs::create_directories(folder + "/many");
  BuildSpec spec;
  spec.path = PathOfMany(folder, 0);
  BuildWithLevelDb(Entries(KeyShape::kDecimal, kEntriesOfMany, kValueSizeOfMany), spec);
  for (size_t i = 1; i < kManyTables; ++i) fs::copy_file(spec.path, PathOfMany(folder, i));
}

void RegisterManyTablesBenchmarks(const std::string& folder) {
  RegisterMany<OurTable>(folder, "ours");
  RegisterMany<LevelDbTable>(folder, "leveldb_table");
}

void RegisterOpenBenchmarks(const DataSet& data_set) {
  if (data_set.is_compressed()) return;  // opening reads only uncompressed blocks
  Register<OurTable>(data_set, "ours", &DataSet::table_path);
  Register<LevelDbTable>(data_set, "leveldb_table", &DataSet::table_path);
  Register<RocksDbTable>(data_set, "rocksdb_table", &DataSet::rocksdb_table_path);
}

}  // namespace sstable::bench
