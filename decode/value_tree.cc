#include "decode/value_tree.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstring>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "nlohmann/json.hpp"
#include "util/escape.h"

namespace sstable {
namespace {

// Appends a number, little-endian, in decimal digits; if it has so many that the work, which is
// quadratic, would be felt, in hexadecimal ones.
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

void AppendReal(double real, std::string* out) {
  if (std::isfinite(real) && !(real == 0 && std::signbit(real))) {
    if (real == std::floor(real) && std::fabs(real) < 9007199254740992.0) {
      absl::StrAppend(out, static_cast<int64_t>(real));
    } else {
      out->append(nlohmann::json(real).dump());  // the shortest digits that give the same number
    }
    return;
  }
  absl::StrAppend(out, "{\"$number\":\"",
                  std::isnan(real) ? "NaN"
                  : real == 0      ? "-0"
                  : real > 0       ? "Infinity"
                                   : "-Infinity",
                  "\"}");
}

// Appends null for a date that does not exist, else ISO 8601, and beyond the years 0 to 9999
// milliseconds.
void AppendDate(double milliseconds, std::string* out) {
  constexpr double kMax = 8.64e15;
  constexpr int64_t kFirst = -62167219200000, kLast = 253402300799999;
  if (!(std::fabs(milliseconds) <= kMax)) {
    absl::StrAppend(out, "null");
    return;
  }
  const auto time = static_cast<int64_t>(milliseconds);
  if (time < kFirst || time > kLast) {
    absl::StrAppend(out, time);
    return;
  }
  constexpr int64_t kDay = 86'400'000, kDaysOf400Years = 146097;
  const int64_t since_year_0 = time - kFirst;
  const int64_t in_day = since_year_0 % kDay;
  // Years begin in March here, so that a leap day is the last of its year; 60 is January and
  // February of the year 0.
  int64_t day = since_year_0 / kDay - 60 + kDaysOf400Years;
  const int64_t era = day / kDaysOf400Years - 1;
  day %= kDaysOf400Years;
  const int64_t year = (day - day / 1460 + day / 36524 - day / 146096) / 365;
  day -= 365 * year + year / 4 - year / 100;
  const int64_t month = (5 * day + 2) / 153;  // 0: March
  absl::StrAppendFormat(
      out, "\"%04d-%02d-%02dT%02d:%02d:%02d.%03dZ\"", era * 400 + year + (month >= 10 ? 1 : 0),
      month < 10 ? month + 3 : month - 9, day - (153 * month + 2) / 5 + 1, in_day / 3'600'000,
      in_day / 60'000 % 60, in_day / 1000 % 60, in_day % 1000);
}

}  // namespace

ValueTree::Node& ValueTree::Add(Kind kind) {
  Node node = {};
  node.kind = kind;
  node.end = static_cast<uint32_t>(nodes_.size() + 1);
  if (nodes_.size() == kMaxNodes) {
    exceeds_limits_ = true;
    return left_out_ = node;
  }
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
  const size_t start = text_.size();
  text_.append(text.data(), text.size());
  EndText(kind, start);
}

void ValueTree::EndText(Kind kind, size_t start) {
  if (text_.size() > kMaxText) {
    exceeds_limits_ = true;
    text_.resize(start);
  }
  Add(kind).text = {static_cast<uint32_t>(start), static_cast<uint32_t>(text_.size() - start)};
}

void ValueTree::Bigint(bool negative, absl::string_view magnitude) {
  const size_t start = text_.size();
  if (negative) text_.push_back('-');
  AppendBigDigits(magnitude, &text_);
  EndText(Kind::kBigint, start);
}

void ValueTree::Text(absl::string_view utf8) {
  const size_t start = text_.size();
  if (IsUtf8(utf8)) {
    text_.append(utf8.data(), utf8.size());
  } else {
    AppendUtf8(utf8, &text_);
  }
  EndText(Kind::kString, start);
}

void ValueTree::Latin1(absl::string_view bytes) {
  const size_t start = text_.size();
  AppendLatin1(bytes, &text_);
  EndText(Kind::kString, start);
}

void ValueTree::Utf16(absl::string_view bytes, ByteOrder order) {
  const size_t start = text_.size();
  if (AppendUtf16(bytes, order, &text_)) return EndText(Kind::kString, start);
  text_.resize(start);
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
  if (node < nodes_.size()) nodes_[node].referenced = true;  // or it was left out
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
    const bool has_text = node.kind == Kind::kString || node.kind == Kind::kBytes ||
                          node.kind == Kind::kUtf16 || node.kind == Kind::kBigint ||
                          node.kind == Kind::kNumber;
    if (has_text) text_.resize(node.text.offset);
    nodes_.pop_back();
  }
}

absl::string_view ValueTree::text(size_t node) const {
  return absl::string_view(text_).substr(nodes_[node].text.offset, nodes_[node].text.size);
}

bool ValueTree::HasRepeatedName(size_t object) const {
  if (exceeds_limits_) return false;
  absl::flat_hash_set<std::pair<Kind, absl::string_view>> names;
  for (size_t name = object + 1; name < end(object); name = end(name + 1)) {
    if (!names.emplace(kind(name), text(name)).second) return true;
  }
  return false;
}

// Containers that are being written are on a stack.
class ValueTree::Writer {
 public:
  Writer(const ValueTree& tree, std::string* out) : tree_(tree), out_(out) {}

