#include <cstdint>
#include <memory>
#include <string>
#include <system_error>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "c/c_objects.h"
#include "c/c_support.h"
#include "sstable/c.h"
#include "sstable/database_files.h"
#include "sstable/salvage.h"
#include "util/descriptor.h"
#include "util/status_util.h"
#include "util/system.h"

using sstable::DatabaseSalvageReport;
using sstable::Guard;
using sstable::NotNull;

sstable_code sstable_salvage(const char* path, const char* new_folder, sstable_problems** problems,
                             uint64_t* entry_count, int* is_complete, char** message) {
  if (problems != nullptr) *problems = nullptr;
  if (entry_count != nullptr) *entry_count = 0;
  if (is_complete != nullptr) *is_complete = 0;
  return Guard(message, [&]() -> absl::Status {
    RETURN_IF_ERROR(NotNull(path, "path"));
    RETURN_IF_ERROR(NotNull(new_folder, "new_folder"));
    RETURN_IF_ERROR(NotNull(problems, "problems"));
    sstable::FileInfo info;
    const bool is_file = sstable::StatFile(path, &info) && info.type == sstable::FileType::kRegular;
    ASSIGN_OR_RETURN(const DatabaseSalvageReport report,
                     is_file ? sstable::SalvageFiles({path}, new_folder)
                             : sstable::SalvageDatabase(path, new_folder));
    auto found = std::make_unique<sstable_problems>();
    for (const sstable::DatabaseProblem& problem : report.problems) {
      found->list.push_back({problem.message, problem.offset.value_or(0), problem.is_damage});
    }
    for (const sstable::LostEntries& lost : report.lost) {
      const std::string place =
          lost.size == 0 ? "" : absl::StrCat("offset ", lost.offset, " (", lost.size, " bytes): ");
      found->list.push_back(
          {absl::StrCat(lost.file, ": ", place, "lost: ", lost.reason), lost.offset, true});
    }
    if (!report.read_status.ok()) {
      found->list.push_back({std::string(report.read_status.message()), 0, false});
    }
    found->total = found->list.size();
    if (entry_count != nullptr) *entry_count = report.entry_count;
    if (is_complete != nullptr) *is_complete = report.complete() ? 1 : 0;
    *problems = found.release();
    return absl::OkStatus();
  });
}
