// A possibly damaged file in memory. Reads possible blocks of it, within the limits of memory and
// work for a file of its size.
#ifndef SSTABLE_TABLE_SALVAGE_SCANNED_FILE_H_
#define SSTABLE_TABLE_SALVAGE_SCANNED_FILE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "sstable/experimental/table_salvage.h"
#include "sstable/file.h"
#include "sstable/format.h"
#include "table/block/block.h"
#include "table/block/block_io.h"
#include "table/block/compression.h"
#include "table/block/index_entries.h"
#include "table/block/limits.h"
#include "util/bytes.h"

namespace sstable {

// Threads:   one at a time.
// Errors:    those of ReadBlock(). DataLoss if a block lies outside the file; OutOfRange at the
//            limit of work; ResourceExhausted if the keys to keep exceed the memory limit. They do
//            not name file and block, except those of ReadHandles().
class ScannedFile {
 public:
  // Reads all of `file`; 4 KiB pieces that can't be read become zeros.
  ScannedFile(const RandomAccessFile& file, std::optional<uint64_t> max_uncompressed_block_size,
              uint32_t max_work);

  uint64_t size() const { return size_; }
  absl::string_view bytes() const { return bytes_.view().substr(0, size_); }
  // The first error of reading the file.
  const absl::Status& read_status() const { return read_status_; }
  // The file with room for a footer, so that handles can be checked even if the file was cut short.
  const RandomAccessFile& padded() const { return *padded_; }
  // Returns all bytes, including that room; nothing can be read afterwards.
  ByteBuffer TakeBytes() { return std::move(bytes_); }

  CompressionNumbering dialect = CompressionNumbering::kLevelDb;

  bool IsInside(const BlockHandle& handle) const;
  bool IsZeros(uint64_t offset, uint64_t size) const;

  absl::StatusOr<BlockContents> Read(BlockKind kind, const BlockHandle& handle) const;

  // OutOfRange, with the file's name, if a block was not read because of `max_work`.
  absl::Status limit_status() const;

  // Decodes every entry of a block, and calls `visit` with its key.
  absl::Status ParseData(const BlockHandle& handle, const BlockContents& contents,
                         ScannedBlock* data, absl::FunctionRef<void(absl::string_view key)> visit);
  absl::Status ReadData(const BlockHandle& handle, ScannedBlock* data);

  // sstable::ParseHandles() within the memory that remains.
  std::optional<Index> ParseHandles(const Block& block, bool strict, size_t* others = nullptr) {
    return sstable::ParseHandles(block, strict, &memory_, others);
  }
  absl::StatusOr<Index> ReadHandles(BlockKind kind, const BlockHandle& handle);

 private:
  absl::Status ReadAll(const RandomAccessFile& file);

  const uint64_t size_;
  const std::optional<uint64_t> max_uncompressed_block_size_;
  ByteBuffer bytes_;
  absl::Status read_status_;
  std::unique_ptr<RandomAccessFile> padded_;
  const std::shared_ptr<WorkBudget> work_;
  WorkMeter meter_;
  Budget memory_;  // for keys that are kept: two of each block, and those of possible indexes
};

}  // namespace sstable

#endif  // SSTABLE_TABLE_SALVAGE_SCANNED_FILE_H_
