// `sst dump`: the entries of tables.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "sstable/internal_key.h"
#include "table/inspect/guarded_scan.h"
#include "table/table_index.h"
#include "table/table_internals.h"
#include "tools/cli/words.h"
#include "tools/commands.h"
#include "tools/records/key_range.h"
#include "tools/records/record_writer.h"
#include "tools/records/text_encoding.h"
#include "tools/table_input.h"
#include "util/coding.h"
#include "util/escape.h"
#include "util/status_util.h"

namespace sstable::tools {
namespace {

const CommandInfo& Info() {
  static const auto* info = new CommandInfo{
      "dump",
      "print the entries of tables",
      "FILE...",
      /*min_arguments=*/1,
      /*max_arguments=*/SIZE_MAX,
      R"(Prints the entries of each FILE (- for standard input) in the table's order.
Damaged blocks are reported on standard error and skipped; the exit code is then
1.

text: key => value, or with internal keys: key @sequence : value => value
tsv, jsonl: what `sst build` reads; see there.

escaped: printable ASCII unchanged, \\ \t \n \r, and \xHH for other bytes.
utf8: the same, but text in UTF-8 unchanged.
hex, base64: as usual. In jsonl the field name shows the encoding: "key",
"key_escaped", "key_hex" or "key_base64". By default it is "key", or "key_hex"
if the bytes are not UTF-8.

--from, --to and --prefix use the same encoding (by default escaped), and refer
to user keys if the table has internal keys. If the order of the table is not
known, they compare byte by byte, and the whole table is read.)",
      R"(  sst dump 000005.ldb
  sst dump --prefix user: --limit 10 --reverse 000005.ldb
  sst dump --format jsonl *.ldb | jq -r .key
  sst dump --encoding hex --from 00ff 000005.ldb)"};
  return *info;
}

class DumpCommand final : public Command {
 public:
  const CommandInfo& info() const override { return Info(); }
  void AddOptions(CommandLine* command_line) override;
  ExitCode Run(const std::vector<std::string>& arguments, Console* console) override;

 private:
  TableInputOptions input_;
  RecordWriterOptions writer_;
  KeyRange encoded_range_;
  KeyRange range_;
  uint64_t limit_ = UINT64_MAX;
  bool reverse_ = false;
  bool no_values_ = false;

  absl::Status DecodeRange();
  ExitCode DumpFile(const std::string& path, Console* console) const;
};

// Prints one table.
class TableDumper {
 public:
  TableDumper(const InputTable& table, const KeyRange& range, const RecordWriter& writer,
              uint64_t limit, Console* console)
      : reader_(*table.reader),
        searchable_(table.searchable()),
        range_(range),
        writer_(writer),
        left_(limit),
        console_(console),
        scan_(
            &reader_, table.keys_known(), GuardedScan::Misplaced::kVisit,
            [this](const absl::Status& status) { code_ = Worst(code_, console_->Fail(status)); }) {}

  ExitCode Forward() {
    for (size_t block = FirstBlock(); block < scan_.block_count() && Wanted(); ++block) {
      const bool goes_on =
          scan_.Visit(block, [this](absl::string_view key, absl::string_view value) {
            if (searchable_ && Side(key) > 0) return false;
            Print(key, value);
            return Wanted();
          });
      if (!goes_on) break;
    }
    return End();
  }

  // Block by block from the last, so that a block's damage costs nothing but what follows it there.
  ExitCode Backward() {
    std::string bytes;  // of a block's entries: each key and its value
    std::vector<std::pair<uint32_t, uint32_t>> sizes;
    bool goes_on = true;
    for (size_t block = BlocksToEnd(); goes_on && block-- > 0 && Wanted();) {
      bytes.clear();
      sizes.clear();
      goes_on = scan_.Visit(block, [&](absl::string_view key, absl::string_view value) {
        absl::StrAppend(&bytes, key, value);
        sizes.emplace_back(key.size(), value.size());
        return true;
      });
      absl::string_view rest = bytes;
      for (auto size = sizes.rbegin(); size != sizes.rend() && Wanted(); ++size) {
        const absl::string_view value = rest.substr(rest.size() - size->second);
        rest.remove_suffix(value.size());
        const absl::string_view key = rest.substr(rest.size() - size->first);
        rest.remove_suffix(key.size());
        Print(key, value);
      }
      if (searchable_ && !sizes.empty() && Side(bytes.substr(0, sizes.front().first)) < 0) break;
    }
    return End();
  }

 private:
  const Comparator& user_comparator() const { return KeyOrderOf(reader_).user_comparator(); }
  bool Wanted() const { return left_ > 0 && !console_->closed(); }
  int Side(absl::string_view key) const {
    return range_.Side(user_comparator(), KeyOrderOf(reader_).UserKey(key));
  }

  // The first internal key of a user key.
  std::string SeekKey(const std::string& user_key) const {
    if (KeyOrderOf(reader_).kind() == KeyKind::kPlain) return user_key;
    std::string key = user_key;
    AppendFixed64(&key, SeekTag(kMaxSequence));
    return key;
  }

  // The first block that can have keys of the range.
  size_t FirstBlock() const {
    const auto start = searchable_ ? range_.SeekTarget(user_comparator()) : std::nullopt;
    size_t block = 0;
    if (scan_.block_count() == 0 || !start.has_value()) return 0;
    return IndexOf(reader_)->Find(SeekKey(*start), &block).ok() ? block : 0;
  }

