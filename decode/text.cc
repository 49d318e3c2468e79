#include "decode/text.h"

#include <cstddef>
#include <cstdint>

#include "util/escape.h"

namespace sstable {
namespace {

constexpr char32_t kReplacement = 0xfffd;

void AppendCodePoint(char32_t c, std::string* out) {
  const auto tail = [c, out](int shift) {
    out->push_back(static_cast<char>(0x80 | ((c >> shift) & 0x3f)));
  };
  if (c < 0x80) {
    out->push_back(static_cast<char>(c));
  } else if (c < 0x800) {
    out->push_back(static_cast<char>(0xc0 | (c >> 6)));
    tail(0);
  } else if (c < 0x10000) {
    out->push_back(static_cast<char>(0xe0 | (c >> 12)));
    tail(6);
    tail(0);
  } else {
    out->push_back(static_cast<char>(0xf0 | (c >> 18)));
    tail(12);
    tail(6);
    tail(0);
  }
}

bool IsHigh(char32_t unit) { return unit >= 0xd800 && unit < 0xdc00; }
bool IsLow(char32_t unit) { return unit >= 0xdc00 && unit < 0xe000; }

}  // namespace

bool AppendUtf16(absl::string_view bytes, ByteOrder order, std::string* out) {
  const auto unit_at = [bytes, order](size_t i) -> char32_t {
    const auto first = static_cast<unsigned char>(bytes[i]);
    const auto second = static_cast<unsigned char>(bytes[i + 1]);
    return order == ByteOrder::kBig ? first * 256u + second : second * 256u + first;
  };
  bool is_well_formed = true;
  for (size_t i = 0; i + 1 < bytes.size(); i += 2) {
    char32_t c = unit_at(i);
    if (IsHigh(c) && i + 3 < bytes.size() && IsLow(unit_at(i + 2))) {
      i += 2;
      c = 0x10000 + (c - 0xd800) * 0x400 + (unit_at(i) - 0xdc00);
    } else if (IsHigh(c) || IsLow(c)) {
      c = kReplacement;
      is_well_formed = false;
    }
    AppendCodePoint(c, out);
  }
  return is_well_formed;
}

void AppendLatin1(absl::string_view bytes, std::string* out) {
  for (const char byte : bytes) AppendCodePoint(static_cast<unsigned char>(byte), out);
}

void AppendUtf8(absl::string_view bytes, std::string* out) {
  while (!bytes.empty()) {
    char32_t c = 0;
    const size_t size = Utf8CharacterSize(bytes, &c);
    AppendCodePoint(size == 0 ? kReplacement : c, out);
    bytes.remove_prefix(size == 0 ? 1 : size);
  }
}

}  // namespace sstable
