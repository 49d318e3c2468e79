// Chromium's databases whose values are Protocol Buffers messages: service workers, notifications,
// sync, cloud messaging, and shared_proto_db. Sources: content/browser/service_worker and
// notifications, components/sync/model and leveldb_proto, google_apis/gcm/engine.
#include <cstddef>
#include <cstdint>
#include <memory>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "decode/entry_decoder.h"
#include "decode/protobuf.h"
#include "util/escape.h"

namespace sstable {
namespace {

// The form of a value.
enum class Form {
  kMessage,
  kText,
  kBytes,         // opaque
  kNotification,  // a message; field 8 of its field 4 is a script value of the page
};

struct RowKind {
  absl::string_view mark;
  bool is_prefix;  // the key begins with the mark; false: with a name, then the mark
  const char* kind;
  Form form;
};

// The first match applies.
constexpr RowKind kRows[] = {
    {"INITDATA_", true, "service worker database", Form::kText},
    {"REG_USER_DATA:", true, "data of a service worker", Form::kBytes},
    {"REG_HAS_USER_DATA:", true, "service worker with data", Form::kText},
    {"REGID_TO_ORIGIN:", true, "origin of a service worker", Form::kText},
    {"REG:", true, "service worker", Form::kMessage},
    {"RES:", true, "script of a service worker", Form::kMessage},
    {"URES:", true, "uncommitted script", Form::kText},
    {"PRES:", true, "purgeable script", Form::kText},
    {"DATA:", true, "notification", Form::kNotification},
    {"RESOURCES:", true, "resources of a notification", Form::kMessage},
    {"reg1-", true, "cloud messaging registration", Form::kText},
    {"incoming1-", true, "incoming message", Form::kText},
    {"outgoing1-", true, "outgoing message", Form::kMessage},
    {"iid1-", true, "instance id", Form::kText},
    {"__global", true, "metadata of all clients", Form::kMessage},
    {"metadata/", true, "metadata of a client", Form::kMessage},
    {"-dt-", false, "sync data", Form::kMessage},
    {"-md-", false, "sync metadata", Form::kMessage},
    {"-GlobalMetadata", false, "sync metadata of a type", Form::kMessage},
};
constexpr RowKind kClientRow = {"_", false, "entry of a client", Form::kMessage};

bool IsDigit(char c) { return absl::ascii_isdigit(static_cast<unsigned char>(c)); }
bool IsTypeNameCharacter(char c) {
  return absl::ascii_islower(static_cast<unsigned char>(c)) || c == '_';
}

// Returns the size of the name before `row`'s mark; npos if the key is not of this kind.
size_t NameSize(absl::string_view key, const RowKind& row, bool (*is_name_character)(char)) {
  if (row.is_prefix) return absl::StartsWith(key, row.mark) ? 0 : key.npos;
  size_t size = 0;
  while (size < key.size() && is_name_character(key[size])) ++size;
  return size > 0 && absl::StartsWith(key.substr(size), row.mark) ? size : key.npos;
}

// Returns null for an unknown key. Sets `*size` to the size of the name before the mark.
const RowKind* RowOf(absl::string_view key, size_t* size) {
  for (const RowKind& row : kRows) {
    *size = NameSize(key, row, IsTypeNameCharacter);
    if (*size != key.npos) return &row;
  }
  *size = NameSize(key, kClientRow, IsDigit);
  return *size != key.npos ? &kClientRow : nullptr;
}

class ChromiumStoresDecoder final : public EntryDecoder {
 public:
  absl::string_view format() const override { return "Chromium's, of Protocol Buffers"; }

  bool Recognizes(absl::string_view key, absl::string_view value) const override {
    ValueTree tree;
    return DecodeKey(key, &tree) && (value.empty() || DecodeValue(key, value, &tree));
  }

 protected:
  bool DecodeKey(absl::string_view key, ValueTree* tree) const override {
    size_t size = 0;
    const RowKind* const row = RowOf(key, &size);
    if (row == nullptr) return false;
    ObjectBuilder object(tree);
    object.Add("kind", row->kind);
    if (!row->is_prefix) object.Add(row == &kClientRow ? "client" : "type", key.substr(0, size));
    const absl::string_view rest = key.substr(size + row->mark.size());
    if (IsUtf8(rest)) {
      object.Add("key", rest);
    } else {
      object.Name("key")->Bytes(rest);
    }
    return true;
  }

  bool DecodeValue(absl::string_view key, absl::string_view value, ValueTree* tree) const override {
    size_t size = 0;
    switch (RowOf(key, &size)->form) {
      case Form::kMessage:
        return DecodeProtobuf(value, tree);
      case Form::kNotification:
        return DecodeProtobuf(value, tree, "\x04\x08");
      case Form::kText:
        tree->Text(value);
        return IsUtf8(value);
      case Form::kBytes:
        tree->Bytes(value);
        return true;
    }
    return false;
  }
};

}  // namespace

std::unique_ptr<EntryDecoder> NewChromiumStoresDecoder() {
  return std::make_unique<ChromiumStoresDecoder>();
}

}  // namespace sstable
