// CRC-32C (Castagnoli), and the masked form that block trailers store.
//
// The work is done by ISA-L's `crc32_iscsi`, which picks the fastest code for the machine when it
// first runs. Source of the polynomial and of the test vectors: RFC 3720, appendix B.4.
#ifndef SSTABLE_UTIL_CRC32C_H_
#define SSTABLE_UTIL_CRC32C_H_

#include <cstdint>

#include "absl/strings/string_view.h"

namespace sstable {

// The CRC-32C of the bytes whose CRC is `crc`, followed by `data`.
uint32_t ExtendCrc32c(uint32_t crc, absl::string_view data);

inline uint32_t Crc32c(absl::string_view data) { return ExtendCrc32c(0, data); }

// A CRC is masked when it is stored: any bytes followed by their own CRC have one and the same CRC,
// so a checksum over stored blocks would be useless. Source: LevelDB,
// util/crc32c.h. Part of the file format; changing it breaks existing files.
inline constexpr uint32_t kCrcMaskDelta = 0xa282ead8;

inline uint32_t MaskCrc(uint32_t crc) { return ((crc >> 15) | (crc << 17)) + kCrcMaskDelta; }

inline uint32_t UnmaskCrc(uint32_t masked) {
  const uint32_t rotated = masked - kCrcMaskDelta;
  return (rotated >> 17) | (rotated << 15);
}

}  // namespace sstable

#endif  // SSTABLE_UTIL_CRC32C_H_
