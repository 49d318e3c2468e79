// Local and Session Storage of Chromium, after its sources: "local_storage_impl" and
// "session_storage_metadata" in components/services/storage/dom_storage.
//
// Local Storage:    VERSION | META: origin | METAACCESS: origin | _ origin 00 string
// Session Storage:  version | next-map-id | namespace- id - origin | map- number - key
// A string of Local Storage begins with its encoding: 0 is UTF-16, little-endian; 1 is Latin-1. In
// Session Storage keys are UTF-8, values UTF-16.
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/strip.h"
#include "decode/entry_decoder.h"
#include "decode/text.h"
#include "util/coding.h"
#include "util/escape.h"

namespace sstable {
namespace {

DecodedJson TextOrNull(std::optional<std::string> text) {
  return text.has_value() ? DecodedJson(*std::move(text)) : DecodedJson();
}

std::optional<std::string> MarkedString(absl::string_view bytes) {
  if (bytes.empty()) return std::nullopt;
  const char mark = bytes.front();
  bytes.remove_prefix(1);
  if (mark == 0) return Utf8FromUtf16(bytes, ByteOrder::kLittle);
  if (mark == 1) return Utf8FromLatin1(bytes);
  return std::nullopt;
}

// Decodes a Protocol Buffers message with numbers in fields 1, microseconds since 1601, and 2,
// bytes.
DecodedJson AreaMetadata(absl::string_view bytes) {
  DecodedJson json = DecodedJson::object();
  while (!bytes.empty()) {
    const char tag = bytes.front();
    bytes.remove_prefix(1);
    uint64_t number = 0;
    if ((tag != 0x08 && tag != 0x10) || !ConsumeVarint64(&bytes, &number)) return {};
    json[tag == 0x08 ? "microseconds_since_1601" : "size"] = number;
  }
  return json;
}

DecodedJson AsciiValue(absl::string_view value) {
  return !value.empty() && IsUtf8(value) ? DecodedJson(std::string(value)) : DecodedJson();
}

class LocalStorageDecoder final : public EntryDecoder {
 public:
  absl::string_view format() const override { return "Chromium's Local Storage"; }

  DecodedEntry Decode(absl::string_view key, absl::string_view value) const override {
    if (key == "VERSION") return {{{"kind", "version"}}, AsciiValue(value)};
    const bool is_access = absl::ConsumePrefix(&key, "METAACCESS:");
    if (is_access || absl::ConsumePrefix(&key, "META:")) {
      if (!IsUtf8(key)) return {};
      return {{{"kind", is_access ? "access" : "meta"}, {"origin", std::string(key)}},
              value.empty() ? DecodedJson() : AreaMetadata(value)};
    }
    const size_t end = key.find('\0');
    if (!absl::ConsumePrefix(&key, "_") || end == absl::string_view::npos) return {};
    const absl::string_view origin = key.substr(0, end - 1);
    const std::optional<std::string> name = MarkedString(key.substr(end));
    if (!IsUtf8(origin) || !name.has_value()) return {};
    return {{{"kind", "item"}, {"origin", std::string(origin)}, {"key", *name}},
            TextOrNull(MarkedString(value))};
  }
};

// Removes decimal digits and a dash from the front.
std::optional<std::string> ConsumeNumberAndDash(absl::string_view* text) {
  size_t size = 0;
  while (size < text->size() && absl::ascii_isdigit(static_cast<unsigned char>((*text)[size]))) {
    ++size;
  }
  if (size == 0 || size == text->size() || (*text)[size] != '-') return std::nullopt;
  std::string number(text->substr(0, size));
  text->remove_prefix(size + 1);
  return number;
}

class SessionStorageDecoder final : public EntryDecoder {
 public:
  absl::string_view format() const override { return "Chromium's Session Storage"; }

  DecodedEntry Decode(absl::string_view key, absl::string_view value) const override {
    if (!IsUtf8(key)) return {};
    if (key == "version" || key == "next-map-id") {
      return {{{"kind", std::string(key)}}, AsciiValue(value)};
    }
    if (absl::ConsumePrefix(&key, "map-")) {
      const std::optional<std::string> map = ConsumeNumberAndDash(&key);
      if (!map.has_value()) return {};
      return {{{"kind", "item"}, {"map", *map}, {"key", std::string(key)}},
              value.empty() ? DecodedJson() : TextOrNull(Utf8FromUtf16(value, ByteOrder::kLittle))};
    }
    if (!absl::ConsumePrefix(&key, "namespace-")) return {};
    const size_t dash = key.find('-');  // ids have underscores
    if (dash == absl::string_view::npos) return {};
    return {{{"kind", "namespace"},
             {"namespace", std::string(key.substr(0, dash))},
             {"origin", std::string(key.substr(dash + 1))}},
            value.empty() ? DecodedJson() : DecodedJson{{"map", AsciiValue(value)}}};
  }
};

}  // namespace

std::unique_ptr<EntryDecoder> NewLocalStorageDecoder() {
  return std::make_unique<LocalStorageDecoder>();
}

std::unique_ptr<EntryDecoder> NewSessionStorageDecoder() {
  return std::make_unique<SessionStorageDecoder>();
}

}  // namespace sstable
