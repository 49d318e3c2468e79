// JSON reports.
#ifndef SSTABLE_REPORT_JSON_H_
#define SSTABLE_REPORT_JSON_H_

#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "nlohmann/json.hpp"
#include "report/text/text_encoding.h"
#include "report/text/text_output.h"
#include "sstable/format.h"
#include "sstable/internal_key.h"
#include "util/escape.h"
#include "util/portable_json.h"

namespace sstable {

using Json = nlohmann::ordered_json;

// Returns text as JSON, with bytes that are not UTF-8 (as in a file name) escaped.
inline std::string JsonText(absl::string_view text) {
  return IsUtf8(text) ? std::string(text) : Encode(TextEncoding::kUtf8, text);
}

// Sets `name` to the text in `bytes`, or `name`_hex to their hex digits if they are not UTF-8.
inline void SetBytes(absl::string_view name, absl::string_view bytes, Json* json) {
  if (IsUtf8(bytes)) {
    (*json)[std::string(name)] = std::string(bytes);
  } else {
    (*json)[absl::StrCat(name, "_hex")] = Encode(TextEncoding::kHex, bytes);
  }
}

// Sets the parts of an internal key: its user key as `name` or `name`_hex, `name`_sequence and
// `name`_type.
inline void SetInternalKey(absl::string_view name, absl::string_view key, Json* json) {
  const std::optional<ParsedInternalKey> parsed = ParseInternalKey(key);
  SetBytes(name, parsed.has_value() ? parsed->user_key : key, json);
  if (!parsed.has_value()) return;
  (*json)[absl::StrCat(name, "_sequence")] = parsed->sequence;
  (*json)[absl::StrCat(name, "_type")] =
      parsed->type == ValueType::kDeletion ? "deletion" : "value";
}

// Returns the message of an error; null if `status` is OK.
inline Json ErrorJson(const absl::Status& status) {
  return status.ok() ? Json() : Json(JsonText(status.message()));
}

inline Json HandleJson(const BlockHandle& handle) {
  return {{"offset", handle.offset}, {"size", handle.size}};
}

// Writes a report on one line. Integers beyond 2^53 become strings.
inline void WriteJson(const Json& json, TextOutput* output) {
  output->Write(PortableJson(json.dump()));
  output->Write("\n");
}

}  // namespace sstable

#endif  // SSTABLE_REPORT_JSON_H_
