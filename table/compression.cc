#include "table/compression.h"

#include <snappy.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <new>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace sstable {
namespace {

// A zstd frame's first bytes; RFC 8878, section 3.1.1.
constexpr absl::string_view kZstdMagic = "\x28\xb5\x2f\xfd";

// RFC 1950: method 8 (deflate), and the two header bytes are a multiple of 31.
bool HasZlibHeader(absl::string_view stored) {
  if (stored.size() < 2) return false;
  const auto method = static_cast<unsigned char>(stored[0]);
  const auto flags = static_cast<unsigned char>(stored[1]);
  return (method & 0x0f) == 8 && (method * 256 + flags) % 31 == 0;
}

absl::Status TooLarge(absl::string_view codec, uint64_t size, uint64_t max_size) {
  return absl::DataLossError(absl::StrFormat(
      "%s: uncompressed size %d is above the limit of %d bytes", codec, size, max_size));
}

absl::Status UnknownCodec(uint8_t type, TypeByteDialect dialect) {
  absl::string_view name = "unknown";
  if (dialect == TypeByteDialect::kRocksDb) {
    switch (type) {
      case 3:
        name = "bzip2";
        break;
      case 4:
        name = "LZ4";
        break;
      case 5:
        name = "LZ4HC";
        break;
      case 6:
        name = "Xpress";
        break;
    }
  }
  return absl::UnimplementedError(
      absl::StrFormat("compression type %d (%s) is not supported", type, name));
}

absl::Status UncompressSnappy(absl::string_view stored, uint64_t max_size, ByteBuffer* out) {
  size_t size = 0;
  if (!snappy::GetUncompressedLength(stored.data(), stored.size(), &size)) {
    return absl::DataLossError("snappy: no valid length");
  }
  if (size > max_size) return TooLarge("snappy", size, max_size);
  // No element of the format makes more than 64 bytes of 3, so a larger claim is a lie, to be found
  // before memory is taken.
  if (size / 64 > stored.size() / 3 + 1) {
    return absl::DataLossError(
        absl::StrFormat("snappy: %d bytes can't hold the %d they claim", stored.size(), size));
  }
  if (!snappy::RawUncompress(stored.data(), stored.size(), out->Reserve(size))) {
    return absl::DataLossError("snappy: the compressed bytes are malformed");
  }
  out->SetSize(size);
  return absl::OkStatus();
}

// Grows `*out` so that a decoder that doesn't know its output's size can go on, up to one byte past
// the limit, so that a stream of exactly the limit can show that it ends there.
size_t ReserveNextChunk(uint64_t max_size, ByteBuffer* out) {
  constexpr size_t kFirstChunk = 16 * 1024;
  const size_t chunk = std::max(kFirstChunk, out->size());
  const uint64_t left = max_size + 1 - out->size();
  const size_t room = static_cast<size_t>(std::min<uint64_t>(chunk, left));
  out->Reserve(room);
  return room;
}

absl::Status UncompressZstd(absl::string_view stored, uint64_t max_size, ByteBuffer* out) {
  const unsigned long long claimed = ZSTD_getFrameContentSize(stored.data(), stored.size());
  if (claimed == ZSTD_CONTENTSIZE_ERROR) return absl::DataLossError("zstd: no valid frame header");
  if (claimed != ZSTD_CONTENTSIZE_UNKNOWN && claimed > max_size) {
    return TooLarge("zstd", claimed, max_size);
  }
  struct FreeContext {
    void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
  };
  thread_local const std::unique_ptr<ZSTD_DCtx, FreeContext> context(ZSTD_createDCtx());
  if (context == nullptr) return absl::ResourceExhaustedError("zstd: no memory for a context");
  ZSTD_DCtx_reset(context.get(), ZSTD_reset_session_only);

  // In chunks, since a small frame may claim much and hold little.
  ZSTD_inBuffer input = {stored.data(), stored.size(), 0};
  while (true) {
    const size_t room = ReserveNextChunk(max_size, out);
    ZSTD_outBuffer output = {out->data() + out->size(), room, 0};
    const size_t result = ZSTD_decompressStream(context.get(), &output, &input);
    if (ZSTD_isError(result)) {
      return absl::DataLossError(absl::StrCat("zstd: ", ZSTD_getErrorName(result)));
    }
    out->SetSize(out->size() + output.pos);
    if (out->size() > max_size) return TooLarge("zstd", out->size(), max_size);
    if (result == 0) break;
    if (output.pos < room && input.pos == input.size) {
      return absl::DataLossError("zstd: the frame is cut short");
    }
  }
  if (input.pos != input.size) return absl::DataLossError("zstd: bytes follow the frame");
  // The decoder overlooks it where the last block is empty.
  if (claimed != ZSTD_CONTENTSIZE_UNKNOWN && claimed != out->size()) {
    return absl::DataLossError(
        absl::StrFormat("zstd: the frame claims %d bytes and has %d", claimed, out->size()));
  }
  return absl::OkStatus();
}

// `window_bits` as zlib has it: 15 for a zlib stream, -15 for raw deflate.
absl::Status UncompressDeflate(absl::string_view codec, int window_bits, absl::string_view stored,
                               uint64_t max_size, ByteBuffer* out) {
  if (stored.size() > std::numeric_limits<uInt>::max()) {
    return absl::UnimplementedError(absl::StrCat(codec, ": block of more than 4 GiB"));
  }
  z_stream stream = {};
  if (inflateInit2(&stream, window_bits) != Z_OK) {
    return absl::ResourceExhaustedError(absl::StrCat(codec, ": no memory for a decoder"));
  }
  const std::unique_ptr<z_stream, decltype(&inflateEnd)> end(&stream, &inflateEnd);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(stored.data()));
  stream.avail_in = static_cast<uInt>(stored.size());
  while (true) {
    const size_t room = ReserveNextChunk(max_size, out);
    stream.next_out = reinterpret_cast<Bytef*>(out->data() + out->size());
    stream.avail_out = static_cast<uInt>(std::min<size_t>(room, std::numeric_limits<uInt>::max()));
    const size_t offered = stream.avail_out;
    const int result = inflate(&stream, Z_NO_FLUSH);
    out->SetSize(out->size() + (offered - stream.avail_out));
    if (out->size() > max_size) return TooLarge(codec, out->size(), max_size);
    if (result == Z_STREAM_END) break;
    if (result == Z_BUF_ERROR || (result == Z_OK && stream.avail_in == 0 && stream.avail_out > 0)) {
      return absl::DataLossError(absl::StrCat(codec, ": the stream is cut short"));
    }
    if (result != Z_OK) {
      return absl::DataLossError(
          absl::StrCat(codec, ": ", stream.msg != nullptr ? stream.msg : "malformed stream"));
    }
  }
  if (stream.avail_in != 0) return absl::DataLossError(absl::StrCat(codec, ": bytes follow it"));
  return absl::OkStatus();
}

}  // namespace

