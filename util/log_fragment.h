// A fragment of a record in a log file: its header and checksum. Format: docs/database.md.
#ifndef SSTABLE_UTIL_LOG_FRAGMENT_H_
#define SSTABLE_UTIL_LOG_FRAGMENT_H_

#include <cstddef>
#include <cstdint>

#include "absl/strings/string_view.h"

namespace sstable {

// Part of the file format.
inline constexpr size_t kFragmentHeaderSize = 7;
enum class FragmentType : uint8_t { kZero = 0, kFull = 1, kFirst = 2, kMiddle = 3, kLast = 4 };

// Returns true for the types that a fragment can have: all but kZero.
bool IsFragmentType(uint8_t type);

struct FragmentHeader {
  uint32_t stored_crc = 0;  // masked
  size_t payload_size = 0;
  uint8_t type = 0;
};

// `bytes` has at least kFragmentHeaderSize.
FragmentHeader DecodeFragmentHeader(absl::string_view bytes);

// Returns the masked checksum of a fragment's type and payload.
uint32_t FragmentCrc(uint8_t type, absl::string_view payload);

// Returns true if a fragment with a known type and a correct checksum begins at `position`, and
// sets `*end` to where it ends in `block`.
bool IsFragmentAt(absl::string_view block, size_t position, size_t* end);

}  // namespace sstable

#endif  // SSTABLE_UTIL_LOG_FRAGMENT_H_
