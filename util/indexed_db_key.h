// Keys of Chromium's IndexedDB, taken apart: the order idb_cmp1 compares the parts, one by one.
//
// Format: docs/compatibility.md, after "LevelDB Coding Scheme" in Chromium's source tree. A key is
//   sizes (1) | database id | object store id | index id | what the ids say follows
// where the sizes of the ids are in 3, 3 and 2 bits, each less by one; ids are little-endian.
#ifndef SSTABLE_UTIL_INDEXED_DB_KEY_H_
#define SSTABLE_UTIL_INDEXED_DB_KEY_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/strings/string_view.h"

namespace sstable {

// Index ids that are none of an index; indexes count from kFirstIndexId.
inline constexpr uint64_t kIndexedDbDataId = 1;      // records of an object store
inline constexpr uint64_t kIndexedDbExistsId = 2;    // their versions
inline constexpr uint64_t kIndexedDbExternalId = 3;  // their blobs and files
inline constexpr uint64_t kIndexedDbFirstIndexId = 30;

struct IndexedDbPart {
  // In their order, where one key has one kind and another key another.
  enum class Kind : uint8_t {
    kEnd,       // of the key
    kVarint,    // an id or a sequence number
    kArrayEnd,  // of the innermost array
    kMin,       // of an IndexedDB key, as the kinds up to kNull
    kNumber,
    kDate,
    kString,  // also of metadata: names
    kBinary,
    kArray,  // its elements follow, and kArrayEnd
    kNull,
    kId,         // one of the three ids of the prefix
    kType,       // of a row of metadata
    kRest,       // bytes of a meaning of their own
    kMalformed,  // none of the format; all that is left of the key
  };

  Kind kind = Kind::kEnd;
  uint64_t number = 0;      // kId, kType, kVarint
  double real = 0;          // kNumber, kDate: milliseconds since 1970; no NaN
  absl::string_view bytes;  // kString: UTF-16, big-endian; kBinary, kRest, kMalformed
};

// Takes the parts off a key, which must outlive the reader. Takes any bytes. The sequence number of
// an index entry comes after the primary key, which it precedes in the bytes.
class IndexedDbKeyReader {
 public:
  explicit IndexedDbKeyReader(absl::string_view key);

  // The next part. After kEnd or kMalformed there is none.
  IndexedDbPart Next();

  // After kEnd: whether the key has all parts that it must have.
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
  uint64_t ids_[3] = {};
  size_t ids_given_ = 0;
  bool has_prefix_ = false;
  const char* fields_ = "";            // what is to follow, a letter each; see the definition
  bool in_key_ = false;                // within an IndexedDB key
  IndexedDbPart sequence_;             // set while the primary key of an index entry is read
  std::vector<uint64_t> open_arrays_;  // how many elements each still has
};

// Whether `key` (a user key) is one of IndexedDB, complete and with nothing after it.
bool IsIndexedDbKey(absl::string_view key);

// The order idb_cmp1, which is a total one of any bytes: see IndexedDbComparator().
int CompareIndexedDbKeys(absl::string_view a, absl::string_view b);

}  // namespace sstable

#endif  // SSTABLE_UTIL_INDEXED_DB_KEY_H_
