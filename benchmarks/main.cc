// Runs the benchmarks of this library, LevelDB and RocksDB in one process. Before timing, creates
// missing data sets and compares every answer with LevelDB's. benchmarks/report runs it and puts
// the figures into tables. To run it alone:
//
//   bazel run //benchmarks -- --sizes=10k,1M --components=lookup --benchmark_filter=seek
//
// Google Benchmark's own flags work, too: --benchmark_repetitions, --benchmark_list_tests ...
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/flags/parse.h"
#include "absl/flags/usage.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "benchmark/benchmark.h"
#include "benchmarks/build_bench.h"
#include "benchmarks/cold_probe.h"
#include "benchmarks/data_set.h"
#include "benchmarks/filter_bench.h"
#include "benchmarks/lookup_bench.h"
#include "benchmarks/memory_probe.h"
#include "benchmarks/open_bench.h"
#include "benchmarks/require.h"
#include "benchmarks/scan_bench.h"
#include "benchmarks/verify.h"

static const std::vector<std::string> kComponents = {"filter", "build", "lookup", "scan", "open"};

ABSL_FLAG(std::string, data, "/dev/shm/sstable-bench",
          "folder for tables and databases, which are kept for the next run; better in memory");
ABSL_FLAG(std::vector<std::string>, sizes, std::vector<std::string>({"10k", "1M"}),
          "sizes of data sets, of 10k, 1M and 9M; all need 7 GB");
ABSL_FLAG(std::vector<std::string>, components, kComponents, "what to time");
ABSL_FLAG(bool, verify, true, "compare every answer with LevelDB's before timing starts");
ABSL_FLAG(std::string, memory_probe, "",
          "instead of all that, print what one table of the only size in --sizes costs in memory, "
          "opened by: ours, leveldb, rocksdb");
ABSL_FLAG(
    std::string, cold_probe, "",
    "instead of all that, print what lookups and a scan cost in one table of the only size in "
    "--sizes that no cache has, read by: ours, ours_read, leveldb, rocksdb, rocksdb_read");
ABSL_FLAG(std::string, scratch, "/var/tmp",
          "folder on a device, for --cold_probe's copy of the table");

namespace sstable::bench {
namespace {

struct Plan {
  std::vector<std::string> components;
  std::vector<std::unique_ptr<DataSet>> data_sets;

