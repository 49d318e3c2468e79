// Conditions on decoded entries, and paths to parts of entries, as users write them:
//
//   condition = all {"or" all};  all = term {"and" term};  term = ["not"] path [operator literal]
//   operator  = "=" | "!=" | "<" | "<=" | ">" | ">="
//   literal   = a number or string of JSON | "true" | "false" | "null"
//   path      = ("key" | "value") {"." name | "[" index "]" | "[" string "]"}
//
// A name consists of letters, digits, _, $ and -, and is a name in the JSON that decode/README.md
// describes. A path follows references. A step into a Map is one of its keys.
//
// Threads: immutable, so const methods may run concurrently.
// Errors:  Parse functions return InvalidArgument, which names the character where parsing stopped.
#ifndef SSTABLE_DECODE_ENTRY_QUERY_H_
#define SSTABLE_DECODE_ENTRY_QUERY_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "decode/entry_decoder.h"

namespace sstable {

struct EntryPath {
  struct Step {
    std::string name;
    std::optional<uint64_t> index;  // `name` then has its digits
  };
  enum class Presence { kPresent, kAbsent, kUnknown };
  struct Part {
    Presence presence;
    const ValueTree* tree;  // the key or the value; empty if none of it was decoded
    size_t node = 0;        // if absent or unknown, the last node that the path reached
  };

  // Parses paths separated by commas, each of which may occur once.
  static absl::StatusOr<std::vector<EntryPath>> ParseList(absl::string_view text);

  // Finds the part that the path leads to. `has_value`: the stored value is not empty. The part is
  // valid as long as `entry`.
  Part Find(const DecodedEntry& entry, bool has_value) const;

  bool starts_at_key = false;  // false: at the value
  std::vector<Step> steps;
  std::string text;
};

class EntryCondition {
 public:
  // kUnknown: the answer depends on bytes that could not be decoded.
  enum class Answer { kNo, kUnknown, kYes };
  struct Term {
    bool is_negated = false;
    EntryPath path;
    // Bit set of the orders of part and literal that satisfy the term. 0: a present part does.
    int orders = 0;
    ValueTree literal;  // null, a boolean, a JSON number or a string
    double date = 0;    // if a string: milliseconds since 1970; NaN if it is not a date
  };

  static absl::StatusOr<EntryCondition> Parse(absl::string_view text);

  // `has_value`: as for EntryPath::Find().
  Answer Judge(const DecodedEntry& entry, bool has_value) const;

 private:
  std::vector<std::vector<Term>> any_;  // satisfied if all terms of one list are
};

}  // namespace sstable

#endif  // SSTABLE_DECODE_ENTRY_QUERY_H_
