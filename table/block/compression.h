// Block codecs, and the meaning of a block's type byte.
#ifndef SSTABLE_TABLE_BLOCK_COMPRESSION_H_
#define SSTABLE_TABLE_BLOCK_COMPRESSION_H_

#include <cstdint>
#include <memory>
#include <optional>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "sstable/format.h"
#include "util/bytes.h"

namespace sstable {

class BlockEncoder;

// The codec for a compression.
Codec CodecOf(Compression compression);

// Returns Unimplemented if this build leaves out the codec.
absl::Status CheckIsBuilt(Compression compression);

// The type byte of compressed blocks, in the numbering kLevelDb. Part of the file format.
uint8_t TypeByte(Compression compression);

// The codec of a block with this type byte and these stored bytes.
Codec IdentifyCodec(uint8_t type, absl::string_view stored, CompressionNumbering dialect);

// Puts the uncompressed bytes of a block into `*out` (cleared first). With kNone that is a copy.
// Errors: Unimplemented for a codec that can't be read, with its name if that is known; DataLoss if
// the bytes are not a valid stream; OutOfRange for more than `max_size` bytes. Allocates at most
// `max_size` bytes, and no more than the stream can fill.
absl::Status Uncompress(uint8_t type, absl::string_view stored, CompressionNumbering dialect,
                        uint64_t max_size, ByteBuffer* out);

// Returns whichever of the two levels applies to the codec; 0 if none does.
int CompressionLevel(Compression compression, int zstd_level, int zlib_level);

// Compresses the blocks of one table. Threads: one at a time.
class BlockCompressor {
 public:
  // `level` must be in the codec's range in TableBuilderOptions. Throws std::bad_alloc if there is
  // no memory.
  BlockCompressor(Compression compression, int level);
  ~BlockCompressor();

  Compression compression() const { return compression_; }
  int level() const { return level_; }

  // Returns `raw` compressed if that saves more than an eighth of it, which is LevelDB's rule.
  // Otherwise, and always with kNone, returns nullopt: the block is to be stored uncompressed. The
  // view is valid until the next call. The bytes depend only on codec, level and `raw`.
  std::optional<absl::string_view> Compress(absl::string_view raw);

 private:
  Compression compression_;
  int level_;
  std::unique_ptr<BlockEncoder> encoder_;  // null: kNone
  ByteBuffer buffer_;
};

}  // namespace sstable

#endif  // SSTABLE_TABLE_BLOCK_COMPRESSION_H_
