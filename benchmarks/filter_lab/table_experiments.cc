#include "benchmarks/filter_lab/table_experiments.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "benchmarks/filter_lab/theory.h"
#include "benchmarks/require.h"
#include "benchmarks/workload.h"
#include "examples/toy_lsm/db.h"
#include "examples/toy_lsm/options.h"
#include "sstable/check.h"
#include "sstable/experimental/filter_report.h"
#include "sstable/experimental/key_guess.h"
#include "sstable/experimental/table_filter.h"
#include "sstable/experimental/write_batch.h"
#include "sstable/file.h"
#include "sstable/filter_policy.h"
#include "sstable/options.h"
#include "sstable/table_builder.h"
#include "sstable/table_reader.h"

namespace sstable::bench {
namespace {

constexpr size_t kValueSize = 100;
constexpr int kBitsPerKey = 10;

Passed PassedOf(const FilterRate& rate) { return {rate.tested, rate.passed}; }

std::string BuildTable(const Entries& entries, const TableBuilderOptions& options) {
  std::string table;
  const auto builder = ValueOrFail(TableBuilder::Create(NewStringFile(&table), options));
  for (size_t i = 0; i < entries.size(); ++i) {
    RequireOk(builder->Add(entries.key(i), entries.value(i)));
  }
  RequireOk(builder->Finish());
  return table;
}

std::unique_ptr<toy_lsm::Db> OpenDb(const std::string& folder, int bits_per_key) {
  toy_lsm::Options options;
  options.bloom_bits_per_key = bits_per_key;
  return ValueOrFail(toy_lsm::Db::Open(options, folder));
}

// Waits for flushes and compactions, since the resulting tables depend on when they run.
void Fill(toy_lsm::Db* db) {
  constexpr int kEntries = 400'000;
  constexpr int kEntriesOfABatch = 1000;
  Random random(501);
  const Entries values(KeyShape::kDecimal, kEntriesOfABatch, kValueSize);
  for (int i = 0; i < kEntries; i += kEntriesOfABatch) {
    WriteBatch batch;
    for (size_t j = 0; j < kEntriesOfABatch; ++j) batch.Put(RandomKey(&random), values.value(j));
    RequireOk(db->Write(batch));
    RequireOk(db->WaitUntilIdle());
  }
}

// Every level-0 table may contain any key, and so may each deeper level.
size_t SortedRuns(const toy_lsm::DbStats& stats) {
  size_t runs = stats.levels[0].table_count;
  for (size_t level = 1; level < stats.levels.size(); ++level) {
    runs += stats.levels[level].table_count > 0;
  }
  return runs;
}

Point AskDb(std::string series, const toy_lsm::Db& db, int bits_per_key) {
  constexpr uint64_t kLookups = 200'000;
  const auto blocks = [&db] {
    const ReaderStats reads = db.stats().reads;
    return reads.blocks_read + reads.cache_hits;
  };
  Random random(502);
  std::string value;
  const uint64_t before = blocks();
  for (uint64_t i = 0; i < kLookups; ++i) {
    Require(!ValueOrFail(db.Get(RandomKey(&random), &value)),
            "a key is in the database that was not put");
  }
  const uint64_t bits = uint64_t{35} * static_cast<uint64_t>(bits_per_key);  // size of one filter
  const double rate =
      bits_per_key == 0 ? 1 : ExactBloomRate({35, bits, static_cast<int>(0.69 * bits_per_key)});
  const double runs = static_cast<double>(SortedRuns(db.stats()));
  return {std::move(series),
          static_cast<double>(bits_per_key),
          {kLookups, blocks() - before},
          runs * rate,
          {}};
}

}  // namespace

std::vector<Point> AskTablesOfCountedKeys() {
  std::vector<Point> points;
  const Entries entries(KeyShape::kDecimal, 100'000, kValueSize);
  const auto leveldb = NewBloomFilterPolicy(kBitsPerKey);
  const auto blocked = NewBlockedBloomPolicy(kBitsPerKey);
  const auto fuse8 = NewBinaryFusePolicy(FuseBits::k8);
  for (const int restart_interval : {16, 4}) {
    const double x = restart_interval;
    const auto add = [&](const std::string& filter, const FilterRate& random,
                         const FilterRate& neighbours) {
      points.push_back({filter + ", random keys", x, PassedOf(random), {}, {}});
      points.push_back({filter + ", numbers between", x, PassedOf(neighbours), {}, {}});
    };
    for (const TableFilterPolicy* policy : {blocked.get(), fuse8.get()}) {
      TableBuilderOptions options;
      options.compression = Compression::kNone;
      options.block_restart_interval = restart_interval;
      options.filter_policy = leveldb.get();
      options.table_filter_policy = policy;
      const std::string table = BuildTable(entries, options);
      const auto reader = ValueOrFail(TableReader::Open(NewMemoryFile(table)));
      const FilterReport report = MeasureFilter(*reader, {}, KeyTrust::kOrdered);
      RequireOk(report.status);
      Require(report.table_filter.has_value(), "the table has no filter of its own");
      RequireOk(report.table_filter->status);
      if (policy == blocked.get()) add("LevelDB", report.random, report.neighbours);
      add(report.table_filter->name, report.table_filter->random, report.table_filter->neighbours);
    }
  }
  return points;
}

std::vector<Point> AskLevels(const std::string& folder) {
  std::vector<Point> points;
  for (const int bits_per_key : {0, 5, 10, 15}) {
    const std::string here = absl::StrCat(folder, "/levels");
    std::filesystem::remove_all(here);
    std::unique_ptr<toy_lsm::Db> db = OpenDb(here, bits_per_key);
    Fill(db.get());
    points.push_back(AskDb("as written", *db, bits_per_key));
    RequireOk(db->CompactAll());
    points.push_back(AskDb("compacted", *db, bits_per_key));
    db.reset();
    std::filesystem::remove_all(here);
  }
  return points;
}

}  // namespace sstable::bench
