// Compares filters with the literature and prints JSON, from which `benchmarks/filter_lab/draw`
// makes plots and tables for docs/filters.md.
//
//   bazel run //benchmarks/filter_lab >lab.json
//
// All figures except "times" are the same in every run and on every machine.
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <string>

#include "benchmarks/filter_lab/point.h"
#include "benchmarks/filter_lab/rate_experiments.h"
#include "benchmarks/filter_lab/table_experiments.h"
#include "benchmarks/filter_lab/time_experiment.h"
#include "benchmarks/require.h"

namespace sstable::bench {
namespace {

nlohmann::ordered_json Times() {
  nlohmann::ordered_json rows;
  for (const ProbeTimes& times : TimeProbes()) {
    rows.push_back({{"series", times.series},
                    {"key_size", times.key_size},
                    {"hash_ns", times.hash},
                    {"add_ns", times.add},
                    {"hit_ns", times.hit}});
  }
  return rows;
}

void Run() {
  std::string folder = (std::filesystem::temp_directory_path() / "filter_lab-XXXXXX").string();
  Require(::mkdtemp(folder.data()) != nullptr, "can't make a temporary folder");
  Results results;
  results.Add("probes", CompareProbes());
  results.Add("bits_per_key", VaryBitsPerKey());
  results.Add("filter_size", VaryFilterSize());
  results.Add("counted_windows", CountUp());
  results.Add("counted_tables", AskTablesOfCountedKeys());
  results.Add("levels", AskLevels(folder));
  std::filesystem::remove_all(folder);
  results.json()["times"] = Times();
  std::cout << results.json().dump(1) << "\n";
}

}  // namespace
}  // namespace sstable::bench

int main() { sstable::bench::Run(); }
