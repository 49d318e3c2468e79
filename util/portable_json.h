// JSON that every reader understands: no character that can move the cursor, and no number that a
// reader with only doubles would round.
#ifndef SSTABLE_UTIL_PORTABLE_JSON_H_
#define SSTABLE_UTIL_PORTABLE_JSON_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"

namespace sstable {

// Escapes unsafe characters of `json`, which is valid, and puts whole numbers beyond 2^53 into
// quotes.
std::string PortableJson(absl::string_view json);

// The number in JSON; in quotes if it is above 2^53.
std::string PortableNumber(uint64_t number);

// Returns the size of the string, with its quotes, at the front of valid JSON.
size_t JsonStringSize(absl::string_view json);

}  // namespace sstable

#endif  // SSTABLE_UTIL_PORTABLE_JSON_H_
