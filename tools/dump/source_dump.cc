#include "tools/dump/source_dump.h"

#include <algorithm>
#include <atomic>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "decode/entry_query.h"
#include "report/text/text_encoding.h"
#include "report/text/words.h"
#include "sstable/internal_key.h"
#include "tools/cli/common_options.h"
#include "tools/dump/dumps.h"
#include "tools/dump/sample.h"
#include "tools/files/decoder_option.h"
#include "tools/files/file_runner.h"
#include "util/escape.h"
#include "util/status_util.h"

namespace sstable::tools {

void SourceDump::AddTo(CommandLine* command_line, const std::string& verbose_names) {
  command_line->AddNumber(
      "--limit", "N", {0, entries.sample ? kMaxSample : UINT64_MAX}, &entries.limit,
      entries.sample
          ? absl::StrCat(kLimitHelp, ". With --history, the versions of this many keys. Default: ",
                         entries.limit)
          : kLimitHelp);
  command_line->AddChoice<RecordFormat>("--format",
                                        {{"text", RecordFormat::kText},
                                         {"tsv", RecordFormat::kTsv},
                                         {"jsonl", RecordFormat::kJsonl},
                                         {"csv", RecordFormat::kCsv}},
                                        &entries.writer.format,
                                        std::string(kFormatHelp) + "Default: text",
                                        {{"json", RecordFormat::kJsonl}});
  AddEncodingTo(command_line, &entries.writer.encoding,
                "raw, in csv, has no escapes. Default: utf8 in csv, key and key_hex in jsonl, else "
                "escaped",
                /*has_csv=*/true);
  command_line->AddFlag("--csv-guard", &entries.writer.guard_formulas,
                        "In csv, put ' before what a spreadsheet would take for a formula. That is "
                        "a key or value that begins with =, +, - or @");
  command_line->AddFlag("--no-header", &no_header, kNoHeaderHelp);
  command_line->AddFlag("--no-values", &no_values, "Print only the keys");
  command_line->AddFlag(
      "--history", &history,
      "Every version of each key of a database, not only the live ones. Shown with "
      "its sequence, type, file and offset, and whether it is live");
  command_line->AddNumber(
      "--snapshot", "SEQUENCE", {0, kMaxSequence}, &entries.snapshot,
      "Ignore versions with a higher sequence. Only for databases; --files then adds the "
      "folder's name");
  command_line->AddFlag("--files", &entries.writer.file, "Add the file's name to each entry");
  AddDecodeTo(command_line, &entries.decode);
  command_line->AddText("--where", "CONDITION", &where,
                        "Print only decoded entries for which this is true. For example, "
                        "'value.user.id = 7'. --decode is auto if it is not given");
  command_line->AddText("--select", "PATHS", &select,
                        "Print these parts of decoded entries. They replace key and value; for "
                        "example, key.store,value.user.id");
  AddThreadsTo(command_line, &threads);
  input.AddTo(command_line, "", verbose_names);
}

DumpResult SourceDump::DumpOne(const InputFile& file, uint64_t file_threads,
                               Console* console) const {
  if (!file.status.ok()) return {console->Fail(file.status), 0};
  if ((history || entries.snapshot.has_value()) && file.role != FileRole::kDatabase) {
    return {console->Fail(absl::InvalidArgumentError(
                absl::StrCat(file.name, ": is not a database; ",
                             history ? "--history" : "--snapshot", " applies only to databases"))),
            0};
  }
  if (entries.sample && (file.role == FileRole::kLog || file.role == FileRole::kManifest)) {
    return {console->Fail(absl::InvalidArgumentError(
                absl::StrCat(file.name,
                             ": is a database's log or MANIFEST; `sst sample` takes tables and "
                             "databases, and `sst dump` prints all of it"))),
            0};
  }
  if (records == LogRecords::kRaw) return DumpRawLog(file, entries, console);
  switch (file.role) {
    case FileRole::kDatabase:
      return DumpDatabase(file.path, input, entries, history ? Versions::kAll : Versions::kLive,
                          file_threads, console);
    case FileRole::kLog:
      return DumpLog(file, entries, console);
    case FileRole::kManifest:
      return DumpManifest(file, entries.writer.format, console);
    case FileRole::kTable:
    case FileRole::kOther:
      break;
  }
  return DumpTable(file, input, entries, file_threads, console);
}

namespace {

// Removes MANIFESTs from the inputs. Returns InvalidArgument if there is nothing else.
absl::Status RemoveManifests(InputFiles* inputs) {
  std::vector<InputFile>& files = inputs->files;
  const auto is_manifest = [](const InputFile& file) { return file.role == FileRole::kManifest; };
  const auto others = std::remove_if(files.begin(), files.end(), is_manifest);
  if (others == files.begin() && !files.empty()) {
    return absl::InvalidArgumentError("a MANIFEST has edits, not entries");
  }
  files.erase(others, files.end());
  return absl::OkStatus();
}

}  // namespace

absl::Status SourceDump::ParseQuery() {
  if (!where.has_value() && !select.has_value()) return absl::OkStatus();
  if (entries.decode == DecodedProgram::kNone) entries.decode = DecodedProgram::kAuto;
  if (select.has_value()) {
    auto paths = EntryPath::ParseList(*select);
    if (!paths.ok()) return AtPlace("option --select", paths.status());
    if (no_values) return absl::InvalidArgumentError("--select can't be combined with --no-values");
    entries.writer.select = *std::move(paths);
  }
  if (!where.has_value()) return absl::OkStatus();
  auto condition = EntryCondition::Parse(*where);
  if (!condition.ok()) return AtPlace("option --where", condition.status());
  entries.matches = [this, condition = *std::move(condition), also = std::move(entries.matches)](
                        absl::string_view key, absl::string_view value,
                        const EntryDecoder* decoder) {
    if (also != nullptr && !also(key, value, decoder)) return false;
    const DecodedEntry entry = decoder == nullptr ? DecodedEntry() : decoder->Decode(key, value);
    const EntryCondition::Answer answer = condition.Judge(entry, !value.empty());
    if (answer == EntryCondition::Answer::kUnknown) ++unjudged_;
    return answer == EntryCondition::Answer::kYes;
  };
  return absl::OkStatus();
}

DumpResult SourceDump::Run(InputFiles inputs, bool has_headings, Console* console) {
  if (const absl::Status status = ParseQuery(); !status.ok()) return {console->Fail(status), 0};
  RecordWriterOptions& writer = entries.writer;
  if (entries.matches != nullptr) {
    const absl::Status status = RemoveManifests(&inputs);
    if (!status.ok()) return {console->Fail(status), 0};
    if (inputs.files.size() > 1 && shown == Shown::kEntries && !has_headings) writer.file = true;
  }
  writer.decoded = entries.decode != DecodedProgram::kNone;
  const bool shows_decoded = select.has_value() || (writer.decoded && !where.has_value());
  if (shows_decoded && writer.format == RecordFormat::kTsv) {
    return {console->Fail(absl::InvalidArgumentError(
                "--decode and --select are for text, jsonl and csv; tsv has only the bytes")),
            0};
  }
  if ((writer.guard_formulas || no_header) && writer.format != RecordFormat::kCsv) {
    return {console->Fail(absl::InvalidArgumentError(absl::StrCat(
                no_header ? "--no-header" : "--csv-guard", " is an option of --format csv"))),
            0};
  }
  if (const absl::Status status =
          CheckEncoding(writer.encoding, writer.format == RecordFormat::kCsv);
      !status.ok()) {
    return {console->Fail(status), 0};
  }
  writer.values = !no_values && !select.has_value();
  writer.decoded = writer.decoded && !select.has_value();
  writer.style = console->output_style();
  if (history) writer.live = writer.file = writer.offset = true;
  const bool many = inputs.files.size() > 1;
  has_headings = has_headings && many && writer.format == RecordFormat::kText;
  entries.print = shown == Shown::kEntries;
  if (entries.print && !no_header) RecordWriter(writer).AppendHeader(console->out());
  std::atomic<uint64_t> printed{0};
  const auto dump = [&](const InputFile& file, Console* own) {
    if (has_headings) {
      own->Write(absl::StrCat(&file == &inputs.files.front() ? "" : "\n", "==> ",
                              EscapeControls(file.name), " <==\n"));
    }
    const DumpResult result = DumpOne(file, threads.ForEachOf(inputs.files.size()), own);
    printed += result.printed;
    const std::string name = EscapeControls(file.name);
    // A count is printed even after damage, but not if the file can't be read.
    if (shown == Shown::kCount && (result.code != ExitCode::kCannot || result.printed > 0)) {
      own->Write(absl::StrCat(many ? absl::StrCat(name, ":") : "", result.printed, "\n"));
    } else if (shown == Shown::kName && result.printed > 0) {
      own->Write(absl::StrCat(name, "\n"));
    }
    return result.code;
  };
  const std::vector<ExitCode> codes = RunOnFiles(inputs.files, threads.jobs(), dump, console);
  FilesSummary summary;
  summary.Add(inputs.files, codes);
  if (many && summary.worst() != ExitCode::kOk) {
    console->SayRaw(summary.Text(console->message_style()));
  }
  ExitCode code = summary.worst();
  if (unjudged_ > 0) {
    code = Worst(code, console->Fail(absl::DataLossError(absl::StrCat(
                           "--where: ", Count(unjudged_, "entry"),
                           " not printed, because the part that decides could not be decoded"))));
  }
  return {code, printed};
}

}  // namespace sstable::tools
