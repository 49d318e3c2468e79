// What a program means by the bytes of an entry. One .cc for each program; choose_decoder.h finds
// the one for a table. docs/compatibility.md says what is decoded, and by whose description.
#ifndef SSTABLE_TOOLS_DECODE_ENTRY_DECODER_H_
#define SSTABLE_TOOLS_DECODE_ENTRY_DECODER_H_

#include <memory>
#include <string>

#include "absl/strings/string_view.h"
#include "nlohmann/json.hpp"

namespace sstable::tools {

using DecodedJson = nlohmann::ordered_json;

// All text in it is UTF-8.
struct DecodedEntry {
  DecodedJson key;    // an object whose first field is "kind"; null: not known
  DecodedJson value;  // likewise null; else of any type
};

// Pattern: Examine some of the entries; then Decode any number.
// Threads: immutable from the first Decode() on.
class EntryDecoder {
 public:
  virtual ~EntryDecoder() = default;

  // "Chromium's IndexedDB". Lives as long as the decoder.
  virtual absl::string_view format() const = 0;

  // Learns from an entry what it takes to decode others; arguments as of Decode().
  virtual void Examine(absl::string_view key, absl::string_view value);

  // Why values are not decoded that could be otherwise, for people; empty: there are none.
  virtual std::string doubt() const { return ""; }

  // `key` is a plain key or a user key. Takes any bytes: what does not have the documented form is
  // not known. An empty value is not decoded, since a deletion has one.
  virtual DecodedEntry Decode(absl::string_view key, absl::string_view value) const = 0;
};

std::unique_ptr<EntryDecoder> NewIndexedDbDecoder();
std::unique_ptr<EntryDecoder> NewLocalStorageDecoder();
std::unique_ptr<EntryDecoder> NewSessionStorageDecoder();
std::unique_ptr<EntryDecoder> NewBedrockDecoder();
std::unique_ptr<EntryDecoder> NewBitcoinDecoder();

// Appends what was decoded as text for people, in one line: of an object its kind and then
// field=value, of a string its text.
void AppendDecodedText(const DecodedJson& json, std::string* out);

// Appends it as JSON, without control characters.
void AppendDecodedJson(const DecodedJson& json, std::string* out);

}  // namespace sstable::tools

#endif  // SSTABLE_TOOLS_DECODE_ENTRY_DECODER_H_
