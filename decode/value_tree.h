// Decoded values of all programs, and their JSON, which decode/README.md describes.
//
// A tree is a list of nodes in the order in which they are written; a container's descendants
// follow it. Neither building nor printing is recursive.
#ifndef SSTABLE_DECODE_VALUE_TREE_H_
#define SSTABLE_DECODE_VALUE_TREE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "absl/strings/string_view.h"
#include "decode/text.h"

namespace sstable {

class ValueTree {
 public:
  enum class Kind : uint8_t {
    kNull,
    kUndefined,
    kBool,
    kInt,
    kUint,
    kDouble,
    kNumber,  // text: a number of JSON
    kBigint,  // text: its decimal digits, or 0x and hexadecimal ones if there are very many
    kString,  // text: UTF-8
    kUtf16,   // text: hexadecimal digits of units that are not well-formed UTF-16
    kBytes,   // text: the bytes
    kDate,    // real: milliseconds since 1970
    kHole,    // number: how many consecutive elements are absent; only in an array
    kRef,     // number: the node of an object that was begun before
    kArray,   // elements; number: 0, or the node where pairs of a name and a value begin
    kObject,  // pairs of a name and a value
    kForm,    // an object whose first name begins with $ and gives the kind; see decode/README.md
    kMap,     // pairs of a key and a value
    kSet,
  };

  // Limit on the bytes of nodes and texts, in which a control character counts as its JSON escape.
  // The first addition that would exceed it and all later ones are left out, and the tree must not
  // be shown. Building a tree may take three times as much memory.
  static constexpr size_t kMaxSize = size_t{8} << 20;
  bool exceeds_limits() const { return exceeds_limits_; }
  // Maximum nesting of containers in decoders that have no lower limit. Bounds memory, too.
  static constexpr size_t kMaxDepth = 10000;

  bool empty() const { return nodes_.empty(); }
  size_t size() const { return nodes_.size(); }  // nodes

  void Null() { Add(Kind::kNull); }
  void Undefined() { Add(Kind::kUndefined); }
  void Bool(bool value) { Add(Kind::kBool).number = value; }
  void Int(int64_t value) { Add(Kind::kInt).number = static_cast<uint64_t>(value); }
  void Uint(uint64_t value) { Add(Kind::kUint).number = value; }
  void Double(double value) { Add(Kind::kDouble).real = value; }
  void Date(double milliseconds) { Add(Kind::kDate).real = milliseconds; }
  void Hole(uint64_t count = 1);
  void Number(absl::string_view json) { AddText(Kind::kNumber, json); }
  // `magnitude` is little-endian.
  void Bigint(bool negative, absl::string_view magnitude);
  void Text(absl::string_view utf8);  // each byte that is not UTF-8 becomes U+FFFD
  void Latin1(absl::string_view bytes);
  // An odd last byte is dropped.
  void Utf16(absl::string_view bytes, ByteOrder order);
  void Bytes(absl::string_view bytes) { AddText(Kind::kBytes, bytes); }
  void Hex(absl::string_view bytes);  // adds a string
  void Ref(size_t node);              // refers to an earlier node
  // Adds `bytes` that could not be decoded, and the reason.
  void Undecoded(absl::string_view reason, absl::string_view bytes);

  // Opens a container and returns its node. Everything added until Close() is in it.
  size_t Open(Kind kind);
  void Close(size_t node) {
    closed_size_ = nodes_.size();
    nodes_[node].end = static_cast<uint32_t>(closed_size_);
  }
  // Ends the elements of an array. Pairs of a name or index and a value follow.
  void EndElements(size_t node) { nodes_[node].number = nodes_.size(); }
  // Opens a form whose first field is `name`, which begins with $.
  size_t OpenForm(absl::string_view name);

  // Removes the nodes from number `size` on. A tree that exceeded the limit may be used again after
  // Truncate(0).
  void Truncate(size_t size);

  Kind kind(size_t node) const { return nodes_[node].kind; }
  size_t end(size_t node) const { return nodes_[node].end; }  // the node after its last descendant
  double real(size_t node) const { return nodes_[node].real; }
  uint64_t number(size_t node) const { return nodes_[node].number; }
  absl::string_view text(size_t node) const;
  // Returns true if a name occurs twice in `object`, which must be closed; false if the tree
  // exceeds the limit.
  bool HasRepeatedName(size_t object) const;

  // Appends `node` and its descendants as JSON on one line, without characters that are unsafe to
  // show. References to nodes outside of it have no id.
  void AppendJson(std::string* out, size_t node = 0) const;
  std::string Json() const;
  // Appends text for people for a tree that is an object with "kind" as its first field: the kind,
  // then name=JSON for each other field.
  void AppendSummary(std::string* out) const;
  // Returns an ISO 8601 date in quotes; outside the years 0 to 9999, milliseconds; for an invalid
  // date, null.
  static std::string DateJson(double milliseconds);

 private:
  struct TextRange {
    uint32_t offset;  // in text_
    uint32_t size;
  };
  struct Node {
    Kind kind;
    bool referenced;  // by a kRef
    uint32_t end;
    union {
      uint64_t number;
      double real;
      TextRange text;
    };
  };
  class Writer;

  static bool HasText(Kind kind);
  // Returns false if a node with `text_size` bytes would exceed the limit; that node and all later
  // ones are then left out.
  bool HasRoom(size_t text_size);
  Node& Add(Kind kind);
  void AddText(Kind kind, absl::string_view text);
  // Adds a node whose text was appended to text_ from `start` on.
  void EndText(Kind kind, size_t start);

  std::vector<Node> nodes_;
  std::string text_;
  bool exceeds_limits_ = false;
  size_t escapes_size_ = 0;  // bytes that JSON's escapes of control characters add
  Node left_out_ = {};       // what Add() returns beyond the limit
  size_t closed_size_ = 0;   // the size of nodes_ when a container was last closed
};

// Builds an object:
//   ObjectBuilder(&tree).Add("kind", "coin").Add("output", 3);
class ObjectBuilder {
 public:
  explicit ObjectBuilder(ValueTree* tree)
      : tree_(tree), node_(tree->Open(ValueTree::Kind::kObject)) {}
  ObjectBuilder(ValueTree* tree, absl::string_view form)
      : tree_(tree), node_(tree->OpenForm(form)) {}
  ~ObjectBuilder() { tree_->Close(node_); }
  ObjectBuilder(const ObjectBuilder&) = delete;
  ObjectBuilder& operator=(const ObjectBuilder&) = delete;

  // Adds the name of a field; its value is what is added to the tree next.
  ValueTree* Name(absl::string_view name) {
    tree_->Text(name);
    return tree_;
  }
  template <typename T>
  ObjectBuilder& Add(absl::string_view name, const T& value) {
    Name(name);
    AddTo(tree_, value);
    return *this;
  }

 private:
  template <typename T>
  static void AddTo(ValueTree* tree, const T& value) {
    if constexpr (std::is_same_v<T, bool>) {
      tree->Bool(value);
    } else if constexpr (std::is_floating_point_v<T>) {
      tree->Double(value);
    } else if constexpr (std::is_unsigned_v<T>) {
      tree->Uint(value);
    } else if constexpr (std::is_integral_v<T>) {
      tree->Int(value);
    } else {
      tree->Text(value);
    }
  }

  ValueTree* const tree_;
  const size_t node_;
};

}  // namespace sstable

#endif  // SSTABLE_DECODE_VALUE_TREE_H_
