// After V8's src/objects/value-serializer.cc and Blink's bindings/core/v8/serialization.
//
// Blink's envelope:  FF version [FE, trailer offset (8), trailer size (4), if version >= 21] V8's
// V8's:              FF version, a value
// Up to version 15, one header stands for both. A value is a tag and what follows it; objects count
// from 0 in the order of their tags, and ^ refers to one.
#include "decode/v8_value.h"

#include <cmath>
#include <cstddef>
#include <cstring>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "decode/v8_host_object.h"
#include "decode/v8_input.h"
#include "util/coding.h"

namespace sstable {
namespace {

using Kind = ValueTree::Kind;

constexpr size_t kMaxDepth = 10000;
constexpr uint64_t kNotABuffer = UINT64_MAX;

struct ViewType {
  char tag;
  const char* name;
  uint64_t element_size;
};
constexpr ViewType kViewTypes[] = {
    {'b', "Int8Array", 1},    {'B', "Uint8Array", 1},    {'C', "Uint8ClampedArray", 1},
    {'w', "Int16Array", 2},   {'W', "Uint16Array", 2},   {'d', "Int32Array", 4},
    {'D', "Uint32Array", 4},  {'h', "Float16Array", 2},  {'f', "Float32Array", 4},
    {'F', "Float64Array", 8}, {'q', "BigInt64Array", 8}, {'Q', "BigUint64Array", 8},
    {'?', "DataView", 1},
};

struct ErrorType {
  char tag;
  const char* name;
};
constexpr ErrorType kErrorTypes[] = {
    {'E', "EvalError"},   {'R', "RangeError"}, {'F', "ReferenceError"},
    {'S', "SyntaxError"}, {'T', "TypeError"},  {'U', "URIError"},
};

class Decoder {
 public:
  // `has_flags`: of views, which came with version 14; some writers of 13 had them.
  Decoder(absl::string_view bytes, uint32_t blink_version, uint32_t version, bool has_flags,
          AddBlobFields add_blob_fields, ValueTree* tree)
      : input_(bytes),
        blink_version_(blink_version),
        version_(version),
        has_flags_(has_flags),
        add_blob_fields_(add_blob_fields),
        tree_(tree) {}

  // Decodes a value that begins at an offset.
  bool Decode(size_t offset) {
    input_.set_offset(offset);
    if (!Value()) return false;
    while (!open_.empty()) {
      if (open_.size() > kMaxDepth) return input_.Fail("more than 10000 levels");
      if (tree_->exceeds_limits()) return input_.Fail("more than 2097152 parts or 256 MiB of text");
      if (!Continue()) return false;
    }
    return true;
  }

  const std::string& reason() const { return input_.reason(); }

 private:
  // A container of which not all has been read.
  enum class State {
    kProperties,
    kElements,
    kArrayProperties,
    kSparse,
    kSparseProperties,
    kMap,
    kSet,
    kError
  };
  struct Container {
    State state;
    size_t node;
    uint64_t count = 0;       // what its end is to repeat: properties, or values of a map or set
    uint64_t next_index = 0;  // the next element's
    uint64_t length = 0;      // an array's
  };
  struct Object {
    size_t node;
    uint64_t buffer_size;  // or kNotABuffer
  };

