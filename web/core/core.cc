// The functions that the page calls for a table. There is at most one table, since each table has
// its own worker.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "db/database_file.h"
#include "decode/choose_decoder.h"
#include "report/filter_comparison_json.h"
#include "report/layout_text.h"
#include "report/lookup_json.h"
#include "report/table_json.h"
#include "report/table_pages.h"
#include "report/table_salvage_text.h"
#include "report/text/style.h"
#include "report/text/text_output.h"
#include "sstable/check.h"
#include "sstable/experimental/filter_report.h"
#include "sstable/experimental/layout.h"
#include "sstable/experimental/table_salvage.h"
#include "sstable/experimental/table_stats.h"
#include "sstable/file.h"
#include "table/block/file_kind.h"
#include "table/inspect/filter_comparison.h"
#include "table/inspect/opened_table.h"
#include "table/salvage/write_salvaged.h"
#include "table/table_internals.h"
#include "util/status_util.h"
#include "web/core/call.h"

// Provided by JavaScript (js_calls.js). sst_read() fills `to` with bytes of the file; it returns
// false if the file has become unreadable. sst_write() receives bytes of a new file.
extern "C" int sst_read(double offset, uint32_t size, char* to);
extern "C" void sst_write(const char* from, uint32_t size);

namespace sstable::tools {
namespace {

// The file that was dropped onto the page.
class DroppedFile final : public RandomAccessFile {
 public:
  DroppedFile(std::string name, uint64_t size) : RandomAccessFile(std::move(name), size) {}

  absl::Status Read(uint64_t offset, size_t size, char* dst) const override {
    if (sst_read(static_cast<double>(offset), static_cast<uint32_t>(size), dst) != 0) {
      return absl::OkStatus();
    }
    return absl::UnavailableError(
        absl::StrCat("can't be read any more, at offset ", offset, " (", size, " bytes)"));
  }
};

// Passes a new table to JavaScript piece by piece. Keeps a copy in `*copy` unless it is large.
class TakenFile final : public WritableFile {
 public:
  explicit TakenFile(std::string* copy) : WritableFile("salvaged table"), copy_(*copy) {}
  absl::Status Append(absl::string_view data) override {
    size_ += data.size();
    if (size_ <= kMaxCopySize) copy_.append(data.data(), data.size());
    if (size_ > kMaxCopySize) copy_.clear();
    buffer_.append(data.data(), data.size());
    if (buffer_.size() >= kPieceSize) HandOut();
    return absl::OkStatus();
  }
  absl::Status Sync() override { return absl::OkStatus(); }
  absl::Status Close() override {
    HandOut();
    return absl::OkStatus();
  }

 private:
  static constexpr size_t kPieceSize = 1 << 20;
  static constexpr size_t kMaxCopySize = size_t{64} << 20;
  void HandOut() {
    if (!buffer_.empty()) sst_write(buffer_.data(), static_cast<uint32_t>(buffer_.size()));
    buffer_.clear();
  }
  std::string& copy_;
  uint64_t size_ = 0;
  std::string buffer_;
};

// Collects text.
class CollectedText final : public TextOutput {
 public:
  bool closed() const override { return text_.size() > kMaxSize; }
  const std::string& text() const { return text_; }

 private:
  void WriteOut(absl::string_view data) override { text_.append(data.data(), data.size()); }

  static constexpr size_t kMaxSize = 4 << 20;  // more could not be shown on a page
  std::string text_;
};

struct Table {
  std::string name;
  uint64_t size = 0;
  std::string current;  // contents of the CURRENT file beside the table; empty if there is none
  absl::Status status;  // result of opening it
  OpenedTable input;    // valid if `status` is OK
  std::optional<Layout> layout;
  std::optional<ChosenDecoder> decoder;
  std::unique_ptr<EntryPages> pages;

