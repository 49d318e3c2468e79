// CRC-32C without a library. Uses the instructions of x86-64 (SSE4.2) and of 64-bit ARM where the
// processor has them, and tables elsewhere.
#ifndef SSTABLE_UTIL_PORTABLE_CRC32C_H_
#define SSTABLE_UTIL_PORTABLE_CRC32C_H_

#include <cstdint>

#include "absl/strings/string_view.h"

namespace sstable {

// Same result as ExtendCrc32c().
uint32_t PortableExtendCrc32c(uint32_t crc, absl::string_view data);

// Uses tables on every processor.
uint32_t TableExtendCrc32c(uint32_t crc, absl::string_view data);

}  // namespace sstable

#endif  // SSTABLE_UTIL_PORTABLE_CRC32C_H_
