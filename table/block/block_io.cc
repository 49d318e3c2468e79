#include "table/block/block_io.h"

#include <cstring>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "table/block/block.h"
#include "table/block/limits.h"
#include "util/coding.h"
#include "util/crc32c.h"
#include "util/status_util.h"
#include "util/zeros.h"

namespace sstable {
namespace {

// The trailer and the footer follow a block whose handle was checked.
static_assert(kBlockTrailerSize + kFooterSize >= kCopySlack);

// Returns true if `raw` is a block of which more than `limit` entries can be decoded.
bool HasMoreEntries(absl::string_view raw, uint64_t limit) {
  Block block;
  if (!Block::TryParse(raw, &block)) return false;
  uint64_t count = 0;
  BlockEntry entry;
  for (const char* p = block.begin(); p < block.end(); p = entry.next()) {
    if (!DecodeEntry(p, block.end(), &entry)) return false;  // reported when the block is walked
    if (++count > limit) return true;
  }
  return false;
}

// Only blocks that are large for their stored size need their entries counted.
bool HasTooManyEntries(absl::string_view raw, uint64_t stored_size) {
  return raw.size() > Expanded(stored_size) && HasMoreEntries(raw, MaxEntryCount(stored_size));
}

}  // namespace

uint32_t StoredBlock::ComputeCrc() const {
  const char type_byte = static_cast<char>(type);
  return ExtendCrc32c(Crc32c(bytes), absl::string_view(&type_byte, 1));
}

absl::Status CheckCrc(const StoredBlock& block, uint32_t computed) {
  if (block.stored_crc == computed) return absl::OkStatus();
  if (AllZeros(block.bytes) && !block.bytes.empty()) return absl::DataLossError("zeros");
  return absl::DataLossError(
      absl::StrFormat("crc32c stored 0x%08x, computed 0x%08x", block.stored_crc, computed));
}

absl::StatusOr<StoredBlock> ReadStoredBlock(const RandomAccessFile& file, const BlockHandle& handle,
                                            ByteBuffer* buffer, BlockAccess access) {
  if (!FitsInFile(handle, file.size())) {
    return absl::DataLossError(
        absl::StrCat("handle names bytes past the footer of a file of ", file.size(), " bytes"));
  }
  const size_t size = static_cast<size_t>(handle.size);
  const char* bytes;
  if (const std::optional<absl::string_view> contents = ContentsFor(file, handle, access)) {
    bytes = contents->data() + handle.offset;
  } else {
    buffer->Clear();
    char* dst = buffer->Reserve(size + kBlockTrailerSize);
    RETURN_IF_ERROR(file.Read(handle.offset, size + kBlockTrailerSize, dst));
    buffer->SetSize(size + kBlockTrailerSize);
    bytes = dst;
  }
  StoredBlock block;
  block.bytes = absl::string_view(bytes, size);
  block.type = static_cast<uint8_t>(bytes[size]);
  block.stored_crc = UnmaskCrc(DecodeFixed32(bytes + size + 1));
  return block;
}

void FetchAhead(const RandomAccessFile& file, const BlockHandle& handle) {
  if (FitsInFile(handle, file.size())) {
    file.WillNeed(handle.offset, handle.size + kBlockTrailerSize);
  }
}

absl::Status UncompressBlock(const StoredBlock& block, BlockKind kind,
                             const BlockReadOptions& options, ByteBuffer* out) {
  const uint64_t stored_size = block.bytes.size();
  const uint64_t max_size =
      options.max_uncompressed_size.value_or(MaxUncompressedSize(stored_size));
  if (options.work != nullptr && options.work->is_spent()) return options.work->Error();
  RETURN_IF_ERROR(Uncompress(block.type, block.bytes, options.dialect, max_size, out));
  if (options.work != nullptr && !options.work->Take(out->size())) return options.work->Error();
  if (kind != BlockKind::kData || options.max_uncompressed_size.has_value() ||
      !HasTooManyEntries(out->view(), stored_size)) {
    return absl::OkStatus();
  }
  return absl::DataLossError(absl::StrCat("has more than ", MaxEntryCount(stored_size),
                                          " entries, the limit for ", stored_size,
                                          " stored bytes"));
}

absl::StatusOr<BlockContents> ReadBlock(const RandomAccessFile& file, BlockKind kind,
                                        const BlockHandle& handle,
                                        const BlockReadOptions& options) {
  BlockContents contents;
  // A block that was verified before is in memory. Any other may have to be read from a device:
  // request all its pages at once, not one by one as the checksum reaches them.
  if (options.verify_checksum && options.access != BlockAccess::kScan &&
      ContentsFor(file, handle, options.access).has_value()) {
    FetchAhead(file, handle);
  }
  ASSIGN_OR_RETURN(const StoredBlock stored,
                   ReadStoredBlock(file, handle, &contents.buffer, options.access));
  if (options.verify_checksum) RETURN_IF_ERROR(CheckCrc(stored, stored.ComputeCrc()));
  if (stored.type == 0) {
    contents.bytes = stored.bytes;
    return contents;
  }
  ByteBuffer uncompressed;
  RETURN_IF_ERROR(UncompressBlock(stored, kind, options, &uncompressed));
  contents.buffer = std::move(uncompressed);
  contents.bytes = contents.buffer.view();
  return contents;
}

absl::Status AtBlock(const RandomAccessFile& file, BlockKind kind, const BlockHandle& handle,
                     const absl::Status& status) {
  if (status.ok()) return status;
  return AtPlace(absl::StrCat(file.name(), ": ", DescribeBlock(kind, handle)), status);
}

size_t SealBlock(BlockCompressor* compressor, size_t start, ByteBuffer* out) {
  uint8_t type = TypeByte(Compression::kNone);
  const absl::string_view raw = out->view().substr(start);
  if (compressor != nullptr) {
    const std::optional<absl::string_view> compressed = compressor->Compress(raw);
    if (compressed.has_value() && raw.size() <= MaxUncompressedSize(compressed->size()) &&
        !HasTooManyEntries(raw, compressed->size())) {
      std::memcpy(out->data() + start, compressed->data(), compressed->size());
      out->SetSize(start + compressed->size());
      type = TypeByte(compressor->compression());
    }
  }
  const size_t size = out->size() - start;
  char* trailer = out->Reserve(kBlockTrailerSize);
  trailer[0] = static_cast<char>(type);
  const uint32_t crc = Crc32c(absl::string_view(trailer - size, size + 1));
  EncodeFixed32(trailer + 1, MaskCrc(crc));
  out->SetSize(out->size() + kBlockTrailerSize);
  return size;
}

}  // namespace sstable
