// A set of entries in our tables with several filters, in tinycdb and in LevelDB.
#ifndef SSTABLE_BENCHMARKS_FILTER_SET_H_
#define SSTABLE_BENCHMARKS_FILTER_SET_H_

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "benchmarks/build_spec.h"
#include "benchmarks/cdb_rival.h"
#include "benchmarks/leveldb_rival.h"
#include "benchmarks/ours.h"
#include "benchmarks/workload.h"
#include "sstable/experimental/table_filter.h"

namespace sstable::bench {

// The filters of one of our tables, which is stored uncompressed.
struct FilterVariant {
  const char* name;
  bool leveldb_filter;                    // 10 bits per key
  const TableFilterPolicy* table_filter;  // null for none
};
absl::Span<const FilterVariant> AllFilterVariants();

// Returns the settings for our table.
BuildSpec BuildSpecOf(const FilterVariant& variant);

// Open() creates the files again each time.
class FilterSet {
 public:
  struct Spec {
    const char* size;   // a value of --sizes, such as "1M"
    const char* shape;  // such as "decimal"
    size_t entry_count;
    KeyShape key_shape;
    size_t value_size;  // bytes
  };
  static absl::Span<const Spec> AllSpecs();

  explicit FilterSet(const Spec& spec) : spec_(spec) {}

  std::string name() const { return std::string(spec_.size) + "-" + spec_.shape; }
  size_t size() const { return spec_.entry_count; }

  // Creates all files in `folder`, opens them, and compares every answer with the entries. Must be
  // called before the methods below.
  void Open(const std::string& folder);

  const Entries& entries() const { return *entries_; }
  const KeyList& hits() const { return hits_; }
  const KeyList& misses() const { return misses_; }

  OurTable& ours(size_t variant) const { return *ours_[variant]; }
  CdbDatabase& cdb() const { return *cdb_; }
  LevelDbDatabase& leveldb() const { return *leveldb_; }

 private:
  void Verify() const;

  Spec spec_;
  std::unique_ptr<Entries> entries_;
  KeyList hits_;
  KeyList misses_;
  std::vector<std::unique_ptr<OurTable>> ours_;  // one for each variant
  std::unique_ptr<CdbDatabase> cdb_;
  std::unique_ptr<LevelDbDatabase> leveldb_;
};

}  // namespace sstable::bench

#endif  // SSTABLE_BENCHMARKS_FILTER_SET_H_
