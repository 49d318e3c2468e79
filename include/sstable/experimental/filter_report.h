// Measures a table's filter with the keys that it was made from, and with others.
#ifndef SSTABLE_EXPERIMENTAL_FILTER_REPORT_H_
#define SSTABLE_EXPERIMENTAL_FILTER_REPORT_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "sstable/check.h"
#include "sstable/format.h"
#include "sstable/table_reader.h"

namespace sstable {

// Which of the two hashes (util/hash.h) a Bloom filter was made with, as far as the keys of its
// windows show.
struct SSTABLE_EXPORT FilterHashEvidence {
  uint64_t keys_with_two_hashes = 0;  // keys whose hash depends on the signedness of bytes
  // False negatives with each of the two, and with another hash.
  uint64_t lost_by_unsigned_hash = 0;
  uint64_t lost_by_signed_hash = 0;
  uint64_t lost_by_murmur3 = 0;  // murmur3 x86 32 with LevelDB's seed, which StarRocks uses

  // `filter` is the Bloom filter of the window that `user_key` is in.
  void Add(absl::string_view filter, absl::string_view user_key);

  // "unsigned", "signed", "either" (no key's hash depends on it), "both", "murmur3" or "neither".
  std::string Verdict() const;
};

// How many absent keys a filter was probed with, and how many of them it let through.
struct SSTABLE_EXPORT FilterRate {
  uint64_t tested = 0;
  uint64_t passed = 0;

  double Rate() const {
    return tested == 0 ? 0 : static_cast<double>(passed) / static_cast<double>(tested);
  }
  // The filter's rate lies between `low` and `high` with a probability of 95 % (Wilson).
  struct Interval {
    double low = 0;
    double high = 1;
  };
  Interval Interval95() const;
};

// The keys that MeasureFilter() looks up, besides every key of the table.
struct FilterProbes {
  uint64_t random_keys = 10000;
  std::vector<std::string> given_keys;  // user keys, if the table has internal keys
};

// A filter for the whole table.
struct TableFilterReport {
  absl::Status status;  // OK if lookups consult it; if not, the reason, and all counts are zero
  std::string name;     // the policy's name
  BlockHandle handle;

  // Keys of the table that the filter rules out, or whose prefix it rules out if it has prefixes;
  // must be 0.
  uint64_t false_negatives = 0;
  // Tested with the same keys as in FilterReport.
  FilterRate random;
  FilterRate neighbours;
  FilterRate given;
};

struct FilterReport {
  absl::Status status;       // OK if lookups consult the filter block; if not, the reason
  absl::Status scan_status;  // the first damage found in the index or the keys; the counts leave
                             // out that block

  // Name and handle of the filter that lookups consult, or else of the first in the metaindex. The
  // name is its policy's; empty if there is no filter.
  std::string name;
  BlockHandle handle;

  // The filter block that lookups consult, or that they reject because it does not match keys of
  // the table. Without one, all members from here on are zero.
  int base_lg = 0;
  uint64_t windows = 0;
  uint64_t empty_windows = 0;
  uint64_t malformed_windows = 0;

  // Bloom filters only: windows by the number of probes, and bits over all windows.
  bool is_bloom = false;
  std::map<int, uint64_t> windows_by_probe_count;
  uint64_t bits = 0;
  uint64_t bits_set = 0;

  // Every key of the table, tested with the filter of its own data block.
  uint64_t keys_tested = 0;
  uint64_t false_negatives = 0;  // must be 0

  FilterHashEvidence hash;  // Bloom filters only

  // Absent keys, each tested with the filter of the data block where it would be:
  FilterRate random;  // 16 random bytes, the same in every report, against the blocks in turn
  // Bloom filters only: the rate that `random` approaches with more and more keys, for exactly
  // these bits and LevelDB's probes. Measured with 16 times as many random hashes.
  double expected_rate = 0;
  // Keys of the table with the last byte incremented, if still below the next key of the block.
  // Only if the keys are known to be in order.
  FilterRate neighbours;
  FilterRate given;  // those of FilterProbes::given_keys that are absent and reach a filter
  uint64_t given_present = 0;

  std::optional<TableFilterReport> table_filter;  // nullopt: there is none
};

// Reads the whole table. `reader` must have been opened with the right kind of keys and with
// use_filter. Leaves out the keys of blocks that, judging by `keys`, may be in another block's
// place. Without a filter to measure, only the index is examined.
SSTABLE_EXPORT FilterReport MeasureFilter(const TableReader& reader,
                                          const FilterProbes& probes = {},
                                          KeyTrust keys = KeyTrust::kOrdered);

}  // namespace sstable

#endif  // SSTABLE_EXPERIMENTAL_FILTER_REPORT_H_
