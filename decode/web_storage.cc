// Chromium's Local Storage and Session Storage. Sources: "local_storage_impl" and
// "session_storage_metadata" in components/services/storage/dom_storage.
//
// Local Storage:    VERSION | META: origin | METAACCESS: origin | _ origin 00 string
// Session Storage:  version | next-map-id | namespace- id - origin | map- number - key
// A string of Local Storage begins with its encoding: 0 is UTF-16, little-endian; 1 is Latin-1. In
// Session Storage keys are UTF-8, values UTF-16.
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/strip.h"
#include "decode/entry_decoder.h"
#include "util/coding.h"
#include "util/escape.h"

namespace sstable {
namespace {

bool MarkedString(absl::string_view bytes, ValueTree* tree) {
  if (bytes.empty()) return false;
  const char mark = bytes.front();
  bytes.remove_prefix(1);
  if (mark == 0 && bytes.size() % 2 == 0) {
    tree->Utf16(bytes, ByteOrder::kLittle);
    return true;
  }
  if (mark == 1) tree->Latin1(bytes);
  return mark == 1;
}

// Decodes a Protocol Buffers message: field 1 is microseconds since 1601, field 2 a size in bytes.
bool AreaMetadata(absl::string_view bytes, ValueTree* tree) {
  const size_t area = tree->Open(ValueTree::Kind::kObject);
  while (!bytes.empty()) {
    const char tag = bytes.front();
    bytes.remove_prefix(1);
    uint64_t number = 0;
    if ((tag != 0x08 && tag != 0x10) || !ConsumeVarint64(&bytes, &number)) return false;
    tree->Text(tag == 0x08 ? "microseconds_since_1601" : "size");
    tree->Uint(number);
    if (tag != 0x08) continue;
    tree->Text("date");
    tree->Date(static_cast<double>(number / 1000) - 11644473600e3);  // from 1601 to 1970
  }
  tree->Close(area);
  return !tree->HasRepeatedName(area);
}

bool Utf8(absl::string_view bytes, ValueTree* tree) {
  tree->Text(bytes);
  return IsUtf8(bytes);
}

class LocalStorageDecoder final : public EntryDecoder {
 public:
  absl::string_view format() const override { return "Chromium's Local Storage"; }

 protected:
  bool DecodeKey(absl::string_view key, ValueTree* tree) const override {
    ObjectBuilder object(tree);
    if (key == "VERSION") {
      object.Add("kind", "version");
      return true;
    }
    const bool is_access = absl::ConsumePrefix(&key, "METAACCESS:");
    if (is_access || absl::ConsumePrefix(&key, "META:")) {
      object.Add("kind", is_access ? "access" : "meta").Add("origin", key);
      return IsUtf8(key);
    }
    const size_t end = key.find('\0');
    if (!absl::ConsumePrefix(&key, "_") || end == absl::string_view::npos) return false;
    const absl::string_view origin = key.substr(0, end - 1);
    object.Add("kind", "item").Add("origin", origin);
    return IsUtf8(origin) && MarkedString(key.substr(end), object.Name("key"));
  }

  bool DecodeValue(absl::string_view key, absl::string_view value, ValueTree* tree) const override {
    if (key == "VERSION") return Utf8(value, tree);
    return key.front() == '_' ? MarkedString(value, tree) : AreaMetadata(value, tree);
  }
};

// Removes decimal digits and a dash from the front.
std::optional<absl::string_view> ConsumeNumberAndDash(absl::string_view* text) {
  size_t size = 0;
  while (size < text->size() && absl::ascii_isdigit(static_cast<unsigned char>((*text)[size]))) {
    ++size;
  }
  if (size == 0 || size == text->size() || (*text)[size] != '-') return std::nullopt;
  const absl::string_view number = text->substr(0, size);
  text->remove_prefix(size + 1);
  return number;
}

class SessionStorageDecoder final : public EntryDecoder {
 public:
  absl::string_view format() const override { return "Chromium's Session Storage"; }

 protected:
  bool DecodeKey(absl::string_view key, ValueTree* tree) const override {
    if (!IsUtf8(key)) return false;
    ObjectBuilder object(tree);
    if (key == "version" || key == "next-map-id") {
      object.Add("kind", key);
      return true;
    }
    if (absl::ConsumePrefix(&key, "map-")) {
      const std::optional<absl::string_view> map = ConsumeNumberAndDash(&key);
      if (map.has_value()) object.Add("kind", "item").Add("map", *map).Add("key", key);
      return map.has_value();
    }
    if (!absl::ConsumePrefix(&key, "namespace-")) return false;
    const size_t dash = key.find('-');  // ids have underscores
    if (dash == absl::string_view::npos) return false;
    object.Add("kind", "namespace")
        .Add("namespace", key.substr(0, dash))
        .Add("origin", key.substr(dash + 1));
    return true;
  }

  bool DecodeValue(absl::string_view key, absl::string_view value, ValueTree* tree) const override {
    if (absl::ConsumePrefix(&key, "map-")) {
      tree->Utf16(value, ByteOrder::kLittle);
      return value.size() % 2 == 0;
    }
    if (!absl::ConsumePrefix(&key, "namespace-")) return Utf8(value, tree);
    return Utf8(value, ObjectBuilder(tree).Name("map"));
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
