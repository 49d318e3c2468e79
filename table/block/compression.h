// Codecs of blocks, and what the type byte of a block means.
#ifndef SSTABLE_TABLE_BLOCK_COMPRESSION_H_
#define SSTABLE_TABLE_BLOCK_COMPRESSION_H_

#include <cstdint>
#include <memory>
#include <optional>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "util/bytes.h"

namespace sstable {

// What blocks are written with. The numbers are those of table/c/c.h. They are not type bytes of
// the file format: zstd and zlib share one.
enum class Compression : uint8_t {
  kNone = 0,
  kSnappy = 1,
  kZstd = 2,        // type byte 2; readable by LevelDB's main branch, by no release up to 1.23
  kZlib = 3,        // type byte 2, too; readable by Mojang's fork (Minecraft Bedrock), not LevelDB
  kRawDeflate = 4,  // type byte 4; likewise, and what that game writes
};
inline constexpr Compression kLastCompression = Compression::kRawDeflate;

// Their ranges. A zlib level of -1 is zlib's default, and that of Mojang's fork: 6.
inline constexpr int kMinZstdLevel = -5, kMaxZstdLevel = 22;
inline constexpr int kMinZlibLevel = -1, kMaxZlibLevel = 9;

class BlockEncoder;

// Programs disagree on type bytes above 1, so they are read by who wrote the file.
enum class TypeByteDialect {
  kLevelDb,  // also Mojang's fork: 2 is zstd or zlib, told by the first bytes; 4 is raw deflate
  kRocksDb,  // 2 is zlib, 4 is LZ4, 7 is zstd; known by "rocksdb.properties" in the metaindex
};

enum class Codec { kNone, kSnappy, kZstd, kZlib, kRawDeflate, kUnknown };

// "none", "snappy", "zstd", "zlib", "raw deflate" or "unknown". RocksDB's raw deflate (type 2) is
// "zlib", as RocksDB calls it.
absl::string_view CodecName(Codec codec, TypeByteDialect dialect);

// The codec of what is written so, and the other way round; nullopt of kUnknown.
Codec CodecOf(Compression compression);
std::optional<Compression> CompressionOf(Codec codec);

// The type byte of compressed blocks, as kLevelDb has it. Part of the file format.
uint8_t TypeByte(Compression compression);

// The codec of a block with this type byte and these stored bytes.
Codec IdentifyCodec(uint8_t type, absl::string_view stored, TypeByteDialect dialect);

// Puts the uncompressed bytes of a block into `*out` (cleared first). With kNone that is a copy.
// Errors: Unimplemented for a codec that can't be read, with its name where one is known; DataLoss
// if the bytes are not a valid stream, or are one of more than `max_size` bytes. Memory is taken
// for at most `max_size` bytes, and only as much as the stream can fill.
absl::Status Uncompress(uint8_t type, absl::string_view stored, TypeByteDialect dialect,
                        uint64_t max_size, ByteBuffer* out);

// The one of the two levels that is the codec's; 0 of one that has none.
int CompressionLevel(Compression compression, int zstd_level, int zlib_level);

// Compresses the blocks of one table. Threads: one at a time.
class BlockCompressor {
 public:
  // `level` is in the range that TableBuilderOptions have for the codec. Throws std::bad_alloc if
  // there is no memory.
  BlockCompressor(Compression compression, int level);
  ~BlockCompressor();

  Compression compression() const { return compression_; }
  int level() const { return level_; }

  // `raw` compressed, if that saves more than an eighth of it; else nullopt, and the block is to be
  // stored as it is. LevelDB's rule. With kNone always nullopt. The view is valid until the next
  // call. The bytes depend on codec, level and `raw` alone.
  std::optional<absl::string_view> Compress(absl::string_view raw);

 private:
  Compression compression_;
  int level_;
  std::unique_ptr<BlockEncoder> encoder_;  // null: kNone
  ByteBuffer buffer_;
};

}  // namespace sstable

#endif  // SSTABLE_TABLE_BLOCK_COMPRESSION_H_
