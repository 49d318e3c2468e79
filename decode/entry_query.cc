#include "decode/entry_query.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"
#include "absl/time/time.h"
#include "nlohmann/json.hpp"
#include "util/escape.h"
#include "util/portable_json.h"
#include "util/status_util.h"

namespace sstable {
namespace {

using Kind = ValueTree::Kind;
using Presence = EntryPath::Presence;

// kNone: different but unordered.
enum Order { kLess = 1, kEqual = 2, kGreater = 4, kNone = 8 };

template <typename T>
Order OrderOf(const T& a, const T& b) {
  return a < b ? kLess : b < a ? kGreater : a == b ? kEqual : kNone;
}
Order Reverse(Order order) { return order == kLess ? kGreater : order == kGreater ? kLess : order; }

// A number that is not rounded: an integer of any size, or a double.
struct Number {
  explicit Number(double number) : real(number) {}
  // A bigint of more than 1,024 bytes is in hexadecimal. It has more digits than any number that it
  // is compared with, so Compare() need not convert it.
  explicit Number(absl::string_view integer) : is_integer(true) {
    is_negative = absl::ConsumePrefix(&integer, "-");
    integer.remove_prefix(std::min(integer.find_first_not_of('0'), integer.size()));
    is_negative = is_negative && !integer.empty();
    digits = std::string(integer);
  }

  double real = 0;
  bool is_integer = false, is_negative = false;
  std::string digits;
};

Order Compare(const Number& a, const Number& b) {
  if (!a.is_integer && !b.is_integer) return OrderOf(a.real, b.real);
  if (!a.is_integer) return Reverse(Compare(b, a));
  if (!b.is_integer) {
    if (!std::isfinite(b.real)) return OrderOf(0.0, b.real);
    const double whole = std::trunc(b.real);
    const Order order = Compare(a, Number(absl::string_view(absl::StrFormat("%.0f", whole))));
    return order == kEqual ? OrderOf(whole, b.real) : order;
  }
  if (a.is_negative != b.is_negative) return a.is_negative ? kLess : kGreater;
  const Order order = a.digits.size() != b.digits.size() ? OrderOf(a.digits.size(), b.digits.size())
                                                         : OrderOf(a.digits, b.digits);
  return a.is_negative ? Reverse(order) : order;
}

std::optional<Number> NumberOf(const ValueTree& tree, size_t node) {
  switch (tree.kind(node)) {
    case Kind::kInt:
      return Number(absl::string_view(absl::StrCat(static_cast<int64_t>(tree.number(node)))));
    case Kind::kUint:
      return Number(absl::string_view(absl::StrCat(tree.number(node))));
    case Kind::kDouble:
    case Kind::kDate:
      return Number(tree.real(node));
    case Kind::kBigint:
      return Number(tree.text(node));
    case Kind::kNumber: {
      const absl::string_view text = tree.text(node);
      if (text.find_first_of(".eE") == text.npos) return Number(text);
      double real = 0;
      (void)absl::SimpleAtod(text, &real);  // infinite if it is too large
      return Number(real);
    }
    default:
      return std::nullopt;
  }
}

// Milliseconds since 1970; NaN if `text` is neither a date nor a time of RFC 3339.
double DateOf(const std::string& text) {
  for (const char* const format : {absl::RFC3339_full, "%Y-%m-%d"}) {
    absl::Time time;
    if (absl::ParseTime(format, text, &time, nullptr)) {
      return static_cast<double>(absl::ToUnixMillis(time));
    }
  }
  return std::nan("");
}

Order Compare(const ValueTree& tree, size_t node, const EntryCondition::Term& term) {
  const ValueTree& literal = term.literal;
  const Kind kind = tree.kind(node);
  if (literal.kind(0) == Kind::kNumber) {
    const std::optional<Number> number = NumberOf(tree, node);
    return number.has_value() ? Compare(*number, *NumberOf(literal, 0)) : kNone;
  }
  if (literal.kind(0) == Kind::kString && kind == Kind::kDate) {
    return OrderOf(tree.real(node), term.date);
  }
  if (kind != literal.kind(0)) return kNone;
  if (kind == Kind::kString) return OrderOf(tree.text(node), literal.text(0));
  return kind == Kind::kNull || tree.number(node) == literal.number(0) ? kEqual : kNone;
}

class Parser {
 public:
  explicit Parser(absl::string_view text) : all_(text), rest_(text) { SkipSpaces(); }

  absl::StatusOr<std::vector<EntryPath>> Paths() {
    std::vector<EntryPath> paths;
    do {
      const absl::string_view start = rest_;
      EntryPath path;
      RETURN_IF_ERROR(Path(&path));
      for (const EntryPath& other : paths) {
        if (other.text != path.text) continue;
        rest_ = start;
        return Expected("a path that is not in the list yet");
      }
      paths.push_back(std::move(path));
    } while (Consume(","));
    if (!rest_.empty()) return Expected("a comma or the end");
    return paths;
  }

