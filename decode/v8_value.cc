// Source: V8's src/objects/value-serializer.cc. A value is a tag and what follows it. Objects are
// numbered from 0 in the order of their tags; tag ^ refers to an object by its number.
#include "decode/v8_value.h"

#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "decode/v8_host_object.h"
#include "decode/v8_input.h"
#include "decode/v8_primitive.h"

namespace sstable {
namespace {

using Kind = ValueTree::Kind;

constexpr uint64_t kNotABuffer = UINT64_MAX;

class Decoder {
 public:
  Decoder(absl::string_view bytes, const V8Format& format, AddBlobFields add_blob_fields,
          ValueTree* tree)
      : input_(bytes), format_(format), add_blob_fields_(add_blob_fields), tree_(tree) {}

  bool Decode(size_t offset) {
    input_.set_offset(offset);
    if (!Value()) return false;
    while (!open_.empty()) {
      if (open_.size() > ValueTree::kMaxDepth) return input_.Fail("more than 10000 levels");
      if (tree_->exceeds_limits()) return input_.Fail("more than 8 MiB, decoded,");
      if (!Continue()) return false;
    }
    return true;
  }

  const std::string& reason() const { return input_.reason(); }

 private:
  // A container whose end has not been read.
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
    uint64_t count = 0;       // properties, or values of a map or set; the end repeats this number
    uint64_t next_index = 0;  // index of the next element
    uint64_t length = 0;      // length of an array
  };
  struct Object {
    size_t node;
    uint64_t buffer_size;  // or kNotABuffer
  };

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
  bool OldString();
  bool RegExp();
  bool Error();
  bool Reference();
  bool Buffer(char tag);
  bool View(uint64_t buffer_size, absl::FunctionRef<void()> add_buffer);
  bool Host(char tag) {
    BeginObject(tree_->size());
    // Blink gives each blob its own index. In malformed input, a repeated index could make the
    // result far larger than the input.
    const auto add_once = [this](uint64_t index, ObjectBuilder* fields) {
      if (blobs_.insert(index).second) add_blob_fields_(index, fields);
    };
    return DecodeHostObject(tag, format_.blink_version, &input_, add_once, tree_);
  }

  V8Input input_;
  const V8Format format_;
  const AddBlobFields add_blob_fields_;
  ValueTree* const tree_;
  std::vector<Container> open_;
  std::vector<Object> objects_;          // indexed by id
  absl::flat_hash_set<uint64_t> blobs_;  // indices whose fields have been added
};

// Reads a scalar value, or the beginning of a container, whose rest Continue() reads.
bool Decoder::Value() {
  while (input_.Consume('?')) {  // the number of objects, which is not needed
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
      if (!ReadV8Number(tag, &input_, &number)) return false;
      tree_->Double(number);
      return true;
    case 'Z':
      return AddV8Bigint(&input_, tree_);
    case '"':
    case 'c':
    case 'S':
      return AddV8String(tag, &input_, tree_);
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
      } else if (!(tag == 'z' ? AddV8Bigint(&input_, tree_) : OldString())) {
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
      return format_.version < 13 ? Host(tag) : input_.BadTag(tag);
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
      if (next != '-' && !(next == '_' && format_.version < 11)) return Value();
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

// Reads the end of the innermost container, which repeats its counts.
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
  return AddV8Name(is_array, &input_, tree_) && Value();
}

// Reads an index and its element. From the first index that is out of order or not a whole number,
// elements are added as pairs, like properties.
bool Decoder::SparseElement() {
  Container& in = open_.back();
  double index = 0;
  ++in.count;
  if (!ReadV8Number(input_.Tag(), &input_, &index)) return false;
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

// Reads a string that had no tag before version 12.
bool Decoder::OldString() {
  if (format_.version >= 12) return AddV8String(input_.Tag(), &input_, tree_);
  absl::string_view bytes;
  if (!input_.Sized(&bytes)) return false;
  tree_->Text(bytes);
  return true;
}

bool Decoder::RegExp() {
  const size_t node = tree_->OpenForm("$regexp");
  BeginObject(node);
  if (!OldString()) return false;
  tree_->Text("flags");
  if (!AddV8RegExpFlags(&input_, tree_)) return false;
  tree_->Close(node);
  return true;
}

bool Decoder::Error() {
  const size_t form = tree_->OpenForm("$error");
  BeginObject(form);
  Container container = {State::kError, tree_->Open(Kind::kObject)};
  tree_->Text("type");
  tree_->Text(ReadV8ErrorType(&input_));
  open_.push_back(container);
  return true;
}

bool Decoder::ContinueError() {
  const char tag = input_.Tag();
  switch (tag) {
    case 'm':
      tree_->Text("message");
      return AddV8String(input_.Tag(), &input_, tree_);
    case 's':
      tree_->Text("stack");
      return AddV8String(input_.Tag(), &input_, tree_);
    case 'c':
      tree_->Text("cause");
      return Value();
    case '.': {
      const size_t object = open_.back().node;
      tree_->Close(object);
      if (tree_->HasRepeatedName(object)) return input_.Fail("a field of an error was given twice");
      tree_->Close(object - 2);  // the form, whose name is in between
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
  V8View view;
  if (!view.Read(buffer_size, format_.has_flags, &input_)) return false;
  const size_t node = tree_->size();
  ObjectBuilder form(tree_, "$view");
  tree_->Text(view.type);
  form.Name("of");
  add_buffer();
  BeginObject(node);
  form.Add("offset", view.offset).Add("bytes", view.size);
  if (view.tracks_length) form.Add("tracking", true);
  return true;
}

}  // namespace

std::string DecodeV8Value(absl::string_view bytes, size_t offset, const V8Format& format,
                          AddBlobFields add_blob_fields, ValueTree* tree) {
  Decoder decoder(bytes, format, add_blob_fields, tree);
  return decoder.Decode(offset) ? "" : decoder.reason();
}

}  // namespace sstable
