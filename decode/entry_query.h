// Conditions on decoded entries, and paths to their parts, as a user writes them:
//
//   condition = all {"or" all};  all = term {"and" term};  term = ["not"] path [operator literal]
//   operator  = "=" | "!=" | "<" | "<=" | ">" | ">="
//   literal   = a number or string of JSON | "true" | "false" | "null"
//   path      = ("key" | "value") {"." name | "[" index "]" | "[" string "]"}
//
// A name has letters, digits, _, $ and -. Names are those of the JSON that decode/README.md
// describes; a reference leads to its object, and a Map has its keys.
//
// Threads: immutable, so const methods may run concurrently.
// Errors:  parsing returns InvalidArgument with the character where it ended.
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
    std::optional<uint64_t> index;  // also in `name`
  };
  enum class Presence { kPresent, kAbsent, kUnknown };
  struct Part {
    Presence presence;
    const ValueTree* tree;  // the key's or the value's; empty: all of it is unknown
    size_t node = 0;        // if absent or unknown, the last one on the way
  };

  // `text`: different paths with commas between them.
  static absl::StatusOr<std::vector<EntryPath>> ParseList(absl::string_view text);

  // `has_value`: the entry was decoded from a value that is not empty. The part is valid as long as
  // the entry.
  Part Find(const DecodedEntry& entry, bool has_value) const;

  bool is_of_key = false;
  std::vector<Step> steps;
  std::string text;
};

class EntryCondition {
 public:
  // kUnknown: it depends on what could not be decoded.
  enum class Answer { kNo, kUnknown, kYes };
  struct Term {
    bool is_negated = false;
    EntryPath path;
    int orders = 0;     // a bit for each order of part and literal that makes it true; 0: any
    ValueTree literal;  // null, a boolean, a number of JSON or a string
    double date = 0;    // a string's milliseconds since 1970; NaN if it is no date
  };

  static absl::StatusOr<EntryCondition> Parse(absl::string_view text);

  // `has_value` as in EntryPath::Find().
  Answer Judge(const DecodedEntry& entry, bool has_value) const;

 private:
  std::vector<std::vector<Term>> any_;  // true if all terms of a list are
};

}  // namespace sstable

#endif  // SSTABLE_DECODE_ENTRY_QUERY_H_
