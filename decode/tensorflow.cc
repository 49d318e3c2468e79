// The .index of TensorFlow's checkpoints. Sources: tensor_bundle.proto, tensor_shape.proto,
// tensor_slice.proto, types.proto and saved_tensor_slice_util.cc. Values are Protocol Buffers
// messages. Keys:
//
//   (empty)                      the header
//   name                         a tensor
//   00 | name | 00 01 | slice    a slice of a tensor; in the name, 00 becomes 00 ff, and ff ff 00
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "decode/entry_decoder.h"
#include "decode/protobuf.h"
#include "util/escape.h"

namespace sstable {
namespace {

// Names of the types 1, 2, 3, ...
constexpr const char* kTypes[] = {
    "float",
    "double",
    "int32",
    "uint8",
    "int16",
    "int8",
    "string",
    "complex64",
    "int64",
    "bool",
    "qint8",
    "quint8",
    "qint32",
    "bfloat16",
    "qint16",
    "quint16",
    "uint16",
    "complex128",
    "half",
    "resource",
    "variant",
    "uint32",
    "uint64",
    "float8_e5m2",
    "float8_e4m3fn",
    "float8_e4m3fnuz",
    "float8_e4m3b11fnuz",
    "float8_e5m2fnuz",
    "int4",
    "uint4",
    "int2",
    "uint2",
};

// Passes the fields of a message to `visit` until it returns false. types[i] is the wire type that
// field i + 1 must have, as a digit. Returns false if a field does not conform or `visit` returned
// false.
bool VisitFields(absl::string_view bytes, absl::string_view types,
                 absl::FunctionRef<bool(const ProtobufField& field)> visit) {
  while (!bytes.empty()) {
    ProtobufField field;
    if (!ConsumeProtobufField(&bytes, &field) || field.number > types.size() ||
        types[field.number - 1] != static_cast<char>('0' + field.type) || !visit(field)) {
      return false;
    }
  }
  return true;
}

// Reads a message whose fields 1 to N are integers; absent ones are left as they are.
template <size_t N>
bool ReadIntegers(absl::string_view bytes, int64_t (&integers)[N]) {
  return VisitFields(bytes, std::string(N, '0'), [&](const ProtobufField& field) {
    integers[field.number - 1] = static_cast<int64_t>(field.integer);
    return true;
  });
}

// Decodes the sizes of the dimensions; null if their number is unknown.
bool Shape(absl::string_view bytes, ValueTree* tree) {
  const size_t shape = tree->Open(ValueTree::Kind::kArray);
  bool is_unknown = false;
  const bool is_shape = VisitFields(bytes, " 20", [&](const ProtobufField& field) {
    int64_t size[1] = {};
    if (field.number == 3) is_unknown = field.integer != 0;
    if (field.number == 2 && !ReadIntegers(field.bytes, size)) return false;
    if (field.number == 2) tree->Int(size[0]);
    return !tree->exceeds_limits();
  });
  tree->Close(shape);
  if (is_unknown) {
    tree->Truncate(shape);
    tree->Null();
  }
  return is_shape;
}

// Decodes [start, length] for each dimension; null for one that is entirely in the slice.
bool Slice(absl::string_view bytes, ValueTree* tree) {
  const size_t slice = tree->Open(ValueTree::Kind::kArray);
  const bool is_slice = VisitFields(bytes, "2", [tree](const ProtobufField& field) {
    int64_t extent[2] = {};
    if (!ReadIntegers(field.bytes, extent)) return false;
    if (field.bytes.empty()) {
      tree->Null();
    } else {
      const size_t pair = tree->Open(ValueTree::Kind::kArray);
      for (const int64_t number : extent) tree->Int(number);
      tree->Close(pair);
    }
    return !tree->exceeds_limits();
  });
  tree->Close(slice);
  return is_slice;
}

bool Header(absl::string_view bytes, ValueTree* tree) {
  uint64_t shards = 0, endianness = 0;
  int64_t version[2] = {};  // the writer's version, and the lowest version that can read it
  if (!VisitFields(bytes, "002", [&](const ProtobufField& field) {
        if (field.number == 3) return ReadIntegers(field.bytes, version);
        (field.number == 1 ? shards : endianness) = field.integer;
        return true;
      })) {
    return false;
  }
  ObjectBuilder header(tree);
  header.Add("shards", shards).Add("endianness", endianness == 0 ? "little" : "big");
  header.Add("producer", version[0]).Add("min_consumer", version[1]);
  return shards != 0 && endianness <= 1;
}

bool Tensor(absl::string_view bytes, ValueTree* tree) {
  uint64_t type = 0, shard = 0, offset = 0, size = 0, checksum = 0;
  uint64_t* const integers[] = {&type, nullptr, &shard, &offset, &size, &checksum};
  absl::string_view shape;
  bool has_checksum = false, has_slices = false;
  if (!VisitFields(bytes, "0200052", [&](const ProtobufField& field) {
        has_checksum |= field.number == 6;
        has_slices |= field.number == 7;
        if (field.number == 2) shape = field.bytes;
        if (field.type != ProtobufField::kSized) *integers[field.number - 1] = field.integer;
        return true;
      })) {
    return false;
  }
  if (type == 0 || type > std::size(kTypes) || has_checksum == has_slices) return false;
  ObjectBuilder tensor(tree);
  if (!Shape(shape, tensor.Add("type", kTypes[type - 1]).Name("shape"))) return false;
  if (has_checksum) {
    tensor.Add("shard", shard).Add("offset", offset).Add("size", size);
    tensor.Add("masked_crc32c", checksum);
    return true;
  }
  tensor.Name("slices");
  const size_t slices = tree->Open(ValueTree::Kind::kArray);
  const bool are_slices = VisitFields(bytes, "0200052", [tree](const ProtobufField& field) {
    return field.number != 7 || Slice(field.bytes, tree);
  });
  tree->Close(slices);
  return are_slices;
}

class TensorflowDecoder final : public EntryDecoder {
 public:
  absl::string_view format() const override { return "an index of a checkpoint of TensorFlow"; }

  // Any text may be a tensor's name, so the value must be decodable, too.
  bool Recognizes(absl::string_view key, absl::string_view value) const override {
    ValueTree tree;
    return DecodeKey(key, &tree) && DecodeValue(key, value, &tree);
  }

 protected:
  bool DecodeKey(absl::string_view key, ValueTree* tree) const override {
    ObjectBuilder object(tree);
    if (!absl::ConsumePrefix(&key, absl::string_view("\0", 1))) {
      object.Add("kind", key.empty() ? "header" : "tensor");
      if (!key.empty()) object.Add("name", key);
      return IsUtf8(key);
    }
    std::string name;
    while (key.size() >= 2 && key.substr(0, 2) != absl::string_view("\0\1", 2)) {
      const bool is_escaped = key[0] == '\0' || key[0] == '\xff';
      if (is_escaped && static_cast<unsigned char>(key[0] ^ key[1]) != 0xff) return false;
      name += key[0];
      key.remove_prefix(is_escaped ? 2 : 1);
    }
    if (!absl::ConsumePrefix(&key, absl::string_view("\0\1", 2))) return false;
    object.Add("kind", "slice").Add("name", name).Name("slice_hex")->Hex(key);
    return IsUtf8(name);
  }

  bool DecodeValue(absl::string_view key, absl::string_view value, ValueTree* tree) const override {
    return key.empty() ? Header(value, tree) : Tensor(value, tree);
  }
};

}  // namespace

std::unique_ptr<EntryDecoder> NewTensorflowDecoder() {
  return std::make_unique<TensorflowDecoder>();
}

}  // namespace sstable
