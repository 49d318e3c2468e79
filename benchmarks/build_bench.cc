#include "benchmarks/build_bench.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>

#include "absl/strings/str_cat.h"
#include "benchmark/benchmark.h"
#include "benchmarks/build_spec.h"
#include "benchmarks/leveldb_rival.h"
#include "benchmarks/ours.h"
#include "benchmarks/rocksdb_rival.h"
#include "benchmarks/verify.h"
#include "benchmarks/workload.h"

namespace sstable::bench {
namespace {

constexpr Codec kCodecs[] = {Codec::kRaw, Codec::kSnappy, Codec::kZstd};
constexpr bool kFilters[] = {false, true};
constexpr size_t kValueSizes[] = {100, 1000};

using Build = uint64_t (*)(const Entries& entries, const BuildSpec& spec);

// About 100 MB and 200 MB, made on first use.
const Entries& EntriesOf(size_t value_size) {
  static const Entries small(KeyShape::kDecimal, 1'000'000, 100);
  static const Entries large(KeyShape::kDecimal, 200'000, 1000);
  return value_size == 100 ? small : large;
}

std::string NameOf(const BuildSpec& spec) {
  const char* const codec = spec.codec == Codec::kRaw      ? "raw"
                            : spec.codec == Codec::kSnappy ? "snappy"
                                                           : "zstd";
  return absl::StrCat(spec.path.empty() ? "null" : "tmpfs", "/", codec,
                      spec.filter ? "+filter" : "");
}

void TimeBuild(benchmark::State& state, Build build, size_t value_size, const BuildSpec& spec) {
  const Entries& entries = EntriesOf(value_size);
  for (auto _ : state) {
    benchmark::DoNotOptimize(build(entries, spec));
    if (spec.path.empty()) continue;
    state.PauseTiming();  // since freeing the pages takes a tenth of the time
    std::filesystem::remove(spec.path);
    state.ResumeTiming();
  }
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(entries.size()));
}

// Measures the CPU time of all threads or, if there are several, wall time.
void Register(size_t value_size, const BuildSpec& spec, const char* who, Build build) {
  auto* const benchmark = benchmark::RegisterBenchmark(
      absl::StrCat("build/16+", value_size, "/", NameOf(spec), "/", who).c_str(),
      [=](benchmark::State& state) { TimeBuild(state, build, value_size, spec); });
  benchmark->Unit(benchmark::kMillisecond);
  if (spec.compression_threads > 1) {
    benchmark->UseRealTime();
  } else {
    benchmark->MeasureProcessCPUTime();
  }
}

}  // namespace

void RegisterBuildBenchmarks(const std::string& folder) {
  for (const size_t value_size : kValueSizes) {
    for (const Codec codec : kCodecs) {
      for (const bool filter : kFilters) {
        for (const std::string& path : {std::string(), folder + "/build.tmp"}) {
          const BuildSpec spec{codec, filter, path, /*compression_threads=*/1};
          Register(value_size, spec, "ours", BuildWithOurs);
          if (codec != Codec::kRaw) {
            BuildSpec parallel = spec;
            parallel.compression_threads = 2;
            Register(value_size, parallel, "ours_2_threads", BuildWithOurs);
          }
          if (codec != Codec::kZstd) Register(value_size, spec, "leveldb", BuildWithLevelDb);
          Register(value_size, spec, "rocksdb", BuildWithRocksDb);
        }
      }
    }
  }
}

void VerifyBuilds() {
  for (const size_t value_size : kValueSizes) {
    for (const Codec codec : kCodecs) {
      for (const bool filter : kFilters) {
        for (const int threads : {1, 2}) {
          VerifyBuild(EntriesOf(value_size), {codec, filter, /*path=*/"", threads});
        }
      }
    }
  }
}

}  // namespace sstable::bench
