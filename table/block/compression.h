// Codecs of blocks, and what the type byte of a block means.
#ifndef SSTABLE_TABLE_COMPRESSION_H_
#define SSTABLE_TABLE_COMPRESSION_H_

#include <cstdint>
#include <memory>
#include <optional>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "table/options.h"
#include "util/bytes.h"

namespace sstable {

class BlockEncoder;

// Programs disagree on type bytes above 1, so they are read by who wrote the file.
enum class TypeByteDialect {
  kLevelDb,  // also Mojang's fork: 2 is zstd or zlib, told by the first bytes; 4 is raw deflate
  kRocksDb,  // 2 is zlib, 4 is LZ4, 7 is zstd; known by "rocksdb.properties" in the metaindex
};

enum class Codec { kNone, kSnappy, kZstd, kZlib, kRawDeflate, kUnknown };

// "none", "snappy", "zstd", "zlib", "raw deflate" or "unknown".
absl::string_view CodecName(Codec codec);

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

// The level that `options` have for their codec; 0 of one that has none.
int CompressionLevel(const TableBuilderOptions& options);

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

#endif  // SSTABLE_TABLE_COMPRESSION_H_
