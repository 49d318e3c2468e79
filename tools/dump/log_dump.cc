#include <cstdint>
#include <memory>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "report/json.h"
#include "report/text/fields.h"
#include "report/text/words.h"
#include "sstable/comparator.h"
#include "sstable/database_files.h"
#include "sstable/experimental/log_file.h"
#include "sstable/experimental/write_batch.h"
#include "table/block/show_key.h"
#include "tools/dump/dumps.h"
#include "tools/files/decoder_option.h"
#include "tools/files/input_files.h"
#include "util/status_util.h"

namespace sstable::tools {
namespace {

// Passes each record of a log to `visit`, until it returns an error or nothing more is wanted.
// Reports damage, including damaged records, and a torn end.
ExitCode ReadLog(const InputFile& input, Console* console,
                 absl::FunctionRef<absl::Status(absl::string_view record, uint64_t offset)> visit) {
  const auto file = OpenToRead(input);
  if (!file.ok()) return console->Fail(file.status());
  console->progress().Begin(input.name, (*file)->size());
  LogReaderOptions options;
  options.resume_within_block = true;
  LogReader log(file->get(), options);
  ExitCode code = ExitCode::kOk;
  while (!console->closed() && log.Next()) {
    console->progress().Advance(log.record().size());
    const std::string place = absl::StrCat(input.name, ": record at offset ", log.record_offset());
    code = Worst(code, console->Fail(AtPlace(place, visit(log.record(), log.record_offset()))));
  }
  const auto say = [&](const LogDrop& drop) {
    console->Say(absl::StrCat(input.name, ": ", Count(drop.size, "byte"), " at offset ",
                              drop.offset, ": ", drop.message));
  };
  for (const LogDrop& drop : log.damage()) say(drop);
  if (log.drop_count() > 0) code = Worst(code, ExitCode::kDamagedOrAbsent);
  if (log.torn_end().has_value()) say(*log.torn_end());
  return Worst(code, console->Fail(log.status()));
}

// The puts in a log that can be read.
class LogSource final : public EntrySource {
 public:
  explicit LogSource(const InputFile* input) : input_(input) {}

  void Visit(absl::string_view from, EntryVisitor visit) const override {
    const auto file = OpenToRead(*input_);
    if (!file.ok() || !from.empty()) return;
    LogReader log(file->get());
    bool wants_more = true;
    while (wants_more && log.Next()) {
      const absl::Status no_matter =
          VisitWriteBatch(log.record(), [&](const BatchChange& change) -> absl::Status {
            const bool is_value = change.type == ValueType::kValue;
            if (wants_more && is_value) wants_more = visit(change.key, change.value);
            return absl::OkStatus();
          });
    }
  }

