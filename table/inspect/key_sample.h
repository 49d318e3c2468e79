// The keys of some blocks of a table, and all that they show of what they are.
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
  std::vector<SampledKey> keys;  // the first ones of each block, in table order

  // Of all entries of those blocks.
  uint64_t entries = 0;
  uint64_t tagged = 0;  // keys that end in a valid tag; the next four are of those
  uint64_t deletions = 0;
  uint64_t deletions_with_value = 0;  // LevelDB writes none
  uint64_t high_sequences = 0;        // that no database has reached
  uint64_t repeated_sequences = 0;    // that another key has, too
  OrderEvidence plain{KeyKind::kPlain};
  OrderEvidence internal{KeyKind::kInternal};

  uint64_t blocks = 0;
  // Of the index keys of those blocks, those that are not the last key of the block, nor another
  // one that was sampled: that would be the last key of a block that has another place.
  uint64_t shortened_as_internal = 0;  // as IsShortened() says
  uint64_t shortened_as_plain = 0;     // likewise, and not the former

  // How many of `keys` the filter does not know, read as of either kind; nullopt without a filter
  // that can be asked.
  std::optional<size_t> unknown_as_plain, unknown_as_internal;

  const OrderEvidence& order(KeyKind kind) const {
    return kind == KeyKind::kInternal ? internal : plain;
  }
  IndexKeyEvidence plain_index{KeyKind::kPlain};
  IndexKeyEvidence internal_index{KeyKind::kInternal};
  const IndexKeyEvidence& index(KeyKind kind) const {
    return kind == KeyKind::kInternal ? internal_index : plain_index;
  }

  // Adds an entry to all but `keys` and the index keys.
  void Add(absl::string_view key, absl::string_view value);
  // When all are in `keys`.
  void AddIndexKey(absl::string_view index_key, absl::string_view last_key);

 private:
  absl::flat_hash_set<uint64_t> sequences_;
};

// All entries of up to 16 data blocks, evenly spread; blocks that can't be read are passed over. If
// none of those can be read, or has entries, of the first one in the table that can and has.
// Errors: those of the index.
absl::StatusOr<KeySample> TakeKeySample(const TableReader& reader);

}  // namespace sstable

#endif  // SSTABLE_TABLE_INSPECT_KEY_SAMPLE_H_
