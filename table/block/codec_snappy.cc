// A Snappy stream is the size of its output, as a varint32, and elements. The low two bits of an
// element's first byte are its kind, and the others its size less one:
//
//   0: bytes follow; above 60 are the sizes of the size itself, 1 to 4 bytes, which follow first
//   1: a copy of 4 to 11 bytes: 3 bits of size, and 3 of the distance; 8 more follow
//   2: a copy; 2 bytes follow, the distance back in the output
//   3: likewise 4 bytes
#include <snappy.h>

#include <cstring>

#include "absl/base/optimization.h"
#include "absl/strings/str_format.h"
#include "table/block/codec.h"
#include "util/coding.h"

namespace sstable {
namespace {

constexpr size_t kWide = 16;
static_assert(kCopySlack >= kWide);

inline void CopyWide16(char* dst, const char* src) {
  char bytes[kWide];  // src and dst may overlap
  std::memcpy(bytes, src, kWide);
  std::memcpy(dst, bytes, kWide);
}

// Decodes elements from `p` to `end` that yield `size` bytes, to `out`, which has kCopySlack more.
// Returns false if they are malformed. On blocks of 4 KiB it takes half to nine tenths of the time
// of the library that Debian has.
bool DecodeElements(const char* p, const char* end, char* const out, size_t size) {
  char* op = out;
  char* const limit = out + size;
  while (p < end) {
    const auto tag = static_cast<uint8_t>(*p++);
    const auto left = static_cast<size_t>(end - p), room = static_cast<size_t>(limit - op);
    size_t count = (size_t{tag} >> 2) + 1;
    size_t distance = 0;
    switch (tag & 3) {
      case 0:
        if (ABSL_PREDICT_TRUE(count <= kWide && left >= kWide && room >= count)) {
          CopyWide16(op, p);
        } else {
          if (count > 60) {
            const size_t width = count - 60;
            if (left < width) return false;
            uint32_t last = 0;
            std::memcpy(&last, p, width);
            count = size_t{last} + 1;
            p += width;
          }
          if (count > static_cast<size_t>(end - p) || count > room) return false;
          std::memcpy(op, p, count);
        }
        op += count;
        p += count;
        continue;
      case 1:
        if (left < 1) return false;
        count = 4 + ((tag >> 2) & 7);
        distance = size_t{tag} >> 5 << 8 | static_cast<uint8_t>(*p);
        p += 1;
        break;
      case 2:
        if (left < 2) return false;
        distance = static_cast<uint8_t>(p[0]) | size_t{static_cast<uint8_t>(p[1])} << 8;
        p += 2;
        break;
      default:
        if (left < 4) return false;
        distance = DecodeFixed32(p);
        p += 4;
    }
    if (distance == 0 || distance > static_cast<size_t>(op - out) || count > room) return false;
    char* const stop = op + count;
    // Bytes that repeat sooner than a wide copy is long: doubles what repeats.
    for (const char* const start = op - distance; distance < kWide && op < stop; distance *= 2) {
      CopyWide16(op, start);
      op += distance;
    }
    for (; op < stop; op += kWide) CopyWide16(op, op - distance);
    op = stop;
  }
  return op == limit;
}

class SnappyEncoder final : public BlockEncoder {
 public:
  bool Encode(absl::string_view raw, size_t limit, ByteBuffer* out) override {
    size_t size = 0;
    char* const dst = out->Reserve(snappy::MaxCompressedLength(raw.size()));
    snappy::RawCompress(raw.data(), raw.size(), dst, &size);
    out->SetSize(size);
    return size < limit;
  }
};

}  // namespace

std::unique_ptr<BlockEncoder> NewSnappyEncoder(int) { return std::make_unique<SnappyEncoder>(); }

absl::Status UncompressSnappy(absl::string_view stored, uint64_t max_size, ByteBuffer* out) {
  size_t size = 0;
  if (!snappy::GetUncompressedLength(stored.data(), stored.size(), &size)) {
    return absl::DataLossError("snappy: no valid length");
  }
  if (size > max_size) return TooLarge("snappy", size, max_size);
  // No element of the format yields more than 64 bytes from 3, so a larger claim is false; detected
  // before memory is allocated.
  if (size / 64 > stored.size() / 3 + 1) {
    return absl::DataLossError(
        absl::StrFormat("snappy: %d bytes can't hold the %d they claim", stored.size(), size));
  }
  const char* elements = stored.data();
  while ((*elements++ & 0x80) != 0) continue;  // the length, which is valid
  if (!DecodeElements(elements, stored.data() + stored.size(), out->Reserve(size), size)) {
    return absl::DataLossError("snappy: the compressed bytes are malformed");
  }
  out->SetSize(size);
  return absl::OkStatus();
}

}  // namespace sstable
