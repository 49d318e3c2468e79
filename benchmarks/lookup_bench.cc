#include "benchmarks/lookup_bench.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "benchmark/benchmark.h"
#include "benchmarks/cursor.h"
#include "benchmarks/leveldb_rival.h"
#include "benchmarks/lmdb_rival.h"
#include "benchmarks/mtbl_rival.h"
#include "benchmarks/ours.h"
#include "benchmarks/rocksdb_rival.h"
#include "benchmarks/workload.h"
#include "sstable/table_iterator.h"

namespace sstable::bench {
namespace {

// A member function of DataSet that returns a reader.
template <typename Table>
using TableOf = Table& (DataSet::*)() const;

const KeyList& KeysOf(const DataSet& data_set, bool hit) {
  return hit ? data_set.hits() : data_set.misses();
}

void CheckFound(benchmark::State& state, bool hit, int64_t found, int64_t keys) {
  if (found != (hit ? keys : 0)) state.SkipWithError("an answer was wrong");
}

// Copies values into one string, whose memory is reused.
template <typename Table>
void TimeGet(benchmark::State& state, Table& table, const KeyList& keys, bool hit) {
  KeyWalk walk(keys);
  std::string value;
  int64_t found = 0;
  for (auto _ : state) {
    found += table.Get(walk.Next(), &value);
    benchmark::DoNotOptimize(value.data());
  }
  CheckFound(state, hit, found, state.iterations());
  state.SetItemsProcessed(state.iterations());
}

template <typename Table>
void TimeMultiGet(benchmark::State& state, Table& table, const KeyList& keys, bool hit) {
  KeyWalk walk(keys);
  std::array<absl::string_view, kMultiGetSize> batch;
  std::array<std::string, kMultiGetSize> values;
  int64_t found = 0;
  for (auto _ : state) {
    for (absl::string_view& key : batch) key = walk.Next();
    found += static_cast<int64_t>(table.MultiGet(batch, absl::MakeSpan(values)));
    benchmark::DoNotOptimize(values.data());
  }
  CheckFound(state, hit, found, state.iterations() * int64_t{kMultiGetSize});
  state.SetItemsProcessed(state.iterations() * int64_t{kMultiGetSize});
}

void TimeOurSeek(benchmark::State& state, OurTable& table, const KeyList& keys) {
  KeyWalk walk(keys);
  const std::unique_ptr<TableIterator> it = table.NewIterator();
  for (auto _ : state) {
    it->Seek(walk.Next());
    benchmark::DoNotOptimize(TouchEntry(*it));
  }
  state.SetItemsProcessed(state.iterations());
}

void TimeRivalSeek(benchmark::State& state, const std::unique_ptr<Cursor>& cursor,
                   const KeyList& keys) {
  KeyWalk walk(keys);
  for (auto _ : state) benchmark::DoNotOptimize(cursor->SeekAndTouch(walk.Next()));
  state.SetItemsProcessed(state.iterations());
}

template <typename Function>
benchmark::internal::Benchmark* Register(const std::string& name, Function function) {
  return benchmark::RegisterBenchmark(name.c_str(), function);
}

// `set` is the data set's name in the benchmark's name.
template <typename Table>
void RegisterGet(const DataSet& data_set, const std::string& set, const std::string& who,
                 TableOf<Table> table) {
  for (const bool hit : {true, false}) {
    Register(absl::StrCat("get/", hit ? "hit/" : "miss/", set, "/", who),
             [=, &data_set](benchmark::State& state) {
               TimeGet(state, (data_set.*table)(), KeysOf(data_set, hit), hit);
             });
  }
}

template <typename Table>
void RegisterThreadedGet(const DataSet& data_set, const std::string& who, TableOf<Table> table) {
  Register(absl::StrCat("get/hit/", data_set.name(), "/", who),
           [=, &data_set](benchmark::State& state) {
             TimeGet(state, (data_set.*table)(), data_set.hits(), /*hit=*/true);
           })
      ->Threads(2)
      ->Threads(4)
      ->UseRealTime();
}

template <typename Table>
void RegisterMultiGet(const DataSet& data_set, const std::string& set, const std::string& who,
                      TableOf<Table> table) {
  for (const bool hit : {true, false}) {
    Register(absl::StrCat("multi_get/", hit ? "hit/" : "miss/", set, "/", who),
             [=, &data_set](benchmark::State& state) {
               TimeMultiGet(state, (data_set.*table)(), KeysOf(data_set, hit), hit);
             });
  }
}

// Registers our table with a cache that contains all compressed blocks.
void RegisterCached(const DataSet& data_set) {
  const std::string set = data_set.name();
  for (const bool hit : {true, false}) {
    const std::string answer = hit ? "hit/" : "miss/";
    Register(absl::StrCat("get/", answer, set, "/ours_cached"),
             [=, &data_set](benchmark::State& state) {
               TimeGet(state, *data_set.ours_cached(), KeysOf(data_set, hit), hit);
             });
    Register(absl::StrCat("multi_get/", answer, set, "/ours_cached"),
             [=, &data_set](benchmark::State& state) {
               TimeMultiGet(state, *data_set.ours_cached(), KeysOf(data_set, hit), hit);
             });
  }
  Register(absl::StrCat("seek/", set, "/ours_cached"), [&data_set](benchmark::State& state) {
    TimeOurSeek(state, *data_set.ours_cached(), data_set.hits());
  });
  Register(absl::StrCat("seek/", set, "/leveldb_table_cached"),
           [&data_set](benchmark::State& state) {
             TimeRivalSeek(state, data_set.leveldb_table_cached()->NewCursor(), data_set.hits());
           });
  Register(absl::StrCat("seek/", set, "/rocksdb_table_cached"),
           [&data_set](benchmark::State& state) {
             TimeRivalSeek(state, data_set.rocksdb_table_cached()->NewCursor(), data_set.hits());
           });
}

template <typename Table>
void RegisterRivalSeek(const DataSet& data_set, const std::string& who, TableOf<Table> table) {
  Register(absl::StrCat("seek/", data_set.name(), "/", who),
           [=, &data_set](benchmark::State& state) {
             TimeRivalSeek(state, (data_set.*table)().NewCursor(), data_set.hits());
           });
}

}  // namespace

void RegisterLookupBenchmarks(const DataSet& data_set) {
  const std::string set = data_set.name();
  RegisterGet(data_set, set, "ours", &DataSet::ours);
  RegisterGet(data_set, set, "leveldb_table", &DataSet::leveldb_table);
  RegisterGet(data_set, set, "leveldb_db", &DataSet::leveldb_db);
  RegisterGet(data_set, set, "rocksdb_table", &DataSet::rocksdb_table);
  RegisterGet(data_set, set, "rocksdb_db", &DataSet::rocksdb_db);
  RegisterGet(data_set, set, "mtbl", &DataSet::mtbl);
  if (data_set.has_internal()) {
    RegisterGet(data_set, set + "-internal", "ours", &DataSet::ours_internal);
    RegisterMultiGet(data_set, set + "-internal", "ours", &DataSet::ours_internal);
  }

  if (data_set.is_compressed()) {
    RegisterCached(data_set);
  } else {
    RegisterMultiGet(data_set, set, "ours", &DataSet::ours);
    RegisterGet(data_set, set, "lmdb", &DataSet::lmdb);
    RegisterRivalSeek(data_set, "lmdb", &DataSet::lmdb);
  }
  RegisterMultiGet(data_set, set, "rocksdb_db", &DataSet::rocksdb_db);

  Register(absl::StrCat("seek/", set, "/ours"), [&data_set](benchmark::State& state) {
    TimeOurSeek(state, data_set.ours(), data_set.hits());
  });
  RegisterRivalSeek(data_set, "leveldb_table", &DataSet::leveldb_table);
  RegisterRivalSeek(data_set, "rocksdb_table", &DataSet::rocksdb_table);
  RegisterRivalSeek(data_set, "mtbl", &DataSet::mtbl);

  if (set == "1M") {
    RegisterThreadedGet(data_set, "ours", &DataSet::ours);
    RegisterThreadedGet(data_set, "leveldb_db", &DataSet::leveldb_db);
    RegisterThreadedGet(data_set, "rocksdb_db", &DataSet::rocksdb_db);
  }
}

}  // namespace sstable::bench
