// `sst layout`: what every byte of a table is.
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "sstable/layout.h"
#include "table/block/block_io.h"
#include "table/block/block_iterator.h"
#include "table/block/limits.h"
#include "table/block/show_key.h"
#include "table/table_internals.h"
#include "tools/annotated_hex.h"
#include "tools/cli/words.h"
#include "tools/commands.h"
#include "tools/file_runner.h"
#include "tools/input_files.h"
#include "tools/records/json.h"
#include "tools/records/record_writer.h"
#include "tools/records/text_encoding.h"
#include "tools/table_input.h"
#include "util/bytes.h"
#include "util/escape.h"

namespace sstable::tools {
namespace {

const CommandInfo& Info() {
  static const auto* info = new CommandInfo{
      "layout",
      "show what every byte of a table is",
      "PATH...",
      /*min_arguments=*/1,
      /*max_arguments=*/SIZE_MAX,
      R"(Lists every block of a table in order of offset, bytes that belong to no block
or to several, and the footer. PATH is a table, or a folder for all tables in
it. A block's size does not include its trailer of 5 bytes (type and checksum).
-v adds the entries of each block and their offsets in it; --hex adds all bytes
and what they mean.

The exit code is 1 if a block is damaged.
json: one object per table, each on one line; that of a summary of many is the
last.)",
      R"(  sst layout 000005.ldb
  sst layout --hex small.ldb
  sst layout --format json 000005.ldb | jq '.blocks[] | select(.error)')"};
  return *info;
}

class LayoutCommand final : public Command {
 public:
  const CommandInfo& info() const override { return Info(); }
  void AddOptions(CommandLine* command_line) override;
  ExitCode Run(const std::vector<std::string>& arguments, Console* console) override;

 private:
  ExitCode Show(const InputFile& file, Console* console) const;

  TableInputOptions input_;
  ReportFormat format_ = ReportFormat::kText;
  uint64_t jobs_ = 1;
  bool hex_ = false;
};

void LayoutCommand::AddOptions(CommandLine* command_line) {
  command_line->AddFlag("--hex", &hex_, "Show all bytes and what they mean");
  AddFormatTo(command_line, &format_);
  AddJobsTo(command_line, &jobs_);
  input_.AddTo(command_line, "Show the entries of each block, and what is assumed about the keys");
}

// What --hex shows of blocks, uncompressed. Snappy can't make more than 22 bytes of one.
constexpr uint64_t kFreeHex = 1 << 20;
constexpr uint64_t kHexPerByte = 32;

// Writes a table's layout as text.
class LayoutPrinter {
 public:
  LayoutPrinter(const TableReader& reader, const Layout& layout, Console* console)
      : reader_(reader),
        layout_(layout),
        keys_(layout.file_size),
        shown_as_hex_(kFreeHex + kHexPerByte * layout.file_size),
        style_(console->output_style()),
        console_(console) {}

  void Print(bool entries, bool hex) {
    console_->Write(
        absl::StrCat(EscapeControls(reader_.file().name()), ": ", layout_.file_size, " bytes\n"));
    Line(style_.Bold(absl::StrFormat("%10s %10s  %-10s %-11s %10s %8s %8s  %s", "offset", "size",
                                     "block", "stored as", "raw size", "entries", "restarts",
                                     "index key or name")));
    auto gap = layout_.unreferenced.begin();
    size_t data_block = 0;
    for (const BlockInfo& block : layout_.blocks) {
      if (console_->closed()) return;
      for (; gap != layout_.unreferenced.end() && gap->offset < block.handle.offset; ++gap) {
        PrintGap(*gap);
      }
      PrintBlock(block, block.kind == BlockKind::kData ? absl::StrCat("data ", data_block++)
                                                       : std::string(BlockKindName(block.kind)));
      if (entries && !hex) PrintEntries(block);
      if (hex) PrintHex(block);
    }
    for (; gap != layout_.unreferenced.end(); ++gap) PrintGap(*gap);
    PrintFooter(hex);
    for (const ByteRange& range : layout_.doubly_used) {
      Line(style_.Red(
          absl::StrFormat("%10d %10d  in more than one block", range.offset, range.size)));
    }
  }

