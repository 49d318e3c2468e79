// Splits keys of Chromium's IndexedDB into parts, which the order idb_cmp1 compares one by one.
#ifndef SSTABLE_KEYS_INDEXED_DB_KEY_H_
#define SSTABLE_KEYS_INDEXED_DB_KEY_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/strings/string_view.h"

namespace sstable {

// Reserved index ids; indexes count from kFirstIndexId.
inline constexpr uint64_t kIndexedDbDataId = 1;      // records of an object store
inline constexpr uint64_t kIndexedDbExistsId = 2;    // versions of these records
inline constexpr uint64_t kIndexedDbExternalId = 3;  // blobs and files of these records
inline constexpr uint64_t kIndexedDbFirstIndexId = 30;

// The ids of a database, an object store and an index: the prefix of a key.
using IndexedDbIds = std::array<uint64_t, 3>;

struct IndexedDbPart {
  // Parts of different kinds are in this order.
  enum class Kind : uint8_t {
    kEnd,       // end of the key
    kVarint,    // an id or a sequence number
    kArrayEnd,  // end of the innermost array
    kMin,       // smallest key; the kinds from here to kNull are parts of an IndexedDB key
    kNumber,
    kDate,
    kString,  // also names in metadata
    kBinary,
    kArray,  // followed by its elements and kArrayEnd
    kNull,
    kId,         // one of the three ids of the prefix
    kType,       // type of a row of metadata
    kRest,       // bytes whose meaning depends on the ids
    kMalformed,  // not valid; holds the rest of the key
  };

  Kind kind = Kind::kEnd;
  uint64_t number = 0;      // kId, kType, kVarint
  double real = 0;          // kNumber, kDate: milliseconds since 1970; no NaN
  absl::string_view bytes;  // kString: UTF-16, big-endian; kBinary, kRest, kMalformed
};

// Reads the parts of a key, which must outlive the reader; any bytes are allowed. The sequence
// number of an index entry is returned after the primary key, which follows it in the bytes.
class IndexedDbKeyReader {
 public:
  explicit IndexedDbKeyReader(absl::string_view key);

  // Returns the first three parts if the key has a complete prefix, else zeros.
  IndexedDbIds NextIds();

  // Returns the next part. Must not be called after kEnd or kMalformed.
  IndexedDbPart Next();

  // After kEnd: returns true if the key has all the parts that it needs.
  bool complete() const;

 private:
  IndexedDbPart NextOfKey();
  IndexedDbPart Type();
  IndexedDbPart Varint();
  IndexedDbPart Real(IndexedDbPart::Kind kind);
  IndexedDbPart Bytes(IndexedDbPart::Kind kind, uint64_t unit_size);
  IndexedDbPart OpenArray();
  IndexedDbPart Malformed();

  absl::string_view rest_;
  IndexedDbIds ids_ = {};
  size_t ids_given_ = 0;
  bool has_prefix_ = false;
  const char* fields_ = "";            // the fields to follow, a letter each; see the definition
  bool in_key_ = false;                // within an IndexedDB key
  IndexedDbPart sequence_;             // set while the primary key of an index entry is read
  std::vector<uint64_t> open_arrays_;  // the number of elements left in each
};

// Returns true if `key` (a user key) is a complete IndexedDB key with nothing after it.
bool IsIndexedDbKey(absl::string_view key);

// The order idb_cmp1, a total order of all byte strings: see IndexedDbComparator().
int CompareIndexedDbKeys(absl::string_view a, absl::string_view b);

}  // namespace sstable

#endif  // SSTABLE_KEYS_INDEXED_DB_KEY_H_
