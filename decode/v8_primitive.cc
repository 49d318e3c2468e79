#include "decode/v8_primitive.h"

#include <cmath>
#include <string>

#include "absl/strings/str_cat.h"

namespace sstable {
namespace {

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

}  // namespace

bool ReadV8Number(char tag, V8Input* input, double* number) {
  if (tag == 'N') return input->Real(number);
  uint32_t bits = 0;
  if (!input->Varint32(&bits)) return false;
  const uint32_t zigzag = (bits >> 1) ^ (0u - (bits & 1));
  *number = tag == 'U' ? static_cast<double>(bits) : static_cast<int32_t>(zigzag);
  return true;
}

bool AddV8String(char tag, V8Input* input, ValueTree* tree) {
  absl::string_view bytes;
  if (tag != '"' && tag != 'c' && tag != 'S') return input->BadTag(tag);
  if (!input->Sized(&bytes)) return false;
  if (tag == '"') {
    tree->Latin1(bytes);
  } else if (tag == 'S') {
    tree->Text(bytes);
  } else if (bytes.size() % 2 == 0) {
    tree->Utf16(bytes, ByteOrder::kLittle);
  } else {
    return input->Fail("an odd size of UTF-16");
  }
  return true;
}

bool AddV8Name(bool is_array, V8Input* input, ValueTree* tree) {
  const char tag = input->Tag();
  if (tag != 'I' && tag != 'U' && tag != 'N') return AddV8String(tag, input, tree);
  double number = 0;
  if (!ReadV8Number(tag, input, &number)) return false;
  if (is_array) {
    tree->Double(number);
  } else if (number == std::floor(number) && std::fabs(number) < 9007199254740992.0) {
    tree->Text(absl::StrCat(static_cast<int64_t>(number)));
  } else {
    return input->Fail("a name that is not a whole number below 2^53");
  }
  return true;
}

bool AddV8Bigint(V8Input* input, ValueTree* tree) {
  uint64_t bits = 0;
  absl::string_view magnitude;
  if (!input->Varint(&bits) || !input->Take(bits >> 1, &magnitude)) return false;
  if (bits == 1) return input->Fail("a negative zero");
  tree->Bigint((bits & 1) != 0, magnitude);
  return true;
}

bool AddV8RegExpFlags(V8Input* input, ValueTree* tree) {
  constexpr const char kLetters[] = "gimyusldv";  // by bit
  constexpr uint64_t kLinear = 64, kEnd = 512;
  uint64_t flags = 0;
  if (!input->Varint(&flags)) return false;
  if ((flags & kLinear) != 0 || flags >= kEnd) return input->Fail("unknown flags");
  std::string letters;
  for (const char letter : {'d', 'g', 'i', 'm', 's', 'u', 'v', 'y'}) {  // in JavaScript's order
    const size_t bit = absl::string_view(kLetters).find(letter);
    if ((flags >> bit & 1) != 0) letters.push_back(letter);
  }
  tree->Text(letters);
  return true;
}

const char* ReadV8ErrorType(V8Input* input) {
  const ErrorType* const type = Find(kErrorTypes, input->Peek());
  if (type == nullptr) return "Error";
  input->Tag();
  return type->name;
}

bool V8View::Read(uint64_t buffer_size, bool has_flags, V8Input* input) {
  constexpr uint64_t kTracksLength = 1, kEnd = 4;
  const char tag = input->Tag();
  const ViewType* const found = Find(kViewTypes, tag);
  if (found == nullptr) return input->BadTag(tag);
  uint64_t flags = 0;
  if (!input->Varint(&offset) || !input->Varint(&size) || (has_flags && !input->Varint(&flags))) {
    return false;
  }
  if (offset > buffer_size || size > buffer_size - offset || offset % found->element_size != 0 ||
      size % found->element_size != 0) {
    return input->Fail("a view that is not within its buffer");
  }
  if (flags >= kEnd) return input->Fail("unknown flags");
  type = found->name;
  tracks_length = (flags & kTracksLength) != 0;
  return true;
}

}  // namespace sstable