  bool Has(absl::string_view component) const {
    return std::find(components.begin(), components.end(), component) != components.end();
  }
  bool NeedsDataSets() const { return Has("lookup") || Has("scan") || Has("open"); }
};

Plan MakePlan() {
  Plan plan;
  plan.components = absl::GetFlag(FLAGS_components);
  for (const std::string& component : plan.components) {
    Require(std::find(kComponents.begin(), kComponents.end(), component) != kComponents.end(),
            absl::StrCat("--components: ", component, " is not one of ",
                         absl::StrJoin(kComponents, ", ")));
  }
  if (!plan.NeedsDataSets()) return plan;
  for (const std::string& size : absl::GetFlag(FLAGS_sizes)) {
    const size_t before = plan.data_sets.size();
    for (const DataSet::Spec& spec : DataSet::AllSpecs()) {
      if (spec.size == size) plan.data_sets.push_back(std::make_unique<DataSet>(spec));
    }
    Require(plan.data_sets.size() > before, absl::StrCat("--sizes: no data set has ", size));
  }
  return plan;
}

void Register(const Plan& plan) {
  if (plan.Has("filter")) RegisterFilterBenchmarks();
  if (plan.Has("build")) RegisterBuildBenchmarks(absl::GetFlag(FLAGS_data));
  if (plan.Has("open")) RegisterManyTablesBenchmarks(absl::GetFlag(FLAGS_data));
  for (const std::unique_ptr<DataSet>& data_set : plan.data_sets) {
    if (plan.Has("lookup")) RegisterLookupBenchmarks(*data_set);
    if (plan.Has("scan")) RegisterScanBenchmarks(*data_set);
    if (plan.Has("open")) RegisterOpenBenchmarks(*data_set);
  }
}

// Creates the folder. Refuses one with other files, since `benchmarks/report --clean` removes
// folders that have this mark.
void ClaimFolder(const std::string& folder) {
  const std::string mark = absl::StrCat(folder, "/made-by-sstable-benchmarks");
  std::filesystem::create_directories(folder);
  if (std::filesystem::exists(mark)) return;
  Require(std::filesystem::is_empty(folder),
          absl::StrCat("--data: ", folder, " has files that aren't benchmarks'"));
  Require(std::ofstream(mark).good(), absl::StrCat("--data: can't write ", mark));
}

// Nothing is timed yet, so data sets are prepared in parallel.
void PrepareDataSets(const Plan& plan, const std::string& folder, bool verify) {
  std::atomic<size_t> next{0};
  const auto prepare = [&] {
    for (size_t i = next++; i < plan.data_sets.size(); i = next++) {
      plan.data_sets[i]->Open(folder);
      if (verify) VerifyDataSet(*plan.data_sets[i]);
    }
  };
  std::vector<std::thread> helpers;
  for (size_t i = 1; i < std::thread::hardware_concurrency(); ++i) helpers.emplace_back(prepare);
  prepare();
  for (std::thread& helper : helpers) helper.join();
}

void Prepare(const Plan& plan) {
  const std::string folder = absl::GetFlag(FLAGS_data);
  if (plan.NeedsDataSets() || plan.Has("build")) ClaimFolder(folder);
  const bool verify = absl::GetFlag(FLAGS_verify);
  PrepareDataSets(plan, folder, verify);
  if (plan.Has("open")) MakeManyTables(folder);
  benchmark::AddCustomContext("verified", verify ? "yes" : "no");
  if (!verify) return;
  if (plan.Has("filter")) VerifyFilters();
  if (plan.Has("build")) VerifyBuilds();
  std::fprintf(stderr, "every answer is LevelDB's; timing\n");
}

// Probes the plain table of decimal keys of the requested size, which an earlier run must have
// made.
void Probe(const std::string& memory_of, const std::string& cold_of) {
  const std::vector<std::string> sizes = absl::GetFlag(FLAGS_sizes);
  Require(sizes.size() == 1, "a probe needs one size in --sizes");
  for (const DataSet::Spec& spec : DataSet::AllSpecs()) {
    if (spec.size != sizes[0] || !spec.kind.empty()) continue;
    const std::string folder = absl::StrCat(absl::GetFlag(FLAGS_data), "/", sizes[0]);
    if (!memory_of.empty()) RunMemoryProbe(memory_of, folder, spec.entry_count);
    if (!cold_of.empty()) {
      RunColdProbe(cold_of, folder, absl::GetFlag(FLAGS_scratch), spec.entry_count);
    }
    return;
  }
  Fail(absl::StrCat("--sizes: no data set has ", sizes[0]));
}

bool ListsOnly(int argc, char** argv) {
  return std::any_of(argv + 1, argv + argc, [](absl::string_view argument) {
    return argument == "--benchmark_list_tests" || argument == "--benchmark_list_tests=true";
  });
}

int Main(int argc, char** argv) {
  const bool lists_only = ListsOnly(argc, argv);
  benchmark::Initialize(&argc, argv);
  absl::SetProgramUsageMessage("compares this library's speed with LevelDB's and RocksDB's");
  absl::ParseCommandLine(argc, argv);
  const std::string memory_of = absl::GetFlag(FLAGS_memory_probe);
  const std::string cold_of = absl::GetFlag(FLAGS_cold_probe);
  if (!memory_of.empty() || !cold_of.empty()) {
    Probe(memory_of, cold_of);
    return 0;
  }
  const Plan plan = MakePlan();
  Register(plan);
  if (!lists_only) Prepare(plan);
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}

}  // namespace
}  // namespace sstable::bench

int main(int argc, char** argv) { return sstable::bench::Main(argc, argv); }
