#include "util/portable_crc32c.h"

#include <array>
#include <cstddef>

#include "util/coding.h"

#if defined(__x86_64__)
#include <cpuid.h>
#define CRC32C_TARGET __attribute__((target("sse4.2,crc32")))
#elif defined(__aarch64__) && (defined(__linux__) || defined(__APPLE__))
#ifdef __linux__
#include <sys/auxv.h>
#endif
#define CRC32C_TARGET
#endif

namespace sstable {
namespace {

constexpr uint32_t kPolynomial = 0x82f63b78;  // Castagnoli, lowest bit first

// [n][b]: the contribution of byte b to the CRC if n bytes follow it.
using Crc32cTables = std::array<std::array<uint32_t, 256>, 8>;

Crc32cTables MakeCrc32cTables() {
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

#ifdef CRC32C_TARGET

// The state after some zero bytes is a linear function of the state before them. This is the
// function, as its value for each bit.
using LinearFunction = std::array<uint32_t, 32>;

constexpr uint32_t Apply(const LinearFunction& function, uint32_t state) {
  uint32_t result = 0;
  for (size_t bit = 0; bit < 32; ++bit) result ^= ((state >> bit) & 1) != 0 ? function[bit] : 0;
  return result;
}

// That function as tables: four lookups, one for each byte of the state.
class AfterZeros {
 public:
  // `byte_count` is a power of two.
  explicit constexpr AfterZeros(size_t byte_count) {
    LinearFunction function = {kPolynomial};  // for one zero bit
    for (size_t bit = 1; bit < 32; ++bit) function[bit] = uint32_t{1} << (bit - 1);
    for (size_t bits = 1; bits < 8 * byte_count; bits *= 2) {
      const LinearFunction once = function;
      for (uint32_t& value : function) value = Apply(once, value);
    }
    for (uint32_t i = 0; i < 4; ++i) {
      for (uint32_t byte = 0; byte < 256; ++byte) {
        tables_[i][byte] = Apply(function, byte << (8 * i));
      }
    }
  }

  uint32_t operator()(uint32_t state) const {
    return tables_[0][state & 0xff] ^ tables_[1][(state >> 8) & 0xff] ^
           tables_[2][(state >> 16) & 0xff] ^ tables_[3][state >> 24];
  }

 private:
  std::array<std::array<uint32_t, 256>, 4> tables_ = {};
};

#ifdef __x86_64__
CRC32C_TARGET inline uint64_t Add8(uint64_t state, uint64_t bytes) {
  return __builtin_ia32_crc32di(state, bytes);
}
CRC32C_TARGET inline uint64_t Add1(uint64_t state, unsigned char byte) {
  return __builtin_ia32_crc32qi(static_cast<uint32_t>(state), byte);
}
bool HasInstructions() {
  // __builtin_cpu_supports() is always false with zig's runtime library.
  unsigned int eax, ebx, ecx = 0, edx;
  return __get_cpuid(1, &eax, &ebx, &ecx, &edx) != 0 && (ecx & bit_SSE4_2) != 0;
}
#else
// The names of the intrinsics depend on the compiler.
inline uint64_t Add8(uint64_t state, uint64_t bytes) {
  asm(".arch_extension crc\n\tcrc32cx %w0, %w0, %1" : "+r"(state) : "r"(bytes));
  return state;
}
inline uint64_t Add1(uint64_t state, unsigned char byte) {
  asm(".arch_extension crc\n\tcrc32cb %w0, %w0, %w1" : "+r"(state) : "r"(byte));
  return state;
}
#ifdef __linux__
bool HasInstructions() { return (getauxval(AT_HWCAP) & HWCAP_CRC32) != 0; }
#else
bool HasInstructions() { return true; }  // every Mac has them
#endif
#endif

// Each CRC instruction waits for the one before it, but three can be in flight. So this computes
// the CRCs of three parts of kPart bytes at once and combines them. Removes the bytes that it has
// processed from `*data`.
template <size_t kPart>
CRC32C_TARGET uint32_t AddThreeParts(uint32_t state, absl::string_view* data) {
  static constexpr AfterZeros after_part(kPart);
  while (data->size() >= 3 * kPart) {
    const char* const p = data->data();
    uint64_t first = state, second = 0, third = 0;
    for (size_t i = 0; i < kPart; i += 8) {
      first = Add8(first, DecodeFixed64(p + i));
      second = Add8(second, DecodeFixed64(p + kPart + i));
      third = Add8(third, DecodeFixed64(p + 2 * kPart + i));
    }
    state = after_part(static_cast<uint32_t>(first)) ^ static_cast<uint32_t>(second);
    state = after_part(state) ^ static_cast<uint32_t>(third);
    data->remove_prefix(3 * kPart);
  }
  return state;
}

CRC32C_TARGET uint32_t ExtendByInstructions(uint32_t crc, absl::string_view data) {
  const uint32_t whole_blocks = AddThreeParts<1024>(~crc, &data);
  uint64_t state = AddThreeParts<256>(whole_blocks, &data);
  for (; data.size() >= 8; data.remove_prefix(8)) state = Add8(state, DecodeFixed64(data.data()));
  for (const char byte : data) state = Add1(state, static_cast<unsigned char>(byte));
  return ~static_cast<uint32_t>(state);
}

#endif  // CRC32C_TARGET

}  // namespace

// Slicing by 8: the CRC of 8 bytes is the exclusive or of 8 numbers, one from each table.
uint32_t TableExtendCrc32c(uint32_t crc, absl::string_view data) {
  // Not constexpr: 8 KB that do not compress would be 1.5 % of the web page's core.
  static const Crc32cTables t = MakeCrc32cTables();
  uint32_t state = ~crc;
  for (; data.size() >= 8; data.remove_prefix(8)) {
    const uint32_t low = DecodeFixed32(data.data()) ^ state;
    const uint32_t high = DecodeFixed32(data.data() + 4);
    state = t[7][low & 0xff] ^ t[6][(low >> 8) & 0xff] ^ t[5][(low >> 16) & 0xff] ^
            t[4][low >> 24] ^ t[3][high & 0xff] ^ t[2][(high >> 8) & 0xff] ^
            t[1][(high >> 16) & 0xff] ^ t[0][high >> 24];
  }
  for (const char byte : data) {
    state = (state >> 8) ^ t[0][(state ^ static_cast<unsigned char>(byte)) & 0xff];
  }
  return ~state;
}

uint32_t PortableExtendCrc32c(uint32_t crc, absl::string_view data) {
#ifdef CRC32C_TARGET
  static const bool has_instructions = HasInstructions();
  if (has_instructions) return ExtendByInstructions(crc, data);
#endif
  return TableExtendCrc32c(crc, data);
}

}  // namespace sstable
