// The functions that the page calls for a folder.
#include "db/folder.h"

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
#include "report/database_json.h"
#include "report/database_pages.h"
#include "report/json.h"
#include "report/salvage_report.h"
#include "sstable/database_view.h"
#include "sstable/experimental/table_stats.h"
#include "sstable/salvage.h"
#include "table/inspect/opened_table.h"
#include "util/status_util.h"
#include "web/core/call.h"

// Provided by JavaScript (js_calls.js): makes the page's files available as the files of folder
// `name`.
extern "C" void sst_mount(const char* name);
// Also provided by JavaScript: takes over the files of the new folder `name` and removes the
// folder; reports how many bytes have been read or written.
extern "C" void sst_take_folder(const char* name);
extern "C" void sst_progress(double bytes);

namespace sstable::tools {
namespace {

std::unique_ptr<DatabaseView> view;
std::optional<ChosenDecoder> decoder;  // for the view's entries; nullopt until needed
std::unique_ptr<DatabasePages> pages;

// Fails unless the entries can be read in order.
absl::Status Ordered() {
  if (view == nullptr) return absl::FailedPreconditionError("no folder is open");
  if (view->comparator() != nullptr) return absl::OkStatus();
  return absl::UnimplementedError(
      absl::StrCat("the order of its keys, ", view->comparator_name(),
                   ", is not known, so entries can only be read table by table"));
}

// Returns null if no known program wrote the entries, or if their order is unknown.
const EntryDecoder* GetDecoder() {
  if (!Ordered().ok()) return nullptr;
  if (!decoder.has_value()) {
    decoder = ChooseDecoder(DecodedProgram::kAuto, NewDatabaseSource(view.get()));
  }
  return decoder->decoder.get();
}

TableStats Count(const DatabaseTable& table) {
  const GivenKeys given = {KeyKind::kInternal, view->comparator()};
  const absl::StatusOr<OpenedTable> opened = OpenDetectingKeys(
      [&] { return OpenDatabaseFile(PathIn(view->folder(), table.name)); }, given);
  if (opened.ok()) return CollectStats(*opened->reader, opened->key_trust);
  TableStats stats;
  stats.status = opened.status();
  return stats;
}

}  // namespace
}  // namespace sstable::tools

using namespace sstable;         // NOLINT: the names below are C's
using namespace sstable::tools;  // NOLINT

// Opens the database in the folder named by argument 0. The result has the output of `sst ls
// --no-entries --decode auto --format json` as `database`, and the fields of KeyRangesJson().
SST_EXPORT int sst_folder() {
  return Guarded([]() -> absl::Status {
    pages = nullptr;
    decoder = std::nullopt;
    sst_mount(arguments[0].c_str());
    DatabaseViewOptions options;
    options.file_access = FileAccess::kRead;
    options.check_ranges = true;
    ASSIGN_OR_RETURN(view, DatabaseView::Open(arguments[0], options));
    Json folder = KeyRangesJson(*view);
    folder["database"] = DatabaseJson(*view, {}, GetDecoder());
    SetResult(folder);
    return absl::OkStatus();
  });
}

// Reads all tables of the database. The result is that of `sst ls --decode auto --format json`.
SST_EXPORT int sst_folder_entries() {
  return Guarded([]() -> absl::Status {
    if (view == nullptr) return absl::FailedPreconditionError("no folder is open");
    std::vector<TableStats> stats;
    for (const DatabaseTable& table : view->ListTables()) {
      stats.push_back(table.file_size.has_value() ? Count(table) : TableStats());
    }
    SetResult(DatabaseJson(*view, stats, GetDecoder()));
    return absl::OkStatus();
  });
}

// Finds the program that wrote the database, as `sst dump --decode auto` does. The result is
// DecoderJson().
SST_EXPORT int sst_folder_decoder() {
  return Guarded([]() -> absl::Status {
    RETURN_IF_ERROR(Ordered());
    SetResult(DecoderJson(GetDecoder()));
    return absl::OkStatus();
  });
}

