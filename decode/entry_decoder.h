// Decodes the entries of a known program. There is a .cc for each program; choose_decoder.h finds
// the one for a table. docs/compatibility.md lists what is decoded, and the sources.
#ifndef SSTABLE_DECODE_ENTRY_DECODER_H_
#define SSTABLE_DECODE_ENTRY_DECODER_H_

#include <memory>
#include <string>

#include "absl/strings/string_view.h"
#include "nlohmann/json.hpp"

namespace sstable {

using DecodedJson = nlohmann::ordered_json;

// All its text is UTF-8.
struct DecodedEntry {
  DecodedJson key;    // an object whose first field is "kind"; null: unknown
  DecodedJson value;  // any type; null: unknown
};

// Pattern: Examine some of the entries; then Decode any number.
class EntryDecoder {
 public:
  virtual ~EntryDecoder() = default;

  // "Chromium's IndexedDB". Lives as long as the decoder.
  virtual absl::string_view format() const = 0;

  // Learns from an entry what is needed to decode others; arguments as for Decode().
  virtual void Examine(absl::string_view key, absl::string_view value);

  // Why some values are not decoded that could be, for people; empty if there are none.
  virtual std::string doubt() const { return ""; }

  // `key` is a plain key or a user key. Any bytes are allowed; those not in the documented form are
  // unknown. An empty value is not decoded, since deletions have one.
  virtual DecodedEntry Decode(absl::string_view key, absl::string_view value) const = 0;
};

std::unique_ptr<EntryDecoder> NewIndexedDbDecoder();
std::unique_ptr<EntryDecoder> NewLocalStorageDecoder();
std::unique_ptr<EntryDecoder> NewSessionStorageDecoder();
std::unique_ptr<EntryDecoder> NewBedrockDecoder();
std::unique_ptr<EntryDecoder> NewBitcoinDecoder();

// Appends decoded data as text for people, on one line: for an object its kind and then
// field=value, for a string its text.
void AppendDecodedText(const DecodedJson& json, std::string* out);

// Appends decoded data as JSON, without control characters.
void AppendDecodedJson(const DecodedJson& json, std::string* out);

}  // namespace sstable

#endif  // SSTABLE_DECODE_ENTRY_DECODER_H_