  absl::StatusOr<std::unique_ptr<RandomAccessFile>> NewFile() const {
    return DecryptedWith(current, std::make_unique<DroppedFile>(name, size));
  }
  const Layout& GetLayout() {
    if (!layout.has_value()) layout = DescribeLayout(*input.reader);
    return *layout;
  }
  // Returns null if no known program wrote the entries.
  const EntryDecoder* GetDecoder() {
    if (!decoder.has_value()) {
      decoder = ChooseDecoder(DecodedProgram::kAuto, NewTableSource(input.reader.get()));
    }
    return decoder->decoder.get();
  }
};

std::unique_ptr<Table> table;
absl::Status Opened() {
  if (table == nullptr) return absl::FailedPreconditionError("no table is open");
  return table->status;
}

}  // namespace

absl::Status SalvageTable(
    absl::FunctionRef<void(const Salvager&, bool is_written, const EntryDecoder*)> describe) {
  if (table == nullptr) return Opened();
  ASSIGN_OR_RETURN(const auto file, table->NewFile());
  ASSIGN_OR_RETURN(const auto salvager, Salvager::Open(*file, {}));
  std::string copy;
  ASSIGN_OR_RETURN(const bool written, WriteSalvaged(
                                           salvager.get(), [](TableBuilderOptions*) {},
                                           [&]() -> absl::StatusOr<std::unique_ptr<WritableFile>> {
                                             return std::make_unique<TakenFile>(&copy);
                                           }));
  const auto salvaged = OpenDetectingKeys([&] { return NewMemoryFile(copy); }, GivenKeys());
  ChosenDecoder chosen;
  if (salvaged.ok()) {
    chosen = ChooseDecoder(DecodedProgram::kAuto, NewTableSource(salvaged->reader.get()));
  }
  describe(*salvager, written, chosen.decoder.get());
  return absl::OkStatus();
}

}  // namespace sstable::tools

using namespace sstable;         // NOLINT: the names below are C's
using namespace sstable::tools;  // NOLINT

// Opens the file of `size` bytes. Argument 0 is its name; argument 1 has the contents of the
// CURRENT file beside it, or is empty. Fails if the file is not a table; it can still be salvaged
// then. The result is AboutJson().
SST_EXPORT int sst_open(double size) {
  return Guarded([&]() -> absl::Status {
    table = nullptr;
    table = std::make_unique<Table>();
    table->name = arguments[0];
    table->current = arguments[1];
    table->size = static_cast<uint64_t>(size);
    absl::StatusOr<OpenedTable> input =
        OpenDetectingKeys([] { return table->NewFile(); }, GivenKeys());
    table->status = input.status();
    RETURN_IF_ERROR(table->status);
    table->input = *std::move(input);
    SetResult(AboutJson(table->input));
    return absl::OkStatus();
  });
}

// The result says if the file may be what is left of a table: "true", or "false" if its first or
// last bytes are those of something else.
SST_EXPORT int sst_may_be_table() {
  return Guarded([]() -> absl::Status {
    if (table == nullptr) return absl::FailedPreconditionError("no table is open");
    ASSIGN_OR_RETURN(const auto file, table->NewFile());
    const FileKind kind = IdentifyFile(*file).kind;
    SetResult(kind == FileKind::kTable || kind == FileKind::kUnknown);
    return absl::OkStatus();
  });
}

SST_EXPORT int sst_places(uint32_t max_places) {
  return Guarded([&]() -> absl::Status {
    RETURN_IF_ERROR(Opened());
    SetResult(PlacesJson(*table->input.reader, max_places));
    return absl::OkStatus();
  });
}

SST_EXPORT int sst_layout() {
  return Guarded([]() -> absl::Status {
    RETURN_IF_ERROR(Opened());
    SetResult(LayoutJson(*table->input.reader, table->GetLayout()));
    return absl::OkStatus();
  });
}

SST_EXPORT int sst_check() {
  return Guarded([]() -> absl::Status {
    RETURN_IF_ERROR(Opened());
    CheckOptions options;
    options.keys = KeyTrust::kUnordered;
    SetResult(CheckJson(CheckTable(*table->input.reader, options), table->name));
    return absl::OkStatus();
  });
}

SST_EXPORT int sst_filter() {
  return Guarded([]() -> absl::Status {
    RETURN_IF_ERROR(Opened());
    SetResult(
        FilterJson(MeasureFilter(*table->input.reader, {}, table->input.key_trust), table->name));
    return absl::OkStatus();
  });
}

// Compares filters for the table's keys, using this many random keys, as `sst filter compare` does.
// Ignores keys in damaged blocks.
SST_EXPORT int sst_comparison(uint32_t random_keys) {
  return Guarded([&]() -> absl::Status {
    RETURN_IF_ERROR(Opened());
    FilterComparison comparison(/*rate=*/std::nullopt, random_keys);
    comparison.AddTable(table->input).IgnoreError();
    SetResult(FilterComparisonJson(comparison));
    return absl::OkStatus();
  });
}