// Begins to page through the live entries or, if `history`, all versions. Argument 0, if not empty,
// is the key to start from; argument 1, if not empty, must occur in each entry. `format` is 0 for
// jsonl and 1 for csv, both as `sst dump` writes them, with --decode auto if `decoded`.
SST_EXPORT int sst_folder_pages(int format, int history, int decoded) {
  return Guarded([&]() -> absl::Status {
    RETURN_IF_ERROR(Ordered());
    DatabasePageRequest request;
    request.format = format == 1 ? RecordFormat::kCsv : RecordFormat::kJsonl;
    request.history = history != 0;
    request.from = arguments[0];
    request.wanted = arguments[1];
    if (decoded != 0) request.decoder = GetDecoder();
    pages = std::make_unique<DatabasePages>(view.get(), std::move(request));
    return absl::OkStatus();
  });
}

// Returns the next page: DatabasePages::InfoJson(), a newline, and the page's lines.
SST_EXPORT int sst_next_folder_page(uint32_t max_rows, uint32_t max_bytes, uint32_t max_entries) {
  return Guarded([&]() -> absl::Status {
    RETURN_IF_ERROR(Ordered());
    if (pages == nullptr) return absl::FailedPreconditionError("no entries are asked for");
    std::string lines;
    pages->Next(max_rows, max_bytes, max_entries, &lines);
    SetResult(pages->InfoJson());
    absl::StrAppend(&result, "\n", lines);
    return absl::OkStatus();
  });
}

// Looks up argument 0 in logs and levels. The result is DatabaseLookupJson().
SST_EXPORT int sst_folder_lookup() {
  return Guarded([]() -> absl::Status {
    RETURN_IF_ERROR(Ordered());
    SetResult(DatabaseLookupJson(*view, arguments[0], GetDecoder()));
    return absl::OkStatus();
  });
}

// Rescues the database in the folder named by argument 0 into the folder named by argument 1, as
// `sst salvage --decode auto` does, and passes the new files to JavaScript through
// sst_take_folder(). The result has the output of `sst salvage --format json` as `report`, its
// summary sentence as `verdict`, a line for each loss in `lines`, and the first read error, or
// null, as `read_error`.
SST_EXPORT int sst_folder_salvage() {
  return Guarded([]() -> absl::Status {
    sst_mount(arguments[0].c_str());
    DatabaseSalvageOptions options;
    uint64_t done = 0;
    options.on_progress = [&done](uint64_t size) {
      done += size;
      sst_progress(static_cast<double>(done));
      return absl::OkStatus();
    };
    const std::string new_folder = arguments[1];
    ASSIGN_OR_RETURN(const DatabaseSalvageReport report,
                     SalvageDatabase(arguments[0], new_folder, options));
    // The names of keys come from the new folder's entries. It must be closed before JavaScript
    // takes it.
    view = nullptr;
    decoder = std::nullopt;
    if (report.is_written) {
      DatabaseViewOptions view_options;
      view_options.file_access = FileAccess::kRead;
      auto opened = DatabaseView::Open(new_folder, view_options);
      if (opened.ok()) view = *std::move(opened);
    }
    std::vector<std::string> lines;
    for (const DatabaseProblem& problem : report.problems)
      lines.push_back(JsonText(problem.message));
    for (const std::string& line : DescribeLosses(report, GetDecoder()))
      lines.push_back(JsonText(line));
    const std::string dropped = DescribeDroppedTables(report);
    if (!dropped.empty()) lines.push_back(JsonText(dropped));
    SetResult({{"report", DatabaseSalvageJson(report, arguments[0], new_folder, GetDecoder())},
               {"verdict", SalvageVerdict(report, new_folder)},
               {"lines", lines},
               {"read_error", ErrorJson(report.read_status)}});
    decoder = std::nullopt;
    view = nullptr;
    if (report.is_written) sst_take_folder(new_folder.c_str());
    return absl::OkStatus();
  });
}
