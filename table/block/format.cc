#include "sstable/format.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "util/coding.h"
#include "util/status_util.h"

namespace sstable {
namespace {

// Describes the last 8 bytes of a file that is not a table.
std::string DescribeMagic(uint64_t magic) {
  if (magic == 0) return " (zeros: the file is cut short, or was never written to its end)";
  const absl::string_view format = ForeignFormatOf(magic);
  return format.empty() ? "" : absl::StrCat(" (", format, ")");
}

absl::Status CheckFits(absl::string_view field, const BlockHandle& handle, uint64_t file_size) {
  if (FitsInFile(handle, file_size)) return absl::OkStatus();
  return absl::DataLossError(absl::StrFormat(
      "footer: %s handle names offset %d and size %d, past the footer of a file of %d bytes", field,
      handle.offset, handle.size, file_size));
}

bool StartsBefore(const BlockHandle& a, const BlockHandle& b) { return a.offset < b.offset; }

}  // namespace

absl::string_view ForeignFormatOf(uint64_t magic) {
  switch (magic) {
    case 0x88e241b785f4cff7:
      return "RocksDB's block-based table";
    case 0x8242229663bf9564:
    case 0x4f3418eb7a8f13b8:
      return "RocksDB's plain table";
    case 0x926789d0c5f17873:
      return "RocksDB's cuckoo table";
    case 0xb3aa9ff0b3aa9ff0:
      return "Pebble's table";
    default:
      return "";
  }
}

absl::StatusOr<BlockHandle> BlockHandle::Parse(absl::string_view* input) {
  BlockHandle handle;
  if (!ConsumeVarint64(input, &handle.offset) || !ConsumeVarint64(input, &handle.size)) {
    return absl::DataLossError("block handle is cut short");
  }
  return handle;
}

std::string BlockHandle::Encode() const {
  std::string bytes;
  AppendVarint64(&bytes, offset);
  AppendVarint64(&bytes, size);
  return bytes;
}

bool FitsInFile(const BlockHandle& handle, uint64_t file_size) {
  constexpr uint64_t kAround = kBlockTrailerSize + kFooterSize;
  if (file_size < kAround || handle.size > file_size - kAround) return false;
  return handle.offset <= file_size - kAround - handle.size;
}

absl::StatusOr<Footer> Footer::Parse(absl::string_view bytes, uint64_t file_size) {
  if (bytes.size() != kFooterSize) {
    return absl::DataLossError(absl::StrFormat(
        "not a LevelDB table: %d bytes, fewer than the %d of a footer", file_size, kFooterSize));
  }
  const uint64_t magic = DecodeFixed64(bytes.data() + kFooterHandlesSize);
  if (magic != kTableMagic) {
    return absl::DataLossError(absl::StrFormat(
        "not a LevelDB table: magic at offset %d is 0x%016x%s, expected 0x%016x",
        file_size - kFooterSize + kFooterHandlesSize, magic, DescribeMagic(magic), kTableMagic));
  }
  absl::string_view handles = bytes.substr(0, kFooterHandlesSize);
  Footer footer;
  const auto parse = [&](absl::string_view field, BlockHandle* handle) -> absl::Status {
    absl::StatusOr<BlockHandle> parsed = BlockHandle::Parse(&handles);
    if (!parsed.ok()) return AtPlace(absl::StrCat("footer: ", field), parsed.status());
    *handle = *parsed;
    return CheckFits(field, *handle, file_size);
  };
  RETURN_IF_ERROR(parse("metaindex", &footer.metaindex));
  RETURN_IF_ERROR(parse("index", &footer.index));
  const BlockHandle& first = std::min(footer.metaindex, footer.index, StartsBefore);
  const BlockHandle& second = std::max(footer.metaindex, footer.index, StartsBefore);
  if (second.offset - first.offset < first.size + kBlockTrailerSize) {
    return absl::DataLossError(absl::StrFormat(
        "footer: metaindex block (offset %d, size %d) and index block (offset %d, size %d) overlap",
        footer.metaindex.offset, footer.metaindex.size, footer.index.offset, footer.index.size));
  }
  return footer;
}

std::string Footer::Encode() const {
  std::string bytes = absl::StrCat(metaindex.Encode(), index.Encode());
  bytes.resize(kFooterHandlesSize, '\0');
  AppendFixed64(&bytes, kTableMagic);
  return bytes;
}

absl::string_view BlockKindName(BlockKind kind) {
  switch (kind) {
    case BlockKind::kData:
      return "data";
    case BlockKind::kFilter:
      return "filter";
    case BlockKind::kMeta:
      return "meta";
    case BlockKind::kMetaindex:
      return "metaindex";
    case BlockKind::kIndex:
      break;
  }
  return "index";
}

BlockKind MetaBlockKind(absl::string_view name) {
  return absl::StartsWith(name, kFilterKeyPrefix) ? BlockKind::kFilter : BlockKind::kMeta;
}

std::string DescribeBlock(BlockKind kind, const BlockHandle& handle) {
  // Not StrFormat(), which aborts if there is no memory: readers call this without damage, too.
  return absl::StrCat(BlockKindName(kind), " block at offset ", handle.offset, " (", handle.size,
                      " bytes)");
}

}  // namespace sstable
