// Databases of y-leveldb, which stores Yjs documents. Sources: y-leveldb.js, and lib0's
// encoding.js.
//
// A key is a list of texts (00, varint size, UTF-8) and numbers (01, 4 bytes, big-endian).
//   "v1" document "update" number    an update of Yjs
//   "v1" document "meta" name        any value that lib0 encodes
//   "v1_sv" document                 varint number of the last update included, varint size, and
//                                    varint count of pairs: varints client, clock
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "absl/strings/strip.h"
#include "decode/entry_decoder.h"
#include "util/coding.h"
#include "util/escape.h"

namespace sstable {
namespace {

constexpr int kMaxDepth = 1000;  // bounds the stack

// Removes a text from the front of `*key`.
bool ConsumeText(absl::string_view* key, absl::string_view* text) {
  if (key->empty() || key->front() != 0) return false;
  key->remove_prefix(1);
  return ConsumeSized(key, 1, text) && IsUtf8(*text);
}

template <typename T>
bool ConsumeBigEndian(absl::string_view* input, T* number) {
  if (input->size() < sizeof(*number)) return false;
  char bytes[sizeof(*number)];
  std::reverse_copy(input->begin(), input->begin() + sizeof(bytes), bytes);
  input->remove_prefix(sizeof(bytes));
  absl::string_view rest(bytes, sizeof(bytes));
  return ConsumeFixed(&rest, number);
}

bool StateVector(absl::string_view value, ValueTree* tree) {
  uint64_t number = 0, count = 0;
  absl::string_view pairs;
  if (!ConsumeVarint64(&value, &number) || !ConsumeSized(&value, 1, &pairs) || !value.empty() ||
      !ConsumeVarint64(&pairs, &count) || count > pairs.size()) {
    return false;
  }
  ObjectBuilder object(tree);
  object.Add("update", number).Name("clients");
  const size_t clients = tree->Open(ValueTree::Kind::kArray);
  for (; count > 0 && !tree->exceeds_limits(); --count) {
    uint64_t client = 0, clock = 0;
    if (!ConsumeVarint64(&pairs, &client) || !ConsumeVarint64(&pairs, &clock)) return false;
    ObjectBuilder(tree).Add("client", client).Add("clock", clock);
  }
  tree->Close(clients);
  return pairs.empty();
}

// Decodes a signed varint: its first byte has the sign and the lowest 6 bits.
bool Integer(absl::string_view* value, ValueTree* tree) {
  if (value->empty()) return false;
  const auto first = static_cast<unsigned char>(value->front());
  value->remove_prefix(1);
  uint64_t rest = 0;
  if (first >= 0x80 && (!ConsumeVarint64(value, &rest) || rest >> 47 != 0)) return false;
  const auto magnitude = static_cast<double>(rest << 6 | (first & 0x3f));
  tree->Double((first & 0x40) != 0 ? -magnitude : magnitude);
  return true;
}

void AddBigint(int64_t integer, ValueTree* tree) {
  const bool is_negative = integer < 0;
  char magnitude[8];
  EncodeFixed64(magnitude,
                is_negative ? 0 - static_cast<uint64_t>(integer) : static_cast<uint64_t>(integer));
  tree->Bigint(is_negative, absl::string_view(magnitude, sizeof(magnitude)));
}

bool Any(absl::string_view* value, int depth, ValueTree* tree);

bool Object(absl::string_view* value, int depth, ValueTree* tree) {
  uint64_t count = 0;
  if (!ConsumeVarint64(value, &count)) return false;
  const size_t object = tree->Open(ValueTree::Kind::kObject);
  for (; count > 0; --count) {
    absl::string_view name;
    if (!ConsumeSized(value, 1, &name)) return false;
    tree->Text(name);
    if (!Any(value, depth + 1, tree)) return false;
  }
  tree->Close(object);
  return !tree->HasRepeatedName(object);
}

bool Array(absl::string_view* value, int depth, ValueTree* tree) {
  uint64_t count = 0;
  if (!ConsumeVarint64(value, &count)) return false;
  const size_t array = tree->Open(ValueTree::Kind::kArray);
  for (; count > 0; --count) {
    if (!Any(value, depth + 1, tree)) return false;
  }
  tree->Close(array);
  return true;
}

// Removes a value from the front of `*value`.
bool Any(absl::string_view* value, int depth, ValueTree* tree) {
  if (value->empty() || depth > kMaxDepth || tree->exceeds_limits()) return false;
  const char tag = value->front();
  value->remove_prefix(1);
  absl::string_view bytes;
  double real = 0;
  float single = 0;
  int64_t integer = 0;
  switch (tag) {
    case 127:
      tree->Undefined();
      return true;
    case 126:
      tree->Null();
      return true;
    case 125:
      return Integer(value, tree);
    case 124:
      if (!ConsumeBigEndian(value, &single)) return false;
      tree->Double(double{single});
      return true;
    case 123:
      if (!ConsumeBigEndian(value, &real)) return false;
      tree->Double(real);
      return true;
    case 122:
      if (!ConsumeBigEndian(value, &integer)) return false;
      AddBigint(integer, tree);
      return true;
    case 121:
    case 120:
      tree->Bool(tag == 120);
      return true;
    case 119:
      if (!ConsumeSized(value, 1, &bytes)) return false;
      tree->Text(bytes);
      return true;
    case 118:
      return Object(value, depth, tree);
    case 117:
      return Array(value, depth, tree);
    case 116:
      if (!ConsumeSized(value, 1, &bytes)) return false;
      tree->Bytes(bytes);
      return true;
  }
  return false;
}

class YLeveldbDecoder final : public EntryDecoder {
 public:
  absl::string_view format() const override { return "y-leveldb's"; }

 protected:
  bool DecodeKey(absl::string_view key, ValueTree* tree) const override {
    const Key parts = Split(key);
    if (parts.kind == nullptr) return false;
    ObjectBuilder object(tree);
    object.Add("kind", parts.kind).Add("document", parts.document);
    if (parts.kind == kUpdate) object.Add("number", parts.number);
    if (parts.kind == kMeta) object.Add("name", parts.name);
    return true;
  }

  // Updates are not decoded: each depends on those before it.
  bool DecodeValue(absl::string_view key, absl::string_view value, ValueTree* tree) const override {
    const Key parts = Split(key);
    if (parts.kind == kStateVector) return StateVector(value, tree);
    return parts.kind == kMeta && Any(&value, 0, tree) && value.empty();
  }

 private:
  static constexpr const char *kUpdate = "update", *kMeta = "meta", *kStateVector = "state vector";
  struct Key {
    const char* kind = nullptr;  // one of the constants above; null if unknown
    absl::string_view document, name;
    uint32_t number = 0;
  };

  static Key Split(absl::string_view key) {
    Key parts;
    absl::string_view version, kind;
    if (!ConsumeText(&key, &version) || !ConsumeText(&key, &parts.document)) return {};
    if (version == "v1_sv") {
      parts.kind = kStateVector;
    } else if (version == "v1" && ConsumeText(&key, &kind)) {
      if (kind == "update" && absl::ConsumePrefix(&key, "\1") &&
          ConsumeBigEndian(&key, &parts.number)) {
        parts.kind = kUpdate;
      } else if (kind == "meta" && ConsumeText(&key, &parts.name)) {
        parts.kind = kMeta;
      }
    }
    return key.empty() ? parts : Key();
  }
};

}  // namespace

std::unique_ptr<EntryDecoder> NewYLeveldbDecoder() { return std::make_unique<YLeveldbDecoder>(); }

}  // namespace sstable
