#include "decode/protobuf.h"

#include <cstdint>
#include <cstring>

#include "decode/script_value.h"
#include "util/coding.h"
#include "util/escape.h"

namespace sstable {
namespace {

constexpr int kMaxDepth = 20;  // also bounds the work: the parse of each level may fail

bool IsText(absl::string_view bytes) {
  while (!bytes.empty()) {
    char32_t c = 0;
    const size_t size = Utf8CharacterSize(bytes, &c);
    const bool is_space = c == '\t' || c == '\n' || c == '\r';
    if (size == 0 || (!IsSafeToShow(c) && !is_space)) return false;
    bytes.remove_prefix(size);
  }
  return true;
}

// How deep a message is nested, and the rest of the path from there to a script value.
struct Place {
  int depth;
  absl::string_view script_value;
};

bool Message(absl::string_view bytes, Place place, ValueTree* tree);

// Adds the value of a length-delimited field of the message at `place`.
void AddSized(const ProtobufField& field, Place place, ValueTree* tree) {
  const bool is_on_path = !place.script_value.empty() &&
                          field.number == static_cast<unsigned char>(place.script_value.front());
  const Place inner = {place.depth + 1, is_on_path ? place.script_value.substr(1) : ""};
  if (is_on_path && inner.script_value.empty()) {
    DecodeScriptValue(
        field.bytes, [](uint64_t, ObjectBuilder*) {}, tree);
  } else if (IsText(field.bytes)) {
    tree->Text(field.bytes);
  } else if (place.depth == kMaxDepth || !Message(field.bytes, inner, tree)) {
    tree->Bytes(field.bytes);
  }
}

template <typename Integer, typename Real>
void AddFixed(absl::string_view name, Integer integer, ValueTree* tree) {
  Real real;
  std::memcpy(&real, &integer, sizeof(real));
  ObjectBuilder form(tree, name);
  tree->Uint(integer);
  form.Add("real", double{real});
}

bool Fields(absl::string_view bytes, Place place, ValueTree* tree) {
  ProtobufField field;
  while (!bytes.empty()) {
    if (!ConsumeProtobufField(&bytes, &field) || tree->exceeds_limits()) return false;
    const size_t pair = tree->Open(ValueTree::Kind::kArray);
    tree->Uint(field.number);
    if (field.type == ProtobufField::kVarint) {
      tree->Uint(field.integer);
    } else if (field.type == ProtobufField::kFixed64) {
      AddFixed<uint64_t, double>("$fixed64", field.integer, tree);
    } else if (field.type == ProtobufField::kFixed32) {
      AddFixed<uint32_t, float>("$fixed32", static_cast<uint32_t>(field.integer), tree);
    } else {
      AddSized(field, place, tree);
    }
    tree->Close(pair);
  }
  return true;
}

bool Message(absl::string_view bytes, Place place, ValueTree* tree) {
  const size_t form = tree->OpenForm("$message");
  const size_t fields = tree->Open(ValueTree::Kind::kArray);
  if (!Fields(bytes, place, tree)) {
    // Truncate(0) would hide that the tree exceeds its limits.
    if (!tree->exceeds_limits()) tree->Truncate(form);
    return false;
  }
  tree->Close(fields);
  tree->Close(form);
  return true;
}

}  // namespace

bool ConsumeProtobufField(absl::string_view* bytes, ProtobufField* field) {
  constexpr uint64_t kMaxNumber = (1 << 29) - 1;
  *field = {};
  uint64_t tag = 0;
  if (!ConsumeVarint64(bytes, &tag)) return false;
  field->number = tag >> 3;
  field->type = tag & 7;
  if (field->number == 0 || field->number > kMaxNumber) return false;
  uint32_t integer = 0;
  switch (field->type) {
    case ProtobufField::kVarint:
      return ConsumeVarint64(bytes, &field->integer);
    case ProtobufField::kFixed64:
      return ConsumeFixed(bytes, &field->integer);
    case ProtobufField::kSized:
      return ConsumeSized(bytes, 1, &field->bytes);
    case ProtobufField::kFixed32:
      if (!ConsumeFixed(bytes, &integer)) return false;
      field->integer = integer;
      return true;
  }
  return false;  // groups are obsolete
}

bool DecodeProtobuf(absl::string_view bytes, ValueTree* tree, absl::string_view script_value) {
  return Message(bytes, {0, script_value}, tree);
}

}  // namespace sstable
