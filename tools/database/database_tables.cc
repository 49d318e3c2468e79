#include "tools/database/database_tables.h"

#include <cstddef>

#include "absl/status/statusor.h"
#include "db/folder.h"
#include "tools/files/file_runner.h"
#include "tools/files/input_files.h"

namespace sstable::tools {

std::vector<TableStats> CountTables(const DatabaseView& view, TableInputOptions input,
                                    uint64_t jobs, Console* console) {
  std::vector<InputFile> files;
  for (const DatabaseTable& table : view.ListTables()) {
    files.emplace_back(PathIn(view.folder(), table.name));
    files.back().size = table.file_size.value_or(0);
  }
  if (!input.key_kind.has_value()) input.key_kind = KeyKind::kInternal;
  if (input.comparator == nullptr && view.comparator() != nullptr) {
    input.comparator = view.comparator();
  }
  std::vector<TableStats> stats(files.size());
  const auto count = [&](const InputFile& file, Console* own) {
    const auto i = static_cast<size_t>(&file - files.data());
    if (!view.ListTables()[i].file_size.has_value()) return ExitCode::kOk;  // reported as a problem
    const absl::StatusOr<OpenedTable> table = OpenTable(file, input, own);
    if (table.ok()) {
      stats[i] = CollectStats(*table->reader, table->key_trust);
    } else {
      stats[i].status = table.status();
    }
    return ExitCode::kOk;  // the caller has the status
  };
  RunOnFiles(files, jobs, count, console);
  return stats;
}

}  // namespace sstable::tools
