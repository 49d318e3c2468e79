// `sst get`: looks up a key in one or more tables.
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
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "db/folder.h"
#include "decode/choose_decoder.h"
#include "report/text/text_encoding.h"
#include "sstable/check.h"
#include "sstable/database_view.h"
#include "table/block/key_order.h"
#include "table/inspect/block_identity.h"
#include "table/table_internals.h"
#include "tools/cli/common_options.h"
#include "tools/commands/commands.h"
#include "tools/files/database_input.h"
#include "tools/files/decoder_option.h"
#include "tools/files/exhaustive_lookup.h"
#include "tools/files/explain_lookup.h"
#include "tools/files/input_files.h"
#include "tools/files/open_table.h"
#include "util/descriptor.h"
#include "util/escape.h"
#include "util/status_util.h"
#include "util/system.h"

namespace sstable::tools {
namespace {

const CommandInfo& Info() {
  static const auto* info = new CommandInfo{
      "get",
      "print the value of a key",
      "PATH... KEY",
      /*min_arguments=*/2,
      /*max_arguments=*/SIZE_MAX,
      R"(Looks up KEY and prints its value: the exact bytes, or text on a terminal. PATH is
a table, a database's folder, or another folder, for the tables in it. With
plain keys, the value is that of the first table with KEY. With internal keys,
KEY is a user key, and the newest version in all PATHs counts, as in a database;
it may be a deletion.

If KEY is absent or deleted, nothing is printed and the exit code is 1.
If a table does not show the order or the kind of its keys, all of it is read,
and KEY may be a whole key or a user key.

Before KEY is reported as absent, the data blocks to which it belongs are read
without the filter, and all blocks if the tables have at most 16 MiB together.
If KEY is found there although a lookup misses it, or in a block that is not in
its place, its value is printed and the exit code is 1.

--decode prints the decoded value of a known program; see `sst dump --help`. KEY
is not decoded.

Write -- before PATH if KEY starts with a dash.)",
      R"(  sst get fruit.ldb banana
  sst get ~/.config/app/leveldb 'user:17'
  sst get --explain 000005.ldb 'user:17\x00'
  sst get --encoding hex --format text 000005.ldb 00ff
  sst get --snapshot 1200 *.ldb apple)"};
  return *info;
}

enum class ValueFormat {
  kAuto,
  kRaw,
  kText,
  // Old: text in this encoding, whatever that of KEY is.
  kEscaped,
  kUtf8,
  kHex,
  kBase64,
};

class GetCommand final : public Command {
 public:
  const CommandInfo& info() const override { return Info(); }
  void AddOptions(CommandLine* command_line) override;
  ExitCode Run(const std::vector<std::string>& arguments, Console* console) override;

 private:
  ExhaustiveLookup::FoundVersion Search(const TableReader& reader, const LookupTarget& wanted,
                                        Console* console) const;
  // These two also decode what they find; `*decoded` stays empty if it can't be decoded.
  ExhaustiveLookup::FoundVersion LookUp(const InputFile& file, const LookupTarget& wanted,
                                        ExhaustiveLookup* exhaustive, ValueTree* decoded,
                                        Console* console);
  ExhaustiveLookup::FoundVersion LookUpInDatabase(const std::string& folder,
                                                  const LookupTarget& wanted, ExitCode* code,
                                                  ValueTree* decoded, Console* console);
  ExhaustiveLookup::FoundVersion LookUpInTable(const OpenedTable& table, const LookupTarget& wanted,
                                               ExhaustiveLookup* exhaustive, Console* console);
  void PrintValue(absl::string_view value, Console* console) const;

