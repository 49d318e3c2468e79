// Decodes the entries of a known program. There is a .cc for each format; choose_decoder.h finds
// the one for a table. decode/README.md lists what is decoded, and the sources.
#ifndef SSTABLE_DECODE_ENTRY_DECODER_H_
#define SSTABLE_DECODE_ENTRY_DECODER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "decode/value_tree.h"

namespace sstable {

// Receives an entry's plain key or user key, and its value. Returns false to stop.
using EntryVisitor = absl::FunctionRef<bool(absl::string_view key, absl::string_view value)>;

// The table, log or database whose entries are decoded.
class EntrySource {
 public:
  virtual ~EntrySource() = default;

  // Calls `visit` with the entries in key order, from the first key that is not before `from`,
  // until it returns false. Entries that cannot be read are skipped. A log has no key order, so it
  // visits no entries unless `from` is empty.
  virtual void Visit(absl::string_view from, EntryVisitor visit) const = 0;

  // The folder that holds the files; empty if it is not known.
  virtual std::string folder() const { return ""; }
};

// The largest key, and the largest value (also when uncompressed, or read from a blob), that is
// decoded. Decoding an entry and writing its JSON takes at most 64 MiB in addition to the entry
// (tests/decode/memory_test.cc).
inline constexpr uint64_t kMaxDecodedKeySize = uint64_t{1} << 20;
inline constexpr size_t kMaxDecodedKeyParts = size_t{1} << 16;  // nodes of its tree
inline constexpr uint64_t kMaxDecodedSize = uint64_t{6} << 20;

struct DecodedEntry {
  ValueTree key;    // an object whose first field is "kind"; empty if unknown
  ValueTree value;  // empty if unknown
};

// Pattern: call Learn() once; then Decode() may run in any number of threads.
class EntryDecoder {
 public:
  virtual ~EntryDecoder() = default;

  // The format's name, such as "Chromium's IndexedDB". Valid as long as the decoder.
  virtual absl::string_view format() const = 0;

  // Returns true if the entry is in this format; by default, if its key can be decoded.
  virtual bool Recognizes(absl::string_view key, absl::string_view value) const;

  // Reads from `source` what is needed to decode its entries.
  virtual void Learn(std::shared_ptr<const EntrySource> source);

  // Returns text for people that explains why some values of this format are not decoded; empty if
  // all are.
  virtual std::string doubt() const { return ""; }

  // Decodes an entry. `key` is a plain key or a user key. A key or value without the documented
  // form is left unknown, and so is a key larger than kMaxDecodedKeySize, a value larger than
  // kMaxDecodedSize, and an empty value, which deletions have. A value whose tree would be too
  // large becomes ValueTree::Undecoded().
  DecodedEntry Decode(absl::string_view key, absl::string_view value) const;

 protected:
  // Add one value to a tree, or return false if the bytes are unknown; the caller then removes what
  // was added. DecodeValue() is called with a known key and a value that is not empty.
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