  void Write(size_t node) {
    do {
      if (open_.empty() || BeginChild(node)) {
        node = WriteNode(node);
      } else {
        ++node;
      }
      while (!open_.empty() && tree_.end(open_.back().node) == node) CloseLast();
    } while (!open_.empty());
  }

 private:
  struct Container {
    size_t node;
    Kind kind;
    bool has_pairs;       // children are shown as pairs in brackets
    bool at_value;        // the second of a pair is next
    bool is_first;        // nothing is written yet
    size_t elements_end;  // with has_pairs: children before it are elements
    uint64_t index;       // the next element's
    const char* close;
  };

  bool is_object() const {
    return open_.back().kind == Kind::kObject || open_.back().kind == Kind::kForm;
  }

  // Writes what is before a child. Returns false for a hole that the indices around it show.
  bool BeginChild(size_t node) {
    Container& in = open_.back();
    if (in.at_value) {
      in.at_value = false;
      out_->push_back(is_object() ? ':' : ',');
      return true;
    }
    const bool is_element = in.has_pairs && node < in.elements_end;
    if (is_element && tree_.kind(node) == Kind::kHole) {
      in.index += tree_.number(node);
      return false;
    }
    if (!in.is_first) absl::StrAppend(out_, in.has_pairs ? "]," : ",");
    in.is_first = false;
    if (in.has_pairs) out_->push_back('[');
    if (is_element) {
      absl::StrAppend(out_, in.index++, ",");
    } else {
      in.at_value = is_object() || in.has_pairs;
    }
    return true;
  }

  void CloseLast() {
    const Container last = open_.back();
    open_.pop_back();
    if (last.has_pairs && !last.is_first) out_->push_back(']');
    out_->append(last.close);
    if (tree_.nodes_[last.node].referenced) out_->push_back('}');
  }

  // Returns the node after it: of a container, the first in it.
  size_t WriteNode(size_t node) {
    if (!open_.empty() && is_object() && open_.back().at_value) {
      WriteName(node);
      return node + 1;
    }
    const bool is_referenced = tree_.nodes_[node].referenced;
    if (is_referenced) {
      absl::StrAppend(out_, "{\"$id\":", referenced_.size(), ",\"$value\":");
      referenced_.push_back(node);
    }
    if (tree_.kind(node) >= Kind::kArray) {
      OpenContainer(node);
    } else {
      WriteScalar(node);
      if (is_referenced) out_->push_back('}');
    }
    return node + 1;
  }

