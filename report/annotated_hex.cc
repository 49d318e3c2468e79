#include "report/annotated_hex.h"

#include <cstddef>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "filter/bloom_view.h"
#include "report/text/words.h"
#include "sstable/filter_block.h"
#include "table/block/block.h"
#include "table/block/limits.h"
#include "table/block/show_key.h"
#include "util/coding.h"
#include "util/escape.h"

namespace sstable {
namespace {

constexpr size_t kBytesPerLine = 12;

// Writes the parts of a block in turn.
class Annotator {
 public:
  // `offset` is the offset of the first byte.
  Annotator(uint64_t offset, absl::string_view bytes, TextOutput* output)
      : offset_(offset), bytes_(bytes), output_(output) {}

  void Take(size_t size, absl::string_view note) {
    WriteHexLines(offset_ + position_, bytes_.substr(position_, size), note, output_);
    position_ += size;
  }
  void TakeRest(absl::string_view note) { Take(bytes_.size() - position_, note); }

  size_t position() const { return position_; }
  absl::string_view Peek(size_t size) const { return bytes_.substr(position_, size); }

 private:
  uint64_t offset_;
  absl::string_view bytes_;
  size_t position_ = 0;
  TextOutput* output_;
};

void WriteEntries(const BlockInfo& info, const Block& block, const KeyOrder& order,
                  Annotator* bytes) {
  const bool has_handles = info.kind == BlockKind::kIndex || info.kind == BlockKind::kMetaindex;
  std::string key;
  WorkBudget keys(info.handle.size);
  const char* p = block.begin();
  BlockEntry entry;
  while (p < block.end() && DecodeEntry(p, block, &entry) && entry.shared <= key.size() &&
         keys.Take(size_t{entry.shared} + entry.unshared)) {
    key.resize(entry.shared);
    key.append(entry.key_suffix().data(), entry.key_suffix().size());
    bytes->Take(static_cast<size_t>(entry.suffix - p),
                absl::StrFormat("shared %d, unshared %d, value size %d", entry.shared,
                                entry.key_suffix().size(), entry.value_size));
    bytes->Take(entry.key_suffix().size(),
                absl::StrCat("key ", info.kind == BlockKind::kMetaindex ? ShowBytes(key)
                                                                        : ShowKey(order, key)));
    bytes->Take(entry.value_size, has_handles ? DescribeHandle(entry.value())
                                              : absl::StrCat("value ", ShowBytes(entry.value())));
    p = entry.next();
  }
}

void WriteBlockOfEntries(const BlockInfo& info, absl::string_view raw, const KeyOrder& order,
                         Annotator* bytes) {
  const absl::StatusOr<Block> block = Block::Parse(raw);
  if (!block.ok()) return bytes->TakeRest(block.status().message());
  WriteEntries(info, *block, order, bytes);
  if (bytes->position() < block->entries_size()) {
    bytes->Take(block->entries_size() - bytes->position(), "not a valid entry");
  }
  for (uint32_t i = 0; i < block->restart_count(); ++i) {
    bytes->Take(sizeof(uint32_t), absl::StrFormat("restart point %d: offset %d in the block", i,
                                                  block->RestartOffset(i)));
  }
  bytes->TakeRest(Count(block->restart_count(), "restart point"));
}

void WriteFilterBlock(absl::string_view raw, Annotator* bytes) {
  const absl::StatusOr<FilterBlockReader> filter = FilterBlockReader::Parse(nullptr, raw);
  if (!filter.ok()) return bytes->TakeRest(filter.status().message());
  for (uint64_t i = 0; i < filter->window_count(); ++i) {
    const FilterWindow window = filter->Window(i);
    const auto start = static_cast<size_t>(window.filter.data() - raw.data());
    if (window.state != FilterWindow::State::kPresent || start < bytes->position()) continue;
    if (start > bytes->position()) bytes->Take(start - bytes->position(), "of no window");
    const BloomView bloom(window.filter);
    bytes->Take(bloom.bits().size(), absl::StrCat("window ", i, ": bits"));
    bytes->Take(1, absl::StrCat("window ", i, ": k = ", bloom.probe_count()));
  }
  if (bytes->position() < filter->array_offset()) {
    bytes->Take(filter->array_offset() - bytes->position(), "of no window");
  }
  for (uint64_t i = 0; i < filter->window_count(); ++i) {
    bytes->Take(
        sizeof(uint32_t),
        absl::StrFormat("window %d: offset %d%s", i, DecodeFixed32(bytes->Peek(4).data()),
                        filter->Window(i).state == FilterWindow::State::kEmpty ? ", empty" : ""));
  }
  if (raw.size() - bytes->position() > 5) {
    bytes->Take(raw.size() - bytes->position() - 5, "of no window");
  }
  bytes->Take(sizeof(uint32_t), absl::StrCat("the offsets start at ", filter->array_offset()));
  bytes->Take(1, absl::StrFormat("base lg %d: windows of %d bytes", filter->base_lg(),
                                 uint64_t{1} << filter->base_lg()));
}

}  // namespace

std::string DescribeHandle(absl::string_view bytes) {
  absl::string_view rest = bytes;
  const absl::StatusOr<BlockHandle> handle = BlockHandle::Parse(&rest);
  if (!handle.ok()) return std::string(handle.status().message());
  return absl::StrFormat("block at offset %d, %d bytes%s", handle->offset, handle->size,
                         rest.empty() ? "" : absl::StrCat(" and ", Count(rest.size(), "byte")));
}

void WriteHexLines(uint64_t offset, absl::string_view bytes, absl::string_view note,
                   TextOutput* output) {
  for (size_t start = 0; start < bytes.size() && !output->closed(); start += kBytesPerLine) {
    const absl::string_view line = bytes.substr(start, kBytesPerLine);
    std::string hex;
    for (const char byte : line) {
      absl::StrAppend(&hex, absl::Hex(static_cast<unsigned char>(byte), absl::kZeroPad2), " ");
    }
    if (start > 0) note = "";
    absl::StrAppendFormat(output->out(), "%10d  ", offset + start);
    if (!note.empty()) hex.resize(3 * kBytesPerLine, ' ');
    absl::StrAppend(output->out(),
                    absl::string_view(hex).substr(0, note.empty() ? hex.size() - 1 : hex.size()),
                    note.empty() ? "" : " ", note, "\n");
    output->Wrote();
  }
}

void WriteAnnotatedBlock(const BlockInfo& info, absl::string_view raw, const KeyOrder& order,
                         TextOutput* output) {
  const bool stored_raw = info.codec == Codec::kNone;
  if (!stored_raw) {
    output->Write(absl::StrFormat("            %d bytes of %s, here uncompressed\n",
                                  info.handle.size, info.codec_name));
  }
  Annotator bytes(stored_raw ? info.handle.offset : 0, raw, output);
  switch (info.kind) {
    case BlockKind::kFilter:
      return WriteFilterBlock(raw, &bytes);
    case BlockKind::kMeta:
      return bytes.TakeRest("contents");
    case BlockKind::kData:
    case BlockKind::kMetaindex:
    case BlockKind::kIndex:
      return WriteBlockOfEntries(info, raw, order, &bytes);
  }
}

void WriteAnnotatedTrailer(const BlockInfo& info, absl::string_view trailer, TextOutput* output) {
  Annotator bytes(info.handle.offset + info.handle.size, trailer, output);
  bytes.Take(1, absl::StrFormat("type %d: %s", info.type, info.codec_name));
  bytes.TakeRest(
      absl::StrFormat("masked crc32c of 0x%08x%s", info.stored_crc,
                      info.stored_crc == info.computed_crc
                          ? ""
                          : absl::StrFormat(", but computed 0x%08x", info.computed_crc)));
}

void WriteAnnotatedFooter(absl::string_view footer, uint64_t file_size, TextOutput* output) {
  Annotator bytes(file_size - footer.size(), footer, output);
  absl::string_view rest = footer.substr(0, kFooterHandlesSize);
  for (const absl::string_view name : {"metaindex", "index"}) {
    const absl::string_view before = rest;
    if (!BlockHandle::Parse(&rest).ok()) break;
    const absl::string_view handle = before.substr(0, before.size() - rest.size());
    bytes.Take(handle.size(), absl::StrCat(name, " ", DescribeHandle(handle)));
  }
  bytes.Take(kFooterHandlesSize - bytes.position(), "padding");
  bytes.TakeRest("magic");
}

}  // namespace sstable
