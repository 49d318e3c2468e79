#include "util/portable_json.h"

#include <algorithm>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "util/escape.h"

namespace sstable {
namespace {

constexpr uint64_t kMaxExact = uint64_t{1} << 53;

// `number` is a JSON number.
bool IsLarge(absl::string_view number) {
  if (number.find_first_of(".eE") != number.npos) return false;  // a double
  if (number.front() == '-') number.remove_prefix(1);
  uint64_t magnitude = 0;
  return !absl::SimpleAtoi(number, &magnitude) || magnitude > kMaxExact;
}

}  // namespace

size_t JsonStringSize(absl::string_view json) {
  size_t at = 1;
  while (at < json.size() && json[at] != '"') at += json[at] == '\\' ? 2 : 1;
  return std::min(at + 1, json.size());
}

std::string PortableJson(absl::string_view json) {
  const std::string escaped = EscapeControlsOfJson(json);
  json = escaped;
  std::string portable;
  portable.reserve(json.size());
  while (!json.empty()) {
    const bool is_number = json.front() == '-' || (json.front() >= '0' && json.front() <= '9');
    const size_t size = json.front() == '"' ? JsonStringSize(json)
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

std::string PortableNumber(uint64_t number) {
  const char* const quote = number > kMaxExact ? "\"" : "";
  return absl::StrCat(quote, number, quote);
}

}  // namespace sstable
