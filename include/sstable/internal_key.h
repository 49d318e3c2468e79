// Internal keys: what an LSM database stores in its tables.
//
// Format:  user key ++ fixed64(sequence << 8 | type). The last 8 bytes are called the tag. A type
//          is 0 for a deletion and 1 for a value; a sequence has 56 bits. Part of the file format.
// Order:   user key ascending, then tag descending: the newest version of a key comes first.
// Source:  LevelDB, db/dbformat.h.
#ifndef SSTABLE_INTERNAL_KEY_H_
#define SSTABLE_INTERNAL_KEY_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "sstable/comparator.h"
#include "sstable/slice.h"
#include "sstable/version.h"

namespace sstable {

inline constexpr size_t kTagSize = 8;
inline constexpr uint64_t kMaxSequence = (uint64_t{1} << 56) - 1;

// What the keys of a table are. A file does not record it, and a filter probed with the wrong kind
// has false negatives, so the caller must know; otherwise sstable/experimental/key_guess.h examines
// the table.
enum class KeyKind {
  kPlain,     // what was passed to Add()
  kInternal,  // user key ++ tag, as in a database's tables
};

enum class ValueType : uint8_t { kDeletion = 0, kValue = 1 };

// Tag of a key that sorts no later than any version of its user key that `sequence` can see.
inline constexpr uint64_t SeekTag(uint64_t sequence) {
  return sequence << 8 | static_cast<uint8_t>(ValueType::kValue);
}

struct ParsedInternalKey {
  absl::string_view user_key;  // a view into the bytes that were parsed
  uint64_t sequence = 0;
  ValueType type = ValueType::kValue;
};

// Appends an internal key. `sequence` is at most kMaxSequence.
SSTABLE_EXPORT void AppendInternalKey(std::string* dst, Slice user_key, uint64_t sequence,
                                      ValueType type);
SSTABLE_EXPORT std::string MakeInternalKey(Slice user_key, uint64_t sequence, ValueType type);

// `internal_key` without its tag. Bytes too short to have one are returned whole, so that damaged
// keys need no check before they are compared or looked up.
inline absl::string_view ExtractUserKey(Slice internal_key) {
  return internal_key.size() < kTagSize ? internal_key
                                        : internal_key.substr(0, internal_key.size() - kTagSize);
}

// The tag, or 0 if there are too few bytes for one. Inline, since every comparison of internal keys
// needs it.
inline uint64_t ExtractTag(Slice internal_key) {
  if (internal_key.size() < kTagSize) return 0;
  uint64_t tag;
  std::memcpy(&tag, internal_key.data() + internal_key.size() - kTagSize, kTagSize);
  return __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? __builtin_bswap64(tag) : tag;
}

// Returns true if the last 8 bytes may be a tag of some program: RocksDB has more than two types,
// all below 32. In a plain key of text, a letter or digit is in the place of the type.
inline bool MayHaveTag(Slice key) {
  return key.size() >= kTagSize && (ExtractTag(key) & 0xff) < 0x20;
}

// The parts of an internal key, or nullopt: fewer than 8 bytes, or a type above 1.
inline std::optional<ParsedInternalKey> ParseInternalKey(Slice internal_key) {
  if (internal_key.size() < kTagSize) return std::nullopt;
  const uint64_t tag = ExtractTag(internal_key);
  const uint8_t type = tag & 0xff;
  if (type > static_cast<uint8_t>(ValueType::kValue)) return std::nullopt;
  return ParsedInternalKey{ExtractUserKey(internal_key), tag >> 8, static_cast<ValueType>(type)};
}

// Orders internal keys by any order of user keys.
// Lifetime: borrows `user_comparator`, which must outlive it.
class SSTABLE_EXPORT InternalKeyComparator final : public Comparator {
 public:
  explicit InternalKeyComparator(const Comparator* user_comparator)
      : user_comparator_(user_comparator) {}

  const Comparator* user_comparator() const { return user_comparator_; }

  absl::string_view Name() const override { return "leveldb.InternalKeyComparator"; }

  int Compare(absl::string_view a, absl::string_view b) const override {
    const int order = user_comparator_->Compare(ExtractUserKey(a), ExtractUserKey(b));
    if (order != 0) return order;
    const uint64_t a_tag = ExtractTag(a), b_tag = ExtractTag(b);
    return a_tag > b_tag ? -1 : a_tag < b_tag ? 1 : 0;
  }

  // These shorten the user key. If it became shorter and larger, the tag is the one that sorts
  // first; otherwise the internal key is unchanged.
  void FindShortestSeparator(std::string* start, absl::string_view limit) const override;
  void FindShortSuccessor(std::string* key) const override;

 private:
  void ReplaceIfShorter(std::string* key, std::string shortened_user_key) const;

  const Comparator* user_comparator_;
};

}  // namespace sstable

#endif  // SSTABLE_INTERNAL_KEY_H_
