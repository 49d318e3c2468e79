// SHA-256 (FIPS 180-4), to compare contents with a published hash.
#ifndef SSTABLE_TESTS_SUPPORT_SHA256_H_
#define SSTABLE_TESTS_SUPPORT_SHA256_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"

namespace sstable::test {

// Pattern: Add* HexDigest.
class Sha256 {
 public:
  void Add(absl::string_view bytes);
  std::string HexDigest();

 private:
  void Compress(const char* block);

  std::array<uint32_t, 8> state_ = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                    0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::string pending_;  // less than a block of 64 bytes
  uint64_t size_ = 0;    // bytes added
};

inline std::string Sha256Hex(absl::string_view bytes) {
  Sha256 sha256;
  sha256.Add(bytes);
  return sha256.HexDigest();
}

}  // namespace sstable::test

#endif  // SSTABLE_TESTS_SUPPORT_SHA256_H_
