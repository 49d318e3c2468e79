// Chromium's IndexedDB, after "LevelDB Coding Scheme" in its source tree. Keys:
// keys/indexed_db_key.h. Values are decoded if they are metadata; records have a format of their
// own, and are only uncompressed if Chromium has compressed them.
#include <cmath>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "decode/entry_decoder.h"
#include "decode/indexed_db_record.h"
#include "decode/text.h"
#include "keys/indexed_db_key.h"
#include "util/coding.h"

namespace sstable {
namespace {

using Kind = IndexedDbPart::Kind;

// The forms of values: a number of up to 8 bytes, little-endian (8 according to the description,
// but Chromium omits the highest bytes if they are 0); a varint; one byte that is 0 or not; UTF-16
// to the end; a version that is a number; a version that is a varint before a primary key; or a
// form that is not decoded.
enum class ValueForm { kInt, kVarint, kBool, kString, kVersion, kIndexEntry, kOpaque };

struct RowKind {
  uint64_t type;
  const char* kind;
  ValueForm form;
};

constexpr RowKind kGlobalRows[] = {
    {0, "schema version", ValueForm::kInt},
    {1, "highest database id", ValueForm::kInt},
    {2, "data format version", ValueForm::kInt},
    {3, "recovery blob journal", ValueForm::kOpaque},
    {4, "active blob journal", ValueForm::kOpaque},
    {5, "earliest sweep", ValueForm::kInt},
    {6, "earliest compaction", ValueForm::kInt},
    {50, "scopes", ValueForm::kOpaque},
    {100, "free database id", ValueForm::kOpaque},
    {201, "database name", ValueForm::kInt},
};
constexpr RowKind kDatabaseRows[] = {
    {0, "database origin", ValueForm::kString},
    {1, "database name", ValueForm::kString},
    {2, "database version text", ValueForm::kString},
    {3, "highest object store id", ValueForm::kInt},
    {4, "database version", ValueForm::kVarint},
    {5, "blob number", ValueForm::kVarint},
    {150, "free object store id", ValueForm::kOpaque},
    {151, "free index id", ValueForm::kOpaque},
    {200, "object store name", ValueForm::kInt},
    {201, "index name", ValueForm::kInt},
};
constexpr RowKind kObjectStoreRows[] = {
    {0, "object store name", ValueForm::kString},
    {1, "object store key path", ValueForm::kOpaque},
    {2, "object store auto increment", ValueForm::kBool},
    {3, "object store evictable", ValueForm::kBool},
    {4, "object store last version", ValueForm::kInt},
    {5, "object store highest index id", ValueForm::kInt},
    {6, "object store has key path", ValueForm::kBool},
    {7, "object store next key", ValueForm::kInt},
};
constexpr RowKind kIndexRows[] = {
    {0, "index name", ValueForm::kString},
    {1, "index unique", ValueForm::kBool},
    {2, "index key path", ValueForm::kOpaque},
    {3, "index multi entry", ValueForm::kBool},
};

template <size_t N>
const RowKind* Find(const RowKind (&rows)[N], uint64_t type) {
  for (const RowKind& row : rows) {
    if (row.type == type) return &row;
  }
  return nullptr;
}

std::string Text(absl::string_view bytes) {
  return Utf8FromUtf16(bytes, ByteOrder::kBig).value_or("");  // parts have whole units
}

DecodedJson Real(double real) {
  if (std::isinf(real)) return real > 0 ? "Infinity" : "-Infinity";
  if (real == std::floor(real) && std::fabs(real) < 9007199254740992.0) {
    return static_cast<int64_t>(real);
  }
  return real;
}

// Decodes an IndexedDB key whose first part is `part`, reading the rest of an array from the
// reader. Limits the depth, since the JSON writer is recursive.
std::optional<DecodedJson> KeyJson(const IndexedDbPart& part, IndexedDbKeyReader* reader,
                                   int depth) {
  constexpr int kMaxDepth = 50;
  switch (part.kind) {
    case Kind::kMin:
      return DecodedJson{{"limit", "lowest"}};
    case Kind::kNull:
      return DecodedJson{{"limit", "highest"}};
    case Kind::kNumber:
      return Real(part.real);
    case Kind::kDate:
      return DecodedJson{{"date_ms", Real(part.real)}};
    case Kind::kString:
      return DecodedJson(Text(part.bytes));
    case Kind::kBinary:
      return DecodedJson{{"binary_hex", HexOf(part.bytes)}};
    case Kind::kArray:
      break;
    default:
      return std::nullopt;
  }
  if (depth == kMaxDepth) return std::nullopt;
  DecodedJson array = DecodedJson::array();
  while (true) {
    const IndexedDbPart element = reader->Next();
    if (element.kind == Kind::kArrayEnd) return array;
    std::optional<DecodedJson> json = KeyJson(element, reader, depth + 1);
    if (!json.has_value()) return std::nullopt;
    array.push_back(*std::move(json));
  }
}

std::optional<DecodedJson> NextKeyJson(IndexedDbKeyReader* reader) {
  return KeyJson(reader->Next(), reader, 0);
}

// Null: too long.
DecodedJson IntJson(absl::string_view value) {
  uint64_t number = 0;
  if (value.size() > sizeof(number)) return {};
  std::memcpy(&number, value.data(), value.size());  // little-endian, like the machine
  return number;
}

DecodedJson IndexEntryJson(absl::string_view value) {
  uint64_t version = 0;
  if (!ConsumeVarint64(&value, &version)) return {};
  // A key alone is parsed as the key of a record.
  const std::string record = absl::StrCat(absl::string_view("\0\1\1\1", 4), value);
  IndexedDbKeyReader reader(record);
  for (int i = 0; i < 3; ++i) reader.Next();
  const std::optional<DecodedJson> key = NextKeyJson(&reader);
  if (!key.has_value() || reader.Next().kind != Kind::kEnd) return {};
  return {{"version", version}, {"primary_key", *key}};
}

DecodedJson ValueJson(ValueForm form, absl::string_view value) {
  if (value.empty()) return {};
  switch (form) {
    case ValueForm::kInt:
      return IntJson(value);
    case ValueForm::kVarint: {
      uint64_t number = 0;
      return ConsumeVarint64(&value, &number) && value.empty() ? DecodedJson(number)
                                                               : DecodedJson();
    }
    case ValueForm::kBool:
      return value.size() == 1 ? DecodedJson(value[0] != 0) : DecodedJson();
    case ValueForm::kString: {
      std::optional<std::string> text = Utf8FromUtf16(value, ByteOrder::kBig);
      return text.has_value() ? DecodedJson(*std::move(text)) : DecodedJson();
    }
    case ValueForm::kVersion: {
      const DecodedJson version = IntJson(value);
      return version.is_null() ? DecodedJson() : DecodedJson{{"version", version}};
    }
    case ValueForm::kIndexEntry:
      return IndexEntryJson(value);
    case ValueForm::kOpaque:
      break;
  }
  return {};
}

// Decodes the metadata of databases, object stores and indexes. The key is complete.
DecodedEntry DecodeMetadata(uint64_t database, IndexedDbKeyReader* reader,
                            absl::string_view value) {
  const uint64_t type = reader->Next().number;
  std::vector<uint64_t> numbers;  // ids; for object stores and indexes also the type of the row
  std::vector<std::string> texts;
  std::string rest;
  for (IndexedDbPart part = reader->Next(); part.kind != Kind::kEnd; part = reader->Next()) {
    if (part.kind == Kind::kString) {
      texts.push_back(Text(part.bytes));
    } else if (part.kind == Kind::kRest) {
      rest = HexOf(part.bytes);
    } else {
      numbers.push_back(part.number);
    }
  }
  const bool is_store = database != 0 && type == 50, is_index = database != 0 && type == 100;
  const RowKind* const row = is_store        ? Find(kObjectStoreRows, numbers.at(1))
                             : is_index      ? Find(kIndexRows, numbers.at(2))
                             : database == 0 ? Find(kGlobalRows, type)
                                             : Find(kDatabaseRows, type);
  if (row == nullptr) return {};
  DecodedJson key = {{"kind", row->kind}};
  if (database != 0) key["database"] = database;
  if (database == 0 && type == 100) key["database"] = numbers.at(0);
  if (database == 0 && type == 201) key.update({{"origin", texts.at(0)}, {"name", texts.at(1)}});
  const bool has_store = is_store || is_index || (database != 0 && type >= 150 && type != 200);
  if (has_store) key["store"] = numbers.at(0);
  if (is_index || (database != 0 && type == 151)) key["index"] = numbers.at(1);
  if (database != 0 && !texts.empty()) key["name"] = texts.at(0);
  if (!rest.empty()) key["rest_hex"] = rest;
  return {std::move(key), ValueJson(row->form, value)};
}

// Null: not compressed. JSON has no bytes, so each becomes the character with its number, as in
// Latin-1.
DecodedJson RecordJson(absl::string_view key, absl::string_view value) {
  const absl::StatusOr<std::string> script_value = UncompressIndexedDbRecord(key, value);
  uint64_t version = 0;
  if (!script_value.ok() || !ConsumeVarint64(&value, &version)) return {};
  return {{"version", version}, {"uncompressed", Utf8FromLatin1(*script_value)}};
}

class IndexedDbDecoder final : public EntryDecoder {
 public:
  absl::string_view format() const override { return "Chromium's IndexedDB"; }

