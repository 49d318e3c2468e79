#include "decode/protobuf.h"

#include <cstdint>
#include <cstring>

#include "util/coding.h"
#include "util/escape.h"

namespace sstable {
namespace {

constexpr int kMaxDepth = 20;  // bounds the work, too: each level may be read in vain

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

bool Message(absl::string_view bytes, int depth, ValueTree* tree);

void AddSized(absl::string_view bytes, int depth, ValueTree* tree) {
  if (IsText(bytes)) {
    tree->Text(bytes);
  } else if (depth == kMaxDepth || !Message(bytes, depth + 1, tree)) {
    tree->Bytes(bytes);
  }
}

template <typename Integer, typename Real>
bool AddFixed(absl::string_view name, absl::string_view* bytes, ValueTree* tree) {
  Integer integer;
  Real real;
  if (!ConsumeFixed(bytes, &integer)) return false;
  std::memcpy(&real, &integer, sizeof(real));
  ObjectBuilder form(tree, name);
  tree->Uint(integer);
  form.Add("real", double{real});
  return true;
}

bool Value(uint64_t wire_type, int depth, absl::string_view* bytes, ValueTree* tree) {
  uint64_t number = 0;
  absl::string_view sized;
  switch (wire_type) {
    case 0:
      if (!ConsumeVarint64(bytes, &number)) return false;
      tree->Uint(number);
      return true;
    case 1:
      return AddFixed<uint64_t, double>("$fixed64", bytes, tree);
    case 2:
      if (!ConsumeSized(bytes, 1, &sized)) return false;
      AddSized(sized, depth, tree);
      return true;
    case 5:
      return AddFixed<uint32_t, float>("$fixed32", bytes, tree);
  }
  return false;  // groups are not used any more
}

bool Fields(absl::string_view bytes, int depth, ValueTree* tree) {
  constexpr uint64_t kMaxField = (1 << 29) - 1;
  while (!bytes.empty()) {
    uint64_t tag = 0;
    if (!ConsumeVarint64(&bytes, &tag) || tag >> 3 == 0 || tag >> 3 > kMaxField ||
        tree->exceeds_limits()) {
      return false;
    }
    const size_t pair = tree->Open(ValueTree::Kind::kArray);
    tree->Uint(tag >> 3);
    if (!Value(tag & 7, depth, &bytes, tree)) return false;
    tree->Close(pair);
  }
  return true;
}

bool Message(absl::string_view bytes, int depth, ValueTree* tree) {
  const size_t form = tree->OpenForm("$message");
  const size_t fields = tree->Open(ValueTree::Kind::kArray);
  if (!Fields(bytes, depth, tree)) {
    tree->Truncate(form);
    return false;
  }
  tree->Close(fields);
  tree->Close(form);
  return true;
}

}  // namespace

bool DecodeProtobuf(absl::string_view bytes, ValueTree* tree) { return Message(bytes, 0, tree); }

}  // namespace sstable
