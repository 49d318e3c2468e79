#include "db/salvage/loss_evidence.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "db/database_file.h"
#include "db/folder.h"
#include "db/renamed_tables.h"
#include "sstable/comparator.h"
#include "sstable/database_files.h"
#include "sstable/internal_key.h"

namespace sstable {
namespace {

bool IsTable(absl::string_view name) {
  const auto parsed = ParseDatabaseFileName(name);
  return parsed.has_value() && parsed->kind == DatabaseFileKind::kTable;
}

}  // namespace

void FindTablesWithLost(const RescueContext& context, DatabaseSalvageReport* report) {
  const Comparator& comparator = *context.comparator;
  for (RescuedFile& file : report->files) {
    if (file.outcome != RescuedFile::Outcome::kLeftOut || !IsTable(file.name)) continue;
    const auto range = ReadKeyRange(PathIn(context.source.path, file.name),
                                    context.options.max_uncompressed_block_size);
    const bool is_known = range.ok() && ParseInternalKey(range->first).has_value() &&
                          ParseInternalKey(range->second).has_value();
    const auto overlaps = [&](const LostEntries& lost) {
      if (!IsTable(lost.file)) return false;
      if (!is_known) return true;
      const bool is_above =
          lost.last.has_value() && comparator.Compare(ExtractUserKey(range->first), *lost.last) > 0;
      const bool is_below = lost.first.has_value() &&
                            comparator.Compare(ExtractUserKey(range->second), *lost.first) < 0;
      return !is_above && !is_below;
    };
    file.may_have_lost = std::any_of(report->lost.begin(), report->lost.end(), overlaps);
    if (file.may_have_lost) absl::StrAppend(&file.message, ", and it may have what is lost");
  }
}

void ReportMissingLog(const SourceFolder& source, const std::vector<NewTable>& tables,
                      DatabaseSalvageReport* report) {
  if (source.missing_log.empty()) return;
  const uint64_t expected = source.version.last_sequence.value_or(0);
  uint64_t last = 0;
  for (const NewTable& table : tables) last = std::max(last, table.last_sequence);
  std::string message =
      absl::StrCat(PathIn(source.path, source.missing_log), ": the log that ", source.manifest_name,
                   " names is missing: its changes are lost, unless there were none");
  if (report->lost.empty() && last < expected) {
    absl::StrAppend(&message, "; the highest sequence that was found is ", last,
                    ", the MANIFEST's last is ", expected,
                    ": it had some, unless these were only deletions");
  }
  report->problems.push_back({source.missing_log, std::nullopt, std::move(message)});
}

}  // namespace sstable
