// Deflate (RFC 1951), either raw or inside a zlib stream (RFC 1950): two header bytes, the deflate
// stream, and the Adler-32 of the uncompressed bytes, big-endian.
#include <zlib.h>

#include <algorithm>
#include <limits>
#include <new>

#include "absl/strings/str_cat.h"
#include "table/block/codec.h"

namespace sstable {
namespace {

// zlib's parameter for a window of 32 KiB: its binary logarithm, negative for a stream without
// zlib's header.
constexpr int kZlibWindowBits = 15;
constexpr int kRawWindowBits = -15;
constexpr int kMemoryLevel = 8;  // zlib's default

constexpr size_t kMaxInput = std::numeric_limits<uInt>::max();

Bytef* Input(absl::string_view bytes) {
  return reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));  // zlib does not write there
}

class DeflateEncoder final : public BlockEncoder {
 public:
  DeflateEncoder(int level, int window_bits) {
    if (deflateInit2(&stream_, level, Z_DEFLATED, window_bits, kMemoryLevel, Z_DEFAULT_STRATEGY) !=
        Z_OK) {
      throw std::bad_alloc();
    }
  }
  ~DeflateEncoder() override { deflateEnd(&stream_); }
  DeflateEncoder(const DeflateEncoder&) = delete;  // zlib's state points back to the stream
  DeflateEncoder& operator=(const DeflateEncoder&) = delete;

  // zlib reports the end of a stream only if a byte of room is left, so a stream below the limit
  // needs `limit` bytes of room. A larger one is abandoned there.
  bool Encode(absl::string_view raw, size_t limit, ByteBuffer* out) override {
    if (raw.size() > kMaxInput) return false;
    deflateReset(&stream_);
    stream_.next_in = Input(raw);
    stream_.avail_in = static_cast<uInt>(raw.size());
    stream_.next_out = reinterpret_cast<Bytef*>(out->Reserve(limit));
    stream_.avail_out = static_cast<uInt>(limit);
    if (deflate(&stream_, Z_FINISH) != Z_STREAM_END || stream_.avail_out == 0) return false;
    out->SetSize(limit - stream_.avail_out);
    return true;
  }

 private:
  z_stream stream_ = {};
};

absl::Status UncompressDeflate(absl::string_view codec, int window_bits, absl::string_view stored,
                               uint64_t max_size, ByteBuffer* out) {
  const auto no_memory = [codec] {
    return absl::ResourceExhaustedError(absl::StrCat(codec, ": no memory for a decoder"));
  };
  if (stored.size() > kMaxInput) {
    return absl::UnimplementedError(absl::StrCat(codec, ": block of more than 4 GiB"));
  }
  z_stream stream = {};
  if (inflateInit2(&stream, window_bits) != Z_OK) return no_memory();
  const std::unique_ptr<z_stream, decltype(&inflateEnd)> end(&stream, &inflateEnd);
  stream.next_in = Input(stored);
  stream.avail_in = static_cast<uInt>(stored.size());
  while (true) {
    const size_t room = ReserveNextChunk(max_size, out);
    stream.next_out = reinterpret_cast<Bytef*>(out->data() + out->size());
    stream.avail_out = static_cast<uInt>(std::min(room, kMaxInput));
    const size_t offered = stream.avail_out;
    const int result = inflate(&stream, Z_NO_FLUSH);
    out->SetSize(out->size() + (offered - stream.avail_out));
    if (out->size() > max_size) return TooLarge(codec, out->size(), max_size);
    if (result == Z_STREAM_END) break;
    if (result == Z_MEM_ERROR) return no_memory();
    if (result == Z_NEED_DICT) {
      return absl::DataLossError(
          absl::StrCat(codec, ": the stream needs a preset dictionary, which no table has"));
    }
    if (result == Z_BUF_ERROR || (result == Z_OK && stream.avail_in == 0 && stream.avail_out > 0)) {
      return absl::DataLossError(absl::StrCat(codec, ": the stream is cut short"));
    }
    if (result != Z_OK) {
      return absl::DataLossError(
          absl::StrCat(codec, ": ", stream.msg != nullptr ? stream.msg : "malformed stream"));
    }
  }
  if (stream.avail_in != 0) {
    return absl::DataLossError(absl::StrCat(codec, ": bytes follow the stream"));
  }
  return absl::OkStatus();
}

}  // namespace

std::unique_ptr<BlockEncoder> NewZlibEncoder(int level) {
  return std::make_unique<DeflateEncoder>(level, kZlibWindowBits);
}

std::unique_ptr<BlockEncoder> NewRawDeflateEncoder(int level) {
  return std::make_unique<DeflateEncoder>(level, kRawWindowBits);
}

absl::Status UncompressZlib(absl::string_view stored, uint64_t max_size, ByteBuffer* out) {
  return UncompressDeflate("zlib", kZlibWindowBits, stored, max_size, out);
}

absl::Status UncompressRawDeflate(absl::string_view stored, uint64_t max_size, ByteBuffer* out) {
  return UncompressDeflate("raw deflate", kRawWindowBits, stored, max_size, out);
}

}  // namespace sstable
