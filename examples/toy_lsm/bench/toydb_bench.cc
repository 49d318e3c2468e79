// Fills and reads a toy database and a LevelDB database with the same entries and options, checks
// every answer, and prints a table in Markdown.
//
// Keys are 16 decimal digits. Values have 100 bytes, of which a compressor saves about half. Before
// the reads, both databases are reopened and compacted into one level. Otherwise LevelDB would do
// so during the reads (seek compaction), and chance would decide how many tables a read searches.
// Each figure is the median of several rounds in which the two databases take turns.
#include <time.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/flags/parse.h"
#include "absl/flags/usage.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "examples/toy_lsm/db.h"
#include "leveldb/cache.h"
#include "leveldb/db.h"
#include "leveldb/filter_policy.h"
#include "leveldb/iterator.h"
#include "leveldb/options.h"
#include "sstable/options.h"

ABSL_FLAG(uint64_t, n, 1000000, "entries");
ABSL_FLAG(uint64_t, reads, 1000000, "keys that readrandom and readmissing ask for, in each round");
ABSL_FLAG(int, rounds, 5, "of each read; their median is shown");
ABSL_FLAG(uint64_t, cache, uint64_t{8} << 20, "bytes of each block cache");
ABSL_FLAG(bool, snappy, true, "compress the tables");
ABSL_FLAG(bool, cpu_time, false,
          "count the calling thread's time on the processor, for a machine that is not idle");
ABSL_FLAG(std::string, folder, "", "where the databases go; default: a temporary folder");

namespace toy_lsm {
namespace {

constexpr size_t kValueSize = 100;

void Require(bool condition, absl::string_view what) {
  if (condition) return;
  absl::FPrintF(stderr, "toydb bench: %s\n", what);
  std::_Exit(1);  // skips destructors: threads may be running
}
void RequireOk(const absl::Status& status) { Require(status.ok(), status.ToString()); }
void RequireOk(const leveldb::Status& status) { Require(status.ok(), status.ToString()); }

// The entries, identified by their numbers.
class Workload {
 public:
  explicit Workload(uint64_t size) : order_(size) {
    std::mt19937_64 random(301);
    while (pool_.size() < size_t{1} << 20) {
      std::string half;
      while (half.size() < kValueSize / 2) half.push_back(static_cast<char>(random()));
      pool_ += half + half;
    }
    std::iota(order_.begin(), order_.end(), 0);
    std::shuffle(order_.begin(), order_.end(), random);
  }
  uint64_t size() const { return order_.size(); }
  uint64_t shuffled(uint64_t i) const { return order_[i % order_.size()]; }
  absl::string_view value(uint64_t number) const {
    return absl::string_view(pool_).substr(number % (pool_.size() / kValueSize) * kValueSize,
                                           kValueSize);
  }

 private:
  std::string pool_;
  std::vector<uint32_t> order_;
};

// The key of an entry. The key of a missing entry has a dot at its end, as in db_bench.
class KeyText {
 public:
  explicit KeyText(uint64_t number) {
    for (int i = 15; i >= 0; number /= 10) text_[i--] = static_cast<char>('0' + number % 10);
  }
  absl::string_view present() const { return absl::string_view(text_, 16); }
  absl::string_view missing() const { return absl::string_view(text_, 17); }

 private:
  char text_[17] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, '.'};
};

class Store {
 public:
  virtual ~Store() = default;
  virtual void Put(absl::string_view key, absl::string_view value) = 0;
  virtual bool Get(absl::string_view key, std::string* value) = 0;
  virtual uint64_t Scan(const Workload& workload) = 0;  // checks and counts all entries
  virtual void WaitUntilIdle() = 0;
  virtual void CompactAll() = 0;
};

class ToyStore final : public Store {
 public:
  ToyStore(const std::string& folder, int bits_per_key) {
    Options options;
    options.bloom_bits_per_key = bits_per_key;
    options.block_cache = std::make_shared<sstable::BlockCache>(absl::GetFlag(FLAGS_cache));
    if (!absl::GetFlag(FLAGS_snappy)) options.compression = sstable::Compression::kNone;
    auto db = Db::Open(options, folder);
    RequireOk(db.status());
    db_ = *std::move(db);
  }
  const Db& db() const { return *db_; }