  TableInputOptions input_;
  std::optional<TextEncoding> encoding_;
  ValueFormat format_ = ValueFormat::kAuto;
  std::optional<uint64_t> snapshot_;
  bool explain_ = false;
  DecodedProgram decode_ = DecodedProgram::kNone;
};

void GetCommand::AddOptions(CommandLine* command_line) {
  AddEncodingTo(command_line, &encoding_,
                "KEY is given in this form, by default escaped: \\\\ \\t \\n \\r and \\xHH. With "
                "--format text, the value is printed in it");
  command_line->AddChoice<ValueFormat>(
      "--format", {{"raw", ValueFormat::kRaw}, {"text", ValueFormat::kText}}, &format_,
      kFormatHelp + std::string("text adds a line end. Default: raw; on a terminal, text, in utf8"),
      {{"escaped", ValueFormat::kEscaped},
       {"utf8", ValueFormat::kUtf8},
       {"hex", ValueFormat::kHex},
       {"base64", ValueFormat::kBase64}});
  command_line->AddParsed(
      "--snapshot", "SEQUENCE",
      [this](const std::string& text) {
        const absl::StatusOr<uint64_t> sequence = ParseNumber(text, {0, kMaxSequence});
        if (sequence.ok()) snapshot_ = *sequence;
        return sequence.status();
      },
      "Ignore versions with a higher sequence");
  command_line->AddFlag(
      "--explain", &explain_,
      "Show each step of the lookup, on standard error. In a database these are logs "
      "and levels, in a table index, filter, bits checked, block, and bytes read");
  AddDecodeTo(command_line, &decode_);
  input_.AddTo(command_line);
}

ExhaustiveLookup::FoundVersion GetCommand::Search(const TableReader& reader,
                                                  const LookupTarget& wanted,
                                                  Console* console) const {
  const std::string target = wanted.Target(reader);
  ExhaustiveLookup::FoundVersion found = std::optional<Version>();
  const ReaderStats before = reader.stats();
  const absl::Status status =
      reader.InternalGet(target, [&](absl::string_view entry_key, absl::string_view value) {
        const KeyOrder& order = KeyOrderOf(reader);
        if (order.user_comparator().Compare(order.UserKey(entry_key), wanted.key) != 0) return;
        found = ReadVersion(reader, order.kind(), entry_key, value);
      });
  if (explain_) {
    ExplainLookup(reader, target, reader.stats().bytes_read - before.bytes_read, console);
  }
  if (!status.ok()) return status;
  return found;
}

ValueTree DecodeFound(const EntryDecoder* decoder, absl::string_view key,
                      const ExhaustiveLookup::FoundVersion& found) {
  if (decoder == nullptr || !found.ok() || !found->has_value()) return {};
  return decoder->Decode(key, (*found)->value).value;
}

ExhaustiveLookup::FoundVersion GetCommand::LookUp(const InputFile& file, const LookupTarget& wanted,
                                                  ExhaustiveLookup* exhaustive, ValueTree* decoded,
                                                  Console* console) {
  ASSIGN_OR_RETURN(const OpenedTable table, OpenTable(file, input_, console));
  const auto decoder = DecoderFor(decode_, *table.reader, console);
  ExhaustiveLookup::FoundVersion found = LookUpInTable(table, wanted, exhaustive, console);
  *decoded = DecodeFound(decoder.get(), wanted.key, found);
  return found;
}

ExhaustiveLookup::FoundVersion GetCommand::LookUpInTable(const OpenedTable& table,
                                                         const LookupTarget& wanted,
                                                         ExhaustiveLookup* exhaustive,
                                                         Console* console) {
  const TableReader& reader = *table.reader;
  const bool is_plain = KeyOrderOf(reader).kind() == KeyKind::kPlain;
  if (wanted.snapshot.has_value() && is_plain) {
    return absl::InvalidArgumentError(
        absl::StrCat(reader.file().name(), ": has plain keys, so --snapshot does not apply"));
  }
  RETURN_IF_ERROR(reader.LoadIndex());
  const bool is_kind_open = wanted.IsKindOpen(table);
  ExhaustiveLookup::FoundVersion found = std::optional<Version>();
  if (!table.searchable()) {
    found = exhaustive->SearchAll(table, table.why_not_searchable);
  } else if (is_kind_open) {
    if (explain_) ExplainLookup(reader, wanted.Target(reader), 0, console);
    found = exhaustive->SearchAll(table, "it does not show what kind of keys it has");
  } else {
    found = Search(reader, wanted, console);
    if (absl::IsDataLoss(found.status())) return exhaustive->Confirm(table, found);
  }
  const bool is_final = !found.ok() || (found->has_value() && (*found)->sequence == kMaxSequence);
  if (is_final) return found;
  // The index may fail to lead to the key, or to a newer version of it.
  const absl::Status index_status = TableVerifier(&reader, KeyTrust::kUnknown).index_status();
  if (!index_status.ok() && !(found->has_value() && (*found)->is_suspect)) {
    return exhaustive->DespiteDamage(*std::move(found), index_status);
  }
  if (!table.searchable() || is_kind_open) return found;
  return exhaustive->Confirm(table, *std::move(found));
}

// Looks up the newest version of the key in a database. Sets `*code` if there is damage, which may
// hide a newer one.
ExhaustiveLookup::FoundVersion GetCommand::LookUpInDatabase(const std::string& folder,
                                                            const LookupTarget& wanted,
                                                            ExitCode* code, ValueTree* decoded,
                                                            Console* console) {
  ASSIGN_OR_RETURN(DatabaseInput database, DatabaseInput::Open(folder, input_, console));
  const auto decoder = DecoderFor(decode_, database.view(), console);
  if (explain_) RETURN_IF_ERROR(ExplainLookup(database.view(), wanted, input_, console));
  const auto it = database.view().NewHistoryIterator(database.ReadOptions());
  std::optional<Version> found;
  for (it->Seek(wanted.key); it->Valid() && it->entry().key == wanted.key; it->Next()) {
    const HistoryIterator::Entry& entry = it->entry();
    if (entry.sequence > wanted.snapshot.value_or(kMaxSequence)) continue;
    found.emplace();
    found->sequence = entry.sequence;
    found->deleted = entry.type == ValueType::kDeletion;
    found->value = std::string(entry.value);
    found->file = PathIn(folder, entry.file);
    break;
  }
  RETURN_IF_ERROR(it->status());
  *code = Worst(*code, database.code());
  *decoded = DecodeFound(decoder.get(), wanted.key, found);
  return found;
}

void GetCommand::PrintValue(absl::string_view value, Console* console) const {
  ValueFormat format = format_;
  if (format == ValueFormat::kAuto) {
    format = !console->output_is_terminal() ? ValueFormat::kRaw
             : encoding_.has_value()        ? ValueFormat::kText
                                            : ValueFormat::kUtf8;
  }
  switch (format) {
    case ValueFormat::kAuto:
    case ValueFormat::kRaw:
      console->Write(value);
      return;
    case ValueFormat::kText:
      AppendEncoded(encoding_.value_or(TextEncoding::kEscaped), value, console->out());
      break;
    case ValueFormat::kEscaped:
      AppendEncoded(TextEncoding::kEscaped, value, console->out());
      break;
    case ValueFormat::kUtf8:
      AppendEncoded(TextEncoding::kUtf8, value, console->out());
      break;
    case ValueFormat::kHex:
      AppendEncoded(TextEncoding::kHex, value, console->out());
      break;
    case ValueFormat::kBase64:
      AppendEncoded(TextEncoding::kBase64, value, console->out());
      break;
  }
  console->Write("\n");
}

// Shows a hint if PATH does not exist, but KEY is a file's name.
void HintAtOrder(const absl::Status& status, const std::vector<std::string>& arguments,
                 Console* console) {
  FileInfo info;
  if (!absl::IsNotFound(status) || !StatFile(arguments.back(), &info)) return;
  console->Say(absl::StrCat(arguments.back(),
                            " is a file, given where KEY is expected: `sst get PATH KEY`"));
}

ExitCode GetCommand::Run(const std::vector<std::string>& arguments, Console* console) {
  const absl::StatusOr<std::string> key =
      Decode(encoding_.value_or(TextEncoding::kEscaped), arguments.back());
  if (!key.ok()) return console->Fail(AtPlace("KEY", key.status()));
  if (format_ > ValueFormat::kText) {
    console->Say(
        "--format with an encoding is old: use --format text with --encoding, which is also that "
        "of KEY");
  }
  ExitCode code = ExitCode::kOk;
  const LookupTarget wanted = {*key, snapshot_};
  ExhaustiveLookup exhaustive(wanted, console);
  bool was_read = false;  // at least a part of one file was read
  std::optional<Version> newest;
  ValueTree decoded;
  const InputFiles inputs = FindInputFiles(absl::MakeSpan(arguments).first(arguments.size() - 1),
                                           WantedFiles::kDatabases, console);
  for (const InputFile& file : inputs.files) {
    ExhaustiveLookup::FoundVersion found = std::optional<Version>();
    ValueTree found_decoded;
    if (!file.status.ok()) {
      found = file.status;
    } else if (file.role == FileRole::kDatabase) {
      found = LookUpInDatabase(file.path, wanted, &code, &found_decoded, console);
    } else if (file.role == FileRole::kTable) {
      found = LookUp(file, wanted, &exhaustive, &found_decoded, console);
    } else {
      found = absl::InvalidArgumentError(
          absl::StrCat(file.name, ": is part of a database; keys are looked up in its folder"));
    }
    const ExitCode failure = found.ok() ? ExitCode::kOk : console->Fail(found.status());
    was_read = was_read || failure != ExitCode::kCannot;
    if (!found.ok()) {
      code = Worst(code, failure);
      HintAtOrder(found.status(), arguments, console);
      continue;
    }
    if (!found->has_value()) continue;
    if ((*found)->is_suspect) code = Worst(code, ExitCode::kDamagedOrAbsent);
    if ((*found)->is_read_failed) code = Worst(code, ExitCode::kCannot);
    if (!newest.has_value() || newest->sequence < (*found)->sequence) {
      newest = *std::move(found);
      decoded = std::move(found_decoded);
    }
    if (newest->sequence == kMaxSequence) break;  // plain keys have one version
  }
  if (!newest.has_value()) {
    if (!was_read && !inputs.files.empty()) return code;
    const std::string where = code != ExitCode::kOk   ? "what could be read"
                              : arguments.size() == 2 ? InputName(arguments[0])
                                                      : "any of the files";
    console->Say(absl::StrCat(ShowBytes(*key), " is not in ", where,
                              exhaustive.assumption().empty() ? "" : ", by ",
                              exhaustive.assumption()));
    return Worst(code, ExitCode::kDamagedOrAbsent);
  }
  if (newest->deleted) {
    console->Say(absl::StrCat(ShowBytes(*key), " is deleted, at sequence ", newest->sequence,
                              " in ", newest->file));
    return Worst(code, ExitCode::kDamagedOrAbsent);
  }
  if (decoded.empty()) {
    PrintValue(newest->value, console);
  } else {
    decoded.AppendJson(console->out());
    console->Write("\n");
  }
  return code;
}

}  // namespace

std::unique_ptr<Command> NewGetCommand() { return std::make_unique<GetCommand>(); }

}  // namespace sstable::tools
