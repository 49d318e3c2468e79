// The form in which records are sorted: a value preceded by the place where the record was read.
//
//   input (4 bytes) | line (8) | value
#ifndef SSTABLE_TOOLS_SORT_STORED_VALUE_H_
#define SSTABLE_TOOLS_SORT_STORED_VALUE_H_

#include <cstddef>

#include "absl/strings/string_view.h"
#include "tools/records/record_reader.h"
#include "util/coding.h"

namespace sstable::tools {

inline constexpr size_t kPlaceSize = 12;

// Writes kPlaceSize bytes.
inline void EncodePlace(const LinePlace& place, char* dst) {
  EncodeFixed32(dst, place.input);
  EncodeFixed64(dst + 4, place.line);
}

// Splits a stored value. The record consists of views into the arguments.
inline Record DecodeStored(absl::string_view key, absl::string_view stored) {
  return {key,
          stored.substr(kPlaceSize),
          {DecodeFixed32(stored.data()), DecodeFixed64(stored.data() + 4)}};
}

}  // namespace sstable::tools

#endif  // SSTABLE_TOOLS_SORT_STORED_VALUE_H_
