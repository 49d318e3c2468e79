#include "report/layout_text.h"

#include <cstddef>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "report/annotated_hex.h"
#include "report/record_writer.h"
#include "report/text/text_encoding.h"
#include "table/block/block_iterator.h"
#include "table/block/show_key.h"
#include "table/table_internals.h"
#include "util/bytes.h"
#include "util/escape.h"

namespace sstable {
namespace {

// Limits the uncompressed bytes that --hex shows. Snappy expands a byte to at most 22.
constexpr uint64_t kFreeHex = 1 << 20;
constexpr uint64_t kHexPerByte = 32;

}  // namespace

LayoutPrinter::LayoutPrinter(const TableReader& reader, const Layout& layout, const Style& style,
                             TextOutput* output)
    : reader_(reader),
      layout_(layout),
      work_(WorkOf(reader)),
      shown_as_hex_(kFreeHex + kHexPerByte * layout.file_size),
      style_(style),
      output_(output) {}

void LayoutPrinter::Print(bool entries, bool hex) {
  output_->Write(
      absl::StrCat(EscapeControls(reader_.file().name()), ": ", layout_.file_size, " bytes\n"));
  Line(style_.Bold(absl::StrFormat("%10s %10s  %-10s %-11s %10s %8s %8s  %s", "offset", "size",
                                   "block", "stored as", "raw size", "entries", "restarts",
                                   "index key or name")));
  auto gap = layout_.unreferenced.begin();
  size_t data_block = 0;
  for (const BlockInfo& block : layout_.blocks) {
    if (output_->closed()) return;
    for (; gap != layout_.unreferenced.end() && gap->offset < block.handle.offset; ++gap) {
      PrintGap(*gap);
    }
    PrintBlock(block, block.kind == BlockKind::kData ? absl::StrCat("data ", data_block++)
                                                     : std::string(BlockKindName(block.kind)));
    if (entries && !hex) PrintEntries(block);
    if (hex) PrintHex(block);
  }
  for (; gap != layout_.unreferenced.end(); ++gap) PrintGap(*gap);
  PrintFooter();
  if (hex) PrintFooterHex();
  for (const ByteRange& range : layout_.overlapping) {
    Line(
        style_.Red(absl::StrFormat("%10d %10d  in more than one block", range.offset, range.size)));
  }
}

void LayoutPrinter::Line(absl::string_view line) {
  output_->Write(absl::StripTrailingAsciiWhitespace(line));
  output_->Write("\n");
}

void LayoutPrinter::PrintGap(const ByteRange& gap) {
  const bool all_known = layout_.index_status.ok() && layout_.metaindex_status.ok();
  Line(style_.Red(absl::StrFormat("%10d %10d  in no block%s", gap.offset, gap.size,
                                  all_known ? "" : " that could be found")));
}

void LayoutPrinter::PrintBlock(const BlockInfo& block, const std::string& label) {
  const bool has_entries = block.kind != BlockKind::kFilter && block.kind != BlockKind::kMeta;
  // A filter's name is text; an index key may be any bytes.
  const std::string name = block.kind == BlockKind::kData ? ShowKey(KeyOrderOf(reader_), block.name)
                                                          : Encode(TextEncoding::kUtf8, block.name);
  Line(absl::StrFormat("%10d %10d  %-10s %-11s %10s %8s %8s  %s", block.handle.offset,
                       block.handle.size, label, block.codec_name,
                       block.status.ok() ? absl::StrCat(block.raw_size) : "",
                       has_entries ? absl::StrCat(block.entry_count) : "",
                       has_entries ? absl::StrCat(block.restart_count) : "", name));
  if (!block.status.ok()) {
    Line(style_.Red(absl::StrCat("            ", EscapeControls(block.status.message()))));
  }
}

absl::StatusOr<BlockContents> LayoutPrinter::Read(const BlockInfo& block) const {
  return ReadBlock(
      reader_.file(), block.kind, block.handle,
      {/*verify_checksum=*/true, reader_.options().max_uncompressed_block_size, reader_.dialect()});
}

void LayoutPrinter::PrintEntries(const BlockInfo& info) {
  if (info.kind == BlockKind::kFilter || info.kind == BlockKind::kMeta) return;
  const absl::StatusOr<BlockContents> contents = Read(info);
  if (!contents.ok()) return;
  const absl::StatusOr<Block> block = Block::Parse(contents->bytes);
  if (!block.ok()) return;
  const bool is_data = info.kind == BlockKind::kData;
  RecordWriterOptions options;
  options.key_kind = KeyOrderOf(reader_).kind();
  options.style = style_;
  const RecordWriter writer(options);
  BlockIterator entries(&KeyOrderOf(reader_), *block);
  for (entries.SeekToFirst(); entries.Valid() && !output_->closed(); entries.Next()) {
    if (!work_.TakeKey(entries.key().size() + entries.value().size())) return;  // reported already
    output_->Write(absl::StrFormat("%21d  ", entries.entry_offset()));
    if (is_data) {
      writer.Append(entries.key(), entries.value(), output_->out());
    } else {
      // The metaindex has plain keys in every table.
      const std::string key = info.kind == BlockKind::kIndex
                                  ? ShowKey(KeyOrderOf(reader_), entries.key())
                                  : ShowBytes(entries.key());
      Line(absl::StrCat(key, " => ", DescribeHandle(entries.value())));
    }
    output_->Wrote();
  }
}

void LayoutPrinter::PrintHex(const BlockInfo& block) {
  if (!FitsInFile(block.handle, layout_.file_size)) return;
  ByteBuffer buffer;
  const absl::StatusOr<StoredBlock> stored = ReadStoredBlock(reader_.file(), block.handle, &buffer);
  if (!stored.ok()) return Line(EscapeControls(stored.status().message()));
  const absl::StatusOr<BlockContents> contents = Read(block);
  if (!contents.ok()) {
    WriteHexLines(block.handle.offset, stored->bytes, "damaged", output_);
  } else if (shown_as_hex_.Take(contents->bytes.size())) {
    WriteAnnotatedBlock(block, contents->bytes, KeyOrderOf(reader_), output_);
  } else {
    WriteHexLines(block.handle.offset, stored->bytes,
                  absl::StrCat("as stored; the ", contents->bytes.size(),
                               " uncompressed bytes are too many to show"),
                  output_);
  }
  char trailer[kBlockTrailerSize];
  const absl::Status status =
      reader_.file().Read(block.handle.offset + block.handle.size, sizeof(trailer), trailer);
  if (status.ok()) {
    WriteAnnotatedTrailer(block, absl::string_view(trailer, sizeof(trailer)), output_);
  }
}

void LayoutPrinter::PrintFooter() {
  const Footer& footer = reader_.footer();
  Line(absl::StrFormat("%10d %10d  %-10s metaindex at offset %d, index at offset %d",
                       layout_.file_size - kFooterSize, kFooterSize, "footer",
                       footer.metaindex.offset, footer.index.offset));
}

void LayoutPrinter::PrintFooterHex() {
  char bytes[kFooterSize];
  const absl::Status status =
      reader_.file().Read(layout_.file_size - kFooterSize, kFooterSize, bytes);
  if (!status.ok()) return;
  WriteAnnotatedFooter(absl::string_view(bytes, kFooterSize), layout_.file_size, output_);
}

}  // namespace sstable
