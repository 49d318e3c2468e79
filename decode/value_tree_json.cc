// The JSON of a value tree. Format: decode/README.md.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/time/civil_time.h"
#include "decode/value_tree.h"
#include "nlohmann/json.hpp"
#include "util/escape.h"

namespace sstable {
namespace {

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

}  // namespace

std::string ValueTree::DateJson(double milliseconds) {
  constexpr double kMax = 8.64e15;
  constexpr int64_t kFirst = -62167219200000, kLast = 253402300799999;
  if (!(std::fabs(milliseconds) <= kMax)) return "null";
  const auto time = static_cast<int64_t>(milliseconds);
  if (time < kFirst || time > kLast) return absl::StrCat(time);
  // absl::FormatTime() would add 40 KB of time zones and C++ locales to the web page.
  const int64_t seconds = (time - kFirst) / 1000;
  const absl::CivilSecond utc = absl::CivilSecond(0) + seconds;
  const auto two = [](int n) { return absl::Dec(n, absl::kZeroPad2); };
  return absl::StrCat("\"", absl::Dec(utc.year(), absl::kZeroPad4), "-", two(utc.month()), "-",
                      two(utc.day()), "T", two(utc.hour()), ":", two(utc.minute()), ":",
                      two(utc.second()), ".", absl::Dec((time - kFirst) % 1000, absl::kZeroPad3),
                      "Z\"");
}

// Writes JSON without recursion: open containers are on a stack.
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
    bool at_value;        // the next child is the second of a pair
    bool is_first;        // no child has been written
    size_t elements_end;  // with has_pairs: children before it are elements
    uint64_t index;       // index of the next element
    const char* close;
  };

  bool is_object() const {
    return open_.back().kind == Kind::kObject || open_.back().kind == Kind::kForm;
  }

  // Writes the separator before a child. Returns false for a hole, which is not written if elements
  // have indices.
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

  // Returns the next node, which for a container is the first one in it.
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
        return absl::StrAppend(out_, "{\"$date\":", DateJson(tree_.real(node)), "}");
      case Kind::kHole:
        return absl::StrAppend(out_, "{\"$hole\":", number, "}");
      case Kind::kRef: {
        const auto id = std::lower_bound(referenced_.begin(), referenced_.end(), number);
        const bool is_shown = id != referenced_.end() && *id == number;
        if (!is_shown) return absl::StrAppend(out_, "{\"$ref\":null}");
        return absl::StrAppend(out_, "{\"$ref\":", id - referenced_.begin(), "}");
      }
      default:
        break;
    }
  }

  const ValueTree& tree_;
  std::string* const out_;
  std::vector<Container> open_;
  std::vector<size_t> referenced_;  // nodes that others refer to, indexed by id
};

void ValueTree::AppendJson(std::string* out, size_t node) const { Writer(*this, out).Write(node); }

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
