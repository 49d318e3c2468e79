// The interface of a block codec, and the codecs. Only table/block/compression.cc, which lists
// them, includes this header.
#ifndef SSTABLE_TABLE_BLOCK_CODEC_H_
#define SSTABLE_TABLE_BLOCK_CODEC_H_

#include <cstddef>
#include <cstdint>
#include <memory>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "util/bytes.h"

namespace sstable {

// Compresses the blocks of one table, one after the other; the output for a block does not depend
// on those before it. Threads: one at a time.
class BlockEncoder {
 public:
  virtual ~BlockEncoder() = default;

  // Compresses `raw` to `*out`, which is empty. Returns false if the result has `limit` bytes or
  // more, or on failure; `*out` is then undefined. `limit` is from 1 to the size of `raw`.
  virtual bool Encode(absl::string_view raw, size_t limit, ByteBuffer* out) = 0;
};

// Each returns a codec's encoder, or null if the build leaves the codec out. They throw
// std::bad_alloc if there is no memory.
std::unique_ptr<BlockEncoder> NewSnappyEncoder(int level);  // ignores `level`
std::unique_ptr<BlockEncoder> NewZstdEncoder(int level);
std::unique_ptr<BlockEncoder> NewZlibEncoder(int level);
std::unique_ptr<BlockEncoder> NewRawDeflateEncoder(int level);

// These append the uncompressed bytes of `stored` to `*out`, which is empty. DataLoss if `stored`
// is not exactly one valid stream; OutOfRange for more than `max_size` bytes, which must be below
// 2^64 - 1; ResourceExhausted if there is no memory for the decoder. If the build leaves out the
// codec, the error is always Unimplemented (codec_absent.cc).
absl::Status UncompressSnappy(absl::string_view stored, uint64_t max_size, ByteBuffer* out);
absl::Status UncompressZstd(absl::string_view stored, uint64_t max_size, ByteBuffer* out);
absl::Status UncompressZlib(absl::string_view stored, uint64_t max_size, ByteBuffer* out);
absl::Status UncompressRawDeflate(absl::string_view stored, uint64_t max_size, ByteBuffer* out);
absl::Status UncompressLz4(absl::string_view stored, uint64_t max_size, ByteBuffer* out);
absl::Status UncompressBzip2(absl::string_view stored, uint64_t max_size, ByteBuffer* out);

// Return true if bytes begin like a stream of the codec.
bool HasZstdMagic(absl::string_view stored);
bool HasZlibHeader(absl::string_view stored);
bool HasBzip2Magic(absl::string_view stored);
bool HasSizedZstdMagic(absl::string_view stored);

// Returns true if all of `stored` is a size and an LZ4 block that yields that many bytes. Does not
// allocate.
bool IsLz4Block(absl::string_view stored);

// The error for a stream that yields too many bytes.
absl::Status TooLarge(absl::string_view codec, uint64_t size, uint64_t max_size);

// For decoders that do not know the size of their output: reserves more room in `*out`, up to one
// byte past `max_size`, so that a stream of exactly that size can reach its end. Returns the size
// of the room.
size_t ReserveNextChunk(uint64_t max_size, ByteBuffer* out);

}  // namespace sstable

#endif  // SSTABLE_TABLE_BLOCK_CODEC_H_
