// Chromium's IndexedDB. Source: "LevelDB Coding Scheme" in Chromium's source tree. The keys are
// described in keys/indexed_db_key.h, the records in decode/indexed_db_value.h. Metadata rows give
// the names of databases, object stores and indexes, which are shown in place of their ids.
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "decode/entry_decoder.h"
#include "decode/indexed_db_metadata.h"
#include "decode/indexed_db_value.h"
#include "decode/script_value.h"
#include "keys/indexed_db_key.h"
#include "util/coding.h"

namespace sstable {
namespace {

using Kind = IndexedDbPart::Kind;

// Adds an IndexedDB key. `part` is its first part; the rest of an array is read from `reader`.
bool AddUserKey(IndexedDbPart part, IndexedDbKeyReader* reader, ValueTree* tree) {
  std::vector<size_t> open_arrays;
  while (open_arrays.size() <= ValueTree::kMaxDepth) {
    switch (part.kind) {
      case Kind::kMin:
        ObjectBuilder(tree).Add("limit", "lowest");
        break;
      case Kind::kNull:
        ObjectBuilder(tree).Add("limit", "highest");
        break;
      case Kind::kNumber:
        tree->Double(part.real);
        break;
      case Kind::kDate:
        tree->Date(part.real);
        break;
      case Kind::kString:
        tree->Utf16(part.bytes, ByteOrder::kBig);
        break;
      case Kind::kBinary:
        tree->Bytes(part.bytes);
        break;
      case Kind::kArray:
        open_arrays.push_back(tree->Open(ValueTree::Kind::kArray));
        break;
      case Kind::kArrayEnd:
        if (open_arrays.empty()) return false;
        tree->Close(open_arrays.back());
        open_arrays.pop_back();
        break;
      default:
        return false;
    }
    if (open_arrays.empty()) return true;
    part = reader->Next();
  }
  return false;
}

// Adds an index entry's value: version (varint), primary key.
bool AddIndexEntry(absl::string_view value, ValueTree* tree) {
  uint64_t version = 0;
  if (!ConsumeVarint64(&value, &version)) return false;
  // IndexedDbKeyReader reads rows' keys, so the primary key is parsed as the key of a record.
  const std::string record = absl::StrCat(absl::string_view("\0\1\1\1", 4), value);
  IndexedDbKeyReader reader(record);
  reader.NextIds();
  ObjectBuilder entry(tree);
  return AddUserKey(reader.Next(), &reader, entry.Add("version", version).Name("primary_key")) &&
         reader.Next().kind == Kind::kEnd;
}

// Returns the key of the row with another index id and the same user key; empty if the index id of
// `key` takes more than a byte.
std::string RowWithId(absl::string_view key, uint64_t index_id) {
  const auto sizes = static_cast<unsigned char>(key[0]);
  std::string other(key);
  if (sizes % 4 != 0) return "";
  other[size_t{1} + sizes / 32 + 1 + sizes / 4 % 8 + 1] = static_cast<char>(index_id);
  return other;
}

class IndexedDbDecoder final : public EntryDecoder {
 public:
  absl::string_view format() const override { return "Chromium's IndexedDB"; }

  void Learn(std::shared_ptr<const EntrySource> source) override;

 protected:
  bool DecodeKey(absl::string_view key, ValueTree* tree) const override;
  bool DecodeValue(absl::string_view key, absl::string_view value, ValueTree* tree) const override;

 private:
  using Ids = IndexedDbIds;  // database, object store, index; 0 where there is none

  // Returns false if the name is known already or the limit on memory would be exceeded.
  bool LearnName(Ids ids, absl::string_view name);
  void LearnNames(uint64_t database);
  bool AddMetadataKey(const IndexedDbMetadataKey& key, ObjectBuilder* object) const;
  void AddName(const char* field, Ids ids, ObjectBuilder* object) const;
  bool DecodeRecord(absl::string_view key, absl::string_view value, ValueTree* tree) const;
  std::string ValueOf(absl::string_view key) const;
  bool IsNewest(absl::string_view key, absl::string_view value) const;

