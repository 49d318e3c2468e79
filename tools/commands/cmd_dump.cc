// `sst dump`: prints the entries of tables.
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "report/text/text_encoding.h"
#include "tools/commands/commands.h"
#include "tools/dump/source_dump.h"
#include "tools/files/input_files.h"
#include "tools/records/key_range.h"
#include "util/status_util.h"

namespace sstable::tools {
namespace {

const CommandInfo& Info() {
  static const auto* info = new CommandInfo{
      "dump",
      "print the entries of tables and databases",
      "PATH...",
      /*min_arguments=*/1,
      /*max_arguments=*/SIZE_MAX,
      R"(Prints the entries of each PATH: a table, log or MANIFEST, a folder, or standard
input (-). Damage is reported on standard error and skipped; the exit code is
then 1.

a database's folder  the live entries, as its program would see them, or with
                     --history all versions. No lock is taken, nothing is
                     written, and the program may be running
another folder       the entries of each table in it
a table              all of its entries
000012.log           the batches of changes that a database has logged
MANIFEST-000004      the edits to its list of tables (text and jsonl only)

text: key => value, or with internal keys: key @sequence : value => value
tsv, jsonl, csv: what `sst build` reads; see there. Sequences and offsets above
2^53 are strings in jsonl.
csv: RFC 4180, with a header line: key,sequence,type,value. A spreadsheet takes a
field that begins with =, +, - or @ for a formula, unless --csv-guard is given.
With --history, --files, --decode or --where there are more columns: live, file,
offset (of the block or log record in the file), decoded_key and decoded_value.

escaped: printable ASCII unchanged, \\ \t \n \r, and \xHH for other bytes.
utf8: like escaped, but with valid UTF-8 unchanged.
raw: the bytes as they are, as other programs expect them; only in csv.
hex, base64: as usual. In jsonl the field name shows the encoding: "key",
"key_escaped", "key_hex" or "key_base64". By default it is "key", or "key_hex"
if the bytes are not UTF-8; csv is in utf8 by default.

With --decode, keys and values of known programs are decoded: text shows them
instead of the bytes, and jsonl and csv have them as well, in "decoded_key" and
"decoded_value". Undocumented forms stay as stored. chromium: IndexedDB, Local and
Session Storage, extensions, Protocol Buffers; bedrock: worlds of Minecraft;
bitcoin: Bitcoin Core's chainstate, block index and txindex, with the obfuscation
key found there applied; y-leveldb: documents of Yjs; tensorflow: the .index of a
checkpoint; json: JSON under text keys, as in classic-level.
--where and --select refer to parts of decoded entries: key.store, value.user.id,
value.list[0], value["a b"]. A condition compares them (= != < <= > >=) with a
number or string of JSON, true, false or null, and may have `and`, `or` and `not`.
A path alone is true if the part is there. Entries of which the part that decides
can't be decoded are counted at the end; the exit code is then 1. See
decode/README.md.

--from, --to and --prefix use the same encoding (by default escaped), and refer
to user keys if the table has internal keys. If the order of the table is not
known, they compare bytes, and the whole table is read.)",
      R"(  sst dump --format csv ~/.config/app/leveldb >entries.csv
  sst dump --history --format jsonl leveldb/ | jq 'select(.live | not)'
  sst dump --prefix user: --limit 10 --reverse 000005.ldb
  sst dump --where 'value.user.id = 7' --select key.store,value.user leveldb/)"};
  return *info;
}

class DumpCommand final : public Command {
 public:
  const CommandInfo& info() const override { return Info(); }
  void AddOptions(CommandLine* command_line) override;
  ExitCode Run(const std::vector<std::string>& arguments, Console* console) override;

 private:
  SourceDump dump_;
  KeyRange encoded_range_;

  absl::Status DecodeRange();
};

void DumpCommand::AddOptions(CommandLine* command_line) {
  command_line->AddText("--from", "KEY", &encoded_range_.from, "First key to print");
  command_line->AddText("--to", "KEY", &encoded_range_.to, "Key to stop before. It is not printed");
  command_line->AddText("--prefix", "KEY", &encoded_range_.prefix,
                        "Print only keys that start with this");
  command_line->AddFlag("--reverse", &dump_.entries.reverse, "Last entry first");
  command_line->AddChoice<LogRecords>(
      "--records", {{"batches", LogRecords::kBatches}, {"raw", LogRecords::kRaw}}, &dump_.records,
      "How to read logs. raw: each record, whatever it is, as a value without a key, also in logs "
      "of other programs, such as exports of Firestore and Datastore. Default: batches");
  dump_.AddTo(command_line);
}

absl::Status DumpCommand::DecodeRange() {
  const TextEncoding encoding =
      OutsideOfCsv(dump_.entries.writer.encoding.value_or(TextEncoding::kEscaped));
  const auto decode = [encoding](absl::string_view option, const std::optional<std::string>& text,
                                 std::optional<std::string>* bytes) -> absl::Status {
    if (!text.has_value()) return absl::OkStatus();
    absl::StatusOr<std::string> decoded = Decode(encoding, *text);
    if (!decoded.ok()) return AtPlace(option, decoded.status());
    *bytes = *std::move(decoded);
    return absl::OkStatus();
  };
  RETURN_IF_ERROR(decode("option --from", encoded_range_.from, &dump_.entries.range.from));
  RETURN_IF_ERROR(decode("option --to", encoded_range_.to, &dump_.entries.range.to));
  return decode("option --prefix", encoded_range_.prefix, &dump_.entries.range.prefix);
}

ExitCode DumpCommand::Run(const std::vector<std::string>& arguments, Console* console) {
  if (const absl::Status status = DecodeRange(); !status.ok()) return console->Fail(status);
  if (console->output_is_terminal()) console->progress().Disable();
  const InputFiles inputs = FindInputFiles(arguments, WantedFiles::kDatabases, console);
  return dump_.Run(inputs, /*has_headings=*/true, console).code;
}

}  // namespace

std::unique_ptr<Command> NewDumpCommand() { return std::make_unique<DumpCommand>(); }

}  // namespace sstable::tools
