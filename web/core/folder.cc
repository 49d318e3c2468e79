// The functions that the page calls for a folder.
#include "db/folder.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "db/database_file.h"
#include "report/database_json.h"
#include "sstable/database_view.h"
#include "sstable/experimental/table_stats.h"
#include "table/inspect/opened_table.h"
#include "util/status_util.h"
#include "web/core/call.h"

// Provided by JavaScript (js_calls.js): makes the page's files of the folder `name` available by
// their names in it.
extern "C" void sst_mount(const char* name);

namespace sstable::tools {
namespace {

std::unique_ptr<DatabaseView> view;

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

// Opens the database in the folder whose name is argument 0. The result is that of `sst ls
// --no-entries --format json` as `database`, and KeyRangesJson() as `ranges`.
SST_EXPORT int sst_folder() {
  return Guarded([]() -> absl::Status {
    sst_mount(arguments[0].c_str());
    DatabaseViewOptions options;
    options.file_access = FileAccess::kRead;
    options.check_ranges = true;
    ASSIGN_OR_RETURN(view, DatabaseView::Open(arguments[0], options));
    SetResult({{"database", DatabaseJson(*view, {})}, {"ranges", KeyRangesJson(*view)}});
    return absl::OkStatus();
  });
}

// Reads all tables of the database. The result is that of `sst ls --format json`.
SST_EXPORT int sst_folder_entries() {
  return Guarded([]() -> absl::Status {
    if (view == nullptr) return absl::FailedPreconditionError("no folder is open");
    std::vector<TableStats> stats;
    for (const DatabaseTable& table : view->ListTables()) {
      stats.push_back(table.file_size.has_value() ? Count(table) : TableStats());
    }
    SetResult(DatabaseJson(*view, stats));
    return absl::OkStatus();
  });
}