  // How many blocks there are up to the last one that can have keys of the range.
  size_t BlocksToEnd() const {
    const size_t count = scan_.block_count();
    const auto end = searchable_ ? range_.End(user_comparator()) : std::nullopt;
    size_t block = 0;
    if (count == 0 || !end.has_value()) return count;
    return IndexOf(reader_)->Find(SeekKey(*end), &block).ok() ? std::min(block + 1, count) : count;
  }

  void Print(absl::string_view key, absl::string_view value) {
    if (!range_.IsWhole() &&
        !range_.Contains(user_comparator(), KeyOrderOf(reader_).UserKey(key))) {
      return;
    }
    if (!writer_.Append(key, value, console_->out())) ++odd_keys_;
    console_->Wrote();
    --left_;
  }

  ExitCode End() {
    if (odd_keys_ == 0) return code_;
    console_->Say(absl::StrCat(reader_.file().name(), ": ", Count(odd_keys_, "key"),
                               " without a tag of LevelDB (sequence and type); the keys may be "
                               "plain (--keys plain), or another program's"));
    return Worst(code_, ExitCode::kDamagedOrAbsent);
  }

  const TableReader& reader_;
  const bool searchable_;
  const KeyRange& range_;
  const RecordWriter& writer_;
  uint64_t left_;
  Console* console_;
  uint64_t odd_keys_ = 0;
  ExitCode code_ = ExitCode::kOk;
  GuardedScan scan_;  // the last, since it reports at once
};

void DumpCommand::AddOptions(CommandLine* command_line) {
  command_line->AddText("--from", "KEY", &encoded_range_.from, "First key to print");
  command_line->AddText("--to", "KEY", &encoded_range_.to, "Key to stop before; it is not printed");
  command_line->AddText("--prefix", "KEY", &encoded_range_.prefix,
                        "Print only keys that start with this");
  command_line->AddNumber("--limit", "N", {0, UINT64_MAX}, &limit_,
                          "Print at most this many entries of each FILE");
  command_line->AddFlag("--reverse", &reverse_, "Last entry first");
  command_line->AddChoice<RecordFormat>(
      "--format",
      {{"text", RecordFormat::kText}, {"tsv", RecordFormat::kTsv}, {"jsonl", RecordFormat::kJsonl}},
      &writer_.format, "Default: text");
  command_line->AddChoice<std::optional<TextEncoding>>("--encoding",
                                                       {{"escaped", TextEncoding::kEscaped},
                                                        {"utf8", TextEncoding::kUtf8},
                                                        {"hex", TextEncoding::kHex},
                                                        {"base64", TextEncoding::kBase64}},
                                                       &writer_.encoding,
                                                       "How keys and values are shown");
  command_line->AddFlag("--no-values", &no_values_, "Print only the keys");
  input_.AddTo(command_line);
}

absl::Status DumpCommand::DecodeRange() {
  const TextEncoding encoding = writer_.encoding.value_or(TextEncoding::kEscaped);
  const auto decode = [encoding](absl::string_view option, const std::optional<std::string>& text,
                                 std::optional<std::string>* bytes) -> absl::Status {
    if (!text.has_value()) return absl::OkStatus();
    absl::StatusOr<std::string> decoded = Decode(encoding, *text);
    if (!decoded.ok()) return AtPlace(option, decoded.status());
    *bytes = *std::move(decoded);
    return absl::OkStatus();
  };
  RETURN_IF_ERROR(decode("option --from", encoded_range_.from, &range_.from));
  RETURN_IF_ERROR(decode("option --to", encoded_range_.to, &range_.to));
  return decode("option --prefix", encoded_range_.prefix, &range_.prefix);
}

ExitCode DumpCommand::DumpFile(const std::string& path, Console* console) const {
  const absl::StatusOr<InputTable> table = OpenTable(path, input_, console);
  if (!table.ok()) return console->Fail(table.status());
  if (!table->searchable() && !range_.IsWhole()) {
    console->Say(absl::StrCat(table->reader->file().name(), ": ", table->WhyNotSearchable(),
                              ", so all of it is read"));
  }
  RecordWriterOptions writer_options = writer_;
  writer_options.key_kind = KeyOrderOf(*table->reader).kind();
  const RecordWriter writer(writer_options);
  TableDumper dumper(*table, range_, writer, limit_, console);
  return reverse_ ? dumper.Backward() : dumper.Forward();
}

ExitCode DumpCommand::Run(const std::vector<std::string>& arguments, Console* console) {
  if (const absl::Status status = DecodeRange(); !status.ok()) return console->Fail(status);
  writer_.values = !no_values_;
  writer_.style = console->output_style();
  if (console->output_is_terminal()) console->progress().Disable();
  ExitCode code = ExitCode::kOk;
  for (const std::string& path : arguments) {
    if (console->closed()) break;
    if (arguments.size() > 1 && writer_.format == RecordFormat::kText) {
      const absl::string_view gap = path == arguments.front() ? "" : "\n";
      console->Write(absl::StrCat(gap, "==> ", EscapeControls(InputName(path)), " <==\n"));
    }
    code = Worst(code, DumpFile(path, console));
  }
  return code;
}

}  // namespace

std::unique_ptr<Command> NewDumpCommand() { return std::make_unique<DumpCommand>(); }

}  // namespace sstable::tools