  // Values.
  void BeginObject(size_t node, uint64_t buffer_size = kNotABuffer) {
    objects_.push_back({node, buffer_size});
  }
  bool Open(State state, Kind kind) {
    Container container = {state, tree_->size()};
    BeginObject(container.node);
    const bool is_array = state == State::kElements || state == State::kSparse;
    if (is_array && !input_.Varint(&container.length)) return false;
    if (container.length > UINT32_MAX) return input_.Fail("length exceeds 4294967295,");
    if (state == State::kElements && container.length > input_.left()) {
      return input_.Fail("length exceeds what is left,");
    }
    tree_->Open(kind);
    open_.push_back(container);
    return true;
  }
  bool Value();
  bool Continue();
  bool ContinueError();
  bool EndObject(char tag);
  bool NameAndValue(bool is_array);
  bool SparseElement();
  void EndSparseElements(Container* in);
  bool Name(bool is_array);
  bool String();
  bool StringOf(char tag);
  bool OldString();
  bool Number(char tag, double* number);
  bool Bigint();
  bool RegExp();
  bool Error();
  bool Reference();
  bool Buffer(char tag);
  bool View(uint64_t buffer_size, absl::FunctionRef<void()> add_buffer);
  bool Host(char tag) {
    BeginObject(tree_->size());
    // Blink gives each blob an index of its own. Repeated ones could repeat long fields at will.
    const auto add_once = [this](uint64_t index, ObjectBuilder* fields) {
      if (blobs_.insert(index).second) add_blob_fields_(index, fields);
    };
    return DecodeHostObject(tag, blink_version_, &input_, add_once, tree_);
  }

