#include "benchmarks/memory_probe.h"

#include <malloc.h>

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "benchmarks/data_set.h"
#include "benchmarks/leveldb_rival.h"
#include "benchmarks/ours.h"
#include "benchmarks/proc_number.h"
#include "benchmarks/require.h"
#include "benchmarks/rocksdb_rival.h"
#include "benchmarks/workload.h"
#include "table/index/table_index.h"
#include "table/table_internals.h"

namespace sstable::bench {
namespace {

constexpr size_t kLookups = 1000;

struct Footprint {
  uint64_t heap_size = 0;
  uint64_t peak_rss = 0;
};

uint64_t HeapSize() {
  const struct mallinfo2 info = mallinfo2();
  return uint64_t{info.uordblks} + info.hblkhd;
}

// Returns bytes. `field` must be one that the kernel reports in kB.
uint64_t FromProcStatus(const std::string& field) { return ProcNumber("status", field) * 1024; }

// Loads everything that a frequently used table keeps in memory. The rivals have already loaded it.
template <typename Table>
void LoadIndex(const Table&) {}
void LoadIndex(const OurTable& table) { RequireOk(table.reader().LoadIndex()); }

template <typename Table>
Footprint Measure(const std::string& path, const std::vector<std::string>& keys) {
  const uint64_t rss_before = FromProcStatus("VmRSS:");
  const uint64_t heap_before = HeapSize();
  std::string value;
  value.reserve(4096);
  const uint64_t value_size = HeapSize() - heap_before;
  Table table(path);
  for (const std::string& key : keys) {
    Require(table.Get(key, &value), absl::StrCat("key ", key, " is not in ", path));
  }
  const uint64_t peak_rss = FromProcStatus("VmHWM:") - rss_before;
  LoadIndex(table);
  return {HeapSize() - heap_before - value_size, peak_rss};
}

Footprint MeasureFor(const std::string& who, const std::string& folder,
                     const std::vector<std::string>& keys) {
  if (who == "ours") return Measure<OurTable>(folder + "/table.ldb", keys);
  if (who == "leveldb") return Measure<LevelDbTable>(folder + "/table.ldb", keys);
  if (who == "rocksdb") return Measure<RocksDbTable>(OnlyFile(folder + "/rocksdb", ".sst"), keys);
  Fail(absl::StrCat("--memory_probe: ", who, " is not one of ours, leveldb, rocksdb"));
}

}  // namespace

void RunMemoryProbe(const std::string& who, const std::string& folder, size_t entry_count) {
  std::vector<std::string> keys;
  for (size_t i = 0; i < kLookups; ++i) {
    keys.push_back(MakeKey(KeyShape::kDecimal, 2 * (uint64_t{i} * entry_count / kLookups)));
  }
  const Footprint footprint = MeasureFor(who, folder, keys);
  const size_t block_count = IndexOf(OurTable(folder + "/table.ldb").reader())->size();
  absl::PrintF("{\"heap_bytes\": %d, \"peak_rss_bytes\": %d, \"block_count\": %d}\n",
               footprint.heap_size, footprint.peak_rss, block_count);
}

}  // namespace sstable::bench