absl::string_view CodecName(Codec codec) {
  switch (codec) {
    case Codec::kNone:
      return "none";
    case Codec::kSnappy:
      return "snappy";
    case Codec::kZstd:
      return "zstd";
    case Codec::kZlib:
      return "zlib";
    case Codec::kRawDeflate:
      return "raw deflate";
    case Codec::kUnknown:
      break;
  }
  return "unknown";
}

Codec IdentifyCodec(uint8_t type, absl::string_view stored, TypeByteDialect dialect) {
  if (type == 0) return Codec::kNone;
  if (type == 1) return Codec::kSnappy;
  if (dialect == TypeByteDialect::kRocksDb) {
    // RocksDB writes raw deflate under the name of zlib, but others a zlib stream.
    if (type == 2) return HasZlibHeader(stored) ? Codec::kZlib : Codec::kRawDeflate;
    return type == 7 ? Codec::kZstd : Codec::kUnknown;
  }
  if (type == 2) {
    if (stored.substr(0, kZstdMagic.size()) == kZstdMagic) return Codec::kZstd;
    return HasZlibHeader(stored) ? Codec::kZlib : Codec::kUnknown;
  }
  return type == 4 ? Codec::kRawDeflate : Codec::kUnknown;
}

absl::Status Uncompress(uint8_t type, absl::string_view stored, TypeByteDialect dialect,
                        uint64_t max_size, ByteBuffer* out) {
  out->Clear();
  max_size = std::min(max_size, uint64_t{1} << 48);  // so that one more byte can be asked for
  switch (IdentifyCodec(type, stored, dialect)) {
    case Codec::kNone:
      out->Append(stored);
      return absl::OkStatus();
    case Codec::kSnappy:
      return UncompressSnappy(stored, max_size, out);
    case Codec::kZstd:
      return UncompressZstd(stored, max_size, out);
    case Codec::kZlib:
      return UncompressDeflate("zlib", 15, stored, max_size, out);
    case Codec::kRawDeflate:
      return UncompressDeflate("raw deflate", -15, stored, max_size, out);
    case Codec::kUnknown:
      break;
  }
  return UnknownCodec(type, dialect);
}

struct BlockCompressor::ZstdContext {
  ZstdContext() : context(ZSTD_createCCtx()) {
    if (context == nullptr) throw std::bad_alloc();
  }
  ~ZstdContext() { ZSTD_freeCCtx(context); }
  ZSTD_CCtx* context;
};

BlockCompressor::BlockCompressor(Compression compression, int zstd_level)
    : compression_(compression), zstd_level_(zstd_level) {
  if (compression != Compression::kZstd) return;
  zstd_ = std::make_unique<ZstdContext>();
  ZSTD_CCtx_setParameter(zstd_->context, ZSTD_c_compressionLevel, zstd_level);
}

BlockCompressor::~BlockCompressor() = default;

std::optional<absl::string_view> BlockCompressor::Compress(absl::string_view raw) {
  buffer_.Clear();
  size_t size = 0;
  switch (compression_) {
    case Compression::kNone:
      return std::nullopt;
    case Compression::kSnappy:
      snappy::RawCompress(raw.data(), raw.size(),
                          buffer_.Reserve(snappy::MaxCompressedLength(raw.size())), &size);
      break;
    case Compression::kZstd: {
      const size_t bound = ZSTD_compressBound(raw.size());
      size = ZSTD_compress2(zstd_->context, buffer_.Reserve(bound), bound, raw.data(), raw.size());
      if (ZSTD_isError(size)) return std::nullopt;
      break;
    }
  }
  buffer_.SetSize(size);
  if (size >= raw.size() - raw.size() / 8) return std::nullopt;
  return buffer_.view();
}

}  // namespace sstable
