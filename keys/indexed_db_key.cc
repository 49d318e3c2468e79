#include "keys/indexed_db_key.h"

#include <cmath>
#include <cstring>

#include "util/coding.h"

namespace sstable {
namespace {

using Kind = IndexedDbPart::Kind;

// The fields after the prefix or a type, one letter each:
//  t metadata type   v varint   s string   b byte   k IndexedDB key   r all the rest
//  n sequence number, which is returned at p   p no field: where n is returned   ? unknown
// A capital letter is a field that old keys end before.
constexpr char kMetadata[] = "t";
constexpr char kRecord[] = "k";
constexpr char kIndexRecord[] = "kNKp";  // index key, sequence number (0 today), primary key
constexpr char kNotKnown[] = "?";

const char* FieldsAfterPrefix(const IndexedDbIds& ids) {
  if (ids[0] == 0 || ids[1] == 0) return kMetadata;
  if (ids[2] >= kIndexedDbDataId && ids[2] <= kIndexedDbExternalId) return kRecord;
  return ids[2] >= kIndexedDbFirstIndexId ? kIndexRecord : kNotKnown;
}

// Unknown types are ordered by their numbers, too.
const char* FieldsAfterGlobalType(uint64_t type) {
  switch (type) {
    case 0:  // schema version
    case 1:  // highest database id
    case 2:  // data format version
    case 3:  // recovery blob journal
    case 4:  // active blob journal
    case 5:  // earliest sweep
    case 6:  // earliest compaction
      return "";
    case 50:  // scopes: Chromium's undo log
      return "r";
    case 100:  // free list: database id
      return "v";
    case 201:  // database name: origin, name
      return "ss";
  }
  return kNotKnown;
}

const char* FieldsAfterDatabaseType(uint64_t type) {
  switch (type) {
    case 0:  // origin
    case 1:  // name
    case 2:  // version as a string
    case 3:  // highest object store id
    case 4:  // version
    case 5:  // blob numbers
      return "";
    case 50:  // object store: its id, which property
      return "vb";
    case 100:  // index: object store id, its id, which property
      return "vvb";
    case 150:  // free list: object store id
      return "v";
    case 151:  // free list: object store id, index id
      return "vv";
    case 200:  // object store name
      return "s";
    case 201:  // index name: object store id, name
      return "vs";
  }
  return kNotKnown;
}

// More than any program nests. Limits the memory that a hostile key takes.
constexpr size_t kMaxDepth = 2000;

}  // namespace

IndexedDbKeyReader::IndexedDbKeyReader(absl::string_view key) : rest_(key) {
  if (key.empty()) return;
  const auto sizes = static_cast<unsigned char>(key[0]);
  const size_t size_of[3] = {size_t{sizes} / 32 + 1, size_t{sizes} / 4 % 8 + 1,
                             size_t{sizes} % 4 + 1};
  if (key.size() < 1 + size_of[0] + size_of[1] + size_of[2]) return;
  const char* p = key.data() + 1;
  for (size_t i = 0; i < 3; ++i) {
    char id[sizeof(ids_[i])] = {};
    std::memcpy(id, p, size_of[i]);
    ids_[i] = DecodeFixed64(id);
    p += size_of[i];
  }
  rest_.remove_prefix(static_cast<size_t>(p - key.data()));
  has_prefix_ = true;
  fields_ = FieldsAfterPrefix(ids_);
}

IndexedDbPart IndexedDbKeyReader::Malformed() {
  in_key_ = false;
  fields_ = kNotKnown;
  return {Kind::kMalformed, 0, 0, rest_};
}

IndexedDbIds IndexedDbKeyReader::NextIds() {
  ids_given_ = ids_.size();
  return ids_;
}

IndexedDbPart IndexedDbKeyReader::Next() {
  if (!has_prefix_) return Malformed();
  if (ids_given_ < 3) return {Kind::kId, ids_[ids_given_++], 0, {}};
  if (in_key_) return NextOfKey();
  if (*fields_ == 'p') {
    ++fields_;
    return sequence_;
  }
  if (rest_.empty()) return {};
  switch (*fields_) {
    case 't':
      return Type();
    case 'v':
      ++fields_;
      return Varint();
    case 'N':
      ++fields_;
      sequence_ = Varint();
      if (sequence_.kind == Kind::kMalformed || rest_.empty()) return sequence_;
      ++fields_;
      return NextOfKey();
    case 's':
      ++fields_;
      return Bytes(Kind::kString, 2);
    case 'b': {
      ++fields_;
      const uint64_t byte = static_cast<unsigned char>(rest_.front());
      rest_.remove_prefix(1);
      return {Kind::kType, byte, 0, {}};
    }
    case 'k':
      ++fields_;
      return NextOfKey();
    case 'r': {
      ++fields_;
      const absl::string_view bytes = rest_;
      rest_ = absl::string_view();
      return {Kind::kRest, 0, 0, bytes};
    }
  }
  return Malformed();
}

bool IndexedDbKeyReader::complete() const {
  return has_prefix_ && ids_given_ == 3 && (*fields_ == '\0' || *fields_ == 'N' || *fields_ == 'K');
}

IndexedDbPart IndexedDbKeyReader::Type() {
  const uint64_t type = static_cast<unsigned char>(rest_.front());
  fields_ = ids_[0] == 0 ? FieldsAfterGlobalType(type) : FieldsAfterDatabaseType(type);
  rest_.remove_prefix(1);
  return {Kind::kType, type, 0, {}};
}

IndexedDbPart IndexedDbKeyReader::Varint() {
  uint64_t number = 0;
  if (!ConsumeVarint64(&rest_, &number)) return Malformed();
  return {Kind::kVarint, number, 0, {}};
}

IndexedDbPart IndexedDbKeyReader::Bytes(Kind kind, uint64_t unit_size) {
  absl::string_view bytes;
  if (!ConsumeSized(&rest_, unit_size, &bytes)) return Malformed();
  return {kind, 0, 0, bytes};
}

IndexedDbPart IndexedDbKeyReader::Real(Kind kind) {
  absl::string_view rest = rest_;
  double real = 0;
  // NaN is not a valid key, and has no order.
  if (!ConsumeFixed(&rest, &real) || std::isnan(real)) return Malformed();
  rest_ = rest;
  return {kind, 0, real, {}};
}

IndexedDbPart IndexedDbKeyReader::OpenArray() {
  absl::string_view rest = rest_;
  uint64_t count = 0;
  // Each element takes at least one byte.
  if (!ConsumeVarint64(&rest, &count) || count > rest.size() || open_arrays_.size() == kMaxDepth) {
    return Malformed();
  }
  rest_ = rest;
  open_arrays_.push_back(count);
  return {Kind::kArray, 0, 0, {}};
}

IndexedDbPart IndexedDbKeyReader::NextOfKey() {
  if (!open_arrays_.empty()) {
    if (open_arrays_.back() == 0) {
      open_arrays_.pop_back();
      in_key_ = !open_arrays_.empty();
      return {Kind::kArrayEnd, 0, 0, {}};
    }
    --open_arrays_.back();
  }
  if (rest_.empty()) return Malformed();
  const auto type = static_cast<unsigned char>(rest_.front());
  rest_.remove_prefix(1);
  in_key_ = !open_arrays_.empty() || type == 4;
  switch (type) {
    case 0:
      return {Kind::kNull, 0, 0, {}};
    case 1:
      return Bytes(Kind::kString, 2);
    case 2:
      return Real(Kind::kDate);
    case 3:
      return Real(Kind::kNumber);
    case 4:
      return OpenArray();
    case 5:
      return {Kind::kMin, 0, 0, {}};
    case 6:
      return Bytes(Kind::kBinary, 1);
  }
  rest_ = absl::string_view(rest_.data() - 1, rest_.size() + 1);
  return Malformed();
}

bool IsIndexedDbKey(absl::string_view key) {
  IndexedDbKeyReader reader(key);
  while (true) {
    const Kind kind = reader.Next().kind;
    if (kind == Kind::kMalformed) return false;
    if (kind == Kind::kEnd) return reader.complete();
  }
}

// Equal parts leave both readers in the same state, except for the number of elements left in each
// array, which is compared where an array ends. So keys are compared lexicographically by their
// parts. This is a strict weak order because the order of parts is one.
int CompareIndexedDbKeys(absl::string_view a, absl::string_view b) {
  IndexedDbKeyReader a_reader(a), b_reader(b);
  while (true) {
    const IndexedDbPart a_part = a_reader.Next(), b_part = b_reader.Next();
    if (a_part.kind != b_part.kind) return a_part.kind < b_part.kind ? -1 : 1;
    if (a_part.number != b_part.number) return a_part.number < b_part.number ? -1 : 1;
    if (a_part.real != b_part.real) return a_part.real < b_part.real ? -1 : 1;
    if (const int order = a_part.bytes.compare(b_part.bytes); order != 0) return order;
    if (a_part.kind == Kind::kEnd) return 0;
    if (a_part.kind == Kind::kMalformed) return a.compare(b);
  }
}

}  // namespace sstable
