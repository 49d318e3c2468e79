// Reads the block at a handle, checks and uncompresses it, and writes blocks. Only raw, verified
// blocks that are in memory are used without this.
#ifndef SSTABLE_TABLE_BLOCK_BLOCK_IO_H_
#define SSTABLE_TABLE_BLOCK_BLOCK_IO_H_

#include <cstdint>
#include <optional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "sstable/file.h"
#include "sstable/format.h"
#include "table/block/compression.h"
#include "util/bytes.h"

namespace sstable {

class WorkBudget;  // table/block/limits.h

// A block as stored in the file: perhaps compressed, perhaps damaged.
struct StoredBlock {
  absl::string_view bytes;  // without the trailer; kCopySlack readable bytes follow
  uint8_t type = 0;
  uint32_t stored_crc = 0;  // unmasked

  uint32_t ComputeCrc() const;  // over bytes and type
};

// OK if the block's stored CRC is `computed`. Otherwise DataLoss, with a message of its own for a
// block of zeros, as in a hole of a file.
absl::Status CheckCrc(const StoredBlock& block, uint32_t computed);

// Which reads to expect: few or none, blocks at random, or many blocks in order.
enum class BlockAccess { kFew, kLookup, kScan };

// Returns the contents of the file if it is in memory. With kFew the file is not mapped, unless the
// block is so large that copying it would take longer.
inline std::optional<absl::string_view> ContentsFor(const RandomAccessFile& file,
                                                    const BlockHandle& handle, BlockAccess access) {
  constexpr uint64_t kMostCopied = 65536;  // bytes
  if (access == BlockAccess::kScan) return file.ContentsForScan();
  if (access == BlockAccess::kFew && handle.size <= kMostCopied && file.IsUnmapped()) {
    return std::nullopt;
  }
  return file.Contents();
}

// Reads the block at `handle`. Its bytes are a view into the file if it is in memory, otherwise
// into `*buffer`. Errors: DataLoss if the handle is not inside the file; errors of the file's
// Read().
absl::StatusOr<StoredBlock> ReadStoredBlock(const RandomAccessFile& file, const BlockHandle& handle,
                                            ByteBuffer* buffer,
                                            BlockAccess access = BlockAccess::kScan);

// Lets a device start reading the block at `handle`, if that is inside the file.
void FetchAhead(const RandomAccessFile& file, const BlockHandle& handle);

// A block's uncompressed bytes: a view into the file if it is in memory and stores them raw,
// otherwise into `buffer`. Movable; the view stays valid. kCopySlack readable bytes follow.
struct BlockContents {
  absl::string_view bytes;
  ByteBuffer buffer;

  // Frees the excess capacity of `buffer`. The view changes with it.
  void ShrinkBuffer() {
    if (buffer.size() == 0) return;
    buffer.Shrink();
    bytes = absl::string_view(buffer.data(), bytes.size());
  }
};

struct BlockReadOptions {
  bool verify_checksum = true;
  std::optional<uint64_t> max_uncompressed_size;  // nullopt: the default of table/block/limits.h
  CompressionNumbering dialect = CompressionNumbering::kLevelDb;
  BlockAccess access = BlockAccess::kScan;
  WorkBudget* work = nullptr;  // if not null, uncompressed bytes are charged to it; borrowed
};

// Uncompresses a block that was read, within the limits of `options`: OutOfRange if it is larger.
// DataLoss also for a data block with more entries than MaxEntryCount() in table/block/limits.h,
// unless `options` set a limit.
absl::Status UncompressBlock(const StoredBlock& block, BlockKind kind,
                             const BlockReadOptions& options, ByteBuffer* out);

// Reads, verifies and uncompresses a block. Errors do not name file and block: DataLoss for a
// handle outside the file, a wrong checksum or malformed compressed bytes; Unimplemented for an
// unknown codec; errors of the file's Read().
absl::StatusOr<BlockContents> ReadBlock(const RandomAccessFile& file, BlockKind kind,
                                        const BlockHandle& handle, const BlockReadOptions& options);

// Prefixes `status` with "`file`: `kind` block at offset ... : ".
absl::Status AtBlock(const RandomAccessFile& file, BlockKind kind, const BlockHandle& handle,
                     const absl::Status& status);

// A status, and the block that it concerns. Readers keep these; the API adds file and block to the
// message.
struct BlockStatus {
  absl::Status status;  // does not name file and block
  BlockKind kind = BlockKind::kData;
  std::optional<BlockHandle> handle;  // nullopt: not about a block

  bool ok() const { return status.ok(); }
  absl::Status At(const RandomAccessFile& file) const {
    return handle.has_value() ? AtBlock(file, kind, *handle, status) : status;
  }
};

// Turns the raw block from `start` to the end of `*out` into a stored one: compresses it there if
// `compressor` (null: none) finds that worthwhile, then appends the trailer. Returns the stored
// size, without the trailer.
size_t SealBlock(BlockCompressor* compressor, size_t start, ByteBuffer* out);

}  // namespace sstable

#endif  // SSTABLE_TABLE_BLOCK_BLOCK_IO_H_
