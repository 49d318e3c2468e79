// Compares filters of several kinds for the keys of some tables: `sst filter compare`.
#ifndef SSTABLE_TABLE_INSPECT_FILTER_COMPARISON_H_
#define SSTABLE_TABLE_INSPECT_FILTER_COMPARISON_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "sstable/experimental/filter_report.h"
#include "sstable/experimental/table_filter.h"
#include "sstable/filter_policy.h"
#include "table/inspect/opened_table.h"

namespace sstable {

// One kind of filter; the figures are sums over all tables.
struct ComparedFilter {
  std::string option;  // value for `sst build`, such as "bloom:10": of --filter if it has windows,
                       // otherwise of --table-filter
  std::optional<int> base_lg;                  // only for filter blocks
  std::unique_ptr<const FilterPolicy> policy;  // either this or table_policy
  std::unique_ptr<const TableFilterPolicy> table_policy;

  uint64_t bytes = 0;  // size of the filters' contents
  // The rate that `random` approaches with more and more keys. For filter blocks, it is measured on
  // the same bits with four times as many hashes; for other filters, it is computed.
  double ExpectedRate() const {
    return random.tested == 0 ? 0 : expected_passes / static_cast<double>(random.tested);
  }
  double expected_passes = 0;
  FilterRate random;
  FilterRate neighbours;     // as in FilterReport
  double probe_seconds = 0;  // CPU time of `random`, without making keys and hashes
};

// Pattern: AddTable*, then the results.
// Memory:  while a table is added, 21 bytes for each key, up to about kMaxKeys of them, 16 for each
//          restart point, and twice the largest filter. After that, a few keys for each table.
class FilterComparison {
 public:
  // The limit on the keys of a table that are examined: the first ones, to the end of a block.
  static constexpr uint64_t kMaxKeys = uint64_t{1} << 22;

  // Compares common kinds of filters and, if a `rate` is given, filters of LevelDB's format made
  // for it. `random_keys` is the number of random keys that each filter is tested with.
  FilterComparison(std::optional<double> rate, uint64_t random_keys);

  // Measures all filters with the keys of another table. Returns the first damage found; keys of
  // damaged blocks are left out.
  absl::Status AddTable(const OpenedTable& table);

  const std::vector<ComparedFilter>& filters() const { return filters_; }
  size_t table_count() const { return ranges_.size(); }  // tables whose index can be read
  uint64_t key_count() const { return key_count_; }      // examined; each version counts
  bool is_sample() const { return is_sample_; }          // some table has more keys
  // The average number of tables whose key range contains an absent key that lies between two keys
  // of one of them. If the order of a table is not known, the number of all tables.
  double TablesPerLookup() const;

 private:
  struct Keys;
  struct Range {
    bool order_known;
    const Comparator* comparator;
    uint64_t key_count;
    std::string first, last;
    std::vector<std::string> some_keys;
  };

  absl::Status Collect(const OpenedTable& table, Keys* keys);
  void Measure(const Keys& keys, ComparedFilter* filter) const;
  void MeasureBlocks(const Keys& keys, ComparedFilter* filter) const;
  void MeasureTable(const Keys& keys, ComparedFilter* filter) const;

  const uint64_t random_keys_;
  std::vector<ComparedFilter> filters_;
  std::vector<Range> ranges_;
  uint64_t key_count_ = 0;
  bool is_sample_ = false;
};

}  // namespace sstable

#endif  // SSTABLE_TABLE_INSPECT_FILTER_COMPARISON_H_
