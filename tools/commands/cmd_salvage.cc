// `sst salvage`: writes the remains of a damaged table as a sound one.
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "db/salvage/new_folder.h"
#include "db/salvage/source_files.h"
#include "remote/http_file.h"
#include "report/json.h"
#include "report/record_writer.h"
#include "report/table_json.h"
#include "report/table_salvage_text.h"
#include "sstable/experimental/table_salvage.h"
#include "sstable/filter_policy.h"
#include "sstable/internal_key.h"
#include "sstable/options.h"
#include "sstable/salvage.h"
#include "sstable/table_builder.h"
#include "table/block/file_kind.h"
#include "table/salvage/write_salvaged.h"
#include "tools/cli/common_options.h"
#include "tools/cli/interrupt.h"
#include "tools/commands/commands.h"
#include "tools/database/database_salvage.h"
#include "tools/files/decoder_option.h"
#include "tools/files/input_files.h"
#include "tools/files/open_table.h"
#include "tools/files/table_output.h"
#include "util/status_util.h"
#include "util/system.h"

namespace sstable::tools {
namespace {

const CommandInfo& Info() {
  static const auto* info = new CommandInfo{
      "salvage",
      "save what is left of a damaged table or database",
      "FILE...|DIR -o OUT",
      /*min_arguments=*/1,
      /*max_arguments=*/SIZE_MAX,
      R"(Builds the table OUT from every entry of FILE in an intact block, and reports
what is lost: blocks with their offset, size and neighbouring keys. If FILE has
no index or footer, is cut at its start or end, or is partly zeroed, blocks are
found by their checksums. FILE is only read. An existing OUT is only replaced
with --force.

Without the index, bytes between blocks are reported instead of lost blocks. If
a key has several values, the one kept is from a block that is certainly the
table's, or else the first in the file. Keys in an unknown order keep that order.
Values may be tables themselves, so intact blocks after a damaged one may not be
the table's. The report says if OUT may have entries of a value. Blocks that may
not be the table's are left out; --doubtful FILE saves their entries as dump
--format jsonl prints them, with the offset of the block.
The exit code is 0 if nothing is lost, 1 if something is or may be, 2 if FILE or
a file of DIR can't be read; OUT then has the entries of the others. If no entry
is left, there is no OUT. FILE must fit in memory.

For a database's folder DIR, OUT is a new folder that LevelDB can open: sound
tables are copied, damaged ones are saved as above, and the changes in logs are
put into a table. DIR need not have a CURRENT or MANIFEST, is only read, and
must not be open elsewhere. OUT must be empty or not exist; until all of it is
written, it has no CURRENT. The report gives the keys or sequences of what is
lost, and says where old values may have come back. --comparator and --max-block
apply to all tables; the options for FILE's table do not apply.
New files get the modes of the old ones, and their owners where that is allowed.

For a log, recognized by its records or its name, OUT is a table of its changes,
in bytewise order unless --comparator is given. For several FILEs, tables and
logs under any names, OUT is a folder, as for a DIR without a MANIFEST.
--decode names keys as their program does; see `sst dump --help`. The text on a
DIR of a known program does so without it.
json: one object on one line.)",
      R"(  sst salvage 000005.ldb -o saved.ldb
  sst salvage --format json 000005.ldb -o saved.ldb | jq '.lost[]'
  sst salvage broken_db -o saved_db
  sst salvage --link huge_db -o saved_db
  sst salvage recovered/* -o saved_db)"};
  return *info;
}

// While this object exists, only this user can access new files.
class PrivateFiles {
 public:
  PrivateFiles() : old_mask_(sys::SetFileMask(sys::kPrivateMask)) {}
  ~PrivateFiles() { sys::SetFileMask(old_mask_); }

 private:
  const uint32_t old_mask_;
};

class SalvageCommand final : public Command {
 public:
  const CommandInfo& info() const override { return Info(); }
  void AddOptions(CommandLine* command_line) override;
  ExitCode Run(const std::vector<std::string>& arguments, Console* console) override;

 private:
  ExitCode SaveLog(const std::string& path, DatabaseSalvageOptions options, Console* console) const;
  ExitCode SaveTable(const RandomAccessFile& file, const std::string& name, Console* console) const;
  // Returns true if OUT was written.
  absl::StatusOr<bool> Write(Salvager* salvager, Console* console) const;
  absl::Status WriteDoubtful(Salvager* salvager, Console* console) const;

  std::optional<std::string> out_;
  std::optional<std::string> doubtful_;
  TableInputOptions input_;
  TableOutputOptions output_;
  bool include_dropped_ = false;
  bool keep_unverified_ = false;
  bool link_ = false;
  SalvageReporting reporting_;
};

void SalvageCommand::AddOptions(CommandLine* command_line) {
  command_line->AddText("-o,--output", "OUT", &out_,
                        kOutputHelp + std::string(". With DIR, it is a folder"));
  command_line->AddText("--doubtful", "FILE", &doubtful_,
                        "With a table: write the entries of blocks that may not be the table's. As "
                        "JSON lines; OUT does not have them");
  command_line->AddFlag("--include-dropped", &include_dropped_,
                        "With DIR: include tables and logs that its MANIFEST has dropped. Deleted "
                        "keys may come back");
  command_line->AddFlag(
      "--keep-unverified", &keep_unverified_,
      "With DIR: save what can be decoded of blocks with a wrong checksum. Its tables are "
      "apart from the database, in OUT/lost");
  command_line->AddFlag(
      "--link", &link_,
      "With DIR: link sound tables instead of copying them. By hard links, or else reflinks, "
      "where the file system allows it");
  AddFormatTo(command_line, &reporting_.format,
              "text is on standard error, json on standard output. Default: text");
  AddDecodeTo(command_line, &reporting_.decode);
  input_.AddTableOptionsTo(command_line);
  output_.AddTo(command_line, {"bloom:10, or none if FILE is known to have none",
                               "that of most of FILE's data blocks", "FILE's, as its blocks show",
                               "FILE's, as its blocks show"});
}

absl::StatusOr<bool> SalvageCommand::Write(Salvager* salvager, Console* console) const {
  // The temporary file is made with the first entry. Before that, while entries are sorted, a
  // signal ends the program at once.
  std::optional<InterruptGuard> guard;
  console->progress().Begin("putting entries in order", 0);
  return WriteSalvaged(
      salvager, [this](TableBuilderOptions* options) { output_.ApplyTo(options); },
      [&]() -> absl::StatusOr<std::unique_ptr<WritableFile>> {
        guard.emplace();
        ASSIGN_OR_RETURN(std::unique_ptr<WritableFile> file, CreateTableOutput(*out_, console));
        console->progress().Begin(absl::StrCat("writing ", *out_), 0);
        return file;
      });
}

// Removes a file that an earlier run wrote.
absl::Status RemoveEarlier(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(sys::ToPath(path), error)) return absl::OkStatus();
  std::filesystem::remove(sys::ToPath(path), error);
  if (!error) return absl::OkStatus();
  return absl::InternalError(absl::StrCat(path, ": can't remove: ", error.message()));
}

// Writes the entries of doubtful blocks, if there are any, with the offsets of their blocks. Their
// keys may differ in kind from the table's keys.
absl::Status SalvageCommand::WriteDoubtful(Salvager* salvager, Console* console) const {
  if (!doubtful_.has_value()) return absl::OkStatus();
  if (salvager->scan().doubtful.empty()) return RemoveEarlier(*doubtful_);
  RecordWriterOptions options;
  options.format = RecordFormat::kJsonl;
  options.offset = true;
  const RecordWriter plain(options);
  // A table without entries does not show its kind of keys.
  options.key_kind = salvager->total_entries() == 0 ? input_.key_kind.value_or(KeyKind::kInternal)
                                                    : salvager->key_kind();
  const RecordWriter writer(options);
  const InterruptGuard guard;
  ASSIGN_OR_RETURN(const std::unique_ptr<WritableFile> file,
                   CreateTableOutput(*doubtful_, console));
  std::string line;
  RETURN_IF_ERROR(salvager->VisitDoubtful(
      [&](const ScannedBlock& block, absl::string_view key, absl::string_view value) {
        line.clear();
        const bool is_internal = ParseInternalKey(key).has_value();
        (is_internal ? writer : plain).Append(key, value, {"", block.handle.offset}, &line);
        return file->Append(line);
      }));
  return file->Close();
}

ExitCode SalvageCommand::Run(const std::vector<std::string>& arguments, Console* console) {
  const InputFile input(arguments[0]);
  if (!out_.has_value()) {
    return console->Fail(absl::InvalidArgumentError("salvage: -o OUT is missing"));
  }
  const PrivateFiles until_they_have_the_old_mode;
  DatabaseSalvageOptions options;
  options.comparator = input_.comparator;
  options.include_dropped = include_dropped_;
  options.keep_unverified = keep_unverified_;
  options.link_tables = link_;
  options.max_uncompressed_block_size = input_.max_uncompressed_block_size;
  options.max_work = input_.max_work;
  const bool to_folder = arguments.size() > 1 || IsFolder(input.path);
  if (to_folder && doubtful_.has_value()) {
    return console->Fail(absl::InvalidArgumentError("salvage: --doubtful is for a single table"));
  }
  if (to_folder) {
    return SalvageToFolder(arguments, *out_, std::move(options), reporting_, console);
  }
  absl::Status status = output_.CheckOptions();
  if (status.ok()) status = output_.CheckReplaceable(*out_, input.path);
  if (status.ok() && doubtful_.has_value()) {
    status = output_.CheckReplaceable(*doubtful_, input.path);
    const auto full = [](const std::string& path) {
      return std::filesystem::absolute(sys::ToPath(path)).lexically_normal();
    };
    if (full(*doubtful_) == full(*out_)) {
      status = absl::InvalidArgumentError(
          absl::StrCat(*doubtful_, ": --doubtful and -o name the same file"));
    }
  }
  if (!status.ok()) return console->Fail(status);
  const auto is_new = [](const std::string& path) {
    return !std::filesystem::exists(sys::ToPath(path));
  };
  const bool is_out_new = is_new(*out_),
             is_doubtful_new = doubtful_.has_value() && is_new(*doubtful_);
  const auto file = OpenToRead(input);
  if (!file.ok()) return console->Fail(file.status());
  const bool is_log = !IsHttpUrl(input.path) && IsLog(**file);
  if (is_log && doubtful_.has_value()) {
    return console->Fail(absl::InvalidArgumentError("salvage: --doubtful is for a single table"));
  }
  const ExitCode code = is_log ? SaveLog(input.path, std::move(options), console)
                               : SaveTable(**file, input.name, console);
  if (is_out_new) sys::CopyModeAndOwner(input.path, *out_);
  if (is_doubtful_new) sys::CopyModeAndOwner(input.path, *doubtful_);
  return code;
}

ExitCode SalvageCommand::SaveLog(const std::string& path, DatabaseSalvageOptions options,
                                 Console* console) const {
  const auto policy = NewBloomFilterPolicy(10);
  const auto create =
      [&](TableBuilderOptions table) -> absl::StatusOr<std::unique_ptr<TableBuilder>> {
    table.filter_policy = policy.get();
    output_.ApplyTo(&table);
    ASSIGN_OR_RETURN(auto file, CreateTableOutput(*out_, console));
    return TableBuilder::Create(std::move(file), table);
  };
  return SalvageLog(path, *out_, std::move(options), create, reporting_, console);
}

ExitCode SalvageCommand::SaveTable(const RandomAccessFile& file, const std::string& name,
                                   Console* console) const {
  console->progress().Begin(absl::StrCat("searching ", name), 0);
  auto salvager = Salvager::Open(file, {input_.key_kind, input_.comparator,
                                        input_.max_uncompressed_block_size, input_.max_work});
  if (!salvager.ok()) return console->Fail(salvager.status());
  const absl::StatusOr<bool> written = Write(salvager->get(), console);
  absl::Status apart = written.ok() ? WriteDoubtful(salvager->get(), console) : written.status();
  if (apart.ok() && !*written) apart = RemoveEarlier(*out_);
  console->progress().End();
  if (!written.ok()) {
    console->Fail(written.status());
    return ExitCode::kCannot;
  }
  if (!*written) {
    const absl::Status kind =
        ExplainByKind(file, FileKind::kTable, absl::DataLossError("no entry is left"));
    if (!absl::IsDataLoss(kind)) return console->Fail(kind);
  }
  const SalvagedKeys keys(*out_, *written, input_, reporting_.decode, console);
  if (reporting_.format == ReportFormat::kJson) {
    WriteJson(SalvageJson(**salvager, name, *out_, *written, keys.decoder()), console);
  } else {
    const std::string doubtful = doubtful_.has_value() && apart.ok()
                                     ? absl::StrCat(*doubtful_, " has their entries")
                                     : "--doubtful FILE saves their entries";
    for (const std::string& line :
         DescribeTableSalvage(**salvager, *out_, *written, doubtful, keys.decoder())) {
      console->Say(absl::StrCat(name, ": ", line));
    }
    if (!(*salvager)->complete()) {
      console->Say(
          absl::StrCat("what to do now: ", *written ? absl::StrCat("use ", *out_, "; ") : "",
                       "for a table of a database, salvage the folder instead"));
    }
  }
  keys.SayChoice(console);
  if (!apart.ok()) {
    console->Fail(apart);
    return ExitCode::kCannot;
  }
  const ExitCode code =
      (*salvager)->complete() && *written ? ExitCode::kOk : ExitCode::kDamagedOrAbsent;
  return Worst(code, ExitCodeOf((*salvager)->scan().read_status));
}

}  // namespace

std::unique_ptr<Command> NewSalvageCommand() { return std::make_unique<SalvageCommand>(); }

}  // namespace sstable::tools
