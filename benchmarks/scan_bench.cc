#include "benchmarks/scan_bench.h"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "benchmark/benchmark.h"
#include "benchmarks/cursor.h"
#include "benchmarks/ours.h"

namespace sstable::bench {
namespace {

// Returns a new cursor over the data set.
using NewCursor = std::unique_ptr<Cursor> (*)(const DataSet&);

void TimeScan(benchmark::State& state, const DataSet& data_set, NewCursor new_cursor,
              bool forward) {
  for (auto _ : state) {
    const std::unique_ptr<Cursor> cursor = new_cursor(data_set);
    const ScanSum sum = forward ? cursor->ScanForward() : cursor->ScanBackward();
    benchmark::DoNotOptimize(sum.byte_count);
    if (sum.entry_count != data_set.size()) state.SkipWithError("a scan lost entries");
  }
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(data_set.size()));
}

// `set` is the data set's name in the benchmark's name.
void Register(const DataSet& data_set, const std::string& set, const char* who,
              NewCursor new_cursor, bool goes_backward = true) {
  for (const bool forward : {true, false}) {
    if (!forward && !goes_backward) continue;
    benchmark::RegisterBenchmark(
        absl::StrCat("scan/", forward ? "forward/" : "backward/", set, "/", who).c_str(),
        [=, &data_set](benchmark::State& state) { TimeScan(state, data_set, new_cursor, forward); })
        ->Unit(benchmark::kMillisecond);
  }
}

}  // namespace

void RegisterScanBenchmarks(const DataSet& data_set) {
  const std::string set = data_set.name();
  Register(data_set, set, "ours", [](const DataSet& d) { return d.ours().NewCursor(); });
  Register(data_set, set, "leveldb_table",
           [](const DataSet& d) { return d.leveldb_table().NewCursor(); });
  Register(data_set, set, "rocksdb_table",
           [](const DataSet& d) { return d.rocksdb_table().NewCursor(); });
  Register(
      data_set, set, "mtbl", [](const DataSet& d) { return d.mtbl().NewCursor(); },
      /*goes_backward=*/false);
  if (!data_set.is_compressed()) {
    Register(data_set, set, "lmdb", [](const DataSet& d) { return d.lmdb().NewCursor(); });
  } else {
    Register(data_set, set, "ours_cached",
             [](const DataSet& d) { return d.ours_cached()->NewCursor(); });
    Register(data_set, set, "leveldb_table_cached",
             [](const DataSet& d) { return d.leveldb_table_cached()->NewCursor(); });
    Register(data_set, set, "rocksdb_table_cached",
             [](const DataSet& d) { return d.rocksdb_table_cached()->NewCursor(); });
  }
  if (data_set.has_internal()) {
    const std::string internal = set + "-internal";
    Register(data_set, internal, "ours",
             [](const DataSet& d) { return d.ours_internal().NewCursor(); });
    Register(data_set, internal, "leveldb_db",
             [](const DataSet& d) { return d.leveldb_db().NewCursor(); });
    Register(data_set, internal, "rocksdb_db",
             [](const DataSet& d) { return d.rocksdb_db().NewCursor(); });
  }
}

}  // namespace sstable::bench