  DecodedEntry Decode(absl::string_view key, absl::string_view value) const override {
    if (!IsIndexedDbKey(key)) return {};
    IndexedDbKeyReader reader(key);
    uint64_t ids[3];
    for (uint64_t& id : ids) id = reader.Next().number;
    if (ids[0] == 0 || ids[1] == 0) return DecodeMetadata(ids[0], &reader, value);
    const bool is_index = ids[2] >= kIndexedDbFirstIndexId;
    DecodedJson json = {{"kind", is_index                       ? "index entry"
                                 : ids[2] == kIndexedDbDataId   ? "record"
                                 : ids[2] == kIndexedDbExistsId ? "exists"
                                                                : "external objects"},
                        {"database", ids[0]},
                        {"store", ids[1]}};
    if (is_index) json["index"] = ids[2];
    std::optional<DecodedJson> user_key = NextKeyJson(&reader);
    if (!user_key.has_value()) return {};
    json["key"] = *std::move(user_key);
    if (is_index) AddPrimaryKey(&reader, &json);
    if (ids[2] == kIndexedDbDataId) return {std::move(json), RecordJson(key, value)};
    const ValueForm form = is_index                       ? ValueForm::kIndexEntry
                           : ids[2] == kIndexedDbExistsId ? ValueForm::kVersion
                                                          : ValueForm::kOpaque;
    return {std::move(json), ValueJson(form, value)};
  }

 private:
  // Old entries have no sequence number or no primary key.
  static void AddPrimaryKey(IndexedDbKeyReader* reader, DecodedJson* json) {
    IndexedDbPart part = reader->Next();
    if (auto primary_key = KeyJson(part, reader, 0)) {
      (*json)["primary_key"] = *std::move(primary_key);
      part = reader->Next();
    }
    if (part.number != 0) (*json)["sequence_number"] = part.number;
  }
};

}  // namespace

std::unique_ptr<EntryDecoder> NewIndexedDbDecoder() { return std::make_unique<IndexedDbDecoder>(); }

}  // namespace sstable
