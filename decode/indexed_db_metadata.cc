#include "decode/indexed_db_metadata.h"

#include <cstddef>
#include <cstring>

#include "absl/strings/strip.h"
#include "decode/protobuf.h"
#include "util/coding.h"

namespace sstable {
namespace {

// The forms of values, in this order: a number for ParseIndexedDbInt(); a varint; a boolean byte;
// UTF-16 to the end; a key path; pairs of varints, a database and a blob; a Protocol Buffers
// message; nothing with a meaning.
enum class ValueForm { kInt, kVarint, kBool, kString, kKeyPath, kJournal, kMessage, kNone };

struct RowKind {
  uint64_t type;
  const char* kind;
  ValueForm form;
};

constexpr RowKind kGlobalRows[] = {
    {0, "schema version", ValueForm::kInt},
    {1, "highest database id", ValueForm::kInt},
    {2, "data format version", ValueForm::kInt},
    {3, "recovery blob journal", ValueForm::kJournal},
    {4, "active blob journal", ValueForm::kJournal},
    {5, "earliest sweep", ValueForm::kInt},
    {6, "earliest compaction", ValueForm::kInt},
    {50, "scopes", ValueForm::kMessage},
    {100, "free database id", ValueForm::kNone},
    {201, "database name", ValueForm::kInt},
};
constexpr RowKind kDatabaseRows[] = {
    {0, "database origin", ValueForm::kString},
    {1, "database name", ValueForm::kString},
    {2, "database version text", ValueForm::kString},
    {3, "highest object store id", ValueForm::kInt},
    {4, "database version", ValueForm::kVarint},
    {5, "blob number", ValueForm::kVarint},
    {150, "free object store id", ValueForm::kNone},
    {151, "free index id", ValueForm::kNone},
    {200, "object store name", ValueForm::kInt},
    {201, "index name", ValueForm::kInt},
};
constexpr RowKind kObjectStoreRows[] = {
    {0, "object store name", ValueForm::kString},
    {1, "object store key path", ValueForm::kKeyPath},
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
    {2, "index key path", ValueForm::kKeyPath},
    {3, "index multi entry", ValueForm::kBool},
};

template <size_t N>
const RowKind* Find(const RowKind (&rows)[N], uint64_t type) {
  for (const RowKind& row : rows) {
    if (row.type == type) return &row;
  }
  return nullptr;
}

const RowKind* RowOf(const IndexedDbMetadataKey& key) {
  return key.is_store()      ? Find(kObjectStoreRows, key.numbers[1])
         : key.is_index()    ? Find(kIndexRows, key.numbers[2])
         : key.database == 0 ? Find(kGlobalRows, key.type)
                             : Find(kDatabaseRows, key.type);
}

// Adds a string, or null for none, or an array of strings. Old paths are strings without a mark.
bool AddKeyPath(absl::string_view value, ValueTree* tree) {
  constexpr absl::string_view kMark("\0\0", 2);
  if (value.size() < 3 || !absl::ConsumePrefix(&value, kMark)) {
    tree->Utf16(value, ByteOrder::kBig);
    return value.size() % 2 == 0;
  }
  const char type = value.front();
  value.remove_prefix(1);
  const auto add_path = [&] {
    absl::string_view path;
    if (!ConsumeSized(&value, 2, &path)) return false;
    tree->Utf16(path, ByteOrder::kBig);
    return true;
  };
  if (type == 0) {
    tree->Null();
  } else if (type == 1) {
    if (!add_path()) return false;
  } else {
    uint64_t count = 0;
    if (type != 2 || !ConsumeVarint64(&value, &count) || count > value.size()) return false;
    const size_t paths = tree->Open(ValueTree::Kind::kArray);
    for (; count > 0; --count) {
      if (!add_path()) return false;
    }
    tree->Close(paths);
  }
  return value.empty();
}

bool AddJournal(absl::string_view value, ValueTree* tree) {
  const size_t journal = tree->Open(ValueTree::Kind::kArray);
  while (!value.empty()) {
    uint64_t database = 0, blob = 0;
    if (!ConsumeVarint64(&value, &database) || !ConsumeVarint64(&value, &blob)) return false;
    ObjectBuilder(tree).Add("database", database).Add("blob", blob);
  }
  tree->Close(journal);
  return true;
}

}  // namespace

const char* IndexedDbMetadataKey::Kind() const {
  const RowKind* const row = RowOf(*this);
  return row == nullptr ? nullptr : row->kind;
}

IndexedDbMetadataKey ReadIndexedDbMetadataKey(uint64_t database, IndexedDbKeyReader* reader) {
  IndexedDbMetadataKey key;
  key.database = database;
  key.type = reader->Next().number;
  for (IndexedDbPart part = reader->Next(); part.kind != IndexedDbPart::Kind::kEnd;
       part = reader->Next()) {
    if (part.kind == IndexedDbPart::Kind::kString) {
      key.texts.push_back(part.bytes);
    } else if (part.kind == IndexedDbPart::Kind::kRest) {
      key.rest = part.bytes;
    } else {
      key.numbers.push_back(part.number);
    }
  }
  return key;
}

std::optional<uint64_t> ParseIndexedDbInt(absl::string_view value) {
  char number[sizeof(uint64_t)] = {};
  if (value.size() > sizeof(number)) return std::nullopt;
  std::memcpy(number, value.data(), value.size());
  return DecodeFixed64(number);
}

bool DecodeIndexedDbMetadata(const IndexedDbMetadataKey& key, absl::string_view value,
                             ValueTree* tree) {
  std::optional<uint64_t> number;
  uint64_t varint = 0;
  switch (RowOf(key)->form) {
    case ValueForm::kInt:
      number = ParseIndexedDbInt(value);
      break;
    case ValueForm::kVarint:
      if (ConsumeVarint64(&value, &varint) && value.empty()) number = varint;
      break;
    case ValueForm::kBool:
      tree->Bool(value[0] != 0);
      return value.size() == 1;
    case ValueForm::kString:
      tree->Utf16(value, ByteOrder::kBig);
      return value.size() % 2 == 0;
    case ValueForm::kKeyPath:
      return AddKeyPath(value, tree);
    case ValueForm::kJournal:
      return AddJournal(value, tree);
    case ValueForm::kMessage:
      return DecodeProtobuf(value, tree);
    case ValueForm::kNone:
      break;
  }
  if (number.has_value()) tree->Uint(*number);
  return number.has_value();
}

}  // namespace sstable
