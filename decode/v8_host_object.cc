// Sources: Blink's serialization_tag.h and v8_script_value_serializer_for_modules.cc.
#include "decode/v8_host_object.h"

#include <cstddef>
#include <iterator>

#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"

namespace sstable {
namespace {

// Blink's objects and their fields, a letter each:
//   u varint    s varint size, UTF-8    x varint size, bytes    d double
//   F a file, see OldFile()    # and g an image    K a key
//   * a count; the fields that follow are repeated that many times
struct HostType {
  char tag;
  const char* name;
  const char* fields;
};
constexpr HostType kHostTypes[] = {
    {'b', "Blob", "ssu"},
    {'Q', "DOMPoint", "dddd"},
    {'W', "DOMPointReadOnly", "dddd"},
    {'E', "DOMRect", "dddd"},
    {'R', "DOMRectReadOnly", "dddd"},
    {'T', "DOMQuad", "dddddddddddddddd"},
    {'Y', "DOMMatrix", "dddddddddddddddd"},
    {'U', "DOMMatrixReadOnly", "dddddddddddddddd"},
    {'I', "DOMMatrix", "dddddd"},
    {'O', "DOMMatrixReadOnly", "dddddd"},
    {'x', "DOMException", "sss"},
    {'q', "QuotaExceededError", "ssudud"},
    {'n', "FileSystemFileHandle", "su"},
    {'N', "FileSystemDirectoryHandle", "su"},
    {'d', "DOMFileSystem", "uss"},
    {'k', "RTCCertificate", "ss"},
    {'f', "File", "F"},
    {'l', "FileList", "*F"},
    {'L', "FileList", "*u"},
    {'#', "ImageData", "#"},
    {'g', "ImageBitmap", "g"},
    {'K', "CryptoKey", "K"},
};

class HostDecoder {
 public:
  HostDecoder(uint32_t version, V8Input* input, AddBlobFields add_blob_fields, ValueTree* tree)
      : version_(version), input_(input), add_blob_fields_(add_blob_fields), tree_(tree) {}

  bool Decode(char tag);

 private:
  bool Fields(absl::string_view fields);
  bool Field(char field);
  bool OldFile();
  bool Image(char tag);
  bool CryptoKey();

  const uint32_t version_;
  V8Input* const input_;
  const AddBlobFields add_blob_fields_;
  ValueTree* const tree_;
};

bool HostDecoder::Decode(char tag) {
  if (tag == 'i' || tag == 'e') {
    uint64_t index = 0;
    if (!input_->Varint(&index)) return false;
    ObjectBuilder form(tree_, tag == 'i' ? "$blob" : "$file");
    ObjectBuilder fields(tree_);
    add_blob_fields_(index, &fields.Add("index", index));
    return true;
  }
  const HostType* const type = Find(kHostTypes, tag);
  if (type == nullptr) return input_->BadTag(tag);
  ObjectBuilder form(tree_, "$host");
  tree_->Text(type->name);
  form.Name("values");
  const size_t values = tree_->Open(ValueTree::Kind::kArray);
  if (!Fields(type->fields)) return false;
  tree_->Close(values);
  return true;
}

bool HostDecoder::Fields(absl::string_view fields) {
  uint64_t count = 1;
  if (absl::ConsumePrefix(&fields, "*") && !input_->Varint(&count)) return false;
  if (count > 1 && count > input_->left()) return input_->Fail("count exceeds what is left,");
  for (; count > 0; --count) {
    for (const char field : fields) {
      if (!Field(field)) return false;
    }
  }
  return true;
}

bool HostDecoder::Field(char field) {
  if (field == 'F') return OldFile();
  if (field == '#' || field == 'g') return Image(field);
  if (field == 'K') return CryptoKey();
  uint64_t number = 0;
  double real = 0;
  absl::string_view text;
  if (field == 'u' && input_->Varint(&number)) {
    tree_->Uint(number);
  } else if (field == 'd' && input_->Real(&real)) {
    tree_->Double(real);
  } else if (field == 's' && input_->Sized(&text)) {
    tree_->Text(text);
  } else if (field == 'x' && input_->Sized(&text)) {
    tree_->Bytes(text);
  } else {
    return false;
  }
  return true;
}

// Reads a file as Blink wrote it before version 8, and later outside of IndexedDB.
bool HostDecoder::OldFile() {
  if (version_ < 4) return Fields("sss");
  const size_t values = tree_->size();
  if (!Fields("sssssu")) return false;
  const bool has_snapshot = tree_->number(tree_->size() - 1) != 0 && tree_->size() > values;
  return (!has_snapshot || Fields("ud")) && (version_ < 7 || Fields("u"));
}

// Reads settings, width, height and pixels.
bool HostDecoder::Image(char tag) {
  constexpr uint64_t kOrientationMatrix = 7;
  if (version_ >= 18) {
    const size_t settings = tree_->Open(ValueTree::Kind::kArray);
    while (true) {
      uint64_t setting = 0;
      if (!input_->Varint(&setting)) return false;
      if (setting == 0) break;
      tree_->Uint(setting);
      const bool is_matrix = tag == 'g' && setting == kOrientationMatrix;
      if (!Fields(is_matrix ? "dddddddddddddddd" : "u")) return false;
    }
    tree_->Close(settings);
  } else if (tag == 'g' && !Fields("uu")) {
    return false;
  }
  return Fields("uux");
}

// Reads a key's kind, parameters and usages, and the key itself.
bool HostDecoder::CryptoKey() {
  constexpr const char* kParameters[] = {nullptr, "uu", "uu", nullptr, "uuuxu",
                                         "uuu",   "u",  "uu", "uu"};
  uint64_t kind = 0;
  if (!input_->Varint(&kind)) return false;
  if (kind >= std::size(kParameters) || kParameters[kind] == nullptr)
    return input_->Fail("kind of key");
  tree_->Uint(kind);
  return Fields(kParameters[kind]) && Fields("ux");
}

}  // namespace

bool DecodeHostObject(char tag, uint32_t version, V8Input* input, AddBlobFields add_blob_fields,
                      ValueTree* tree) {
  return HostDecoder(version, input, add_blob_fields, tree).Decode(tag);
}

}  // namespace sstable
