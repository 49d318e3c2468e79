// Traces a lookup step by step, for `sst get --explain` and `sst filter --probe`.
#ifndef SSTABLE_TABLE_INSPECT_LOOKUP_TRACE_H_
#define SSTABLE_TABLE_INSPECT_LOOKUP_TRACE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "sstable/filter_block.h"
#include "sstable/format.h"
#include "sstable/table_reader.h"
#include "table/block/key_order.h"

namespace sstable {

// The bits of a Bloom filter for one hash of a key.
struct TracedProbe {
  struct Bit {
    uint64_t index;
    bool set;
  };
  bool signed_tail = false;  // which of the two hashes; see util/hash.h
  uint32_t hash = 0;
  std::vector<Bit> bits;  // up to and including the first clear bit
};

// The answer of the filter for a key in one data block.
struct FilterTrace {
  uint64_t window_index = 0;
  FilterWindow::State state = FilterWindow::State::kMissing;
  uint64_t filter_offset = 0;  // in the filter block
  uint64_t filter_size = 0;
  bool is_bloom = false;
  // Bloom filters only. There is a second hash only if not all bits of the first are set.
  uint64_t bit_count = 0;
  int probe_count = 0;
  std::vector<TracedProbe> probes;
  bool consulted = false;  // false: the window has no filter, so any key may be in the block
  bool may_match = true;
};

// `key` is an internal key if the table has those.
FilterTrace TraceFilter(const FilterBlockReader& filter, uint64_t block_offset,
                        absl::string_view key);

// The answer of the whole table's filter for a key.
struct TableFilterTrace {
  uint64_t hash = 0;
  bool may_match = true;
};

// `key` is an internal key if the table has those. nullopt: lookups consult no such filter.
std::optional<TableFilterTrace> TraceTableFilter(const TableReader& reader, absl::string_view key);

// A data block that a lookup visited.
struct BlockTrace {
  size_t block_index = 0;
  BlockHandle handle;
  std::string separator;
  std::optional<FilterTrace> filter;  // nullopt: lookups consult none

  bool read = false;  // the filter let it through; only then do the following members apply
  absl::Status status;
  Codec codec = Codec::kNone;
  uint64_t raw_size = 0;
  uint32_t restart_count = 0;
  uint32_t restart_index = 0;  // the last restart point with a key below the target, or the first
  uint64_t entries_compared = 0;         // from the restart point on
  std::optional<std::string> entry_key;  // the first key not below the target; nullopt: none
};

struct LookupTrace {
  absl::Status status;  // OK if the index could be searched
  size_t block_count = 0;
  std::optional<TableFilterTrace> table_filter;
  // Empty if that filter decides, or if `key` is above the last index key.
  std::vector<BlockTrace> blocks;
};

// Does what `reader`'s lookups do, slowly. `key` is an internal key if the table has those.
LookupTrace TraceLookup(const TableReader& reader, absl::string_view key);

}  // namespace sstable

#endif  // SSTABLE_TABLE_INSPECT_LOOKUP_TRACE_H_
