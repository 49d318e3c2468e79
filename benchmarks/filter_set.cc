#include "benchmarks/filter_set.h"

#include <cstdint>
#include <cstdio>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "benchmarks/require.h"
#include "sstable/experimental/table_filter.h"
#include "sstable/filter_policy.h"

namespace sstable::bench {
namespace {

constexpr size_t kMaxLookups = size_t{1} << 20;
constexpr size_t kLevelDbCache = size_t{8} << 20;  // uncompressed blocks in mapped files need none

constexpr FilterSet::Spec kSpecs[] = {
    {"10k", "decimal", 10'000, KeyShape::kDecimal, 100},
    {"10k", "random", 10'000, KeyShape::kRandom, 100},
    {"10k", "path", 10'000, KeyShape::kPath, 24},
    {"1M", "decimal", 1'000'000, KeyShape::kDecimal, 100},
    {"1M", "random", 1'000'000, KeyShape::kRandom, 100},
    {"1M", "path", 1'000'000, KeyShape::kPath, 24},
    {"9M", "decimal", 9'000'000, KeyShape::kDecimal, 100},
    {"9M", "random", 9'000'000, KeyShape::kRandom, 100},
    {"9M", "path", 9'000'000, KeyShape::kPath, 24},
};

// Compares `get` with all entries, and with as many absent keys.
template <typename Store>
void VerifyAnswers(const std::string& who, const Entries& entries, Store& store) {
  std::string value;
  for (size_t i = 0; i < entries.size(); ++i) {
    Require(store.Get(entries.key(i), &value) && value == entries.value(i),
            absl::StrCat(who, ": the value of entry ", i, " is wrong"));
    Require(!store.Get(entries.AbsentKey(i), &value),
            absl::StrCat(who, ": absent key ", i, " is found"));
  }
}

}  // namespace

absl::Span<const FilterVariant> AllFilterVariants() {
  static const auto* const variants = new std::vector<FilterVariant>{
      {"none", false, nullptr},
      {"bloom", true, nullptr},
      {"blocked", false, NewBlockedBloomPolicy(kBitsPerKey).release()},
      {"bloom+blocked", true, NewBlockedBloomPolicy(kBitsPerKey).release()},
      {"fuse8", false, NewBinaryFusePolicy(FuseBits::k8).release()},
  };
  return *variants;
}

BuildSpec BuildSpecOf(const FilterVariant& variant) {
  BuildSpec spec;
  spec.filter = variant.leveldb_filter;
  spec.table_filter = variant.table_filter;
  return spec;
}

absl::Span<const FilterSet::Spec> FilterSet::AllSpecs() { return kSpecs; }

void FilterSet::Open(const std::string& folder) {
  std::fprintf(stderr, "making %s\n", name().c_str());
  entries_ = std::make_unique<Entries>(spec_.key_shape, spec_.entry_count, spec_.value_size);
  hits_ = ShuffledKeys(*entries_, kMaxLookups);
  misses_ = ShuffledAbsentKeys(*entries_, kMaxLookups);
  const std::string stem = absl::StrCat(folder, "/", name(), "-");
  for (const FilterVariant& variant : AllFilterVariants()) {
    BuildSpec build = BuildSpecOf(variant);
    build.path = absl::StrCat(stem, variant.name, ".ldb");
    BuildWithOurs(*entries_, build);
    ours_.push_back(std::make_unique<OurTable>(build.path));
  }
  CdbDatabase::Fill(stem + "cdb", *entries_);
  cdb_ = std::make_unique<CdbDatabase>(stem + "cdb");
  LevelDbDatabase::Fill(stem + "leveldb", *entries_, Codec::kRaw);
  leveldb_ = std::make_unique<LevelDbDatabase>(stem + "leveldb", kLevelDbCache);
  Verify();
}

void FilterSet::Verify() const {
  for (size_t i = 0; i < ours_.size(); ++i) {
    const FilterVariant& variant = AllFilterVariants()[i];
    VerifyAnswers(variant.name, *entries_, *ours_[i]);
    const bool has_filter = variant.leveldb_filter || variant.table_filter != nullptr;
    Require(ours_[i]->reader().LoadFilter().ok() == has_filter,
            absl::StrCat(variant.name, ": ", ours_[i]->reader().LoadFilter().ToString()));
  }
  VerifyAnswers("tinycdb", *entries_, *cdb_);
  VerifyAnswers("LevelDB", *entries_, *leveldb_);
}

}  // namespace sstable::bench
