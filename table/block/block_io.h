// From a handle to a block's checked, uncompressed bytes, and back. The only place for either.
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

// A block as it stands in the file: perhaps compressed, perhaps damaged.
struct StoredBlock {
  absl::string_view bytes;  // without the trailer; kCopySlack readable bytes follow
  uint8_t type = 0;
  uint32_t stored_crc = 0;  // unmasked

  uint32_t ComputeCrc() const;  // of bytes and type
};

// OK if the two are equal, else DataLoss with both.
absl::Status CheckCrc(uint32_t stored, uint32_t computed);

// What else will be read: perhaps nothing, blocks anywhere in the file, or many in order.
enum class BlockAccess { kFew, kLookup, kScan };

// Where the file is, if it is in memory. For a few blocks it is not mapped, unless one of them is
// so large that a copy would take longer, and more memory.
inline std::optional<absl::string_view> ContentsFor(const RandomAccessFile& file,
                                                    const BlockHandle& handle, BlockAccess access) {
  constexpr uint64_t kMostCopied = 65536;  // bytes
  if (access == BlockAccess::kScan) return file.ContentsForScan();
  if (access == BlockAccess::kFew && handle.size <= kMostCopied && file.IsUnmapped()) {
    return std::nullopt;
  }
  return file.Contents();
}

// Reads the block at `handle`. Its bytes are in the file, where that is in memory, else in
// `*buffer`. Errors: DataLoss if the handle is not inside the file; the file's own.
absl::StatusOr<StoredBlock> ReadStoredBlock(const RandomAccessFile& file, const BlockHandle& handle,
                                            ByteBuffer* buffer,
                                            BlockAccess access = BlockAccess::kScan);

// Lets a device start to read the block at `handle`, if that is inside the file.
void FetchAhead(const RandomAccessFile& file, const BlockHandle& handle);

// A block's uncompressed bytes: in the file, where that is in memory and they are stored raw, else
// in `buffer`. Movable; the view stays good. kCopySlack readable bytes follow.
struct BlockContents {
  absl::string_view bytes;
  ByteBuffer buffer;

  // Gives back what memory `buffer` has too much. The view changes with it.
  void ShrinkBuffer() {
    if (buffer.size() == 0) return;
    buffer.Shrink();
    bytes = absl::string_view(buffer.data(), bytes.size());
  }
};

struct BlockReadOptions {
  bool verify_checksum = true;
  std::optional<uint64_t> max_uncompressed_size;  // nullopt: as table/block/limits.h has it
  TypeByteDialect dialect = TypeByteDialect::kLevelDb;
  BlockAccess access = BlockAccess::kScan;
  WorkBudget* work = nullptr;  // if not null, uncompressed bytes are taken from it; borrowed
};

// Uncompresses a block that was read, within the limits of `options`: OutOfRange if it is larger.
// DataLoss also for a data block with more entries than MaxEntryCount() in table/block/limits.h,
// unless `options` have a limit.
absl::Status UncompressBlock(const StoredBlock& block, BlockKind kind,
                             const BlockReadOptions& options, ByteBuffer* out);

// Reads, checks and uncompresses a block. Errors do not name file and block. DataLoss: handle
// outside the file, checksum, compressed bytes. Unimplemented: unknown codec. The file's own.
absl::StatusOr<BlockContents> ReadBlock(const RandomAccessFile& file, BlockKind kind,
                                        const BlockHandle& handle, const BlockReadOptions& options);

// "`file`: `kind` block at offset ... : " in front of `status`.
absl::Status AtBlock(const RandomAccessFile& file, BlockKind kind, const BlockHandle& handle,
                     const absl::Status& status);

// A status, and the block of which it says something. Readers keep these; the API adds the place.
struct BlockStatus {
  absl::Status status;  // does not name file and block
  BlockKind kind = BlockKind::kData;
  std::optional<BlockHandle> handle;  // nullopt: it is of no block

  bool ok() const { return status.ok(); }
  absl::Status At(const RandomAccessFile& file) const {
    return handle.has_value() ? AtBlock(file, kind, *handle, status) : status;
  }
};

// Makes a stored block of the raw one that starts at `start` in `*out` and goes to its end:
// compresses it there if `compressor` (null: none) finds that it pays, then appends the trailer.
// Returns the stored size, the trailer not counted.
size_t SealBlock(BlockCompressor* compressor, size_t start, ByteBuffer* out);

}  // namespace sstable

#endif  // SSTABLE_TABLE_BLOCK_BLOCK_IO_H_
