// The order of keys, and the two ways of shortening a key that an index uses.
#ifndef SSTABLE_COMPARATOR_H_
#define SSTABLE_COMPARATOR_H_

#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "sstable/slice.h"
#include "sstable/version.h"

namespace sstable {

// A total order of keys. Derive from it for an order of your own.
//
// A table does not record its comparator: a reader must be given the one that wrote the file.
// Keys come from files, so methods must accept any bytes. Keys of different bytes may be equal, but
// a Bloom filter then has false negatives: see docs/embedding.md.
// Threads:  methods may be called from any number of threads at once.
// Lifetime: builders and readers borrow their comparator; it must outlive them.
class SSTABLE_EXPORT Comparator {
 public:
  virtual ~Comparator() = default;

  // Names the order, e.g. "leveldb.BytewiseComparator". LevelDB keeps it in a database's MANIFEST.
  // Lives as long as the comparator.
  virtual absl::string_view Name() const = 0;

  // Below zero if a < b, zero if they are equal, above zero if a > b.
  virtual int Compare(absl::string_view a, absl::string_view b) const = 0;

  // If `*start` < `limit`, may replace `*start` by a key K that is not longer, with
  // `*start` <= K < `limit`; otherwise leaves it unchanged. The result determines the index block's
  // bytes.
  virtual void FindShortestSeparator(std::string* start, absl::string_view limit) const = 0;

  // May replace `*key` by a key that is not longer and does not sort before it.
  virtual void FindShortSuccessor(std::string* key) const = 0;
};

// Lexicographic order of unsigned bytes: "leveldb.BytewiseComparator". Lives forever.
SSTABLE_EXPORT const Comparator* BytewiseComparator();

// The opposite order. Like most reverse comparators written for LevelDB, it never shortens a key.
// Its name is RocksDB's, "rocksdb.ReverseBytewiseComparator". Lives forever.
SSTABLE_EXPORT const Comparator* ReverseBytewiseComparator();

// The order of Chromium's IndexedDB, "idb_cmp1": by the ids of database, object store and index,
// then by the values that the rest of a key encodes (docs/compatibility.md). As in
// Chromium, keys that encode the same values are equal, e.g. the numbers 0 and -0. A key that
// is malformed from some byte on comes after the well-formed ones with the same values up to there;
// two such keys are compared by the bytes from there on. It never shortens a key. Lives forever.
SSTABLE_EXPORT const Comparator* IndexedDbComparator();

// All comparators above.
SSTABLE_EXPORT absl::Span<const Comparator* const> KnownComparators();

// Returns the comparator above with this name, as recorded in a MANIFEST; null if there is none.
SSTABLE_EXPORT const Comparator* ComparatorByName(Slice name);

}  // namespace sstable

#endif  // SSTABLE_COMPARATOR_H_
