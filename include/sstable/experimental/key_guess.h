// The kind and the order of a table's keys: as the caller says, or as determined from the table. A
// file records neither.
#ifndef SSTABLE_EXPERIMENTAL_KEY_GUESS_H_
#define SSTABLE_EXPERIMENTAL_KEY_GUESS_H_

#include <cstddef>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "sstable/comparator.h"
#include "sstable/internal_key.h"
#include "sstable/table_reader.h"
#include "sstable/version.h"

namespace sstable {

// The caller's knowledge of a table's keys.
struct GivenKeys {
  std::optional<KeyKind> key_kind;         // nullopt: detect it
  const Comparator* comparator = nullptr;  // order of plain or user keys; borrowed. Null: detect it
};

// How something is known about a table's keys.
enum class KnownBy {
  kCaller,    // the caller said so
  kEvidence,  // the table shows it
  kNothing,   // the table does not show it; it is assumed
};

struct TableKeys {
  KeyKind key_kind = KeyKind::kPlain;
  KnownBy kind_known_by = KnownBy::kNothing;
  std::string kind_reason;  // a clause

  // False if the caller gave a kind that the table contradicts. Then the keys may be in no order.
  bool kind_fits = true;

  // The order of plain keys, or of the user keys: one of KnownComparators(), or the caller's. Null
  // if the keys are in none of these orders, or are too few to decide: such a table can be scanned,
  // but not searched. Lives forever unless the caller gave it.
  const Comparator* comparator = BytewiseComparator();
  KnownBy order_known_by = KnownBy::kNothing;
  bool has_out_of_order = false;  // some of the keys examined are out of that order
  std::string order_reason;
  size_t sampled_blocks = 0;  // data blocks examined
};

// Combines what is given, which is kept, with what the table shows. Examines all entries of up to
// 16 data blocks, evenly spread, and weighs:
//   - the filter: if it contains the keys in only one of the two forms, that decides;
//   - index keys: in tables of internal keys, shortened ones get a tag of their own;
//   - tags: whether every key ends in a valid one, and whether there are deletions with values,
//     sequences that no database has reached, or keys with the same sequence;
//   - the order of the keys, both as plain and as internal ones (see also WeighOrder()).
// Blocks that can't be read are skipped. `reader` may have been opened with any comparator and
// kind of keys. Errors: those of the index.
SSTABLE_EXPORT absl::StatusOr<TableKeys> ResolveKeys(const TableReader& reader,
                                                     const GivenKeys& given = {});

}  // namespace sstable

#endif  // SSTABLE_EXPERIMENTAL_KEY_GUESS_H_
