// What the keys of a table are: what a caller says of them, and what can be seen. A file does not
// say whether its keys are internal, nor what orders them.
#ifndef SSTABLE_KEY_GUESS_H_
#define SSTABLE_KEY_GUESS_H_

#include <cstddef>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "sstable/comparator.h"
#include "sstable/internal_key.h"
#include "sstable/table_reader.h"

namespace sstable {

// What the caller knows of a table's keys; nullopt: look.
struct GivenKeys {
  std::optional<KeyKind> key_kind;
  std::optional<const Comparator*>
      comparator;  // of plain keys, or of user keys; not null; borrowed
};

// How something is known of a table's keys.
enum class KnownBy {
  kCaller,    // the caller said so
  kEvidence,  // the table shows it
  kNothing,   // the table does not show it; it is assumed
};

struct TableKeys {
  KeyKind key_kind = KeyKind::kPlain;
  KnownBy kind_known_by = KnownBy::kNothing;
  std::string kind_reason;  // in half a sentence

  // False if the caller gave a kind that the table speaks against. Then the keys may be in no
  // order at all.
  bool kind_fits = true;

  // Of plain keys, or of the user keys. Null if the keys are in neither the bytewise nor the
  // reverse order, as with Chromium's IndexedDB ("idb_cmp1"), or are too few to tell: such a table
  // can be scanned, but not searched. Lives forever unless the caller gave it.
  const Comparator* comparator = BytewiseComparator();
  KnownBy order_known_by = KnownBy::kNothing;
  bool has_strays = false;  // some of the keys that were looked at are out of that order
  std::string order_reason;
  size_t sampled_blocks = 0;  // data blocks that were looked at for that
};

// How much keys say of which block they are in.
enum class KeysKnown {
  kInOrder,    // in the order of the reader
  kUnordered,  // in an order that is not known
  kNot,        // perhaps not even of the reader's kind
};

// Resolves what is given and what can be seen. What is given stands. For the rest it looks at all
// entries of up to 16 data blocks, evenly spread, and weighs:
//   - the filter, which knows the keys in one form and not in the other: that decides;
//   - index keys, which in tables of internal keys get a tag of their own where they are shortened;
//   - tags: whether each key ends in a valid one, deletions that have values, sequences that no
//     database has reached, or of which two keys have the same;
//   - the order of the keys, taken for plain and for internal ones (WeighOrder(), too).
// Blocks that can't be read are passed over. `reader` may have been opened with any comparator and
// kind of keys. Errors: those of the index.
absl::StatusOr<TableKeys> ResolveKeys(const TableReader& reader, const GivenKeys& given = {});

}  // namespace sstable

#endif  // SSTABLE_KEY_GUESS_H_
