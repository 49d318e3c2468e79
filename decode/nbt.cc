// A value:  type (1) | size of name (2) | name | payload
//   1 to 4   a signed integer of 1, 2, 4 or 8 bytes    5, 6   a real number of 4 or 8
//   7        count (4), bytes                          8      size (2), UTF-8
//   9        type (1), count (4), payloads             10     values, then 00
//   11, 12   count (4), integers of 4 or 8 bytes
#include "decode/nbt.h"

#include <cstddef>
#include <cstdint>
#include <vector>

#include "util/coding.h"
#include "util/escape.h"

namespace sstable {
namespace {

enum Type : uint8_t {
  kEnd,
  kInt8,
  kInt16,
  kInt32,
  kInt64,
  kFloat,
  kDouble,
  kBytes,
  kText,
  kList,
  kCompound,
  kInt32s,
  kInt64s,
};

class Decoder {
 public:
  Decoder(absl::string_view* input, ValueTree* tree) : input_(input), tree_(tree) {}

  bool Decode() {
    uint8_t type = 0;
    absl::string_view name;
    if (!ConsumeFixed(input_, &type) || type == kEnd || !Name(&name)) return false;
    size_t object = 0;
    if (!name.empty()) {
      object = tree_->Open(ValueTree::Kind::kObject);
      tree_->Text(name);
    }
    if (!Payload(type)) return false;
    while (!open_.empty()) {
      if (open_.size() > ValueTree::kMaxDepth || tree_->exceeds_limits() || !Continue())
        return false;
    }
    if (!name.empty()) tree_->Close(object);
    return true;
  }

 private:
  struct Container {
    size_t node;
    uint8_t type;        // type of the elements; kEnd for a compound
    uint32_t remaining;  // elements of a list that are left
  };

  template <typename T>
  bool AddNumber() {
    T number;
    if (!ConsumeFixed(input_, &number)) return false;
    if constexpr (std::is_floating_point_v<T>) {
      tree_->Double(number);
    } else {
      tree_->Int(number);
    }
    return true;
  }
  bool Text(absl::string_view* text) {
    uint16_t size = 0;
    return ConsumeFixed(input_, &size) && Take(size, text);
  }
  bool Name(absl::string_view* name) { return Text(name) && IsUtf8(*name); }
  bool Take(size_t size, absl::string_view* bytes) {
    if (size > input_->size()) return false;
    *bytes = input_->substr(0, size);
    input_->remove_prefix(size);
    return true;
  }
  // Reads how many items follow, each of at least `size` bytes.
  bool Count(size_t size, uint32_t* count) {
    int32_t number = 0;
    if (!ConsumeFixed(input_, &number) || number < 0 ||
        static_cast<size_t>(number) > input_->size() / size) {
      return false;
    }
    *count = static_cast<uint32_t>(number);
    return true;
  }
  template <typename T>
  bool Numbers() {
    uint32_t count = 0;
    if (!Count(sizeof(T), &count)) return false;
    const size_t array = tree_->Open(ValueTree::Kind::kArray);
    for (; count > 0; --count) AddNumber<T>();
    tree_->Close(array);
    return true;
  }

  bool Payload(uint8_t type) {
    uint32_t count = 0;
    uint8_t element = 0;
    absl::string_view bytes;
    switch (type) {
      case kInt8:
        return AddNumber<int8_t>();
      case kInt16:
        return AddNumber<int16_t>();
      case kInt32:
        return AddNumber<int32_t>();
      case kInt64:
        return AddNumber<int64_t>();
      case kFloat:
        return AddNumber<float>();
      case kDouble:
        return AddNumber<double>();
      case kBytes:
        if (!Count(1, &count) || !Take(count, &bytes)) return false;
        tree_->Bytes(bytes);
        return true;
      case kText:
        if (!Text(&bytes)) return false;
        if (IsUtf8(bytes)) {
          tree_->Text(bytes);
        } else {
          tree_->Bytes(bytes);
        }
        return true;
      case kList:
        if (!ConsumeFixed(input_, &element) || !Count(1, &count) || (element == kEnd && count > 0))
          return false;
        open_.push_back({tree_->Open(ValueTree::Kind::kArray), element, count});
        return true;
      case kCompound:
        open_.push_back({tree_->Open(ValueTree::Kind::kObject), kEnd, 0});
        return true;
      case kInt32s:
        return Numbers<int32_t>();
      case kInt64s:
        return Numbers<int64_t>();
    }
    return false;
  }

  bool Continue() {
    Container& in = open_.back();
    const bool is_list = tree_->kind(in.node) == ValueTree::Kind::kArray;
    if (is_list && in.remaining > 0) {
      --in.remaining;
      return Payload(in.type);
    }
    uint8_t type = kEnd;
    if (!is_list && !ConsumeFixed(input_, &type)) return false;
    if (type == kEnd) {
      tree_->Close(in.node);
      if (!is_list && tree_->HasRepeatedName(in.node)) return false;
      open_.pop_back();
      return true;
    }
    absl::string_view name;
    if (!Name(&name)) return false;
    tree_->Text(name);
    return Payload(type);
  }

  absl::string_view* const input_;
  ValueTree* const tree_;
  std::vector<Container> open_;
};

}  // namespace

bool ConsumeNbt(absl::string_view* input, ValueTree* tree) { return Decoder(input, tree).Decode(); }

}  // namespace sstable
