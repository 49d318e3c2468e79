#include "benchmarks/data_set.h"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "benchmarks/require.h"
#include "sstable/internal_key.h"

namespace sstable::bench {
namespace {

namespace fs = std::filesystem;

// Must be changed whenever the contents of the files change.
constexpr absl::string_view kMadeBy = "sstable benchmarks, data version 4\n";

constexpr size_t kMaxLookups = size_t{1} << 20;

std::vector<DataSet::Spec> MakeSpecs() {
  constexpr size_t kMillion = 1'000'000;
  std::vector<DataSet::Spec> specs;
  for (const auto& [size, count] :
       {std::pair<const char*, size_t>{"10k", 10'000}, {"1M", kMillion}, {"9M", 9 * kMillion}}) {
    specs.push_back({size, "", count, KeyShape::kDecimal});
    specs.push_back({size, "-random", count, KeyShape::kRandom});
    if (count > kMillion) continue;
    for (const KeyShape shape :
         {KeyShape::kPath, KeyShape::kComposite, KeyShape::kUuid, KeyShape::kUrl, KeyShape::kDomain,
          KeyShape::kCoins, KeyShape::kAccounts, KeyShape::kIndexedDb, KeyShape::kChunks}) {
      specs.push_back({size, absl::StrCat("-", NameOf(shape)), count, shape});
    }
  }
  specs.push_back({"1M", "-snappy", kMillion, KeyShape::kDecimal, Codec::kSnappy});
  // The larger the values, the fewer entries, so that the total size is about the same.
  for (const auto& [value_size, count] :
       {std::pair<size_t, size_t>{0, kMillion}, {24, kMillion}, {400, 275'000}, {4000, 28'000}}) {
    specs.push_back({"1M", absl::StrCat("-value", value_size), count, KeyShape::kDecimal,
                     Codec::kRaw, value_size});
  }
  return specs;
}

std::vector<std::string> FilesIn(const std::string& folder, absl::string_view extension) {
  std::vector<std::string> paths;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension().string() == extension) paths.push_back(entry.path().string());
  }
  return paths;
}

bool IsComplete(const std::string& folder) {
  std::ifstream file(folder + "/complete");
  const std::string made_by((std::istreambuf_iterator<char>(file)), {});
  return made_by == kMadeBy;
}

}  // namespace

std::string OnlyFile(const std::string& folder, absl::string_view extension) {
  const std::vector<std::string> paths = FilesIn(folder, extension);
  Require(paths.size() == 1,
          absl::StrCat(folder, ": there are ", paths.size(), " files *", extension, ", not one"));
  return paths[0];
}

const std::vector<DataSet::Spec>& DataSet::AllSpecs() {
  static const std::vector<Spec> specs = MakeSpecs();
  return specs;
}

void DataSet::MakeFiles(const std::string& folder) const {
  std::fprintf(stderr, "making %s\n", folder.c_str());
  fs::remove_all(folder);
  fs::create_directories(folder);
  BuildSpec table{spec_.codec};
  table.path = folder + "/table.ldb";
  BuildWithLevelDb(*entries_, table);
  LevelDbDatabase::Fill(folder + "/leveldb", *entries_, spec_.codec);
  if (has_internal() && FilesIn(folder + "/leveldb", ".ldb").size() > 1) {
    BuildSpec internal{spec_.codec};
    internal.path = folder + "/internal.ldb";
    BuildInternalWithOurs(*entries_, internal);
  }
  RocksDbDatabase::Fill(folder + "/rocksdb", *entries_, spec_.codec);
  if (!is_compressed()) LmdbDatabase::Fill(folder + "/lmdb", *entries_);
  MtblTable::Fill(folder + "/mtbl", *entries_, spec_.codec);
  std::ofstream complete(folder + "/complete");
  complete << kMadeBy;
  complete.close();
  Require(complete.good(), absl::StrCat("can't write ", folder));
}

void DataSet::Open(const std::string& folder) {
  const std::string here = absl::StrCat(folder, "/", name());
  entries_ = std::make_unique<Entries>(spec_.key_shape, spec_.entry_count, spec_.value_size);
  hits_ = ShuffledKeys(*entries_, kMaxLookups);
  misses_ = ShuffledAbsentKeys(*entries_, kMaxLookups);
  if (!IsComplete(here)) MakeFiles(here);

  table_path_ = here + "/table.ldb";
  ours_ = std::make_unique<OurTable>(table_path_);
  leveldb_table_ = std::make_unique<LevelDbTable>(table_path_);
  leveldb_db_ = std::make_unique<LevelDbDatabase>(here + "/leveldb", kLargeCache);
  // RocksDB without a cache is faster if blocks are mapped.
  rocksdb_db_ =
      std::make_unique<RocksDbDatabase>(here + "/rocksdb", is_compressed() ? kLargeCache : 0);
  rocksdb_table_path_ = OnlyFile(here + "/rocksdb", ".sst");
  rocksdb_table_ = std::make_unique<RocksDbTable>(rocksdb_table_path_);
  if (!is_compressed()) lmdb_ = std::make_unique<LmdbDatabase>(here + "/lmdb");
  mtbl_ = std::make_unique<MtblTable>(here + "/mtbl");
  if (is_compressed()) {
    ours_cached_ = std::make_unique<OurTable>(table_path_, KeyKind::kPlain, kLargeCache);
    leveldb_table_cached_ = std::make_unique<LevelDbTable>(table_path_, kLargeCache);
    rocksdb_table_cached_ = std::make_unique<RocksDbTable>(rocksdb_table_path_, kLargeCache);
    WarmCaches();
  }
  if (has_internal()) {
    const std::string merged = here + "/internal.ldb";
    ours_internal_ = std::make_unique<OurTable>(
        fs::exists(merged) ? merged : OnlyFile(here + "/leveldb", ".ldb"), KeyKind::kInternal);
  }
}

void DataSet::WarmCaches() const {
  leveldb_db_->NewCursor()->ScanForward();
  rocksdb_db_->NewCursor()->ScanForward();
  ours_cached_->NewCursor()->ScanForward();
  leveldb_table_cached_->NewCursor()->ScanForward();
  rocksdb_table_cached_->NewCursor()->ScanForward();
}

}  // namespace sstable::bench