  absl::StatusOr<std::vector<std::vector<EntryCondition::Term>>> Condition() {
    std::vector<std::vector<EntryCondition::Term>> any;
    do {
      any.emplace_back();
      do {
        any.back().emplace_back();
        RETURN_IF_ERROR(Term(&any.back().back()));
      } while (ConsumeWord("and"));
    } while (ConsumeWord("or"));
    if (!rest_.empty()) return Expected("an operator, \"and\", \"or\" or the end");
    return any;
  }

 private:
  static bool IsNameCharacter(char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) || absl::StrContains("_$-", c) ||
           (static_cast<unsigned char>(c) & 0x80) != 0;
  }

  absl::Status Expected(absl::string_view what) const {
    const absl::string_view read = all_.substr(0, all_.size() - rest_.size());
    const auto is_first_byte = [](char c) { return (c & 0xc0) != 0x80; };
    return absl::InvalidArgumentError(absl::StrCat(
        "character ", 1 + std::count_if(read.begin(), read.end(), is_first_byte), ": expected ",
        what, ", found ", rest_.empty() ? "the end" : ShowBytes(rest_)));
  }

  void SkipSpaces() { rest_ = absl::StripLeadingAsciiWhitespace(rest_); }
  bool Consume(absl::string_view token) {
    if (!absl::ConsumePrefix(&rest_, token)) return false;
    SkipSpaces();
    return true;
  }
  absl::string_view NameAhead() const {
    const auto end = std::find_if_not(rest_.begin(), rest_.end(), IsNameCharacter);
    return rest_.substr(0, static_cast<size_t>(end - rest_.begin()));
  }
  bool ConsumeWord(absl::string_view word) { return NameAhead() == word && Consume(word); }

  absl::Status String(std::string* text) {
    const absl::string_view json = rest_.substr(0, JsonStringSize(rest_));
    const auto parsed = nlohmann::json::parse(json, nullptr, /*allow_exceptions=*/false);
    if (parsed.is_discarded()) return Expected("a string of JSON");
    rest_.remove_prefix(json.size());
    *text = parsed.get<std::string>();
    return absl::OkStatus();
  }

  absl::Status Path(EntryPath* path) {
    const absl::string_view start = rest_, root = NameAhead();
    if (root != "key" && root != "value") return Expected("a path that begins with key or value");
    path->starts_at_key = root == "key";
    rest_.remove_prefix(root.size());
    while (absl::StartsWith(rest_, ".") || absl::StartsWith(rest_, "[")) {
      path->steps.emplace_back();
      RETURN_IF_ERROR(Step(&path->steps.back()));
    }
    path->text = std::string(start.substr(0, start.size() - rest_.size()));
    SkipSpaces();
    return absl::OkStatus();
  }

  absl::Status Step(EntryPath::Step* step) {
    if (absl::ConsumePrefix(&rest_, ".")) {
      step->name = std::string(NameAhead());
      if (step->name.empty() || !IsUtf8(step->name)) return Expected("a name");
      rest_.remove_prefix(step->name.size());
      return absl::OkStatus();
    }
    rest_.remove_prefix(1);
    if (absl::StartsWith(rest_, "\"")) {
      RETURN_IF_ERROR(String(&step->name));
    } else {
      uint64_t index = 0;
      const absl::string_view digits =
          rest_.substr(0, std::min(rest_.find_first_not_of("0123456789"), rest_.size()));
      if (!absl::SimpleAtoi(digits, &index)) return Expected("an index below 2^64 or a string");
      rest_.remove_prefix(digits.size());
      step->index = index;
      step->name = absl::StrCat(index);
    }
    return absl::ConsumePrefix(&rest_, "]") ? absl::OkStatus() : Expected("]");
  }

  absl::Status Term(EntryCondition::Term* term) {
    constexpr std::pair<const char*, int> kOperators[] = {
        {"=", kEqual}, {"!=", kLess | kGreater | kNone}, {"<=", kLess | kEqual},
        {"<", kLess},  {">=", kGreater | kEqual},        {">", kGreater}};
    term->is_negated = ConsumeWord("not");
    RETURN_IF_ERROR(Path(&term->path));
    for (const auto& [text, orders] : kOperators) {
      if (!Consume(text)) continue;
      term->orders = orders;
      return Literal(term);
    }
    return absl::OkStatus();
  }