  V8Input input_;
  const uint32_t blink_version_, version_;
  const bool has_flags_;
  const AddBlobFields add_blob_fields_;
  ValueTree* const tree_;
  std::vector<Container> open_;
  std::vector<Object> objects_;          // by their ids
  absl::flat_hash_set<uint64_t> blobs_;  // indices whose fields are added
};

// Reads a value, or the beginning of one that Continue() reads on.
bool Decoder::Value() {
  while (input_.Consume('?')) {  // a number of objects, which is not needed
    uint64_t count = 0;
    if (!input_.Varint(&count)) return false;
  }
  if (input_.Peek() == '\0') return input_.Fail("no value");
  const char tag = input_.Tag();
  double number = 0;
  switch (tag) {
    case '_':
      tree_->Undefined();
      return true;
    case '0':
      tree_->Null();
      return true;
    case 'T':
    case 'F':
      tree_->Bool(tag == 'T');
      return true;
    case 'I':
    case 'U':
    case 'N':
      if (!Number(tag, &number)) return false;
      tree_->Double(number);
      return true;
    case 'Z':
      return Bigint();
    case '"':
    case 'c':
    case 'S':
      return StringOf(tag);
    case '^':
      return Reference();
    case 'o':
      return Open(State::kProperties, Kind::kObject);
    case 'A':
      return Open(State::kElements, Kind::kArray);
    case 'a':
      return Open(State::kSparse, Kind::kArray);
    case ';':
      return Open(State::kMap, Kind::kMap);
    case '\'':
      return Open(State::kSet, Kind::kSet);
    case 'D':
      BeginObject(tree_->size());
      if (!input_.Real(&number)) return false;
      tree_->Date(number);
      return true;
    case 'y':
    case 'x':
    case 'n':
    case 'z':
    case 's': {
      const size_t node = tree_->OpenForm("$boxed");
      BeginObject(node);
      if (tag == 'y' || tag == 'x') {
        tree_->Bool(tag == 'y');
      } else if (tag == 'n') {
        if (!input_.Real(&number)) return false;
        tree_->Double(number);
      } else if (!(tag == 'z' ? Bigint() : OldString())) {
        return false;
      }
      tree_->Close(node);
      return true;
    }
    case 'R':
      return RegExp();
    case 'r':
      return Error();
    case 'B':
    case 'C':
    case '~':
      return Buffer(tag);
    case '\\': {
      absl::string_view host_tag;
      return input_.Take(1, &host_tag) && Host(host_tag.front());
    }
    default:
      return version_ < 13 ? Host(tag) : input_.BadTag(tag);
  }
}

bool Decoder::Continue() {
  Container& in = open_.back();
  const char next = input_.Peek();
  switch (in.state) {
    case State::kElements:
      if (in.next_index == in.length) {
        tree_->EndElements(in.node);
        in.state = State::kArrayProperties;
        return true;
      }
      ++in.next_index;
      if (next != '-' && !(next == '_' && version_ < 11)) return Value();
      tree_->Hole();
      input_.Tag();
      return true;
    case State::kProperties:
      return next == '{' ? EndObject(next) : NameAndValue(false);
    case State::kArrayProperties:
      return next == '$' ? EndObject(next) : NameAndValue(true);
    case State::kSparse:
      if (next == 'I' || next == 'U' || next == 'N') return SparseElement();
      EndSparseElements(&in);
      return true;
    case State::kSparseProperties:
      return next == '@' ? EndObject(next) : NameAndValue(true);
    case State::kMap:
    case State::kSet:
      if (next == (in.state == State::kMap ? ':' : ',')) return EndObject(next);
      ++in.count;
      return Value();
    case State::kError:
      return ContinueError();
  }
  return false;
}

// Reads the end of the innermost container, which repeats what was counted.
bool Decoder::EndObject(char tag) {
  const Container in = open_.back();
  input_.Tag();
  uint64_t count = 0, length = in.length;
  if (!input_.Varint(&count)) return false;
  if (count != in.count) return input_.Fail(absl::StrCat("count ", count, ", not ", in.count, ","));
  if (tag == ':' && count % 2 != 0) return input_.Fail("an odd count in a map");
  if ((tag == '$' || tag == '@') && !input_.Varint(&length)) return false;
  if (length != in.length)
    return input_.Fail(absl::StrCat("length ", length, ", not ", in.length, ","));
  tree_->Close(in.node);
  if (tag == '{' && tree_->HasRepeatedName(in.node)) return input_.Fail("a name was given twice");
  open_.pop_back();
  return true;
}

bool Decoder::NameAndValue(bool is_array) {
  ++open_.back().count;
  return Name(is_array) && Value();
}

// Reads an index and its element. Elements are in order; others are pairs, like properties.
bool Decoder::SparseElement() {
  Container& in = open_.back();
  double index = 0;
  ++in.count;
  if (!Number(input_.Tag(), &index)) return false;
  if (index >= in.next_index && index < UINT32_MAX && index == std::floor(index)) {
    const auto whole = static_cast<uint64_t>(index);
    if (whole > in.next_index) tree_->Hole(whole - in.next_index);
    in.next_index = whole + 1;
  } else {
    EndSparseElements(&in);
    tree_->Double(index);
  }
  return Value();
}

void Decoder::EndSparseElements(Container* in) {
  if (in->length > in->next_index) tree_->Hole(in->length - in->next_index);
  tree_->EndElements(in->node);
  in->state = State::kSparseProperties;
}

// Reads a name or an index. An object has names only, and 1 is the name "1".
bool Decoder::Name(bool is_array) {
  const char tag = input_.Tag();
  if (tag != 'I' && tag != 'U' && tag != 'N') return StringOf(tag);
  double number = 0;
  if (!Number(tag, &number)) return false;
  if (is_array) {
    tree_->Double(number);
  } else if (number == std::floor(number) && std::fabs(number) < 9007199254740992.0) {
    tree_->Text(absl::StrCat(static_cast<int64_t>(number)));
  } else {
    return input_.Fail("a name that is not a whole number below 2^53");
  }
  return true;
}

bool Decoder::String() { return StringOf(input_.Tag()); }

bool Decoder::StringOf(char tag) {
  absl::string_view bytes;
  if (tag != '"' && tag != 'c' && tag != 'S') return input_.BadTag(tag);
  if (!input_.Sized(&bytes)) return false;
  if (tag == '"') {
    tree_->Latin1(bytes);
  } else if (tag == 'S') {
    tree_->Text(bytes);
  } else if (bytes.size() % 2 == 0) {
    tree_->Utf16(bytes, ByteOrder::kLittle);
  } else {
    return input_.Fail("an odd size of UTF-16");
  }
  return true;
}

// Reads a string that had no tag before version 12.
bool Decoder::OldString() {
  if (version_ >= 12) return String();
  absl::string_view bytes;
  if (!input_.Sized(&bytes)) return false;
  tree_->Text(bytes);
  return true;
}

bool Decoder::Number(char tag, double* number) {
  if (tag == 'N') return input_.Real(number);
  uint32_t bits = 0;
  if (!input_.Varint32(&bits)) return false;
  const uint32_t zigzag = (bits >> 1) ^ (0u - (bits & 1));
  *number = tag == 'U' ? static_cast<double>(bits) : static_cast<int32_t>(zigzag);
  return true;
}

bool Decoder::Bigint() {
  uint64_t bits = 0;
  absl::string_view magnitude;
  if (!input_.Varint(&bits) || !input_.Take(bits >> 1, &magnitude)) return false;
  if (bits == 1) return input_.Fail("a negative zero");
  tree_->Bigint((bits & 1) != 0, magnitude);
  return true;
}

bool Decoder::RegExp() {
  constexpr const char kLetters[] = "gimyusldv";  // by their bits
  constexpr uint64_t kLinear = 64, kEnd = 512;
  const size_t node = tree_->OpenForm("$regexp");
  BeginObject(node);
  uint64_t flags = 0;
  if (!OldString() || !input_.Varint(&flags)) return false;
  if ((flags & kLinear) != 0 || flags >= kEnd) return input_.Fail("unknown flags");
  std::string letters;
  for (const char letter : {'d', 'g', 'i', 'm', 's', 'u', 'v', 'y'}) {  // as JavaScript sorts them
    const size_t bit = absl::string_view(kLetters).find(letter);
    if ((flags >> bit & 1) != 0) letters.push_back(letter);
  }
  tree_->Text("flags");
  tree_->Text(letters);
  tree_->Close(node);
  return true;
}

bool Decoder::Error() {
  const size_t form = tree_->OpenForm("$error");
  BeginObject(form);
  Container container = {State::kError, tree_->Open(Kind::kObject)};
  const ErrorType* const type = Find(kErrorTypes, input_.Peek());
  if (type != nullptr) input_.Tag();
  tree_->Text("type");
  tree_->Text(type == nullptr ? "Error" : type->name);
  open_.push_back(container);
  return true;
}

bool Decoder::ContinueError() {
  const char tag = input_.Tag();
  switch (tag) {
    case 'm':
      tree_->Text("message");
      return String();
    case 's':
      tree_->Text("stack");
      return String();
    case 'c':
      tree_->Text("cause");
      return Value();
    case '.': {
      const size_t object = open_.back().node;
      tree_->Close(object);
      if (tree_->HasRepeatedName(object)) return input_.Fail("a field of an error was given twice");
      tree_->Close(object - 2);  // the form; its name is between
      open_.pop_back();
      return true;
    }
  }
  return input_.BadTag(tag);
}

bool Decoder::Reference() {
  uint64_t id = 0;
  if (!input_.Varint(&id)) return false;
  if (id >= objects_.size()) return input_.Fail(absl::StrCat("id ", id, " of ", objects_.size()));
  const Object object = objects_[id];
  const auto add = [&] { tree_->Ref(object.node); };
  if (object.buffer_size != kNotABuffer && input_.Consume('V'))
    return View(object.buffer_size, add);
  add();
  return true;
}

bool Decoder::Buffer(char tag) {
  uint64_t size = 0, max = 0;
  absl::string_view bytes;
  if (!input_.Varint(&size) || (tag == '~' && !input_.Varint(&max)) || !input_.Take(size, &bytes))
    return false;
  if (tag == '~' && max < size) return input_.Fail("a buffer that exceeds its maximum");
  const auto add = [&] {
    BeginObject(tree_->size(), size);
    if (tag == 'B') return tree_->Bytes(bytes);
    ObjectBuilder form(tree_, "$buffer");
    tree_->Text(absl::Base64Escape(bytes));
    if (tag == 'C') {
      form.Add("immutable", true);
    } else {
      form.Add("max", max);
    }
  };
  if (input_.Consume('V')) return View(size, add);
  add();
  return true;
}

// Reads a view of the buffer that `add_buffer` adds.
bool Decoder::View(uint64_t buffer_size, absl::FunctionRef<void()> add_buffer) {
  const char tag = input_.Tag();
  const ViewType* const type = Find(kViewTypes, tag);
  if (type == nullptr) return input_.BadTag(tag);
  uint64_t offset = 0, size = 0, flags = 0;
  if (!input_.Varint(&offset) || !input_.Varint(&size) || (has_flags_ && !input_.Varint(&flags)))
    return false;
  if (offset > buffer_size || size > buffer_size - offset || offset % type->element_size != 0 ||
      size % type->element_size != 0) {
    return input_.Fail("a view that is not within its buffer");
  }
  if (flags > 3) return input_.Fail("unknown flags");
  const size_t node = tree_->OpenForm("$view");
  tree_->Text(type->name);
  tree_->Text("of");
  add_buffer();
  BeginObject(node);
  for (const auto& [name, number] : {std::pair("offset", offset), std::pair("bytes", size)}) {
    tree_->Text(name);
    tree_->Uint(number);
  }
  if ((flags & 1) != 0) {
    tree_->Text("tracking");
    tree_->Bool(true);
  }
  tree_->Close(node);
  return true;
}

// Before April 2017, each pair of bytes was swapped.
bool IsSwapped(absl::string_view bytes) {
  constexpr absl::string_view kTags = "#@DINRSU[bfl{";
  return bytes.size() % 2 == 0 && !bytes.empty() &&
         (bytes.size() < 4 || bytes[0] != '\xff' || absl::StrContains(kTags, bytes[1]));
}

std::string SwapPairs(absl::string_view bytes) {
  std::string swapped(bytes);
  for (size_t i = 0; i + 1 < swapped.size(); i += 2) std::swap(swapped[i], swapped[i + 1]);
  return swapped;
}

// Removes a version from the front of `*bytes`; 0 if there is none.
uint32_t ConsumeVersion(absl::string_view* bytes) {
  absl::string_view rest = *bytes;
  uint32_t version = 0;
  if (rest.empty() || rest.front() != '\xff') return 0;
  rest.remove_prefix(1);
  if (!ConsumeVarint32(&rest, &version)) return 0;
  *bytes = rest;
  return version;
}

}  // namespace

void DecodeScriptValue(absl::string_view bytes, AddBlobFields add_blob_fields, ValueTree* tree) {
  constexpr uint32_t kMaxSharedVersion = 15, kHasTrailerVersion = 21, kMaxVersion = 16;
  constexpr size_t kTrailerFieldSize = 13;
  std::string swapped;
  absl::string_view value = bytes;
  if (IsSwapped(bytes)) {
    swapped = SwapPairs(bytes);
    value = swapped;
  }
  absl::string_view rest = value;
  const uint32_t blink_version = ConsumeVersion(&rest);
  uint32_t version = blink_version;
  if (blink_version == 0) return tree->Undecoded("no version at 0", bytes);
  if (blink_version > kMaxSharedVersion) {
    if (blink_version >= kHasTrailerVersion && rest.size() >= kTrailerFieldSize &&
        rest.front() == '\xfe') {
      const uint64_t trailer = __builtin_bswap64(DecodeFixed64(rest.data() + 1));
      const size_t offset = value.size() - rest.size() + kTrailerFieldSize;
      if (trailer >= offset && trailer < value.size()) value = value.substr(0, trailer);
      rest = value.substr(offset);
    }
    version = ConsumeVersion(&rest);
    if (version == 0) {
      return tree->Undecoded(absl::StrCat("no version of V8 at ", value.size() - rest.size()),
                             bytes);
    }
  }
  if (version > kMaxVersion) {
    return tree->Undecoded(absl::StrCat("version ", version, " of V8's format"), bytes);
  }
  const size_t start = tree->size(), offset = value.size() - rest.size();
  std::string reason;
  for (const bool has_flags : {version >= 14, true}) {
    Decoder decoder(value, blink_version, version, has_flags, add_blob_fields, tree);
    if (decoder.Decode(offset)) return;
    tree->Truncate(start);
    if (reason.empty()) reason = decoder.reason();
    if (version != 13) break;
  }
  tree->Undecoded(reason, bytes);
}

}  // namespace sstable