  std::shared_ptr<const EntrySource> source_;
  std::map<Ids, std::string> names_;  // UTF-16, big-endian
  size_t names_size_ = 0;             // approximate bytes of memory
};

// A database's metadata rows precede its other rows. Each visit starts at the smallest complete
// key, since an incomplete key sorts after the keys that it is a prefix of.
void IndexedDbDecoder::Learn(std::shared_ptr<const EntrySource> source) {
  constexpr uint64_t kDatabaseName = 201;
  constexpr absl::string_view kFirst("\0\0\0\0\xc9\0\0", 7);
  source_ = std::move(source);
  std::vector<uint64_t> databases;
  source_->Visit(kFirst, [&](absl::string_view key, absl::string_view value) {
    IndexedDbKeyReader reader(key);
    if (!IsIndexedDbKey(key) || reader.NextIds() != Ids{}) return false;
    const IndexedDbMetadataKey row = ReadIndexedDbMetadataKey(0, &reader);
    const std::optional<uint64_t> database = ParseIndexedDbInt(value);
    if (row.type == kDatabaseName && !value.empty() && database.has_value() &&
        LearnName({*database, 0, 0}, row.texts[1])) {
      databases.push_back(*database);
    }
    return true;
  });
  for (const uint64_t database : databases) LearnNames(database);
}

bool IndexedDbDecoder::LearnName(Ids ids, absl::string_view name) {
  constexpr size_t kMaxSize = size_t{16} << 20, kNodeSize = 96;
  const size_t size = kNodeSize + name.size();
  if (size > kMaxSize - names_size_ || !names_.emplace(ids, name).second) return false;
  names_size_ += size;
  return true;
}

void IndexedDbDecoder::LearnNames(uint64_t database) {
  char bytes[sizeof(database)];
  EncodeFixed64(bytes, database);
  size_t size = sizeof(bytes);
  while (size > 1 && bytes[size - 1] == 0) --size;
  std::string first(1, static_cast<char>((size - 1) << 5));
  absl::StrAppend(&first, absl::string_view(bytes, size), absl::string_view("\0\0\0", 3));
  source_->Visit(first, [&](absl::string_view key, absl::string_view value) {
    if (!IsIndexedDbKey(key)) return false;
    IndexedDbKeyReader reader(key);
    const Ids ids = reader.NextIds();
    if (ids[0] != database || ids[1] != 0) return false;
    const IndexedDbMetadataKey row = ReadIndexedDbMetadataKey(database, &reader);
    if (value.empty()) return true;
    if (row.is_store() && row.numbers[1] == 0) {
      LearnName({database, row.numbers[0], 0}, value);
    } else if (row.is_index() && row.numbers[2] == 0) {
      LearnName({database, row.numbers[0], row.numbers[1]}, value);
    }
    return true;
  });
}

// Adds the name of a database, object store or index; if the name is unknown, its id.
void IndexedDbDecoder::AddName(const char* field, Ids ids, ObjectBuilder* object) const {
  const auto name = names_.find(ids);
  if (name != names_.end()) {
    object->Name(field)->Utf16(name->second, ByteOrder::kBig);
  } else {
    object->Add(field, ids[2] != 0 ? ids[2] : ids[1] != 0 ? ids[1] : ids[0]);
  }
}

bool IndexedDbDecoder::AddMetadataKey(const IndexedDbMetadataKey& key,
                                      ObjectBuilder* object) const {
  if (key.Kind() == nullptr) return false;
  const uint64_t database = key.database;
  object->Add("kind", key.Kind());
  if (database == 0) {
    if (!key.numbers.empty()) AddName("database", {key.numbers[0], 0, 0}, object);
    if (!key.texts.empty()) {
      object->Name("origin")->Utf16(key.texts[0], ByteOrder::kBig);
      object->Name("name")->Utf16(key.texts[1], ByteOrder::kBig);
    }
    if (!key.rest.empty()) object->Name("rest_hex")->Hex(key.rest);
    return true;
  }
  AddName("database", {database, 0, 0}, object);
  if (!key.numbers.empty()) AddName("store", {database, key.numbers[0], 0}, object);
  if (key.numbers.size() > 1 && !key.is_store()) {
    AddName("index", {database, key.numbers[0], key.numbers[1]}, object);
  }
  if (!key.texts.empty()) object->Name("name")->Utf16(key.texts[0], ByteOrder::kBig);
  return true;
}

bool IndexedDbDecoder::DecodeKey(absl::string_view key, ValueTree* tree) const {
  if (!IsIndexedDbKey(key)) return false;
  IndexedDbKeyReader reader(key);
  const Ids ids = reader.NextIds();
  ObjectBuilder object(tree);
  if (ids[0] == 0 || ids[1] == 0) {
    return AddMetadataKey(ReadIndexedDbMetadataKey(ids[0], &reader), &object);
  }
  const bool is_index = ids[2] >= kIndexedDbFirstIndexId;
  object.Add("kind", is_index                       ? "index entry"
                     : ids[2] == kIndexedDbDataId   ? "record"
                     : ids[2] == kIndexedDbExistsId ? "exists"
                                                    : "external objects");
  AddName("database", {ids[0], 0, 0}, &object);
  AddName("store", {ids[0], ids[1], 0}, &object);
  if (is_index) AddName("index", {ids[0], ids[1], ids[2]}, &object);
  if (!AddUserKey(reader.Next(), &reader, object.Name("key"))) return false;
  if (!is_index) return true;
  // Old entries may have no primary key or no sequence number.
  IndexedDbPart part = reader.Next();
  if (part.kind != Kind::kEnd && part.kind != Kind::kVarint) {
    if (!AddUserKey(part, &reader, object.Name("primary_key"))) return false;
    part = reader.Next();
  }
  if (part.number != 0) object.Add("sequence_number", part.number);
  return true;
}

bool IndexedDbDecoder::DecodeValue(absl::string_view key, absl::string_view value,
                                   ValueTree* tree) const {
  IndexedDbKeyReader reader(key);
  const Ids ids = reader.NextIds();
  if (ids[0] == 0 || ids[1] == 0) {
    return DecodeIndexedDbMetadata(ReadIndexedDbMetadataKey(ids[0], &reader), value, tree);
  }
  if (ids[2] >= kIndexedDbFirstIndexId) return AddIndexEntry(value, tree);
  if (ids[2] == kIndexedDbExistsId) {
    const std::optional<uint64_t> version = ParseIndexedDbInt(value);
    if (version.has_value()) ObjectBuilder(tree).Add("version", *version);
    return version.has_value();
  }
  if (ids[2] == kIndexedDbDataId) return DecodeRecord(key, value, tree);
  const auto objects = ParseExternalObjects(value);
  if (!objects.has_value()) return false;
  const size_t array = tree->Open(ValueTree::Kind::kArray);
  for (const ExternalObject& object : *objects) {
    ObjectBuilder fields(tree);
    object.AddTo(ids[0], &fields);
  }
  tree->Close(array);
  return true;
}

// Returns the newest value of a key; empty if it is not found.
std::string IndexedDbDecoder::ValueOf(absl::string_view key) const {
  std::string found;
  if (source_ == nullptr || key.empty()) return found;
  source_->Visit(key, [&](absl::string_view at, absl::string_view value) {
    if (at == key && value.size() <= kMaxDecodedSize) found = std::string(value);
    return false;
  });
  return found;
}

// Returns true if `value` is the newest version of `key` and differs from the version before it.
bool IndexedDbDecoder::IsNewest(absl::string_view key, absl::string_view value) const {
  bool is_newest = false;
  size_t visited = 0;
  if (source_ == nullptr) return false;
  source_->Visit(key, [&](absl::string_view at, absl::string_view its) {
    const bool is_same = at == key && its == value;
    is_newest = ++visited == 1 ? is_same : !is_same;
    return visited == 1 && is_same;
  });
  return is_newest;
}

bool IndexedDbDecoder::DecodeRecord(absl::string_view key, absl::string_view value,
                                    ValueTree* tree) const {
  const absl::string_view stored = value;
  uint64_t version = 0, size = 0, index = 0;
  if (!ConsumeVarint64(&value, &version)) return false;
  const uint64_t database = IndexedDbKeyReader(key).Next().number;
  std::optional<std::string> row;
  std::vector<ExternalObject> objects;  // objects of the row, once it has been read
  const auto object_at = [&](uint64_t at) -> const ExternalObject* {
    if (!row.has_value()) {
      // Only the newest version of the row can be read, and only the newest record is sure to refer
      // to it.
      row = IsNewest(key, stored) ? ValueOf(RowWithId(key, kIndexedDbExternalId)) : "";
      objects = ParseExternalObjects(*row).value_or(std::vector<ExternalObject>());
    }
    return at < objects.size() ? &objects[at] : nullptr;
  };
  absl::StatusOr<std::string> blob = absl::NotFoundError("");
  if (absl::ConsumePrefix(&value, "\xff\x11\x01")) {
    if (!ConsumeVarint64(&value, &size) || !ConsumeVarint64(&value, &index)) return false;
    const ExternalObject* const object = object_at(index);
    if (object == nullptr) {
      blob = absl::NotFoundError("its row of external objects is not at hand");
    } else {
      blob = ReadBlob(source_->folder(), object->Path(database), size);
    }
    if (!blob.ok()) {
      tree->Undecoded(absl::StrCat("in a blob of ", size, " bytes: ", blob.status().message()),
                      stored);
      return true;
    }
    value = *blob;
  }
  const absl::StatusOr<std::string> uncompressed = UncompressScriptValue(value);
  if (uncompressed.ok()) {
    blob = absl::NotFoundError("");  // frees the blob
    value = *uncompressed;
  } else if (!absl::IsNotFound(uncompressed.status())) {
    tree->Undecoded(uncompressed.status().message(), stored);
    return true;
  }
  DecodeScriptValue(
      value,
      [&](uint64_t at, ObjectBuilder* fields) {
        if (const ExternalObject* object = object_at(at)) object->AddTo(database, fields);
      },
      tree);
  return true;
}

}  // namespace

std::unique_ptr<EntryDecoder> NewIndexedDbDecoder() { return std::make_unique<IndexedDbDecoder>(); }

}  // namespace sstable
