// Measures filters for whole tables: their size, the time to build them, and lookups through them,
// compared with tinycdb and LevelDB. Prints JSON: figures by name, with times in ns per key.
// `benchmarks/report --filters` runs it and makes the table. Does not need RocksDB.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/flags/parse.h"
#include "absl/flags/usage.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "benchmarks/filter_set.h"
#include "benchmarks/ours.h"
#include "benchmarks/require.h"
#include "benchmarks/thread_time.h"
#include "benchmarks/workload.h"
#include "nlohmann/json.hpp"
#include "sstable/experimental/table_filter.h"
#include "sstable/filter_policy.h"
#include "sstable/table_reader.h"

ABSL_FLAG(std::string, data, "/dev/shm",
          "where a folder is made for tables and databases, and removed; better in memory");
ABSL_FLAG(std::vector<std::string>, sizes, std::vector<std::string>({"10k", "1M"}),
          "sizes of data sets, of 10k, 1M and 9M; 1M needs 1 GB, 9M 9 GB");
ABSL_FLAG(int, rounds, 21, "in each, every store is asked for 50,000 keys; lower quartiles count");

namespace sstable::bench {
namespace {

constexpr int kLookups = 50'000;  // per round

// Runs the timed work once and returns ns per key.
using Round = std::function<double()>;

template <typename Store>
Round GetRound(Store& store, const KeyList& keys, bool hit) {
  auto walk = std::make_shared<KeyWalk>(keys);
  auto value = std::make_shared<std::string>();
  return [&store, walk, value, hit] {
    int found = 0;
    const double start = ThreadNanoseconds();
    for (int i = 0; i < kLookups; ++i) found += store.Get(walk->Next(), value.get());
    const double end = ThreadNanoseconds();
    Require(found == (hit ? kLookups : 0), "an answer was wrong");
    return (end - start) / kLookups;
  };
}

std::vector<uint64_t> HashesOf(const Entries& entries) {
  std::vector<uint64_t> hashes;
  hashes.reserve(entries.size());
  for (size_t i = 0; i < entries.size(); ++i) hashes.push_back(TableFilterHash(entries.key(i)));
  return hashes;
}

// Times building the filter from given hashes.
Round CreateRound(const Entries& entries, const TableFilterPolicy& policy) {
  return [&entries, &policy, filter = std::make_shared<std::string>()] {
    std::vector<uint64_t> hashes = HashesOf(entries);
    filter->clear();
    const double start = ThreadNanoseconds();
    policy.CreateFilter(absl::MakeSpan(hashes), filter.get());
    const double end = ThreadNanoseconds();
    return (end - start) / static_cast<double>(entries.size());
  };
}

// Returns the rounds, keyed by their figures' names.
std::map<std::string, Round> RoundsOf(const FilterSet& set) {
  std::map<std::string, Round> rounds;
  for (const bool hit : {true, false}) {
    const std::string stem = absl::StrCat("get/", hit ? "hit/" : "miss/", set.name(), "/");
    const KeyList& keys = hit ? set.hits() : set.misses();
    for (size_t i = 0; i < AllFilterVariants().size(); ++i) {
      rounds[stem + AllFilterVariants()[i].name] = GetRound(set.ours(i), keys, hit);
    }
    rounds[stem + "cdb"] = GetRound(set.cdb(), keys, hit);
    rounds[stem + "leveldb_db"] = GetRound(set.leveldb(), keys, hit);
  }
  for (size_t i = 0; i < AllFilterVariants().size(); ++i) {
    const FilterVariant& variant = AllFilterVariants()[i];
    const std::string name = absl::StrCat(set.name(), "/", variant.name);
    const TableFilterPolicy* const policy = variant.table_filter;
    if (policy != nullptr && !variant.leveldb_filter) {
      rounds["create/" + name] = CreateRound(set.entries(), *policy);
    }
  }
  return rounds;
}

void Time(const FilterSet& set, nlohmann::ordered_json* figures) {
  const std::map<std::string, Round> rounds = RoundsOf(set);
  std::map<std::string, std::vector<double>> times;
  for (int i = 0; i < absl::GetFlag(FLAGS_rounds); ++i) {
    for (const auto& [name, round] : rounds) times[name].push_back(round());
  }
  for (const auto& [name, of_name] : times) (*figures)[name] = LowerQuartile(of_name);
}

// Counts the share of absent keys that pass a table's filters, and the size of a filter. Both are
// the same in every run.
void Count(const FilterSet& set, nlohmann::ordered_json* figures) {
  std::string value;
  for (size_t i = 0; i < AllFilterVariants().size(); ++i) {
    const FilterVariant& variant = AllFilterVariants()[i];
    if (variant.leveldb_filter || variant.table_filter == nullptr) continue;
    const OurTable& table = set.ours(i);
    const ReaderStats before = table.reader().stats();
    for (size_t key = 0; key < set.misses().size(); ++key) table.Get(set.misses()[key], &value);
    const uint64_t ruled_out = table.reader().stats().filter_negatives - before.filter_negatives;
    const auto asked = static_cast<double>(set.misses().size());
    (*figures)[absl::StrCat("passed_percent/", set.name(), "/", variant.name)] =
        100 - 100 * static_cast<double>(ruled_out) / asked;

    const std::string filter = ValueOrFail(table.reader().ReadMetaBlock(
        absl::StrCat("filter.sstable.", variant.table_filter->Name())));
    (*figures)[absl::StrCat("bits_per_key/", set.name(), "/", variant.name)] =
        8.0 * static_cast<double>(filter.size()) / static_cast<double>(set.entries().size());
  }
}

void Run(const std::string& folder) {
  nlohmann::ordered_json figures;
  for (const std::string& size : absl::GetFlag(FLAGS_sizes)) {
    bool known = false;
    for (const FilterSet::Spec& spec : FilterSet::AllSpecs()) {
      if (spec.size != size) continue;
      known = true;
      {
        FilterSet set(spec);
        set.Open(folder);
        Count(set, &figures);
        Time(set, &figures);
      }
      std::filesystem::remove_all(folder);  // makes room for the next set
      std::filesystem::create_directory(folder);
    }
    Require(known, absl::StrCat("--sizes: no data set has ", size));
  }
  std::cout << figures.dump(1) << "\n";
}

}  // namespace
}  // namespace sstable::bench

int main(int argc, char** argv) {
  absl::SetProgramUsageMessage("compares filters for whole tables, tinycdb and LevelDB");
  absl::ParseCommandLine(argc, argv);
  std::string folder = absl::GetFlag(FLAGS_data) + "/filter_goals-XXXXXX";
  sstable::bench::Require(::mkdtemp(folder.data()) != nullptr, "--data: can't make " + folder);
  sstable::bench::Run(folder);
  std::filesystem::remove_all(folder);
}
