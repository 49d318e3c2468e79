// A sample of a table's keys, and the evidence in it of their kind and order.
#ifndef SSTABLE_TABLE_INSPECT_KEY_SAMPLE_H_
#define SSTABLE_TABLE_INSPECT_KEY_SAMPLE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "sstable/table_reader.h"
#include "table/block/key_order.h"
#include "table/inspect/order_evidence.h"

namespace sstable {

struct SampledKey {
  std::string key;
  uint64_t block_offset;
};

struct KeySample {
  std::vector<SampledKey> keys;  // the first keys of each block, in table order

  // Counts over all entries of those blocks.
  uint64_t entries = 0;
  uint64_t tagged = 0;  // keys that end in a valid tag; the next four are subsets
  uint64_t deletions = 0;
  uint64_t deletions_with_value = 0;  // LevelDB writes none
  uint64_t high_sequences = 0;        // higher than any database has reached
  uint64_t repeated_sequences = 0;    // already seen in an earlier key
  OrderEvidence plain{KeyKind::kPlain};
  OrderEvidence internal{KeyKind::kInternal};

  uint64_t blocks = 0;
  // Counts over the index keys of those blocks. Leaves out those that equal the last key of the
  // block or another sampled key: that could be the last key of a misplaced block.
  uint64_t shortened_as_internal = 0;  // by IsShortened()
  uint64_t shortened_as_plain = 0;     // by IsShortened(), and not as internal keys

  // How many of `keys`, read as either kind, the filter rules out; nullopt if there is no filter to
  // consult.
  std::optional<size_t> unknown_as_plain, unknown_as_internal;

  const OrderEvidence& order(KeyKind kind) const {
    return kind == KeyKind::kInternal ? internal : plain;
  }
  IndexKeyEvidence plain_index{KeyKind::kPlain};
  IndexKeyEvidence internal_index{KeyKind::kInternal};
  const IndexKeyEvidence& index(KeyKind kind) const {
    return kind == KeyKind::kInternal ? internal_index : plain_index;
  }

  // Adds an entry to everything except `keys` and the index keys.
  void Add(absl::string_view key, absl::string_view value);
  // Call when `keys` is complete.
  void AddIndexKey(absl::string_view index_key, absl::string_view last_key);

 private:
  absl::flat_hash_set<uint64_t> sequences_;
};

// Samples all entries of up to 16 evenly spread data blocks, skipping those that can't be read. If
// none of these has readable entries, samples the first block in the table that has. Errors: those
// of the index.
absl::StatusOr<KeySample> TakeKeySample(const TableReader& reader);

}  // namespace sstable

#endif  // SSTABLE_TABLE_INSPECT_KEY_SAMPLE_H_
