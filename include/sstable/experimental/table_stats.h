// Counts what is in a table, and names the programs that may have written it.
#ifndef SSTABLE_EXPERIMENTAL_TABLE_STATS_H_
#define SSTABLE_EXPERIMENTAL_TABLE_STATS_H_

#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "sstable/check.h"
#include "sstable/table_reader.h"

namespace sstable {

// A distribution of sizes, in bytes.
struct SSTABLE_EXPORT SizeHistogram {
  uint64_t count = 0;
  uint64_t sum = 0;
  uint64_t min = std::numeric_limits<uint64_t>::max();
  uint64_t max = 0;
  std::array<uint64_t, 65> by_bit_width = {};  // [0]: size 0; [n]: 2^(n-1) <= size < 2^n

  void Add(uint64_t size);
  double Mean() const {
    return count == 0 ? 0 : static_cast<double>(sum) / static_cast<double>(count);
  }
};

// Who may have written a table. A table does not name its writer, but programs differ in what they
// compress, in their filters, and in details that readers ignore.
struct Origin {
  // Known programs that write such tables, the likeliest first. Other programs may write the same.
  std::vector<std::string> writers;
  std::vector<std::string> marks;  // clauses: how it differs from LevelDB's simplest tables
};

struct TableStats {
  absl::Status status;  // the first damage found; the counts do not include damaged blocks

  uint64_t file_size = 0;
  uint64_t data_blocks = 0;
  uint64_t damaged_data_blocks = 0;
  uint64_t data_stored_size = 0;  // as compressed, without trailers
  uint64_t data_raw_size = 0;     // uncompressed
  uint64_t index_size = 0;        // stored
  uint64_t filter_size = 0;
  std::map<std::string, uint64_t> blocks_by_codec;  // data blocks

  uint64_t entries = 0;
  SizeHistogram key_sizes;  // full keys, with their tags
  SizeHistogram value_sizes;

  // Internal keys only; zero if the table has plain ones.
  uint64_t deletions = 0;
  uint64_t distinct_user_keys = 0;
  uint64_t min_sequence = 0;
  uint64_t max_sequence = 0;

  Origin origin;
};

// Reads the whole table. `reader` must have been opened with the right kind of keys. A block that,
// judging by `keys`, may be in another block's place counts as damaged.
SSTABLE_EXPORT TableStats CollectStats(const TableReader& reader,
                                       KeyTrust keys = KeyTrust::kOrdered);

}  // namespace sstable

#endif  // SSTABLE_EXPERIMENTAL_TABLE_STATS_H_
