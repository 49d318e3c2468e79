// Finds the ends of long stretches of zeros, at about the speed of reading memory.
#ifndef SSTABLE_UTIL_ZEROS_H_
#define SSTABLE_UTIL_ZEROS_H_

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "absl/strings/string_view.h"

namespace sstable {

inline bool AllZeros(absl::string_view bytes) {
  // Each byte equals the one before it.
  return bytes.empty() ||
         (bytes[0] == '\0' && std::memcmp(bytes.data(), bytes.data() + 1, bytes.size() - 1) == 0);
}

// Returns the number of zeros at the front of `bytes`.
inline size_t LeadingZeros(absl::string_view bytes) {
  constexpr size_t kPieceSize = 4096;
  size_t count = 0;
  while (count < bytes.size() && AllZeros(bytes.substr(count, kPieceSize))) {
    count += std::min(kPieceSize, bytes.size() - count);
  }
  return std::min(bytes.find_first_not_of('\0', count), bytes.size());
}

}  // namespace sstable

#endif  // SSTABLE_UTIL_ZEROS_H_
