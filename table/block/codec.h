// What a codec of blocks does, and the codecs themselves. Only table/block/compression.cc, which
// has the list of them, includes this header.
#ifndef SSTABLE_TABLE_BLOCK_CODEC_H_
#define SSTABLE_TABLE_BLOCK_CODEC_H_

#include <cstddef>
#include <cstdint>
#include <memory>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "util/bytes.h"

namespace sstable {

// Compresses the blocks of one table, one after the other; the bytes of a block do not depend on
// those before it. Threads: one at a time.
class BlockEncoder {
 public:
  virtual ~BlockEncoder() = default;

  // Compresses `raw` to `*out`, which is empty. False if that takes `limit` bytes or more, or
  // cannot be done; `*out` may then be anything. `limit` is from 1 to the size of `raw`.
  virtual bool Encode(absl::string_view raw, size_t limit, ByteBuffer* out) = 0;
};

// One for each codec. They throw std::bad_alloc if there is no memory.
std::unique_ptr<BlockEncoder> NewSnappyEncoder(int level);  // has no levels
std::unique_ptr<BlockEncoder> NewZstdEncoder(int level);
std::unique_ptr<BlockEncoder> NewZlibEncoder(int level);
std::unique_ptr<BlockEncoder> NewRawDeflateEncoder(int level);

// These put the uncompressed bytes of `stored` into `*out`, which is empty. DataLoss if they are
// not one valid stream to their end, or one of more than `max_size` bytes, which is below 2^64 - 1;
// ResourceExhausted if there is no memory for the decoder.
absl::Status UncompressSnappy(absl::string_view stored, uint64_t max_size, ByteBuffer* out);
absl::Status UncompressZstd(absl::string_view stored, uint64_t max_size, ByteBuffer* out);
absl::Status UncompressZlib(absl::string_view stored, uint64_t max_size, ByteBuffer* out);
absl::Status UncompressRawDeflate(absl::string_view stored, uint64_t max_size, ByteBuffer* out);
absl::Status UncompressLz4(absl::string_view stored, uint64_t max_size, ByteBuffer* out);
absl::Status UncompressBzip2(absl::string_view stored, uint64_t max_size, ByteBuffer* out);
// As RocksDB has it: before the frame there may be its uncompressed size as a varint32.
absl::Status UncompressSizedZstd(absl::string_view stored, uint64_t max_size, ByteBuffer* out);

// Whether bytes begin as a stream of the codec does.
bool HasZstdMagic(absl::string_view stored);
bool HasZlibHeader(absl::string_view stored);
bool HasBzip2Magic(absl::string_view stored);
bool HasSizedZstdMagic(absl::string_view stored);

// Whether all of `stored` is a size and an LZ4 block that makes so many bytes. Takes no memory.
bool IsLz4Block(absl::string_view stored);

// For all of them: the error of a stream that makes more bytes than it may.
absl::Status TooLarge(absl::string_view codec, uint64_t size, uint64_t max_size);

// For decoders that do not know the size of their output: makes room in `*out` for more of it, up
// to one byte past `max_size`, so that a stream of exactly that size can show that it ends there.
// Returns the size of the room.
size_t ReserveNextChunk(uint64_t max_size, ByteBuffer* out);

}  // namespace sstable

#endif  // SSTABLE_TABLE_BLOCK_CODEC_H_