  absl::Status Literal(EntryCondition::Term* term) {
    constexpr size_t kMaxSize = 1000;
    ValueTree* const tree = &term->literal;
    if (absl::StartsWith(rest_, "\"")) {
      std::string text;
      RETURN_IF_ERROR(String(&text));
      tree->Text(text);
      term->date = DateOf(text);
    } else if (const absl::string_view word = NameAhead(); word == "true" || word == "false") {
      rest_.remove_prefix(word.size());
      tree->Bool(word == "true");
    } else if (ConsumeWord("null")) {
      tree->Null();
    } else {
      const absl::string_view json =
          rest_.substr(0, std::min(rest_.find_first_not_of("+-.eE0123456789"), rest_.size()));
      absl::string_view digits = json;
      absl::ConsumePrefix(&digits, "-");
      const bool is_integer =
          !digits.empty() && digits.find_first_not_of("0123456789") == digits.npos;
      // nlohmann's parser rejects integers that exceed a double.
      const bool is_number =
          is_integer ? digits == "0" || digits.front() != '0' : nlohmann::json::accept(json);
      if (!is_number || json.size() > kMaxSize) {
        return Expected(
            "a number of up to 1000 characters, a string in double quotes, true, false or null");
      }
      rest_.remove_prefix(json.size());
      tree->Number(json);
    }
    SkipSpaces();
    return absl::OkStatus();
  }

  const absl::string_view all_;
  absl::string_view rest_;
};

bool IsUndecoded(const ValueTree& tree, size_t node) {
  return tree.kind(node) == Kind::kForm && tree.text(node + 1) == "$undecoded";
}

// Returns true if `step` selects the child with this name. `name` is a node in a container of this
// kind, and is compared in the form in which JSON shows it.
bool IsNamed(const ValueTree& tree, size_t name, Kind container, const EntryPath::Step& step) {
  const absl::string_view wanted = step.name;
  if (const std::optional<Number> number = NumberOf(tree, name); number.has_value()) {
    return step.index.has_value() && Compare(*number, Number(wanted)) == kEqual;
  }
  if (container == Kind::kMap && step.index.has_value()) return false;
  if (tree.kind(name) == Kind::kUtf16) return wanted == absl::StrCat("$utf16:", tree.text(name));
  if (tree.kind(name) != Kind::kString) return false;
  const absl::string_view text = tree.text(name);
  const bool is_escaped = container == Kind::kObject && absl::StartsWith(text, "$");
  return is_escaped ? wanted == absl::StrCat("$", text) : wanted == text;
}

std::optional<size_t> Child(const ValueTree& tree, size_t node, const EntryPath::Step& step) {
  const Kind kind = tree.kind(node);
  if (kind < Kind::kArray) return std::nullopt;
  const size_t end = tree.end(node);
  size_t elements_end = node + 1;  // pairs follow
  if (kind == Kind::kSet || kind == Kind::kArray) elements_end = end;
  if (kind == Kind::kArray && tree.number(node) != 0) elements_end = tree.number(node);
  size_t child = node + 1;
  for (uint64_t index = 0; child < elements_end; child = tree.end(child)) {
    const bool is_hole = tree.kind(child) == Kind::kHole;
    if (!is_hole && step.index == index) return child;
    index += is_hole ? tree.number(child) : 1;
  }
  for (; child < end; child = tree.end(tree.end(child))) {
    if (IsNamed(tree, child, kind, step)) return tree.end(child);
  }
  return std::nullopt;
}

}  // namespace

absl::StatusOr<std::vector<EntryPath>> EntryPath::ParseList(absl::string_view text) {
  return Parser(text).Paths();
}

EntryPath::Part EntryPath::Find(const DecodedEntry& entry, bool has_value) const {
  Part part = {Presence::kPresent, starts_at_key ? &entry.key : &entry.value};
  if (part.tree->empty()) {
    part.presence = starts_at_key || has_value ? Presence::kUnknown : Presence::kAbsent;
    return part;
  }
  for (const Step& step : steps) {
    const std::optional<size_t> child = Child(*part.tree, part.node, step);
    if (!child.has_value()) {
      const bool is_unknown = IsUndecoded(*part.tree, part.node);
      part.presence = is_unknown ? Presence::kUnknown : Presence::kAbsent;
      return part;
    }
    const bool is_reference = part.tree->kind(*child) == Kind::kRef;
    part.node = is_reference ? part.tree->number(*child) : *child;
  }
  return part;
}

absl::StatusOr<EntryCondition> EntryCondition::Parse(absl::string_view text) {
  EntryCondition condition;
  ASSIGN_OR_RETURN(condition.any_, Parser(text).Condition());
  return condition;
}

EntryCondition::Answer EntryCondition::Judge(const DecodedEntry& entry, bool has_value) const {
  Answer any = Answer::kNo;
  for (const std::vector<Term>& terms : any_) {
    Answer all = Answer::kYes;
    for (const Term& term : terms) {
      const EntryPath::Part part = term.path.Find(entry, has_value);
      bool is_true = part.presence == Presence::kPresent;
      bool is_unknown = part.presence == Presence::kUnknown;
      if (is_true && term.orders != 0) {
        is_unknown = IsUndecoded(*part.tree, part.node);
        is_true = (Compare(*part.tree, part.node, term) & term.orders) != 0;
      }
      const Answer answer = is_true != term.is_negated ? Answer::kYes : Answer::kNo;
      all = std::min(all, is_unknown ? Answer::kUnknown : answer);
    }
    any = std::max(any, all);
  }
  return any;
}

}  // namespace sstable
