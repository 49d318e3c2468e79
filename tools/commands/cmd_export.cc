// `sst export`: writes the entries of a database to an SQLite database.
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "decode/choose_decoder.h"
#include "report/text/words.h"
#include "sstable/database_view.h"
#include "tools/cli/interrupt.h"
#include "tools/commands/commands.h"
#include "tools/database/sqlite_export.h"
#include "tools/files/database_input.h"
#include "tools/files/decoder_option.h"
#include "tools/files/input_files.h"
#include "tools/files/open_table.h"
#include "util/status_util.h"
#include "util/system.h"

namespace sstable::tools {
namespace {

const CommandInfo& Info() {
  static const auto* info = new CommandInfo{
      "export",
      "write a database's entries to an SQLite database",
      "DIR",
      /*min_arguments=*/1,
      /*max_arguments=*/1,
      R"(Makes OUT, a new SQLite database, of the database in the folder DIR. No lock is
taken, and the program may be running. OUT appears when it is complete.

entries     the live entries: key, value, key_text, decoded_key, decoded_value
history     with --history: all versions, deletions too; in addition sequence,
            type, live, file and offset
DB/STORE    for each object store of IndexedDB that has records: key, value. The
            key is a number, a text, or JSON; the value is JSON. A store without a
            known name has its number. Of names that differ only in case, the
            second is followed by (2); sqlite_ at the start becomes _sqlite_

key and value are BLOBs. key_text is the key as TEXT if it is UTF-8. decoded_key
and decoded_value are what `sst dump --decode` shows, as JSON. There are no
indexes.

Damage is reported on standard error and skipped; the exit code is then 1.
`sst dump --format csv` makes text of a database, a table or a log.)",
      R"(  sst export --sqlite tabs.db 'Session Storage'
  sst export --sqlite chat.db https_chat.example_0.indexeddb.leveldb
  sqlite3 chat.db "SELECT value ->> 'text' FROM [main/messages]")"};
  return *info;
}

class ExportCommand final : public Command {
 public:
  const CommandInfo& info() const override { return Info(); }
  void AddOptions(CommandLine* command_line) override;
  ExitCode Run(const std::vector<std::string>& arguments, Console* console) override;

 private:
  absl::Status Export(const std::string& folder, Console* console, ExitCode* damage) const;

  TableInputOptions input_;
  std::optional<std::string> out_;
  bool history_ = false;
  // kNone: auto, without a message if no format fits
  DecodedProgram decode_ = DecodedProgram::kNone;
};

void ExportCommand::AddOptions(CommandLine* command_line) {
  command_line->AddText("--sqlite", "OUT", &out_, "The SQLite database to make. Required");
  command_line->AddFlag("--history", &history_,
                        "Every version of each key of a database, not only the live ones");
  AddDecodeTo(command_line, &decode_);
  input_.AddTo(command_line);
}

// Returns an error if `out` is in `folder`: a folder that is read is not written to.
absl::Status CheckIsOutside(const std::string& out, const std::string& folder) {
  std::error_code ignored;
  const auto path = std::filesystem::weakly_canonical(sys::ToPath(out), ignored);
  const auto inside =
      path.lexically_relative(std::filesystem::weakly_canonical(sys::ToPath(folder), ignored));
  if (inside.empty() || *inside.begin() == "..") return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(out, ": is in ", folder, ", which is only read; choose another folder"));
}

// Sets `*damage` to the exit code for the damage that was reported.
absl::Status ExportCommand::Export(const std::string& folder, Console* console,
                                   ExitCode* damage) const {
  ASSIGN_OR_RETURN(DatabaseInput database, DatabaseInput::Open(folder, input_, console));
  const DatabaseView& view = database.view();
  if (view.comparator() == nullptr) {
    return absl::UnimplementedError(absl::StrCat(folder, ": its order, ", view.comparator_name(),
                                                 ", is not known; --comparator gives one"));
  }
  RETURN_IF_ERROR(CheckIsOutside(*out_, folder));
  const InterruptGuard guard;
  ASSIGN_OR_RETURN(const auto out, SqliteExport::Create(*out_, history_));
  const bool is_given = decode_ != DecodedProgram::kNone;
  const DecodedProgram program = is_given ? decode_ : DecodedProgram::kAuto;
  const ChosenDecoder chosen = ChooseDecoder(program, NewDatabaseSource(&view));
  if (is_given || chosen.decoder != nullptr) SayChoice(program, folder, chosen, console);
  console->progress().Begin(absl::StrCat("writing ", *out_), 0);
  const std::unique_ptr<HistoryIterator> it = view.NewHistoryIterator(database.ReadOptions());
  for (it->SeekToFirst(); it->Valid(); it->Next()) {
    RETURN_IF_ERROR(CheckInterrupted());
    console->progress().Advance(it->entry().key.size() + it->entry().value.size());
    RETURN_IF_ERROR(out->Add(it->entry(), chosen.decoder.get()));
  }
  RETURN_IF_ERROR(it->status());
  RETURN_IF_ERROR(out->Commit());
  *damage = database.code();
  console->Say(absl::StrCat(
      *out_, ": ", Count(out->live_count(), "entry"),
      history_ ? absl::StrCat(", ", Count(out->version_count(), "version")) : "",
      out->store_count() > 0 ? absl::StrCat(", ", Count(out->store_count(), "object store")) : ""));
  if (out->record_without_table_count() > 0) {
    console->Say(absl::StrCat(*out_, ": ", Count(out->record_without_table_count(), "record"),
                              " only in the table `entries`: no more than ",
                              SqliteExport::kMaxStores, " object stores have tables"));
  }
  return absl::OkStatus();
}

ExitCode ExportCommand::Run(const std::vector<std::string>& arguments, Console* console) {
  if (!out_.has_value()) {
    return console->Fail(absl::InvalidArgumentError("export: --sqlite OUT is missing"));
  }
  const InputFiles inputs = FindInputFiles(arguments, WantedFiles::kDatabases, console);
  const InputFile& input = inputs.files.front();
  if (!input.status.ok()) return console->Fail(input.status);
  if (input.role != FileRole::kDatabase && IsFolder(arguments[0])) {
    return console->Fail(absl::InvalidArgumentError(
        absl::StrCat(arguments[0], ": is a folder of tables, not a database's")));
  }
  ExitCode damage = ExitCode::kOk;
  const absl::Status status = Export(input.path, console, &damage);
  console->progress().End();
  return Worst(damage, console->Fail(status));
}

}  // namespace

std::unique_ptr<Command> NewExportCommand() { return std::make_unique<ExportCommand>(); }

}  // namespace sstable::tools
