#include "table/block/compression.h"

#include <algorithm>
#include <array>
#include <cassert>

#include "absl/strings/str_format.h"
#include "table/block/codec.h"

namespace sstable {
namespace {

absl::Status CopyRaw(absl::string_view stored, uint64_t, ByteBuffer* out) {
  out->Append(stored);
  return absl::OkStatus();
}

// All codecs. A new one is a line here, and in IdentifyCodec() what it is known by.
struct CodecInfo {
  Compression compression;
  Codec codec;
  absl::string_view name;
  uint8_t type_byte;  // written with it
  absl::Status (*uncompress)(absl::string_view stored, uint64_t max_size, ByteBuffer* out);
  std::unique_ptr<BlockEncoder> (*new_encoder)(int level);  // null: blocks are stored raw
};
constexpr std::array<CodecInfo, 5> kCodecs = {{
    {Compression::kNone, Codec::kNone, "none", 0, &CopyRaw, nullptr},
    {Compression::kSnappy, Codec::kSnappy, "snappy", 1, &UncompressSnappy, &NewSnappyEncoder},
    {Compression::kZstd, Codec::kZstd, "zstd", 2, &UncompressZstd, &NewZstdEncoder},
    {Compression::kZlib, Codec::kZlib, "zlib", 2, &UncompressZlib, &NewZlibEncoder},
    {Compression::kRawDeflate, Codec::kRawDeflate, "raw deflate", 4, &UncompressRawDeflate,
     &NewRawDeflateEncoder},
}};

constexpr bool IsInOrderOfBothEnums() {
  for (size_t i = 0; i < kCodecs.size(); ++i) {
    if (static_cast<size_t>(kCodecs[i].compression) != i) return false;
    if (static_cast<size_t>(kCodecs[i].codec) != i) return false;
  }
  return static_cast<size_t>(Codec::kUnknown) == kCodecs.size();
}
static_assert(IsInOrderOfBothEnums());

const CodecInfo& InfoOf(Compression compression) {
  assert(compression <= kLastCompression);
  return kCodecs[static_cast<size_t>(compression)];
}

// Null of an unknown codec.
const CodecInfo* InfoOf(Codec codec) {
  return codec == Codec::kUnknown ? nullptr : &kCodecs[static_cast<size_t>(codec)];
}

// RocksDB's, of which there is more than can be read here.
absl::string_view NameOfUnread(uint8_t type, TypeByteDialect dialect) {
  if (dialect == TypeByteDialect::kRocksDb) {
    switch (type) {
      case 3:
        return "bzip2";
      case 4:
        return "LZ4";
      case 5:
        return "LZ4HC";
      case 6:
        return "Xpress";
    }
  }
  return "unknown";
}

}  // namespace

absl::Status TooLarge(absl::string_view codec, uint64_t size, uint64_t max_size) {
  return absl::DataLossError(absl::StrFormat(
      "%s: uncompressed size %d is above the limit of %d bytes", codec, size, max_size));
}

size_t ReserveNextChunk(uint64_t max_size, ByteBuffer* out) {
  constexpr size_t kFirstChunk = 16 * 1024;
  const size_t chunk = std::max(kFirstChunk, out->size());
  const uint64_t left = max_size + 1 - out->size();
  const size_t room = static_cast<size_t>(std::min<uint64_t>(chunk, left));
  out->Reserve(room);
  return room;
}

absl::string_view CodecName(Codec codec, TypeByteDialect dialect) {
  if (codec == Codec::kRawDeflate && dialect == TypeByteDialect::kRocksDb) codec = Codec::kZlib;
  const CodecInfo* const info = InfoOf(codec);
  return info == nullptr ? "unknown" : info->name;
}

Codec CodecOf(Compression compression) { return InfoOf(compression).codec; }

std::optional<Compression> CompressionOf(Codec codec) {
  const CodecInfo* const info = InfoOf(codec);
  if (info == nullptr) return std::nullopt;
  return info->compression;
}

uint8_t TypeByte(Compression compression) { return InfoOf(compression).type_byte; }

Codec IdentifyCodec(uint8_t type, absl::string_view stored, TypeByteDialect dialect) {
  if (type == 0) return Codec::kNone;
  if (type == 1) return Codec::kSnappy;
  if (dialect == TypeByteDialect::kRocksDb) {
    // RocksDB writes raw deflate under the name of zlib, but others a zlib stream.
    if (type == 2) return HasZlibHeader(stored) ? Codec::kZlib : Codec::kRawDeflate;
    return type == 7 ? Codec::kZstd : Codec::kUnknown;
  }
  if (type == 2) {
    if (HasZstdMagic(stored)) return Codec::kZstd;
    return HasZlibHeader(stored) ? Codec::kZlib : Codec::kUnknown;
  }
  return type == 4 ? Codec::kRawDeflate : Codec::kUnknown;
}

absl::Status Uncompress(uint8_t type, absl::string_view stored, TypeByteDialect dialect,
                        uint64_t max_size, ByteBuffer* out) {
  out->Clear();
  max_size = std::min(max_size, uint64_t{1} << 48);  // so that one more byte can be asked for
  const CodecInfo* const info = InfoOf(IdentifyCodec(type, stored, dialect));
  if (info != nullptr) return info->uncompress(stored, max_size, out);
  return absl::UnimplementedError(absl::StrFormat("compression type %d (%s) is not supported", type,
                                                  NameOfUnread(type, dialect)));
}

int CompressionLevel(Compression compression, int zstd_level, int zlib_level) {
  switch (compression) {
    case Compression::kNone:
    case Compression::kSnappy:
      break;
    case Compression::kZstd:
      return zstd_level;
    case Compression::kZlib:
    case Compression::kRawDeflate:
      return zlib_level;
  }
  return 0;
}

BlockCompressor::BlockCompressor(Compression compression, int level)
    : compression_(compression), level_(level) {
  const auto new_encoder = InfoOf(compression).new_encoder;
  if (new_encoder != nullptr) encoder_ = new_encoder(level);
}

BlockCompressor::~BlockCompressor() = default;

std::optional<absl::string_view> BlockCompressor::Compress(absl::string_view raw) {
  if (encoder_ == nullptr) return std::nullopt;
  buffer_.Clear();
  const size_t limit = raw.size() - raw.size() / 8;
  if (limit == 0 || !encoder_->Encode(raw, limit, &buffer_)) return std::nullopt;
  return buffer_.view();
}

}  // namespace sstable
