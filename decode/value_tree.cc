#include "decode/value_tree.h"

#include <algorithm>
#include <array>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "util/escape.h"

namespace sstable {
namespace {

// Appends a little-endian number in decimal, or in hexadecimal above kMaxDecimal bytes, since
// conversion to decimal is quadratic.
void AppendBigDigits(absl::string_view magnitude, std::string* out) {
  constexpr size_t kMaxDecimal = 1024;  // bytes
  while (!magnitude.empty() && magnitude.back() == 0) magnitude.remove_suffix(1);
  if (magnitude.size() > kMaxDecimal) {
    absl::StrAppend(out, "0x",
                    absl::BytesToHexString(std::string(magnitude.rbegin(), magnitude.rend())));
    return;
  }
  constexpr uint64_t kBase = 1'000'000'000;
  std::vector<uint32_t> digits;  // base kBase, the lowest first
  for (size_t i = magnitude.size(); i > 0; --i) {
    uint64_t carry = static_cast<unsigned char>(magnitude[i - 1]);
    for (uint32_t& digit : digits) {
      carry += uint64_t{digit} << 8;
      digit = static_cast<uint32_t>(carry % kBase);
      carry /= kBase;
    }
    if (carry > 0) digits.push_back(static_cast<uint32_t>(carry));
  }
  absl::StrAppend(out, digits.empty() ? 0 : digits.back());
  for (size_t i = digits.size(); i > 1; --i) absl::StrAppendFormat(out, "%09d", digits[i - 2]);
}

// Returns how many bytes JSON's escapes of control characters add to a text. Other escapes at most
// triple a text, so they are not counted.
size_t EscapesSize(ValueTree::Kind kind, absl::string_view text) {
  constexpr size_t kEscapeSize = 6;  // \u0000
  if (kind != ValueTree::Kind::kString) return 0;
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
  const auto count = std::count_if(text.begin(), text.end(), is_control);
  return static_cast<size_t>(count) * (kEscapeSize - 1);
}

}  // namespace

bool ValueTree::HasText(Kind kind) {
  return kind == Kind::kString || kind == Kind::kBytes || kind == Kind::kUtf16 ||
         kind == Kind::kBigint || kind == Kind::kNumber;
}

bool ValueTree::HasRoom(size_t text_size) {
  const size_t size = (nodes_.size() + 1) * sizeof(Node) + text_.size() + escapes_size_;
  if (size > kMaxSize || text_size > kMaxSize - size) exceeds_limits_ = true;
  return !exceeds_limits_;
}

ValueTree::Node& ValueTree::Add(Kind kind) {
  constexpr size_t kFirstNodes = 24;  // many values have fewer
  Node node = {};
  node.kind = kind;
  node.end = static_cast<uint32_t>(nodes_.size() + 1);
  if (!HasRoom(0)) return left_out_ = node;
  if (nodes_.empty()) nodes_.reserve(kFirstNodes);
  nodes_.push_back(node);
  return nodes_.back();
}

void ValueTree::Hole(uint64_t count) {
  if (!nodes_.empty() && nodes_.back().kind == Kind::kHole && closed_size_ != nodes_.size()) {
    nodes_.back().number += count;
  } else {
    Add(Kind::kHole).number = count;
  }
}

void ValueTree::AddText(Kind kind, absl::string_view text) {
  if (!HasRoom(text.size())) return;
  const size_t start = text_.size();
  text_.append(text.data(), text.size());
  EndText(kind, start);
}

void ValueTree::EndText(Kind kind, size_t start) {
  const size_t escapes_size = EscapesSize(kind, absl::string_view(text_).substr(start));
  if (!HasRoom(escapes_size)) return text_.resize(start);
  escapes_size_ += escapes_size;
  Add(kind).text = {static_cast<uint32_t>(start), static_cast<uint32_t>(text_.size() - start)};
}

void ValueTree::Bigint(bool negative, absl::string_view magnitude) {
  if (!HasRoom(2 * magnitude.size())) return;
  const size_t start = text_.size();
  if (negative) text_.push_back('-');
  AppendBigDigits(magnitude, &text_);
  EndText(Kind::kBigint, start);
}

void ValueTree::Text(absl::string_view utf8) {
  constexpr size_t kReplacementSize = 3;
  if (IsUtf8(utf8)) return AddText(Kind::kString, utf8);
  if (!HasRoom(kReplacementSize * utf8.size())) return;
  const size_t start = text_.size();
  AppendUtf8(utf8, &text_);
  EndText(Kind::kString, start);
}

void ValueTree::Latin1(absl::string_view bytes) {
  const auto two_bytes = std::count_if(
      bytes.begin(), bytes.end(), [](char c) { return static_cast<unsigned char>(c) >= 0x80; });
  if (!HasRoom(bytes.size() + static_cast<size_t>(two_bytes))) return;
  const size_t start = text_.size();
  // A long string gets exactly the memory it needs. Short ones leave growth to std::string, so that
  // adding many takes linear time.
  if (bytes.size() >= start) text_.reserve(start + bytes.size() + static_cast<size_t>(two_bytes));
  AppendLatin1(bytes, &text_);
  EndText(Kind::kString, start);
}

void ValueTree::Utf16(absl::string_view bytes, ByteOrder order) {
  if (!HasRoom(bytes.size() + bytes.size() / 2)) return;  // a unit takes up to 3 bytes
  const size_t start = text_.size();
  if (AppendUtf16(bytes, order, &text_)) return EndText(Kind::kString, start);
  text_.resize(start);
  if (!HasRoom(2 * bytes.size())) return;
  const size_t high = order == ByteOrder::kBig ? 0 : 1;
  for (size_t i = 0; i + 1 < bytes.size(); i += 2) {
    const char unit[] = {bytes[i + high], bytes[i + 1 - high]};
    text_ += absl::BytesToHexString(absl::string_view(unit, 2));
  }
  EndText(Kind::kUtf16, start);
}

void ValueTree::Hex(absl::string_view bytes) {
  AddText(Kind::kString, absl::BytesToHexString(bytes));
}

void ValueTree::Ref(size_t node) {
  if (node < nodes_.size()) nodes_[node].referenced = true;  // else it was left out
  Add(Kind::kRef).number = node;
}

void ValueTree::Undecoded(absl::string_view reason, absl::string_view bytes) {
  ObjectBuilder form(this, "$undecoded");
  Text(reason);
  form.Name("bytes")->Bytes(bytes);
}

size_t ValueTree::Open(Kind kind) {
  Add(kind);
  return nodes_.size() - 1;
}

size_t ValueTree::OpenForm(absl::string_view name) {
  const size_t node = Open(Kind::kForm);
  Text(name);
  return node;
}

void ValueTree::Truncate(size_t size) {
  if (size == 0) exceeds_limits_ = false;
  while (nodes_.size() > size) {
    const Node& node = nodes_.back();
    if (HasText(node.kind)) {
      escapes_size_ -= EscapesSize(node.kind, text(nodes_.size() - 1));
      text_.resize(node.text.offset);
    }
    nodes_.pop_back();
  }
}

absl::string_view ValueTree::text(size_t node) const {
  return absl::string_view(text_).substr(nodes_[node].text.offset, nodes_[node].text.size);
}

bool ValueTree::HasRepeatedName(size_t object) const {
  if (exceeds_limits_) return false;
  // A few names are compared pairwise, which is faster than a set.
  std::array<size_t, 8> first;
  size_t count = 0;
  absl::flat_hash_set<std::pair<Kind, absl::string_view>> names;
  const auto name_at = [this](size_t name) { return std::pair(kind(name), text(name)); };
  for (size_t name = object + 1; name < end(object); name = end(name + 1), ++count) {
    if (count < first.size()) {
      for (size_t i = 0; i < count; ++i) {
        if (name_at(first[i]) == name_at(name)) return true;
      }
      first[count] = name;
      continue;
    }
    if (count == first.size()) {
      for (const size_t earlier : first) names.insert(name_at(earlier));
    }
    if (!names.insert(name_at(name)).second) return true;
  }
  return false;
}

}  // namespace sstable
