#include "table/block/compression.h"

#include <algorithm>
#include <array>
#include <cassert>

#include "absl/strings/str_format.h"
#include "table/block/codec.h"
#include "util/coding.h"
#include "util/status_util.h"

namespace sstable {
namespace {

absl::Status CopyRaw(absl::string_view stored, uint64_t, ByteBuffer* out) {
  out->Append(stored);
  return absl::OkStatus();
}

// All codecs; those that can be written come first. A new one needs a line here, and its signature
// in IdentifyCodec().
struct CodecInfo {
  std::optional<Compression> compression;
  Codec codec;
  absl::string_view name;
  uint8_t type_byte;  // type byte when written
  absl::Status (*uncompress)(absl::string_view stored, uint64_t max_size, ByteBuffer* out);
  std::unique_ptr<BlockEncoder> (*new_encoder)(int level);  // null: blocks are stored raw
};
constexpr std::array<CodecInfo, 7> kCodecs = {{
    {Compression::kNone, Codec::kNone, "none", 0, &CopyRaw, nullptr},
    {Compression::kSnappy, Codec::kSnappy, "snappy", 1, &UncompressSnappy, &NewSnappyEncoder},
    {Compression::kZstd, Codec::kZstd, "zstd", 2, &UncompressZstd, &NewZstdEncoder},
    {Compression::kZlib, Codec::kZlib, "zlib", 2, &UncompressZlib, &NewZlibEncoder},
    {Compression::kRawDeflate, Codec::kRawDeflate, "raw deflate", 4, &UncompressRawDeflate,
     &NewRawDeflateEncoder},
    {std::nullopt, Codec::kLz4, "lz4", 0, &UncompressLz4, nullptr},
    {std::nullopt, Codec::kBzip2, "bzip2", 0, &UncompressBzip2, nullptr},
}};

constexpr bool IsInOrderOfBothEnums() {
  for (size_t i = 0; i < kCodecs.size(); ++i) {
    const bool is_written = i <= static_cast<size_t>(kLastCompression);
    if (kCodecs[i].compression.has_value() != is_written) return false;
    if (is_written && static_cast<size_t>(*kCodecs[i].compression) != i) return false;
    if (static_cast<size_t>(kCodecs[i].codec) != i) return false;
  }
  return static_cast<size_t>(Codec::kUnknown) == kCodecs.size();
}
static_assert(IsInOrderOfBothEnums());

const CodecInfo& InfoOf(Compression compression) {
  assert(compression <= kLastCompression);
  return kCodecs[static_cast<size_t>(compression)];
}

// Null for an unknown codec.
const CodecInfo* InfoOf(Codec codec) {
  return codec == Codec::kUnknown ? nullptr : &kCodecs[static_cast<size_t>(codec)];
}

absl::string_view NameOfUnread(uint8_t type, CompressionNumbering dialect) {
  return type == 6 && dialect == CompressionNumbering::kRocksDb ? "Xpress" : "unknown";
}

Codec IdentifyRocksDbs(uint8_t type, absl::string_view stored) {
  switch (type) {
    case 2:  // RocksDB writes raw deflate under the name zlib, others a zlib stream
      return HasZlibHeader(stored) ? Codec::kZlib : Codec::kRawDeflate;
    case 3:
      return Codec::kBzip2;
    case 4:
    case 5:
      return Codec::kLz4;
    case 7:
      return Codec::kZstd;
  }
  return Codec::kUnknown;
}

// Types 3, 5 and 7, and LZ4 as type 4, are RocksDB's. They are found here if a table of RocksDB's
// was not recognized because its properties are damaged.
Codec IdentifyLevelDbs(uint8_t type, absl::string_view stored) {
  switch (type) {
    case 2:
      if (HasZstdMagic(stored)) return Codec::kZstd;
      return HasZlibHeader(stored) ? Codec::kZlib : Codec::kUnknown;
    case 3:
      return HasBzip2Magic(stored) ? Codec::kBzip2 : Codec::kUnknown;
    case 4:
      return IsLz4Block(stored) ? Codec::kLz4 : Codec::kRawDeflate;
    case 5:
      return IsLz4Block(stored) ? Codec::kLz4 : Codec::kUnknown;
    case 7:
      return HasSizedZstdMagic(stored) ? Codec::kZstd : Codec::kUnknown;
  }
  return Codec::kUnknown;
}

// RocksDB's type 7: the frame may be preceded by its uncompressed size as a varint32.
absl::Status UncompressSizedZstd(absl::string_view stored, uint64_t max_size, ByteBuffer* out) {
  uint32_t size = 0;
  if (HasZstdMagic(stored) || !ConsumeVarint32(&stored, &size)) {
    return UncompressZstd(stored, max_size, out);
  }
  RETURN_IF_ERROR(UncompressZstd(stored, max_size, out));
  if (out->size() == size) return absl::OkStatus();
  return absl::DataLossError(
      absl::StrFormat("zstd: %d bytes are claimed before a frame of %d", size, out->size()));
}

// Uncompresses a block of type 4 that looks like LZ4, in a table that is not known to be RocksDB's.
// It may be raw deflate: a stored block of zeros can begin like this.
absl::Status UncompressLz4OrRawDeflate(absl::string_view stored, uint64_t max_size,
                                       ByteBuffer* out) {
  const absl::Status as_deflate = UncompressRawDeflate(stored, max_size, out);
  if (absl::IsUnimplemented(as_deflate)) return as_deflate;
  if (!as_deflate.ok()) {
    out->Clear();
    return UncompressLz4(stored, max_size, out);
  }
  ByteBuffer other;
  const absl::Status as_lz4 = UncompressLz4(stored, max_size, &other);
  if (absl::IsUnimplemented(as_lz4)) return as_lz4;
  if (!as_lz4.ok()) return absl::OkStatus();
  return absl::DataLossError(
      "compression type 4: the block can be read as raw deflate and as LZ4, and nothing shows "
      "which it is");
}

}  // namespace

absl::Status TooLarge(absl::string_view codec, uint64_t size, uint64_t max_size) {
  return absl::OutOfRangeError(
      absl::StrFormat("%s: uncompressed size %d is above the limit of %d bytes; --max-block "
                      "(TableReaderOptions::max_uncompressed_block_size) allows more",
                      codec, size, max_size));
}

size_t ReserveNextChunk(uint64_t max_size, ByteBuffer* out) {
  constexpr size_t kFirstChunk = 16 * 1024;
  const size_t chunk = std::max(kFirstChunk, out->size());
  const uint64_t left = max_size + 1 - out->size();
  const size_t room = static_cast<size_t>(std::min<uint64_t>(chunk, left));
  out->Reserve(room);
  return room;
}

absl::string_view CodecName(Codec codec, CompressionNumbering dialect) {
  if (codec == Codec::kRawDeflate && dialect == CompressionNumbering::kRocksDb)
    codec = Codec::kZlib;
  const CodecInfo* const info = InfoOf(codec);
  return info == nullptr ? "unknown" : info->name;
}

Codec CodecOf(Compression compression) { return InfoOf(compression).codec; }

absl::Status CheckIsBuilt(Compression compression) {
  ByteBuffer none;
  const absl::Status status = InfoOf(compression).uncompress("", /*max_size=*/0, &none);
  return absl::IsUnimplemented(status) ? status : absl::OkStatus();
}

uint8_t TypeByte(Compression compression) { return InfoOf(compression).type_byte; }

Codec IdentifyCodec(uint8_t type, absl::string_view stored, CompressionNumbering dialect) {
  if (type == 0) return Codec::kNone;
  if (type == 1) return Codec::kSnappy;
  return dialect == CompressionNumbering::kRocksDb ? IdentifyRocksDbs(type, stored)
                                                   : IdentifyLevelDbs(type, stored);
}

absl::Status Uncompress(uint8_t type, absl::string_view stored, CompressionNumbering dialect,
                        uint64_t max_size, ByteBuffer* out) {
  out->Clear();
  max_size = std::min(max_size, uint64_t{1} << 48);  // so that max_size + 1 does not overflow
  const CodecInfo* const info = InfoOf(IdentifyCodec(type, stored, dialect));
  if (type == 4 && dialect == CompressionNumbering::kLevelDb && info->codec == Codec::kLz4) {
    return UncompressLz4OrRawDeflate(stored, max_size, out);
  }
  if (type == 7 && info != nullptr) return UncompressSizedZstd(stored, max_size, out);
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
