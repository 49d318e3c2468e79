// The files that make up a view of a folder.
#ifndef SSTABLE_DB_VIEW_STATE_H_
#define SSTABLE_DB_VIEW_STATE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "db/folder.h"
#include "db/log_entries.h"
#include "db/table_run.h"
#include "db/view_tables.h"
#include "sstable/comparator.h"
#include "sstable/database_view.h"
#include "table/block/key_order.h"

namespace sstable {

struct ViewState {
  // Reads the sizes of tables that were not opened, and reports those that differ from the
  // MANIFEST's. Call once, before tables, files or problems are shown to a caller of DatabaseView;
  // other threads may be reading tables.
  void ReadSizes();

  std::string folder;
  FolderState found;
  bool found_all = true;  // no table or log was missing, and none may have been added since

  std::string comparator_name;
  const Comparator* comparator = nullptr;
  std::optional<KeyOrder> order;  // the order of internal keys; nullopt if `comparator` is null
  absl::Status order_status;      // Unimplemented if `comparator` is null

  std::unique_ptr<ViewTables> tables;
  std::vector<TableRun> runs;
  // Tables that had to be sorted and are in no run; log_index is the table's index.
  std::vector<LogEntries> sorted_tables;
  std::vector<DatabaseLog> logs;
  std::string missing_log;  // the log that the MANIFEST names, if it does not exist
  LogEntries log_entries;
  uint64_t last_sequence = 0;
  std::vector<DatabaseProblem> problems;
};

// Reads the folder as it is now. If a program writes to it meanwhile, the parts may come from
// different moments, which IsStillValid() detects. Errors: as DatabaseView::Open().
absl::StatusOr<std::unique_ptr<ViewState>> ReadViewState(const std::string& folder,
                                                         const DatabaseViewOptions& options);

// Returns the state of a view that DatabaseView::Open() made.
const ViewState& ViewStateOf(const DatabaseView& view);

}  // namespace sstable

#endif  // SSTABLE_DB_VIEW_STATE_H_
