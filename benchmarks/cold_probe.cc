#include "benchmarks/cold_probe.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <type_traits>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "benchmarks/data_set.h"
#include "benchmarks/key_shapes.h"
#include "benchmarks/leveldb_rival.h"
#include "benchmarks/ours.h"
#include "benchmarks/proc_number.h"
#include "benchmarks/require.h"
#include "benchmarks/rocksdb_rival.h"
#include "benchmarks/workload.h"
#include "sstable/file.h"

namespace sstable::bench {
namespace {

constexpr size_t kLookups = 1000;
constexpr size_t kBatches = 32;

// Returns the number of bytes read from the device for this process so far.
uint64_t BytesFromDevice() { return ProcNumber("io", "read_bytes:"); }

// A copy of a file on a device. The destructor removes it.
class ColdFile {
 public:
  ColdFile(const std::string& from, const std::string& scratch)
      : path_(absl::StrCat(scratch, "/cold-", ::getpid(), ".ldb")) {
    std::filesystem::create_directories(scratch);
    std::filesystem::copy_file(from, path_);
    Drop();
  }
  ~ColdFile() { std::filesystem::remove(path_); }

  const std::string& path() const { return path_; }

  // Drops its pages from the page cache. Mapped pages would stay, so no reader may be open.
  void Drop() const {
    const int file = ::open(path_.c_str(), O_RDONLY);
    Require(file >= 0 && ::fsync(file) == 0, absl::StrCat("can't sync ", path_));
    Require(::posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED) == 0,
            absl::StrCat("can't drop the pages of ", path_));
    ::close(file);
  }

 private:
  std::string path_;
};

struct Cost {
  double microseconds = 0;
  double bytes = 0;
};

// Returns the mean cost per item if `work` processes `count` items.
template <typename Work>
Cost Measure(size_t count, Work work) {
  const uint64_t bytes_before = BytesFromDevice();
  const auto start = std::chrono::steady_clock::now();
  work();
  const std::chrono::duration<double, std::micro> time = std::chrono::steady_clock::now() - start;
  const uint64_t bytes = BytesFromDevice() - bytes_before;
  return {time.count() / static_cast<double>(count),
          static_cast<double>(bytes) / static_cast<double>(count)};
}

void MultiGetAll(const OurTable& table, const std::vector<std::string>& keys) {
  std::array<std::string, kMultiGetSize> values;
  std::array<absl::string_view, kMultiGetSize> batch;
  for (size_t first = 0; first < keys.size(); first += kMultiGetSize) {
    for (size_t i = 0; i < kMultiGetSize; ++i) batch[i] = keys[first + i];
    Require(table.MultiGet(batch, absl::MakeSpan(values)) == kMultiGetSize,
            "a key was not found by MultiGet");
  }
}

void Print(absl::string_view what, const Cost& cost) {
  absl::PrintF("\"%s_us\": %.2f, \"%s_bytes\": %.0f, ", what, cost.microseconds, what, cost.bytes);
}

template <typename Table>
void MeasureAll(const ColdFile& file, const std::vector<std::string>& keys,
                absl::FunctionRef<std::unique_ptr<Table>()> open) {
  std::string value;
  const auto get = [&](Table& table, const std::string& key) {
    Require(table.Get(key, &value), absl::StrCat("key ", key, " is not in ", file.path()));
  };
  std::unique_ptr<Table> table;
  Print("open_get", Measure(1, [&] {
          table = open();
          get(*table, keys[0]);
        }));
  Print("get", Measure(kLookups, [&] {
          for (size_t i = 1; i <= kLookups; ++i) get(*table, keys[i]);
        }));
  if constexpr (std::is_same_v<Table, OurTable>) {  // other tables have no MultiGet
    const std::vector<std::string> rest(keys.begin() + kLookups + 1, keys.end());
    Print("multi_get", Measure(rest.size(), [&] { MultiGetAll(*table, rest); }));
  }
  table = nullptr;
  file.Drop();
  Print("scan", Measure(1, [&] {
          table = open();
          Require(table->NewCursor()->ScanForward().entry_count > 0, "the table is empty");
        }));
  absl::PrintF("\"file_bytes\": %d}\n", std::filesystem::file_size(file.path()));
}

}  // namespace

void RunColdProbe(const std::string& who, const std::string& folder, const std::string& scratch,
                  size_t entry_count) {
  std::vector<std::string> keys;
  Random random(1);
  for (size_t i = 0; i < 1 + kLookups + kBatches * kMultiGetSize; ++i) {
    keys.push_back(MakeKey(KeyShape::kDecimal, 2 * uint64_t{random.Below(entry_count)}));
  }
  const bool is_rocksdb = absl::StartsWith(who, "rocksdb");
  const ColdFile file(is_rocksdb ? OnlyFile(folder + "/rocksdb", ".sst") : folder + "/table.ldb",
                      scratch);
  const std::string& path = file.path();
  absl::PrintF("{");
  if (who == "ours" || who == "ours_read") {
    const FileAccess access = who == "ours" ? FileAccess::kMap : FileAccess::kRead;
    MeasureAll<OurTable>(file, keys, [&] {
      return std::make_unique<OurTable>(ValueOrFail(OpenFile(path, access)));
    });
  } else if (who == "leveldb") {
    MeasureAll<LevelDbTable>(file, keys, [&] { return std::make_unique<LevelDbTable>(path); });
  } else if (who == "rocksdb" || who == "rocksdb_read") {
    MeasureAll<RocksDbTable>(
        file, keys, [&] { return std::make_unique<RocksDbTable>(path, 0, who == "rocksdb"); });
  } else {
    Fail(absl::StrCat("--cold_probe: ", who,
                      " is not one of ours, ours_read, leveldb, rocksdb, rocksdb_read"));
  }
}

}  // namespace sstable::bench
