// CRC-32C (Castagnoli), and the masked form that block trailers store.
//
// Uses ISA-L's `crc32_iscsi`, which selects the fastest code for the machine at its first call, or
// util/portable_crc32c.h if the build has no ISA-L. Source of the polynomial and of the test
// vectors: RFC 3720, appendix B.4.
#ifndef SSTABLE_UTIL_CRC32C_H_
#define SSTABLE_UTIL_CRC32C_H_

#include <cstdint>

#include "absl/strings/string_view.h"

namespace sstable {

// Extends `crc`, the CRC-32C of some bytes, by `data`.
uint32_t ExtendCrc32c(uint32_t crc, absl::string_view data);

inline uint32_t Crc32c(absl::string_view data) { return ExtendCrc32c(0, data); }

// A stored CRC is masked: all byte strings followed by their own CRC have the same CRC, so a
// checksum over stored blocks would be useless. Source: LevelDB, util/crc32c.h. Part of the file
// format; changing it breaks existing files.
inline constexpr uint32_t kCrcMaskDelta = 0xa282ead8;

inline uint32_t MaskCrc(uint32_t crc) { return ((crc >> 15) | (crc << 17)) + kCrcMaskDelta; }

inline uint32_t UnmaskCrc(uint32_t masked) {
  const uint32_t rotated = masked - kCrcMaskDelta;
  return (rotated >> 17) | (rotated << 15);
}

}  // namespace sstable

#endif  // SSTABLE_UTIL_CRC32C_H_