  void WriteName(size_t node) {
    const absl::string_view name = tree_.text(node);
    if (tree_.kind(node) == Kind::kUtf16) {
      absl::StrAppend(out_, "\"$utf16:", name, "\"");
    } else if (open_.back().kind == Kind::kObject && !name.empty() && name.front() == '$') {
      AppendJsonString(absl::StrCat("$", name), out_);
    } else {
      AppendJsonString(name, out_);
    }
  }

  void OpenContainer(size_t node) {
    Container in = {node, tree_.kind(node), false, false, true, 0, 0, "}"};
    switch (in.kind) {
      case Kind::kArray:
        in.elements_end = tree_.number(node);
        in.has_pairs = in.elements_end != 0 && in.elements_end != tree_.end(node);
        if (in.has_pairs) {
          absl::StrAppend(out_, "{\"$array\":{\"length\":", LengthOf(node), ",\"entries\":[");
        } else {
          out_->push_back('[');
        }
        in.close = in.has_pairs ? "]}}" : "]";
        break;
      case Kind::kMap:
        in.has_pairs = true;
        out_->append("{\"$map\":[");
        in.close = "]}";
        break;
      case Kind::kSet:
        out_->append("{\"$set\":[");
        in.close = "]}";
        break;
      default:
        out_->push_back('{');
        break;
    }
    open_.push_back(in);
  }

  uint64_t LengthOf(size_t array) const {
    uint64_t length = 0;
    for (size_t node = array + 1; node < tree_.number(array); node = tree_.end(node)) {
      length += tree_.kind(node) == Kind::kHole ? tree_.number(node) : 1;
    }
    return length;
  }

  void WriteText(absl::string_view name, absl::string_view text) {
    absl::StrAppend(out_, "{\"", name, "\":\"", text, "\"}");
  }

  void WriteScalar(size_t node) {
    const uint64_t number = tree_.number(node);
    switch (tree_.kind(node)) {
      case Kind::kNull:
        return absl::StrAppend(out_, "null");
      case Kind::kUndefined:
        return absl::StrAppend(out_, "{\"$undefined\":1}");
      case Kind::kBool:
        return absl::StrAppend(out_, number != 0 ? "true" : "false");
      case Kind::kInt:
        return absl::StrAppend(out_, static_cast<int64_t>(number));
      case Kind::kUint:
        return absl::StrAppend(out_, number);
      case Kind::kDouble:
        return AppendReal(tree_.real(node), out_);
      case Kind::kNumber:
        return absl::StrAppend(out_, tree_.text(node));
      case Kind::kBigint:
        return WriteText("$bigint", tree_.text(node));
      case Kind::kString:
        return AppendJsonString(tree_.text(node), out_);
      case Kind::kUtf16:
        return WriteText("$utf16", tree_.text(node));
      case Kind::kBytes:
        return WriteText("$buffer", absl::Base64Escape(tree_.text(node)));
      case Kind::kDate:
        absl::StrAppend(out_, "{\"$date\":");
        AppendDate(tree_.real(node), out_);
        return out_->push_back('}');
      case Kind::kHole:
        return absl::StrAppend(out_, "{\"$hole\":", number, "}");
      case Kind::kRef: {
        const auto id = std::lower_bound(referenced_.begin(), referenced_.end(), number);
        return absl::StrAppend(out_, "{\"$ref\":", id - referenced_.begin(), "}");
      }
      default:
        break;
    }
  }

  const ValueTree& tree_;
  std::string* const out_;
  std::vector<Container> open_;
  std::vector<size_t> referenced_;  // nodes to which others refer; the index is the id
};

void ValueTree::AppendJson(std::string* out) const { Writer(*this, out).Write(0); }

std::string ValueTree::Json() const {
  std::string json;
  if (!empty()) AppendJson(&json);
  return json;
}

void ValueTree::AppendSummary(std::string* out) const {
  for (size_t name = 1; name < end(0); name = end(name + 1)) {
    if (name == 1) {
      absl::StrAppend(out, text(name + 1));
    } else {
      absl::StrAppend(out, " ", text(name), "=");
      Writer(*this, out).Write(name + 1);
    }
  }
}

}  // namespace sstable
