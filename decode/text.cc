#include "decode/text.h"

#include <cstddef>
#include <cstdint>

#include "util/coding.h"
#include "util/escape.h"

namespace sstable {
namespace {

constexpr char32_t kReplacement = 0xfffd;

// Appends code points as UTF-8, through a small buffer because a string grows slowly byte by byte.
// Pattern: Add(), ..., then Flush().
class Utf8Writer {
 public:
  explicit Utf8Writer(std::string* out) : out_(*out) {}

  void Add(char32_t c) {
    if (size_ > sizeof(buffer_) - kMaxSize) Flush();
    if (c < 0x80) {
      buffer_[size_++] = static_cast<char>(c);
    } else if (c < 0x800) {
      buffer_[size_++] = static_cast<char>(0xc0 | (c >> 6));
      AddTail(c, 0);
    } else if (c < 0x10000) {
      buffer_[size_++] = static_cast<char>(0xe0 | (c >> 12));
      AddTail(c, 6);
      AddTail(c, 0);
    } else {
      buffer_[size_++] = static_cast<char>(0xf0 | (c >> 18));
      AddTail(c, 12);
      AddTail(c, 6);
      AddTail(c, 0);
    }
  }

  void Flush() {
    out_.append(buffer_, size_);
    size_ = 0;
  }

 private:
  static constexpr size_t kMaxSize = 4;  // bytes of a code point

  void AddTail(char32_t c, int shift) {
    buffer_[size_++] = static_cast<char>(0x80 | ((c >> shift) & 0x3f));
  }

  std::string& out_;
  size_t size_ = 0;
  char buffer_[512];
};

bool IsAscii(char byte) { return (static_cast<unsigned char>(byte) & 0x80) == 0; }

// Returns the number of bytes at the front of `bytes` that are ASCII.
size_t AsciiSize(absl::string_view bytes) {
  constexpr uint64_t kHighBits = 0x8080808080808080;
  size_t size = 0;
  while (bytes.size() - size >= 8 && (DecodeFixed64(bytes.data() + size) & kHighBits) == 0) {
    size += 8;
  }
  while (size < bytes.size() && IsAscii(bytes[size])) ++size;
  return size;
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
  Utf8Writer writer(out);
  for (size_t i = 0; i + 1 < bytes.size(); i += 2) {
    char32_t c = unit_at(i);
    if (IsHigh(c) && i + 3 < bytes.size() && IsLow(unit_at(i + 2))) {
      i += 2;
      c = 0x10000 + (c - 0xd800) * 0x400 + (unit_at(i) - 0xdc00);
    } else if (IsHigh(c) || IsLow(c)) {
      c = kReplacement;
      is_well_formed = false;
    }
    writer.Add(c);
  }
  writer.Flush();
  return is_well_formed;
}

void AppendLatin1(absl::string_view bytes, std::string* out) {
  while (!bytes.empty()) {
    const size_t ascii = AsciiSize(bytes);
    out->append(bytes.data(), ascii);
    bytes.remove_prefix(ascii);
    Utf8Writer writer(out);
    while (!bytes.empty() && !IsAscii(bytes.front())) {
      writer.Add(static_cast<unsigned char>(bytes.front()));
      bytes.remove_prefix(1);
    }
    writer.Flush();
  }
}

void AppendUtf8(absl::string_view bytes, std::string* out) {
  Utf8Writer writer(out);
  while (!bytes.empty()) {
    char32_t c = 0;
    const size_t size = Utf8CharacterSize(bytes, &c);
    writer.Add(size == 0 ? kReplacement : c);
    bytes.remove_prefix(size == 0 ? 1 : size);
  }
  writer.Flush();
}

}  // namespace sstable
