// Compares reads of folders by DatabaseView and by leveldb::DB. LevelDB makes the folders, with its
// default options and a Bloom filter of 10 bits per key. Answers are compared before anything is
// timed.
//
//   bazel run //benchmarks:folder_bench -- --tables=10,50 --values=24,120
//
// The two take turns in short rounds. Each figure is the lower quartile of the thread's processor
// time, so a busy machine matters little (benchmarks/thread_time.h).
#include <malloc.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/flags/parse.h"
#include "absl/flags/usage.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "benchmarks/key_shapes.h"
#include "benchmarks/require.h"
#include "benchmarks/thread_time.h"
#include "benchmarks/workload.h"
#include "leveldb/cache.h"
#include "leveldb/db.h"
#include "leveldb/filter_policy.h"
#include "leveldb/iterator.h"
#include "leveldb/options.h"
#include "leveldb/write_batch.h"
#include "sstable/database_view.h"
#include "sstable/options.h"

ABSL_FLAG(std::string, data, "/dev/shm/sstable-folders",
          "folder for the databases, which are kept for the next run");
ABSL_FLAG(std::vector<std::string>, tables, std::vector<std::string>({"10", "50"}),
          "tables of 2 MiB in a folder, by commas");
ABSL_FLAG(std::vector<std::string>, values, std::vector<std::string>({"24", "120", "4000"}),
          "bytes of a value, by commas");
ABSL_FLAG(std::vector<std::string>, shapes, std::vector<std::string>({"decimal", "accounts"}),
          "shapes of keys (benchmarks/key_shapes.h), by commas");
ABSL_FLAG(std::vector<std::string>, codecs, std::vector<std::string>({"raw", "snappy"}),
          "raw, snappy, by commas");
ABSL_FLAG(std::vector<std::string>, states,
          std::vector<std::string>({"plain", "overwritten", "log"}),
          "plain; overwritten: a tenth of the keys again; log: a hundredth, still in the log");
ABSL_FLAG(size_t, cache, size_t{1} << 30,
          "bytes of block cache for either's Gets of cached blocks; else it is the default, 8 MiB");
ABSL_FLAG(int, rounds, 21, "rounds of each measurement");

namespace sstable::bench {
namespace {

struct FolderSpec {
  size_t table_count;
  size_t value_size;
  KeyShape shape;
  bool is_compressed;
  std::string state;