 private:
  const InputFile* const input_;
};

void AddTable(const TableFile& table, Fields* fields) {
  fields->Add("new table", absl::StrCat("level ", table.level, ", ", TableFileName(table.number),
                                        ", ", Count(table.size, "byte"), ", ",
                                        ShowKey(KeyKind::kInternal, table.smallest), " to ",
                                        ShowKey(KeyKind::kInternal, table.largest)));
}

std::string EditText(const VersionEdit& edit, uint64_t offset, const Style& style) {
  Fields fields(15, style);
  const auto add = [&fields](absl::string_view label, const auto& field) {
    if (field.has_value()) fields.Add(label, absl::StrCat(*field));
  };
  if (edit.comparator.has_value()) fields.Add("comparator", ShowBytes(*edit.comparator));
  add("log number", edit.log_number);
  add("previous log", edit.previous_log_number);
  add("next number", edit.next_file_number);
  add("last sequence", edit.last_sequence);
  for (const auto& [level, key] : edit.compact_pointers) {
    fields.Add("compact pointer",
               absl::StrCat("level ", level, ", ", ShowKey(KeyKind::kInternal, key)));
  }
  for (const auto& [level, number] : edit.deleted_files) {
    fields.Add("deleted table", absl::StrCat("level ", level, ", ", TableFileName(number)));
  }
  for (const TableFile& table : edit.new_files) AddTable(table, &fields);
  return absl::StrCat("edit at offset ", offset, "\n", fields.text());
}

Json EditJson(const VersionEdit& edit, uint64_t offset) {
  Json json = {{"offset", offset}};
  const auto add = [&json](const char* name, const auto& field) {
    if (field.has_value()) json[name] = *field;
  };
  if (edit.comparator.has_value()) json["comparator"] = JsonText(*edit.comparator);
  add("log_number", edit.log_number);
  add("previous_log_number", edit.previous_log_number);
  add("next_file_number", edit.next_file_number);
  add("last_sequence", edit.last_sequence);
  for (const auto& [level, key] : edit.compact_pointers) {
    Json pointer = {{"level", level}};
    SetInternalKey("key", key, &pointer);
    json["compact_pointers"].push_back(std::move(pointer));
  }
  for (const auto& [level, number] : edit.deleted_files) {
    json["deleted_files"].push_back({{"level", level}, {"number", number}});
  }
  for (const TableFile& table : edit.new_files) {
    Json file = {{"level", table.level}, {"number", table.number}, {"size", table.size}};
    SetInternalKey("smallest", table.smallest, &file);
    SetInternalKey("largest", table.largest, &file);
    json["new_files"].push_back(std::move(file));
  }
  return json;
}

DumpResult Refuse(const InputFile& input, absl::string_view why, Console* console) {
  return {console->Fail(absl::InvalidArgumentError(absl::StrCat(input.name, ": ", why))), 0};
}

// In jsonl, an entry of a log is printed with its file and offset.
EntryOptions PlacedIfJsonl(EntryOptions options) {
  if (options.writer.format == RecordFormat::kJsonl) {
    options.writer.file = options.writer.offset = true;
  }
  return options;
}

}  // namespace

DumpResult DumpLog(const InputFile& input, const EntryOptions& options, Console* console) {
  if (options.reverse) return Refuse(input, "is a log, to which --reverse does not apply", console);
  const EntryOptions placed = PlacedIfJsonl(options);
  EntryPrinter printer(
      placed, KeyKind::kInternal, console,
      DecoderFor(options.decode, input.name, std::make_shared<LogSource>(&input), console));
  const auto print = [&](absl::string_view record, uint64_t offset) -> absl::Status {
    if (!printer.Wanted()) return absl::OkStatus();
    ASSIGN_OR_RETURN(const WriteBatchHeader header, DecodeWriteBatchHeader(record));
    if (options.writer.format == RecordFormat::kText && options.matches == nullptr) {
      console->Write(absl::StrCat("batch at offset ", offset, ": sequence ", header.sequence, ", ",
                                  Count(header.count, "change"), "\n"));
    }
    return VisitWriteBatch(record, [&](const BatchChange& change) {
      if (printer.Wanted() && options.range.Contains(*BytewiseComparator(), change.key)) {
        const std::string key = MakeInternalKey(change.key, change.sequence, change.type);
        printer.Print(key, change.key, change.value, {input.name, offset, /*live=*/false});
      }
      return absl::OkStatus();
    });
  };
  const ExitCode code = ReadLog(input, console, print);
  return {code, printer.printed()};
}

DumpResult DumpRawLog(const InputFile& input, const EntryOptions& options, Console* console) {
  if (input.role == FileRole::kDatabase) {
    return Refuse(input, "is a folder; --records raw applies to files", console);
  }
  if (options.reverse) return Refuse(input, "--reverse does not apply to raw records", console);
  if (!options.range.IsWhole()) {
    return Refuse(input, "raw records have no keys, so no range of keys applies to them", console);
  }
  const EntryOptions placed = PlacedIfJsonl(options);
  EntryPrinter printer(placed, KeyKind::kPlain, console);
  bool has_record = false;
  ExitCode code = ReadLog(input, console, [&](absl::string_view record, uint64_t offset) {
    has_record = true;
    if (printer.Wanted()) printer.Print("", "", record, {input.name, offset, /*live=*/false});
    return absl::OkStatus();
  });
  if (!has_record && input.size > 0) {
    const std::string message = absl::StrCat(input.name, ": has no record that can be read");
    code = Worst(code, console->Fail(absl::DataLossError(message)));
  }
  return {code, printer.printed()};
}

DumpResult DumpManifest(const InputFile& input, RecordFormat format, Console* console) {
  if (format != RecordFormat::kText && format != RecordFormat::kJsonl) {
    return Refuse(input, "is a MANIFEST, which is shown with --format text or jsonl only", console);
  }
  uint64_t printed = 0;
  const auto print = [&](absl::string_view record, uint64_t offset) -> absl::Status {
    ASSIGN_OR_RETURN(const VersionEdit edit, VersionEdit::Decode(record));
    if (format == RecordFormat::kJsonl) {
      WriteJson(EditJson(edit, offset), console);
    } else {
      console->Write(EditText(edit, offset, console->output_style()));
    }
    ++printed;
    return absl::OkStatus();
  };
  const ExitCode code = ReadLog(input, console, print);
  return {code, printed};
}

}  // namespace sstable::tools
