#include "db/salvage/loss_evidence.h"

#include <algorithm>
#include <cstddef>
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

// Returns true if entries of `table` may have the same keys as the lost entries, and be older.
bool MayBeOlder(const NewTable& table, const LostEntries& lost, const SourceFolder& source,
                const Comparator& comparator, bool levels_kept) {
  if (lost.first.has_value() &&
      comparator.Compare(ExtractUserKey(table.largest), *lost.first) < 0) {
    return false;
  }
  if (lost.last.has_value() && comparator.Compare(ExtractUserKey(table.smallest), *lost.last) > 0) {
    return false;
  }
  const auto parsed = ParseDatabaseFileName(lost.file);
  if (!parsed.has_value() || parsed->kind != DatabaseFileKind::kTable) return true;
  // Other blocks of the same table have other keys. TableRescuer handles keys that span two blocks.
  if (table.number == parsed->number && lost.size > 0) return false;
  if (!levels_kept) return true;
  const auto found = source.named.find(parsed->number);
  if (found == source.named.end()) return true;
  const TableFile& named = *found->second;
  return named.level == 0 ? *table.level > 0 || table.number < named.number
                          : *table.level > named.level;
}

bool IsTable(absl::string_view name) {
  const auto parsed = ParseDatabaseFileName(name);
  return parsed.has_value() && parsed->kind == DatabaseFileKind::kTable;
}

// Returns true if a newer table has the missing table's first or last entry, and also the other of
// the two or a newer version of it. Only a compaction of the missing table can have made such a
// table, and it wrote the entries between them there, too. Only the edit that dropped the missing
// table is lost.
bool IsCompacted(const TableFile& missing, const std::vector<NewTable>& tables,
                 const SoughtEntry& first, const SoughtEntry& last) {
  return std::any_of(first.found.begin(), first.found.end(), [&](const auto& found) {
    const auto& [i, of_first] = found;
    const auto of_last = last.found.find(i);
    return tables[i].added_number > missing.number && of_last != last.found.end() &&
           std::max(of_first, of_last->second) == SoughtEntry::Found::kEntry;
  });
}

}  // namespace

void ReportAbsentTables(const SourceFolder& source, const std::vector<NewTable>& tables,
                        const std::vector<const TableFile*>& absent,
                        const std::vector<SoughtEntry>& sought, DatabaseSalvageReport* report) {
  uint64_t compacted_count = 0;
  std::string compacted_name;
  for (size_t i = 0; i < absent.size(); ++i) {
    const TableFile& table = *absent[i];
    const bool is_missing = source.missing.count(table.number) > 0;
    if (is_missing && IsCompacted(table, tables, sought[2 * i], sought[2 * i + 1])) {
      if (compacted_count++ == 0) compacted_name = TableFileName(table.number);
      continue;
    }
    if (is_missing) {
      RescuedFile file;
      file.name = TableFileName(table.number);
      file.outcome = RescuedFile::Outcome::kMissing;
      file.message = absl::StrCat("a table of ", table.size, " bytes on level ", table.level,
                                  " by ", source.manifest_name);
      report->files.push_back(std::move(file));
    }
    LostEntries lost;
    lost.file = TableFileName(table.number);
    lost.reason = !is_missing ? "the file of this name is another table"
                  : source.is_manifest_cut
                      ? "the file is missing, unless an edit that can't be read has dropped it"
                      : "the file is missing";
    lost.first = std::string(ExtractUserKey(table.smallest));
    lost.last = std::string(ExtractUserKey(table.largest));
    report->lost.push_back(std::move(lost));
  }
  if (compacted_count == 0) return;
  report->problems.push_back(
      {source.manifest_name, std::nullopt,
       absl::StrCat(
           PathIn(source.path, source.manifest_name), ": names ", compacted_name,
           compacted_count > 1 ? absl::StrCat(" and ", compacted_count - 1, " more") : "",
           ", compacted since, though no edit says so: a newer table has the first and last "
           "entry"),
       /*is_damage=*/true});
}

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

void FindRevivals(const std::vector<NewTable>& tables, const SourceFolder& source,
                  const Comparator& comparator, bool levels_kept,
                  std::vector<LostEntries>* all_lost) {
  std::vector<const NewTable*> by_key;
  for (const NewTable& table : tables) by_key.push_back(&table);
  std::sort(by_key.begin(), by_key.end(), [&](const NewTable* a, const NewTable* b) {
    return comparator.Compare(ExtractUserKey(a->smallest), ExtractUserKey(b->smallest)) < 0;
  });
  std::vector<absl::string_view> highest;  // highest of the last keys up to each table
  for (const NewTable* table : by_key) {
    const absl::string_view last = ExtractUserKey(table->largest);
    const bool is_higher = highest.empty() || comparator.Compare(last, highest.back()) > 0;
    highest.push_back(is_higher ? last : highest.back());
  }
  const auto begins_after = [&](const std::string& key, const NewTable* table) {
    return comparator.Compare(key, ExtractUserKey(table->smallest)) < 0;
  };
  for (LostEntries& lost : *all_lost) {
    size_t i = by_key.size();
    if (lost.last.has_value()) {
      i = static_cast<size_t>(
          std::upper_bound(by_key.begin(), by_key.end(), *lost.last, begins_after) -
          by_key.begin());
    }
    for (; i > 0 && !lost.may_revive; --i) {
      if (lost.first.has_value() && comparator.Compare(highest[i - 1], *lost.first) < 0) break;
      lost.may_revive = MayBeOlder(*by_key[i - 1], lost, source, comparator, levels_kept);
    }
  }
}

}  // namespace sstable
