// Fixed-width and variable-length integers as LevelDB tables store them.
//
// Format:  fixed32 and fixed64 are little-endian. A varint is 7 bits a byte, least significant
//          group first, the high bit set on every byte but the last; see docs/table_format.md.
// Errors:  decoders of varints check their bounds; those of fixed32 and fixed64 leave it to the
//          caller. As LevelDB does, they accept varints that are longer or wider than needed:
//          surplus high bits of the last possible byte are dropped.
#ifndef SSTABLE_UTIL_CODING_H_
#define SSTABLE_UTIL_CODING_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <string>

#include "absl/base/optimization.h"
#include "absl/strings/string_view.h"

namespace sstable {

inline constexpr size_t kMaxVarint32Size = 5;
inline constexpr size_t kMaxVarint64Size = 10;

// Whether the machine stores integers as the file does.
inline constexpr bool kIsLittleEndian = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;

inline uint32_t LittleEndian32(uint32_t value) {
  return kIsLittleEndian ? value : __builtin_bswap32(value);
}
inline uint64_t LittleEndian64(uint64_t value) {
  return kIsLittleEndian ? value : __builtin_bswap64(value);
}

inline uint32_t DecodeFixed32(const char* bytes) {
  uint32_t value;
  std::memcpy(&value, bytes, sizeof(value));
  return LittleEndian32(value);
}

inline uint64_t DecodeFixed64(const char* bytes) {
  uint64_t value;
  std::memcpy(&value, bytes, sizeof(value));
  return LittleEndian64(value);
}

inline void EncodeFixed32(char* dst, uint32_t value) {
  value = LittleEndian32(value);
  std::memcpy(dst, &value, sizeof(value));
}
inline void EncodeFixed64(char* dst, uint64_t value) {
  value = LittleEndian64(value);
  std::memcpy(dst, &value, sizeof(value));
}

// Writes a varint at `dst` and returns the first byte after it. `dst` has room for
// kMaxVarint64Size bytes (kMaxVarint32Size suffice for values below 2^32).
inline char* EncodeVarint64(char* dst, uint64_t value) {
  while (value >= 0x80) {
    *dst++ = static_cast<char>(value | 0x80);
    value >>= 7;
  }
  *dst++ = static_cast<char>(value);
  return dst;
}

void AppendFixed32(std::string* dst, uint32_t value);
void AppendFixed64(std::string* dst, uint64_t value);
void AppendVarint64(std::string* dst, uint64_t value);

// Decodes a varint that starts at `p` and ends at or before `limit`. Returns the first byte after
// it. If the bytes end first or the encoding exceeds 5 (10) bytes, returns nullptr and leaves
// `*value` unchanged.
const char* DecodeVarint32Slow(const char* p, const char* limit, uint32_t* value);
const char* DecodeVarint64(const char* p, const char* limit, uint64_t* value);

inline const char* DecodeVarint32(const char* p, const char* limit, uint32_t* value) {
  if (p < limit && static_cast<signed char>(*p) >= 0) {
    *value = static_cast<unsigned char>(*p);
    return p + 1;
  }
  return DecodeVarint32Slow(p, limit, value);
}

// DecodeVarint64() without a branch for each byte. 8 bytes must be readable at `p`, even past
// `limit`.
inline const char* DecodeVarint64Wide(const char* p, const char* limit, uint64_t* value) {
  const uint64_t bytes = DecodeFixed64(p);
  const uint64_t last = ~bytes & 0x8080808080808080;  // the top bit of each byte that may be last
  if (ABSL_PREDICT_FALSE(last == 0)) return DecodeVarint64(p, limit, value);
  p += (__builtin_ctzll(last) + 1) / 8;
  if (ABSL_PREDICT_FALSE(p > limit)) return nullptr;
  // Packs the 7 bits of each byte: joins bytes to pairs, pairs to fours, and the two fours.
  uint64_t bits = bytes & (last ^ (last - 1)) & 0x7f7f7f7f7f7f7f7f;
  bits = (bits & 0x007f007f007f007f) | (bits & 0x7f007f007f007f00) >> 1;
  bits = (bits & 0x00003fff00003fff) | (bits & 0x3fff00003fff0000) >> 2;
  bits = (bits & 0x000000000fffffff) | (bits & 0x0fffffff00000000) >> 4;
  *value = bits;
  return p;
}

// Removes a varint from the front of `*input`. If there is none, returns false and leaves `*input`
// unchanged.
bool ConsumeVarint32(absl::string_view* input, uint32_t* value);
bool ConsumeVarint64(absl::string_view* input, uint64_t* value);

// Removes an integer or real number, little-endian, from the front of `*input`. If there is none,
// returns false and leaves `*input` unchanged.
template <typename T>
bool ConsumeFixed(absl::string_view* input, T* number) {
  if (input->size() < sizeof(*number)) return false;
  char bytes[sizeof(*number)];
  std::memcpy(bytes, input->data(), sizeof(bytes));
  if (!kIsLittleEndian) std::reverse(std::begin(bytes), std::end(bytes));
  std::memcpy(number, bytes, sizeof(bytes));
  input->remove_prefix(sizeof(*number));
  return true;
}

// Removes a varint count and that many units of `unit_size` bytes from the front of `*input`. If
// they are not all there, returns false and leaves `*input` unchanged.
bool ConsumeSized(absl::string_view* input, uint64_t unit_size, absl::string_view* units);

}  // namespace sstable

#endif  // SSTABLE_UTIL_CODING_H_
