// CRC-32C in plain C++. ISA-L, which util/crc32c.cc uses, has no code for WebAssembly.
//
// Slicing by 8: the CRC of 8 bytes is the exclusive or of 8 numbers, one from each table.
#ifndef SSTABLE_WEB_CORE_PORTABLE_CRC32C_H_
#define SSTABLE_WEB_CORE_PORTABLE_CRC32C_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "absl/strings/string_view.h"
#include "util/coding.h"

namespace sstable {

// [n][b]: the contribution of byte b to the CRC if n bytes follow it.
using Crc32cTables = std::array<std::array<uint32_t, 256>, 8>;

constexpr Crc32cTables MakeCrc32cTables() {
  constexpr uint32_t kPolynomial = 0x82f63b78;  // Castagnoli, lowest bit first
  Crc32cTables tables = {};
  for (uint32_t byte = 0; byte < 256; ++byte) {
    uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? kPolynomial : 0);
    tables[0][byte] = crc;
  }
  for (size_t i = 1; i < tables.size(); ++i) {
    for (size_t byte = 0; byte < 256; ++byte) {
      const uint32_t crc = tables[i - 1][byte];
      tables[i][byte] = (crc >> 8) ^ tables[0][crc & 0xff];
    }
  }
  return tables;
}

// As ExtendCrc32c().
inline uint32_t PortableExtendCrc32c(uint32_t crc, absl::string_view data) {
  static constexpr Crc32cTables t = MakeCrc32cTables();
  uint32_t state = ~crc;
  const char* p = data.data();
  size_t size = data.size();
  for (; size >= 8; size -= 8, p += 8) {
    const uint32_t low = DecodeFixed32(p) ^ state;
    const uint32_t high = DecodeFixed32(p + 4);
    state = t[7][low & 0xff] ^ t[6][(low >> 8) & 0xff] ^ t[5][(low >> 16) & 0xff] ^
            t[4][low >> 24] ^ t[3][high & 0xff] ^ t[2][(high >> 8) & 0xff] ^
            t[1][(high >> 16) & 0xff] ^ t[0][high >> 24];
  }
  for (; size > 0; --size, ++p) {
    state = (state >> 8) ^ t[0][(state ^ static_cast<unsigned char>(*p)) & 0xff];
  }
  return ~state;
}

}  // namespace sstable

#endif  // SSTABLE_WEB_CORE_PORTABLE_CRC32C_H_
