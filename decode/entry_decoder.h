// Decodes the entries of a known program. There is a .cc for each format; choose_decoder.h finds
// the one for a table. decode/README.md lists what is decoded, and the sources.
#ifndef SSTABLE_DECODE_ENTRY_DECODER_H_
#define SSTABLE_DECODE_ENTRY_DECODER_H_

#include <cstdint>
#include <memory>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "decode/value_tree.h"

namespace sstable {

// Receives a plain or user key and its value; returns false if no more are wanted.
using EntryVisitor = absl::FunctionRef<bool(absl::string_view key, absl::string_view value)>;

// The table, log or database whose entries are decoded.
class EntrySource {
 public:
  virtual ~EntrySource() = default;

  // Calls `visit` with entries, in order of keys, while it returns true; the first is that of the
  // first key which is not before `from`, or of all if `from` is empty. Skips what can't be read. A
  // log, which has no order, has no entries from a key.
  virtual void Visit(absl::string_view from, EntryVisitor visit) const = 0;

  // The folder that the files are in; empty: not known.
  virtual std::string folder() const { return ""; }
};

// The sizes up to which a key, and a value, also uncompressed or from a blob, are decoded. Decoding
// an entry and writing its JSON take at most 64 MiB beside the entry (tests/decode/memory_test.cc).
inline constexpr uint64_t kMaxDecodedKeySize = uint64_t{1} << 20;
inline constexpr uint64_t kMaxDecodedSize = uint64_t{6} << 20;

struct DecodedEntry {
  ValueTree key;    // an object whose first field is "kind"; empty: unknown
  ValueTree value;  // empty: unknown
};

// Pattern: Learn once; then Decode any number of entries, in any number of threads.
class EntryDecoder {
 public:
  virtual ~EntryDecoder() = default;

  // "Chromium's IndexedDB". Lives as long as the decoder.
  virtual absl::string_view format() const = 0;

  // True if the entry is in this format. By default, if its key can be decoded.
  virtual bool Recognizes(absl::string_view key, absl::string_view value) const;

  // Learns what is needed to decode the entries of `source`.
  virtual void Learn(std::shared_ptr<const EntrySource> source);

  // Why some values are not decoded that could be, for people; empty if there are none.
  virtual std::string doubt() const { return ""; }

  // `key` is a plain key or a user key. Any bytes are allowed; those not in the documented form are
  // unknown, as is a key beyond kMaxDecodedKeySize. An empty value is not decoded, since deletions
  // have one, nor is one beyond kMaxDecodedSize; one whose tree would be too large is
  // ValueTree::Undecoded().
  DecodedEntry Decode(absl::string_view key, absl::string_view value) const;

 protected:
  // These add one value to a tree. If they return false, the bytes are unknown, and what they have
  // added is taken back. `key` of DecodeValue() is known, and `value` is not empty.
  virtual bool DecodeKey(absl::string_view key, ValueTree* tree) const = 0;
  virtual bool DecodeValue(absl::string_view key, absl::string_view value,
                           ValueTree* tree) const = 0;
};

std::unique_ptr<EntryDecoder> NewIndexedDbDecoder();
std::unique_ptr<EntryDecoder> NewLocalStorageDecoder();
std::unique_ptr<EntryDecoder> NewSessionStorageDecoder();
std::unique_ptr<EntryDecoder> NewChromiumStoresDecoder();
std::unique_ptr<EntryDecoder> NewBedrockDecoder();
std::unique_ptr<EntryDecoder> NewBitcoinDecoder();
std::unique_ptr<EntryDecoder> NewYLeveldbDecoder();
std::unique_ptr<EntryDecoder> NewTensorflowDecoder();
std::unique_ptr<EntryDecoder> NewJsonValuesDecoder();

}  // namespace sstable

#endif  // SSTABLE_DECODE_ENTRY_DECODER_H_