  void Put(absl::string_view key, absl::string_view value) override {
    RequireOk(db_->Put(key, value));
  }
  bool Get(absl::string_view key, std::string* value) override {
    const absl::StatusOr<bool> is_found = db_->Get(key, value);
    RequireOk(is_found.status());
    return *is_found;
  }
  uint64_t Scan(const Workload& workload) override {
    uint64_t count = 0;
    const auto it = db_->NewIterator();
    for (it->SeekToFirst(); it->Valid(); it->Next(), ++count) {
      Require(it->value() == workload.value(count), "toy: a wrong value in the scan");
    }
    RequireOk(it->status());
    return count;
  }
  void WaitUntilIdle() override { RequireOk(db_->WaitUntilIdle()); }
  void CompactAll() override { RequireOk(db_->CompactAll()); }

 private:
  std::unique_ptr<Db> db_;
};

class LevelDbStore final : public Store {
 public:
  explicit LevelDbStore(const std::string& folder)
      : policy_(leveldb::NewBloomFilterPolicy(10)),
        cache_(leveldb::NewLRUCache(absl::GetFlag(FLAGS_cache))) {
    leveldb::Options options;
    options.create_if_missing = true;
    options.filter_policy = policy_.get();
    options.block_cache = cache_.get();
    if (!absl::GetFlag(FLAGS_snappy)) options.compression = leveldb::kNoCompression;
    leveldb::DB* db = nullptr;
    RequireOk(leveldb::DB::Open(options, folder, &db));
    db_.reset(db);
  }

  void Put(absl::string_view key, absl::string_view value) override {
    RequireOk(db_->Put({}, {key.data(), key.size()}, {value.data(), value.size()}));
  }
  bool Get(absl::string_view key, std::string* value) override {
    const leveldb::Status status = db_->Get({}, {key.data(), key.size()}, value);
    if (!status.IsNotFound()) RequireOk(status);
    return status.ok();
  }
  uint64_t Scan(const Workload& workload) override {
    uint64_t count = 0;
    const std::unique_ptr<leveldb::Iterator> it(db_->NewIterator({}));
    for (it->SeekToFirst(); it->Valid(); it->Next(), ++count) {
      const absl::string_view value(it->value().data(), it->value().size());
      Require(value == workload.value(count), "LevelDB: a wrong value in the scan");
    }
    RequireOk(it->status());
    return count;
  }
  void CompactAll() override { db_->CompactRange(nullptr, nullptr); }

  // LevelDB has no call for this, so waits until its statistics have shown no compaction for half a
  // second.
  void WaitUntilIdle() override {
    std::string before, after;
    do {
      before = after;
      std::this_thread::sleep_for(std::chrono::milliseconds(500));
      Require(db_->GetProperty("leveldb.stats", &after), "LevelDB has no statistics");
    } while (after != before);
  }