  std::string name() const {
    return absl::StrCat(table_count, "x2MiB/", value_size, "B/", NameOf(shape), "/",
                        is_compressed ? "snappy" : "raw", "/", state);
  }
  size_t entry_count() const {
    const size_t stored = is_compressed ? value_size / 2 + 12 : value_size + 24;
    return table_count * (size_t{2} << 20) / std::max<size_t>(stored, 16);
  }
};

leveldb::Slice SliceOf(absl::string_view bytes) { return {bytes.data(), bytes.size()}; }

leveldb::Options OptionsOf(const FolderSpec& spec, leveldb::Cache* cache) {
  static const leveldb::FilterPolicy* const policy = leveldb::NewBloomFilterPolicy(10);
  leveldb::Options options;
  options.create_if_missing = true;
  options.filter_policy = policy;
  options.block_cache = cache;
  if (!spec.is_compressed) options.compression = leveldb::kNoCompression;
  return options;
}

std::unique_ptr<leveldb::DB> OpenLevelDb(const FolderSpec& spec, const std::string& folder,
                                         leveldb::Cache* cache) {
  leveldb::DB* database = nullptr;
  RequireRivalOk(leveldb::DB::Open(OptionsOf(spec, cache), folder, &database), folder);
  return std::unique_ptr<leveldb::DB>(database);
}

// Puts every entry whose number is a multiple of `step`.
void Put(const Entries& entries, size_t step, leveldb::DB* database) {
  leveldb::WriteBatch batch;
  for (size_t i = 0; i < entries.size(); i += step) {
    batch.Put(SliceOf(entries.key(i)), SliceOf(entries.value(i)));
    if (batch.ApproximateSize() < 100'000) continue;
    RequireRivalOk(database->Write({}, &batch), "LevelDB writes");
    batch.Clear();
  }
  RequireRivalOk(database->Write({}, &batch), "LevelDB writes");
}

void MakeFolder(const FolderSpec& spec, const Entries& entries, const std::string& folder) {
  namespace fs = std::filesystem;
  if (fs::exists(folder)) return;
  const std::string unfinished = folder + ".new";
  fs::remove_all(unfinished);
  fs::create_directories(unfinished);
  {
    const auto database = OpenLevelDb(spec, unfinished, nullptr);
    Put(entries, 1, database.get());
    database->CompactRange(nullptr, nullptr);
    if (spec.state == "overwritten") Put(entries, 10, database.get());
  }
  if (spec.state != "overwritten") OpenLevelDb(spec, unfinished, nullptr);
  if (spec.state == "log") Put(entries, 100, OpenLevelDb(spec, unfinished, nullptr).get());
  fs::rename(unfinished, folder);
}

// Copies by hard links, since LevelDB never changes a file that exists when it opens the folder.
void CopyFolder(const std::string& from, const std::string& to) {
  namespace fs = std::filesystem;
  fs::remove_all(to);
  fs::copy(from, to, fs::copy_options::recursive | fs::copy_options::create_hard_links);
}

struct Pair {
  double ours;
  double leveldb;
};

// Returns each one's nanoseconds per item.
Pair TakeTurns(size_t items, const std::function<void()>& ours,
               const std::function<void()>& leveldb) {
  std::vector<double> times[2];
  for (int round = 0; round < absl::GetFlag(FLAGS_rounds); ++round) {
    for (const bool is_ours : {true, false}) {
      const double start = ThreadNanoseconds();
      (is_ours ? ours : leveldb)();
      times[is_ours].push_back((ThreadNanoseconds() - start) / static_cast<double>(items));
    }
  }
  return {LowerQuartile(times[1]), LowerQuartile(times[0])};
}

void Print(const FolderSpec& spec, const char* job, const Pair& pair) {
  std::printf("%-42s %-14s %12.1f %12.1f %8.2fx\n", spec.name().c_str(), job, pair.ours,
              pair.leveldb, pair.leveldb / pair.ours);
  std::fflush(stdout);
}

// Returns the memory allocated by malloc().
double HeapMiB() {
  const struct mallinfo2 info = ::mallinfo2();
  return static_cast<double>(info.uordblks + info.hblkhd) / (1 << 20);
}

std::unique_ptr<DatabaseView> OpenOurs(const std::string& folder,
                                       std::shared_ptr<BlockCache> cache) {
  DatabaseViewOptions options;
  options.block_cache = std::move(cache);
  return ValueOrFail(DatabaseView::Open(folder, options));
}

void Verify(const DatabaseView& ours, leveldb::DB* leveldb, const KeyList& hits,
            const KeyList& misses) {
  std::string value, expected;
  for (const KeyList* keys : {&hits, &misses}) {
    for (size_t i = 0; i < keys->size(); ++i) {
      const Presence presence = ValueOrFail(ours.Get((*keys)[i], &value));
      const bool is_found = leveldb->Get({}, SliceOf((*keys)[i]), &expected).ok();
      Require(is_found == (presence == Presence::kFound) && (!is_found || value == expected),
              absl::StrCat("another answer than LevelDB's for ", (*keys)[i]));
    }
  }
  const std::unique_ptr<leveldb::Iterator> theirs(leveldb->NewIterator({}));
  const auto it = ours.NewIterator();
  theirs->SeekToFirst();
  for (it->SeekToFirst(); it->Valid() && theirs->Valid(); it->Next(), theirs->Next()) {
    Require(SliceOf(it->key()) == theirs->key() && SliceOf(it->value()) == theirs->value(),
            "another entry than LevelDB's");
  }
  RequireOk(it->status());
  Require(!it->Valid() && !theirs->Valid(), "another number of entries than LevelDB's");
}

void TimeGets(const FolderSpec& spec, const char* job, const DatabaseView& ours,
              leveldb::DB* leveldb, const KeyList& keys) {
  constexpr size_t kGets = 10'000;
  KeyWalk our_walk(keys), their_walk(keys);
  std::string value;
  Print(spec, job,
        TakeTurns(
            kGets,
            [&] {
              for (size_t i = 0; i < kGets; ++i)
                RequireOk(ours.Get(our_walk.Next(), &value).status());
            },
            [&] {
              for (size_t i = 0; i < kGets; ++i) {
                leveldb->Get({}, SliceOf(their_walk.Next()), &value);
              }
            }));
}

template <typename Iterator>
size_t CountBytes(Iterator* it, size_t limit) {
  size_t bytes = 0;
  for (it->SeekToFirst(); it->Valid() && limit-- > 0; it->Next()) {
    bytes += it->key().size() + it->value().size();
  }
  return bytes;
}

void TimeSeeks(const FolderSpec& spec, const DatabaseView& ours, leveldb::DB* leveldb,
               const KeyList& keys) {
  constexpr size_t kSeeks = 2'000;
  KeyWalk our_walk(keys), their_walk(keys);
  const auto it = ours.NewIterator();
  const std::unique_ptr<leveldb::Iterator> theirs(leveldb->NewIterator({}));
  Print(spec, "seek",
        TakeTurns(
            kSeeks,
            [&] {
              for (size_t i = 0; i < kSeeks; ++i) it->Seek(our_walk.Next());
            },
            [&] {
              for (size_t i = 0; i < kSeeks; ++i) theirs->Seek(SliceOf(their_walk.Next()));
            }));
}

// Scans the first `count` entries without caching blocks.
void TimeScans(const FolderSpec& spec, const DatabaseView& ours, leveldb::DB* leveldb,
               size_t count) {
  const auto theirs = [&] {
    CountBytes(std::unique_ptr<leveldb::Iterator>(leveldb->NewIterator({})).get(), count);
  };
  Print(spec, "scan",
        TakeTurns(
            count, [&] { CountBytes(ours.NewIterator().get(), count); }, theirs));
  const auto history = ours.NewHistoryIterator();
  const auto read_history = [&] {
    size_t limit = count;
    for (history->SeekToFirst(); history->Valid() && limit-- > 0; history->Next()) continue;
  };
  Print(spec, "history", TakeTurns(count, read_history, theirs));
}

void TimeFolder(const FolderSpec& spec) {
  const Entries entries(spec.shape, spec.entry_count(), spec.value_size);
  std::string name = spec.name();
  std::replace(name.begin(), name.end(), '/', '-');
  const std::string folder = absl::GetFlag(FLAGS_data) + "/" + name;
  MakeFolder(spec, entries, folder);
  // Copied before LevelDB opens the folder and converts the log to a table.
  const std::string copy = folder + ".copy";
  CopyFolder(folder, copy);
  std::vector<double> opens[2];
  for (int round = 0; round < 5; ++round) {
    double start = ThreadNanoseconds();
    const auto opened = OpenOurs(folder, nullptr);
    opens[0].push_back(ThreadNanoseconds() - start);
    CopyFolder(folder, copy);
    start = ThreadNanoseconds();
    const auto theirs = OpenLevelDb(spec, copy, nullptr);
    opens[1].push_back(ThreadNanoseconds() - start);
  }
  std::printf("%-42s %-14s %12s %12s\n", spec.name().c_str(), "", "ours", "LevelDB");
  Print(spec, "open", {LowerQuartile(opens[0]), LowerQuartile(opens[1])});
  const KeyList hits = ShuffledKeys(entries, 10'000);
  const KeyList misses = ShuffledAbsentKeys(entries, 10'000);
  {
    const double before = HeapMiB();
    const auto ours = OpenOurs(folder, nullptr);
    std::string value;
    for (size_t i = 0; i < hits.size(); ++i) RequireOk(ours->Get(hits[i], &value).status());
    std::printf("%-42s %-14s %12.1f MiB more after %zu Gets\n", spec.name().c_str(), "memory",
                HeapMiB() - before, hits.size());
    const auto theirs = OpenLevelDb(spec, copy, nullptr);
    Verify(*ours, theirs.get(), hits, misses);
    TimeGets(spec, "get hit, cold", *ours, theirs.get(), hits);
    TimeSeeks(spec, *ours, theirs.get(), hits);
    TimeScans(spec, *ours, theirs.get(), std::min<size_t>(entries.size(), 300'000));
  }
  const size_t cache_size = absl::GetFlag(FLAGS_cache);
  const auto ours = OpenOurs(folder, std::make_shared<BlockCache>(cache_size));
  const std::unique_ptr<leveldb::Cache> their_cache(leveldb::NewLRUCache(cache_size));
  {
    const auto theirs = OpenLevelDb(spec, copy, their_cache.get());
    Verify(*ours, theirs.get(), hits, misses);
    TimeGets(spec, "get miss", *ours, theirs.get(), misses);
    TimeGets(spec, "get hit", *ours, theirs.get(), hits);
  }
  std::filesystem::remove_all(copy);
}

KeyShape ShapeNamed(const std::string& name) {
  for (const KeyShape shape : kKeyShapes) {
    if (name == NameOf(shape)) return shape;
  }
  Fail("--shapes: there is no " + name);
}

size_t NumberIn(const std::string& text) {
  size_t number = 0;
  Require(absl::SimpleAtoi(text, &number) && number > 0, text + " is not a number above 0");
  return number;
}

void TimeFolders() {
  for (const std::string& tables : absl::GetFlag(FLAGS_tables)) {
    for (const std::string& value : absl::GetFlag(FLAGS_values)) {
      for (const std::string& shape : absl::GetFlag(FLAGS_shapes)) {
        for (const std::string& codec : absl::GetFlag(FLAGS_codecs)) {
          for (const std::string& state : absl::GetFlag(FLAGS_states)) {
            TimeFolder(
                {NumberIn(tables), NumberIn(value), ShapeNamed(shape), codec == "snappy", state});
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace sstable::bench

int main(int argc, char** argv) {
  absl::SetProgramUsageMessage("compares the reading of folders with LevelDB's");
  absl::ParseCommandLine(argc, argv);
  sstable::bench::TimeFolders();
  return 0;
}
