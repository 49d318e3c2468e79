#include "table/salvage/scanned_file.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "sstable/comparator.h"
#include "table/block/block_iterator.h"
#include "table/block/key_order.h"
#include "util/status_util.h"

namespace sstable {
namespace {

// Memory for keys that are kept, two of each block. Snappy yields at most 22 bytes for each byte.
constexpr uint64_t kFreeMemory = uint64_t{16} << 20;
constexpr uint64_t kMemoryPerByte = 64;

}  // namespace

ScannedFile::ScannedFile(const RandomAccessFile& file,
                         std::optional<uint64_t> max_uncompressed_block_size, uint32_t max_work)
    : size_(file.size()),
      max_uncompressed_block_size_(max_uncompressed_block_size),
      read_status_(ReadAll(file)),
      padded_(NewMemoryFile(bytes_.view(), file.name())),
      work_(std::make_shared<WorkBudget>(size_, max_work)),
      meter_(work_),
      memory_(kFreeMemory + kMemoryPerByte * size_) {}

absl::Status ScannedFile::ReadAll(const RandomAccessFile& file) {
  constexpr uint64_t kPiece = 1 << 20, kSmallPiece = 4096;
  char* const start = bytes_.Reserve(size_ + kFooterSize);
  absl::Status first_error;
  for (uint64_t offset = 0; offset < size_; offset += kPiece) {
    const uint64_t end = std::min(offset + kPiece, size_);
    if (file.Read(offset, end - offset, start + offset).ok()) continue;
    for (uint64_t at = offset; at < end; at += kSmallPiece) {
      const uint64_t count = std::min(kSmallPiece, end - at);
      const absl::Status status = file.Read(at, count, start + at);
      if (status.ok()) continue;
      std::memset(start + at, 0, count);
      if (first_error.ok()) first_error = AtPlace(file.name(), status);
    }
  }
  std::memset(start + size_, 0, kFooterSize + kCopySlack);
  bytes_.SetSize(size_ + kFooterSize);
  return first_error;
}

absl::Status ScannedFile::limit_status() const {
  return work_->is_spent() ? AtPlace(padded_->name(), work_->Error()) : absl::OkStatus();
}

bool ScannedFile::IsInside(const BlockHandle& handle) const {
  return handle.size <= size_ && handle.offset <= size_ - handle.size &&
         size_ - handle.size - handle.offset >= kBlockTrailerSize;
}

bool ScannedFile::IsZeros(uint64_t offset, uint64_t size) const {
  return bytes().substr(offset, size).find_first_not_of('\0') == absl::string_view::npos;
}

absl::StatusOr<BlockContents> ScannedFile::Read(BlockKind kind, const BlockHandle& handle) const {
  if (!IsInside(handle)) {
    return absl::DataLossError(absl::StrCat("not in the file, which ends at offset ", size_));
  }
  return ReadBlock(*padded_, kind, handle,
                   {/*verify_checksum=*/true, max_uncompressed_block_size_, dialect,
                    BlockAccess::kScan, work_.get()});
}

absl::Status ScannedFile::ParseData(const BlockHandle& handle, const BlockContents& contents,
                                    ScannedBlock* data,
                                    absl::FunctionRef<void(absl::string_view key)> visit) {
  static const KeyOrder order(BytewiseComparator(), KeyKind::kPlain);
  data->handle = handle;
  data->type = static_cast<uint8_t>(bytes()[handle.offset + handle.size]);
  ASSIGN_OR_RETURN(const Block block, Block::Parse(contents.bytes));
  KeyBuffer last;
  BlockIterator it(&order, block);
  for (it.SeekToFirst(); it.Valid(); it.Next()) {
    if (!meter_.TakeKey(it.key().size())) return meter_.Error();
    if (data->entry_count++ == 0) data->first_key = std::string(it.key());
    last.Assign(it.key());
    visit(it.key());
  }
  data->last_key = std::string(last.view());
  RETURN_IF_ERROR(it.status());
  if (memory_.Take(data->first_key.size() + data->last_key.size())) return absl::OkStatus();
  return absl::ResourceExhaustedError("keys of this file take too much memory");
}

absl::Status ScannedFile::ReadData(const BlockHandle& handle, ScannedBlock* data) {
  ASSIGN_OR_RETURN(const BlockContents contents, Read(BlockKind::kData, handle));
  return ParseData(handle, contents, data, [](absl::string_view) {});
}

absl::StatusOr<Index> ScannedFile::ReadHandles(BlockKind kind, const BlockHandle& handle) {
  const auto read = [&]() -> absl::StatusOr<Index> {
    ASSIGN_OR_RETURN(const BlockContents contents, Read(kind, handle));
    ASSIGN_OR_RETURN(const Block block, Block::Parse(contents.bytes));
    std::optional<Index> index = ParseHandles(block, /*strict=*/false);
    if (index.has_value()) return *std::move(index);
    return absl::DataLossError("its entries are not handles");
  };
  absl::StatusOr<Index> index = read();
  if (!index.ok()) return AtBlock(*padded_, kind, handle, index.status());
  return index;
}

}  // namespace sstable
