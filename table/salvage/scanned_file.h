// A file that may be damaged, in memory: reads what may be blocks of it, and takes no more memory
// and work for them than a file of its size may ask for.
#ifndef SSTABLE_TABLE_SALVAGE_SCANNED_FILE_H_
#define SSTABLE_TABLE_SALVAGE_SCANNED_FILE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "sstable/file.h"
#include "sstable/format.h"
#include "sstable/salvage.h"
#include "table/block/block.h"
#include "table/block/block_io.h"
#include "table/block/compression.h"
#include "table/block/index_entries.h"
#include "table/block/limits.h"
#include "util/bytes.h"

namespace sstable {

// Threads:   one at a time.
// Errors:    those of ReadBlock(). DataLoss if a block lies outside the file; OutOfRange at the
// limit
//            of work; ResourceExhausted if keys to be kept take too much memory. They do not name
//            file and block, except those of ReadHandles().
class ScannedFile {
 public:
  // Reads all of `file`; what can't be read of it, to 4 KiB, is zeros.
  ScannedFile(const RandomAccessFile& file, std::optional<uint64_t> max_uncompressed_block_size,
              uint32_t max_work);

  uint64_t size() const { return size_; }
  absl::string_view bytes() const { return bytes_.view().substr(0, size_); }
  // The first error of reading it.
  const absl::Status& read_status() const { return read_status_; }
  // The file once more, with room for a footer, as handles of one that is cut short need it.
  const RandomAccessFile& padded() const { return *padded_; }
  // All bytes, with the room; nothing can be read from here on.
  ByteBuffer TakeBytes() { return std::move(bytes_); }

  TypeByteDialect dialect = TypeByteDialect::kLevelDb;

  bool IsInside(const BlockHandle& handle) const;
  bool IsZeros(uint64_t offset, uint64_t size) const;

  absl::StatusOr<BlockContents> Read(BlockKind kind, const BlockHandle& handle) const;

  // OutOfRange, with the file, once a block was not read because of `max_work`.
  absl::Status limit_status() const;

  // Decodes every entry.
  absl::Status ParseData(const BlockHandle& handle, const BlockContents& contents,
                         ScannedBlock* data);
  absl::Status ReadData(const BlockHandle& handle, ScannedBlock* data);

  // sstable::ParseHandles() within the memory that is left.
  std::optional<Index> ParseHandles(const Block& block, bool strict, size_t* others = nullptr) {
    return sstable::ParseHandles(block, strict, &memory_, others);
  }
  absl::StatusOr<Index> ReadHandles(BlockKind kind, const BlockHandle& handle);

  // What is wrong with a data block of this status, or what explains it better.
  std::string Reason(const BlockHandle& handle, const absl::Status& status) const;

 private:
  absl::Status ReadAll(const RandomAccessFile& file);

  const uint64_t size_;
  const std::optional<uint64_t> max_uncompressed_block_size_;
  ByteBuffer bytes_;
  absl::Status read_status_;
  std::unique_ptr<RandomAccessFile> padded_;
  const std::shared_ptr<WorkBudget> work_;
  WorkMeter meter_;
  Budget memory_;  // for keys that are kept: two of each block, and those of what may be an index
};

}  // namespace sstable

#endif  // SSTABLE_TABLE_SALVAGE_SCANNED_FILE_H_