 private:
  void Line(absl::string_view line) {
    console_->Write(absl::StripTrailingAsciiWhitespace(line));
    console_->Write("\n");
  }

  void PrintGap(const ByteRange& gap) {
    const bool all_known = layout_.index_status.ok() && layout_.metaindex_status.ok();
    Line(style_.Red(absl::StrFormat("%10d %10d  in no block%s", gap.offset, gap.size,
                                    all_known ? "" : " that could be found")));
  }

  void PrintBlock(const BlockInfo& block, const std::string& label) {
    const bool has_entries = block.kind != BlockKind::kFilter && block.kind != BlockKind::kMeta;
    // A filter's name is text; an index key may be any bytes.
    const std::string name = block.kind == BlockKind::kData
                                 ? ShowKey(KeyOrderOf(reader_), block.name)
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

  absl::StatusOr<BlockContents> Read(const BlockInfo& block) const {
    return ReadBlock(reader_.file(), block.kind, block.handle,
                     {/*verify_checksum=*/true, reader_.options().max_uncompressed_block_size,
                      reader_.dialect()});
  }

  void PrintEntries(const BlockInfo& info) {
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
    for (entries.SeekToFirst(); entries.Valid() && !console_->closed(); entries.Next()) {
      if (!keys_.Take(entries.key().size())) return;  // the block's status says it
      console_->Write(absl::StrFormat("%21d  ", entries.entry_offset()));
      if (is_data) {
        writer.Append(entries.key(), entries.value(), console_->out());
      } else {
        // The metaindex has plain keys, whatever the table has.
        const std::string key = info.kind == BlockKind::kIndex
                                    ? ShowKey(KeyOrderOf(reader_), entries.key())
                                    : ShowBytes(entries.key());
        Line(absl::StrCat(key, " => ", DescribeHandle(entries.value())));
      }
      console_->Wrote();
    }
  }

  void PrintHex(const BlockInfo& block) {
    if (!FitsInFile(block.handle, layout_.file_size)) return;
    ByteBuffer buffer;
    const absl::StatusOr<StoredBlock> stored =
        ReadStoredBlock(reader_.file(), block.handle, &buffer);
    if (!stored.ok()) return Line(EscapeControls(stored.status().message()));
    const absl::StatusOr<BlockContents> contents = Read(block);
    if (!contents.ok()) {
      WriteHexLines(block.handle.offset, stored->bytes, "damaged", console_);
    } else if (shown_as_hex_.Take(contents->bytes.size())) {
      WriteAnnotatedBlock(block, contents->bytes, KeyOrderOf(reader_), console_);
    } else {
      WriteHexLines(block.handle.offset, stored->bytes,
                    absl::StrCat("as stored; the ", contents->bytes.size(),
                                 " uncompressed bytes are too many to show"),
                    console_);
    }
    char trailer[kBlockTrailerSize];
    const absl::Status status =
        reader_.file().Read(block.handle.offset + block.handle.size, sizeof(trailer), trailer);
    if (status.ok()) {
      WriteAnnotatedTrailer(block, absl::string_view(trailer, sizeof(trailer)), console_);
    }
  }

  void PrintFooter(bool hex) {
    const Footer& footer = reader_.footer();
    Line(absl::StrFormat("%10d %10d  %-10s metaindex at offset %d, index at offset %d",
                         layout_.file_size - kFooterSize, kFooterSize, "footer",
                         footer.metaindex.offset, footer.index.offset));
    if (!hex) return;
    char bytes[kFooterSize];
    const absl::Status status =
        reader_.file().Read(layout_.file_size - kFooterSize, kFooterSize, bytes);
    if (!status.ok()) return;
    WriteAnnotatedFooter(absl::string_view(bytes, kFooterSize), layout_.file_size, console_);
  }

  const TableReader& reader_;
  const Layout& layout_;
  KeyBudget keys_;
  Budget shown_as_hex_;
  const Style& style_;
  Console* console_;
};

Json BlockJson(const BlockInfo& block) {
  Json json = {{"kind", std::string(BlockKindName(block.kind))},
               {"offset", block.handle.offset},
               {"size", block.handle.size}};
  if (block.kind == BlockKind::kData) {
    SetBytes("index_key", block.name, &json);
  } else if (!block.name.empty()) {
    SetBytes("name", block.name, &json);
  }
  json["type"] = block.type;
  json["codec"] = std::string(block.codec_name);
  json["stored_crc32c"] = absl::StrFormat("0x%08x", block.stored_crc);
  json["computed_crc32c"] = absl::StrFormat("0x%08x", block.computed_crc);
  json["uncompressed_size"] = block.status.ok() ? Json(block.raw_size) : Json();
  if (block.kind != BlockKind::kFilter && block.kind != BlockKind::kMeta) {
    json["entries"] = block.entry_count;
    json["restarts"] = block.restart_count;
  }
  json["error"] = ErrorJson(block.status);
  return json;
}

Json JsonReport(const TableReader& reader, const Layout& layout) {
  Json blocks = Json::array(), unreferenced = Json::array(), doubly_used = Json::array();
  for (const BlockInfo& block : layout.blocks) blocks.push_back(BlockJson(block));
  for (const ByteRange& range : layout.unreferenced) {
    unreferenced.push_back({{"offset", range.offset}, {"size", range.size}});
  }
  for (const ByteRange& range : layout.doubly_used) {
    doubly_used.push_back({{"offset", range.offset}, {"size", range.size}});
  }
  return {{"file", JsonText(reader.file().name())},
          {"file_size", layout.file_size},
          {"blocks", std::move(blocks)},
          {"unreferenced", std::move(unreferenced)},
          {"doubly_used", std::move(doubly_used)},
          {"index_error", ErrorJson(layout.index_status)},
          {"metaindex_error", ErrorJson(layout.metaindex_status)},
          {"footer",
           {{"offset", layout.file_size - kFooterSize},
            {"metaindex", HandleJson(reader.footer().metaindex)},
            {"index", HandleJson(reader.footer().index)}}}};
}

ExitCode LayoutCommand::Show(const InputFile& file, Console* console) const {
  if (!file.status.ok()) return console->Fail(file.status);
  const absl::StatusOr<InputTable> table = OpenTable(file.path, input_, console);
  if (!table.ok()) return console->Fail(table.status());
  const Layout layout = DescribeLayout(*table->reader);
  if (format_ == ReportFormat::kJson) {
    WriteJson(JsonReport(*table->reader, layout), console);
  } else {
    LayoutPrinter(*table->reader, layout, console).Print(input_.verbose, hex_);
  }
  ExitCode code = layout.doubly_used.empty() ? ExitCode::kOk : ExitCode::kDamagedOrAbsent;
  for (const BlockInfo& block : layout.blocks) code = Worst(code, ExitCodeOf(block.status));
  // Blocks that can't be read are reported above; a malformed index or metaindex is not.
  if (code == ExitCode::kOk) code = console->Fail(layout.index_status);
  if (code == ExitCode::kOk) code = console->Fail(layout.metaindex_status);
  return code;
}

ExitCode LayoutCommand::Run(const std::vector<std::string>& arguments, Console* console) {
  if (format_ == ReportFormat::kJson && (input_.verbose || hex_)) {
    return console->Fail(absl::InvalidArgumentError(
        "--format json has no entries and no bytes; `sst dump --format jsonl` has the entries"));
  }
  const InputFiles inputs = FindInputFiles(arguments, WantedFiles::kTables, console);
  const std::vector<ExitCode> codes = RunOnFiles(
      inputs.files, jobs_, [this](const InputFile& file, Console* own) { return Show(file, own); },
      console);
  return ReportSummary(inputs, codes, format_, console);
}

}  // namespace

std::unique_ptr<Command> NewLayoutCommand() { return std::make_unique<LayoutCommand>(); }

}  // namespace sstable::tools