SST_EXPORT int sst_windows(uint32_t max_cells) {
  return Guarded([&]() -> absl::Status {
    RETURN_IF_ERROR(Opened());
    SetResult(FilterWindowsJson(*table->input.reader, max_cells));
    return absl::OkStatus();
  });
}

SST_EXPORT int sst_stats() {
  return Guarded([]() -> absl::Status {
    RETURN_IF_ERROR(Opened());
    const bool is_internal = table->input.keys.key_kind == KeyKind::kInternal;
    SetResult(StatsJson(CollectStats(*table->input.reader, table->input.key_trust), table->name,
                        is_internal));
    return absl::OkStatus();
  });
}

// Looks up argument 0.
SST_EXPORT int sst_lookup() {
  return Guarded([]() -> absl::Status {
    RETURN_IF_ERROR(Opened());
    SetResult(LookupJson(table->input, arguments[0], table->GetDecoder()));
    return absl::OkStatus();
  });
}

// Returns the bytes of the block at this offset with their meaning, as `sst layout --hex` prints
// them. If there is no such block, returns the footer's.
SST_EXPORT int sst_block(double offset) {
  return Guarded([&]() -> absl::Status {
    RETURN_IF_ERROR(Opened());
    CollectedText text;
    LayoutPrinter printer(*table->input.reader, table->GetLayout(), Style(/*colored=*/false),
                          &text);
    const auto wanted = static_cast<uint64_t>(offset);
    const auto& blocks = table->GetLayout().blocks;
    const auto block = std::find_if(blocks.begin(), blocks.end(), [&](const BlockInfo& info) {
      return info.handle.offset == wanted;
    });
    if (block != blocks.end()) {
      printer.PrintHex(*block);
    } else {
      printer.PrintFooterHex();
    }
    text.Flush();
    result = JsonText(text.text());
    return absl::OkStatus();
  });
}

// Finds the program that wrote the entries, as `sst dump --decode auto` does. The result is
// DecoderJson().
SST_EXPORT int sst_decoder() {
  return Guarded([]() -> absl::Status {
    RETURN_IF_ERROR(Opened());
    SetResult(DecoderJson(table->GetDecoder()));
    return absl::OkStatus();
  });
}

// Begins to page through the entries. Argument 0, if not empty, is the key to start from; argument
// 1, if not empty, must occur in each entry. `format` is 0 for jsonl and 1 for csv, both as `sst
// dump` writes them, with --decode auto if `decoded`, and with the block's offset if `with_offset`.
SST_EXPORT int sst_entries(int format, int with_offset, int decoded) {
  return Guarded([&]() -> absl::Status {
    RETURN_IF_ERROR(Opened());
    PageRequest request;
    request.format = format == 1 ? RecordFormat::kCsv : RecordFormat::kJsonl;
    request.with_offset = with_offset != 0;
    request.from = arguments[0];
    request.wanted = arguments[1];
    if (decoded != 0) request.decoder = table->GetDecoder();
    table->pages = nullptr;
    table->pages = std::make_unique<EntryPages>(&table->input, std::move(request));
    return absl::OkStatus();
  });
}

// Returns the next page: EntryPages::InfoJson(), a newline, and the page's lines.
SST_EXPORT int sst_next_entries(uint32_t max_rows, uint32_t max_bytes, uint32_t max_blocks) {
  return Guarded([&]() -> absl::Status {
    if (table == nullptr || table->pages == nullptr) return Opened();
    std::string lines;
    table->pages->Next(max_rows, max_bytes, max_blocks, &lines);
    SetResult(table->pages->InfoJson());
    absl::StrAppend(&result, "\n", lines);
    return absl::OkStatus();
  });
}

// Salvages the table as a file with the name of argument 0. The result has the lines that `sst
// salvage` prints in `lines`, and in `complete` whether nothing is lost.
SST_EXPORT int sst_salvage() {
  return Guarded([]() -> absl::Status {
    return SalvageTable([](const Salvager& salvager, bool is_written, const EntryDecoder* decoder) {
      Json lines = Json::array();
      for (const std::string& line : DescribeTableSalvage(
               salvager, arguments[0], is_written,
               "the command sst salvage --doubtful FILE saves their entries", decoder)) {
        lines.push_back(JsonText(line));
      }
      SetResult({{"complete", salvager.complete()}, {"lines", std::move(lines)}});
    });
  });
}