 private:
  std::unique_ptr<const leveldb::FilterPolicy> policy_;
  std::unique_ptr<leveldb::Cache> cache_;
  std::unique_ptr<leveldb::DB> db_;
};

double Micros() {
  timespec time;
  ::clock_gettime(absl::GetFlag(FLAGS_cpu_time) ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC, &time);
  return 1e6 * static_cast<double>(time.tv_sec) + 1e-3 * static_cast<double>(time.tv_nsec);
}

double MicrosPer(uint64_t count, const std::function<void()>& work) {
  const double start = Micros();
  work();
  return (Micros() - start) / static_cast<double>(count);
}

double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

void PrintRow(absl::string_view name, double toy, double leveldb) {
  absl::PrintF("| %s | %.3f µs | %.3f µs | %.2fx |\n", name, toy, leveldb, leveldb / toy);
  std::fflush(stdout);
}

double Fill(const Workload& workload, bool is_random, Store* store) {
  return MicrosPer(workload.size(), [&] {
    for (uint64_t i = 0; i < workload.size(); ++i) {
      const uint64_t number = is_random ? workload.shuffled(i) : i;
      store->Put(KeyText(number).present(), workload.value(number));
    }
  });
}

// Looks up keys in random order, starting with the one at index `first`.
double Read(const Workload& workload, uint64_t first, bool is_missing, Store* store) {
  const uint64_t reads = absl::GetFlag(FLAGS_reads);
  return MicrosPer(reads, [&] {
    std::string value;
    for (uint64_t i = first; i < first + reads; ++i) {
      const uint64_t number = workload.shuffled(i);
      const KeyText key(number);
      const bool is_found = store->Get(is_missing ? key.missing() : key.present(), &value);
      Require(is_found != is_missing, "a key is found that isn't there, or the other way round");
      Require(is_missing || value == workload.value(number), "a wrong value");
    }
  });
}

void CompareReads(const Workload& workload, Store* toy, Store* leveldb) {
  const std::pair<const char*, std::function<double(Store*, int)>> reads[] = {
      {"readrandom", [&](Store* store, int i) { return Read(workload, i * 7919, false, store); }},
      {"readmissing", [&](Store* store, int i) { return Read(workload, i * 7919, true, store); }},
      {"readseq", [&](Store* store, int) {
         return MicrosPer(workload.size(), [&] {
           Require(store->Scan(workload) == workload.size(), "entries are missing in a scan");
         });
       }}};
  for (const auto& [name, read] : reads) {
    std::vector<double> toy_times, leveldb_times;
    for (int i = 0; i <= absl::GetFlag(FLAGS_rounds); ++i) {
      const double toy_time = read(toy, i), leveldb_time = read(leveldb, i);
      if (i == 0) continue;  // the first one verifies the blocks and loads them into memory
      toy_times.push_back(toy_time);
      leveldb_times.push_back(leveldb_time);
    }
    PrintRow(name, Median(toy_times), Median(leveldb_times));
  }
}

double BlocksPerMissingKey(const Workload& workload, const std::string& folder, int bits_per_key) {
  ToyStore store(folder, bits_per_key);
  const auto blocks = [&store] {
    const DbStats stats = store.db().stats();
    return stats.reads.blocks_read + stats.reads.cache_hits;
  };
  const uint64_t before = blocks();
  Read(workload, 0, /*is_missing=*/true, &store);
  return static_cast<double>(blocks() - before) / static_cast<double>(absl::GetFlag(FLAGS_reads));
}

void Run(const std::string& folder) {
  const Workload workload(absl::GetFlag(FLAGS_n));
  absl::PrintF("%d entries, %d reads a round, cache of %d bytes, %s\n\n", workload.size(),
               absl::GetFlag(FLAGS_reads), absl::GetFlag(FLAGS_cache),
               absl::GetFlag(FLAGS_snappy) ? "snappy" : "no compression");
  absl::PrintF("| per entry | toy_lsm | LevelDB | ratio |\n|---|--:|--:|--:|\n");
  for (const bool is_random : {false, true}) {
    const std::string name = is_random ? "random" : "seq";
    const std::string toy = absl::StrCat(folder, "/toy-", name);
    const std::string leveldb = absl::StrCat(folder, "/leveldb-", name);
    double toy_time = 0, leveldb_time = 0;
    {
      ToyStore store(toy, 10);
      toy_time = Fill(workload, is_random, &store);
      store.WaitUntilIdle();
    }
    {
      LevelDbStore store(leveldb);
      leveldb_time = Fill(workload, is_random, &store);
      store.WaitUntilIdle();
    }
    PrintRow(absl::StrCat("fill", name), toy_time, leveldb_time);
  }
  const std::string toy_folder = folder + "/toy-random";
  const double filled_with = BlocksPerMissingKey(workload, toy_folder, 10);
  // Uses a copy, since compactions without filters write tables without filters.
  std::filesystem::copy(toy_folder, toy_folder + "-copy");
  const double filled_without = BlocksPerMissingKey(workload, toy_folder + "-copy", 0);
  {
    ToyStore toy(toy_folder, 10);
    LevelDbStore leveldb(folder + "/leveldb-random");
    toy.CompactAll();
    leveldb.CompactAll();
    CompareReads(workload, &toy, &leveldb);
  }
  absl::PrintF(
      "\nBlocks looked into per missing key, by toy_lsm:\n\n"
      "| | with filters | without |\n|---|--:|--:|\n"
      "| as the writes left it | %.3f | %.3f |\n| compacted | %.3f | %.3f |\n",
      filled_with, filled_without, BlocksPerMissingKey(workload, toy_folder, 10),
      BlocksPerMissingKey(workload, toy_folder, 0));
}

}  // namespace
}  // namespace toy_lsm

int main(int argc, char** argv) {
  absl::SetProgramUsageMessage(
      "toydb bench: the toy database beside LevelDB. toydb bench -n 1000000");
  absl::ParseCommandLine(argc, argv);
  std::string folder = absl::GetFlag(FLAGS_folder);
  const bool is_temporary = folder.empty();
  if (is_temporary) {
    folder = std::filesystem::temp_directory_path() / "toydb_bench-XXXXXX";
    toy_lsm::Require(::mkdtemp(&folder[0]) != nullptr, "can't make a temporary folder");
  } else {
    toy_lsm::Require(std::filesystem::create_directory(folder), folder + " is there already");
  }
  toy_lsm::Run(folder);
  if (is_temporary) std::filesystem::remove_all(folder);
}
