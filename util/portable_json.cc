#include "util/portable_json.h"

#include <algorithm>
#include <cstddef>

#include "absl/strings/str_cat.h"
#include "util/escape.h"

namespace sstable {
namespace {

constexpr absl::string_view kLimit = "9007199254740992";  // 2^53

// `number` is one of JSON's.
bool IsLarge(absl::string_view number) {
  if (number.find_first_of(".eE") != number.npos) return false;  // a double
  if (number.front() == '-') number.remove_prefix(1);
  return number.size() > kLimit.size() || (number.size() == kLimit.size() && number > kLimit);
}

// The size of the string at the start of `json`.
size_t StringSize(absl::string_view json) {
  size_t at = 1;
  while (at < json.size() && json[at] != '"') at += json[at] == '\\' ? 2 : 1;
  return std::min(at + 1, json.size());
}

}  // namespace

std::string PortableJson(absl::string_view json) {
  const std::string escaped = EscapeControlsOfJson(json);
  json = escaped;
  std::string portable;
  portable.reserve(json.size());
  while (!json.empty()) {
    const bool is_number = json.front() == '-' || (json.front() >= '0' && json.front() <= '9');
    const size_t size = json.front() == '"' ? StringSize(json)
                        : is_number
                            ? std::min(json.find_first_not_of("+-.eE0123456789"), json.size())
                            : 1;
    const absl::string_view token = json.substr(0, size);
    const char* const quote = is_number && IsLarge(token) ? "\"" : "";
    absl::StrAppend(&portable, quote, token, quote);
    json.remove_prefix(size);
  }
  return portable;
}

std::string PortableNumber(uint64_t number) { return PortableJson(absl::StrCat(number)); }

}  // namespace sstable
