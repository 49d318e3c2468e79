#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <system_error>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "db/folder.h"
#include "db/salvage/log_rescue.h"
#include "db/salvage/loss_evidence.h"
#include "db/salvage/merge_tables.h"
#include "db/salvage/new_folder.h"
#include "db/salvage/new_table.h"
#include "db/salvage/source_files.h"
#include "db/salvage/source_folder.h"
#include "db/salvage/table_order.h"
#include "db/salvage/table_rescue.h"
#include "sstable/database_files.h"
#include "sstable/internal_key.h"
#include "sstable/salvage.h"
#include "sstable/slice.h"
#include "util/stable_order.h"
#include "util/status_util.h"
#include "util/system.h"

namespace sstable {
namespace {

class Rescue {
 public:
  Rescue(SourceFolder source, std::string new_folder, bool is_new_folder,
         const Comparator* comparator, const DatabaseSalvageOptions& options)
      : source_(std::move(source)),
        context_{source_, std::move(new_folder),  comparator,
                 options, source_.max_number + 1, absl::OkStatus()},
        is_new_folder_(is_new_folder) {}

  absl::StatusOr<DatabaseSalvageReport> Run() {
    RETURN_IF_ERROR(RescueTables());
    RETURN_IF_ERROR(RescueLogs());
    RETURN_IF_ERROR(Arrange());
    FindRevivals(tables_, source_, *context_.comparator, report_.levels_kept, &report_.lost);
    CountEntries();
    FindTablesWithLost(context_, &report_);
    ReportMissingLog(source_, tables_, &report_);
    report_.is_written = report_.entry_count > 0 || report_.complete();
    if (report_.is_written) RETURN_IF_ERROR(WriteManifest(report_, &context_));
    report_.read_status = context_.read_status;
    KeepModesAndOwners();
    if (!report_.is_written && is_new_folder_) {
      std::error_code not_empty;  // set if the folder has unverified entries
      std::filesystem::remove(sys::ToPath(context_.new_folder), not_empty);
    }
    return std::move(report_);
  }

 private:
  absl::Status RescueTables();
  absl::Status RescueLogs();
  std::vector<const TableFile*> FindAbsent() const;
  void ReportLeftOut();
  void ReportOldLogs();
  absl::StatusOr<NewerThan> Compare(std::vector<SoughtEntry>* sought);
  absl::Status Arrange();
  absl::StatusOr<bool> LeaveOutRedundant();
  void ReportUnnamed();
  absl::Status Merge(const std::vector<std::vector<size_t>>& groups);
  absl::Status RenumberLevel0(const std::vector<size_t>& level_0);
  void CountEntries();
  void KeepModesAndOwners() const;

  void Add(Rescued rescued);
  // Updates the names of new tables in the report.
  void RenameInReport(const std::map<std::string, std::string>& new_names);

  const SourceFolder source_;
  RescueContext context_;
  const bool is_new_folder_;
  std::vector<NewTable> tables_;
  std::set<uint64_t> found_numbers_;  // the MANIFEST's tables that were found, even if damaged
  std::string log_table_;             // name of the table made from logs
  std::optional<uint64_t> first_log_sequence_;
  DatabaseSalvageReport report_;
};

void Rescue::Add(Rescued rescued) {
  report_.files.push_back(std::move(rescued.file));
  report_.lost.insert(report_.lost.end(), rescued.lost.begin(), rescued.lost.end());
  report_.problems.insert(report_.problems.end(), rescued.problems.begin(), rescued.problems.end());
  if (rescued.named_number.has_value()) found_numbers_.insert(*rescued.named_number);
  if (rescued.table.has_value()) tables_.push_back(*std::move(rescued.table));
}

absl::Status Rescue::RescueTables() {
  report_.problems = source_.problems;
  TableRescuer rescuer(&context_);
  for (const SourceFile& table : source_.tables) {
    ASSIGN_OR_RETURN(Rescued rescued, rescuer.Rescue(table));
    Add(std::move(rescued));
  }
  return absl::OkStatus();
}

absl::Status Rescue::RescueLogs() {
  LogRescuer rescuer(&context_);
  const size_t first = report_.files.size();
  for (const SourceFile& log : source_.logs) {
    ASSIGN_OR_RETURN(Rescued rescued, rescuer.Read(log));
    Add(std::move(rescued));
  }
  ASSIGN_OR_RETURN(std::optional<NewTable> table, rescuer.Write());
  if (!table.has_value()) return absl::OkStatus();
  if (const std::string overwritten = rescuer.DescribeOverwritten(); !overwritten.empty()) {
    report_.problems.push_back({"", std::nullopt, absl::StrCat(source_.path, ": ", overwritten)});
  }
  log_table_ = table->name;
  first_log_sequence_ = rescuer.first_sequence();
  for (size_t i = first; i < report_.files.size(); ++i) {
    if (report_.files[i].entry_count > 0) report_.files[i].new_name = table->name;
  }
  tables_.push_back(*std::move(table));
  return absl::OkStatus();
}

std::vector<const TableFile*> Rescue::FindAbsent() const {
  std::vector<const TableFile*> absent;
  for (const auto& [number, table] : source_.named) {
    if (found_numbers_.count(number) == 0) absent.push_back(table);
  }
  return absent;
}

void Rescue::ReportLeftOut() {
  for (const LeftOutFile& left_out : source_.left_out) {
    RescuedFile file;
    file.name = left_out.name;
    file.outcome = RescuedFile::Outcome::kLeftOut;
    file.message = left_out.reason;
    report_.files.push_back(std::move(file));
  }
}

// A needed log has only sequences above those in all of the MANIFEST's tables.
void Rescue::ReportOldLogs() {
  if (!first_log_sequence_.has_value() || context_.options.include_dropped) return;
  const NewTable* newest = nullptr;
  for (const NewTable& table : tables_) {
    const bool is_named = table.level.has_value() && table.name != log_table_;
    if (is_named && (newest == nullptr || table.last_sequence > newest->last_sequence)) {
      newest = &table;
    }
  }
  if (newest == nullptr || newest->last_sequence < *first_log_sequence_) return;
  report_.problems.push_back(
      {"", std::nullopt,
       absl::StrCat(source_.path, ": the logs have sequences from ", *first_log_sequence_,
                    " on, expected only those above ", newest->last_sequence, ", the last of ",
                    newest->name, ": a log is not this database's, or is an older one"),
       /*is_damage=*/true});
}

absl::StatusOr<NewerThan> Rescue::Compare(std::vector<SoughtEntry>* sought) {
  return CompareTables(
      context_.new_folder, context_.comparator,
      [this](uint64_t size) { return context_.Advance(size); }, &tables_, sought);
}

absl::Status Rescue::Arrange() {
  const Comparator& comparator = *context_.comparator;
  const std::vector<const TableFile*> absent = FindAbsent();
  std::vector<SoughtEntry> sought, nothing;
  for (const TableFile* table : absent) {
    for (const std::string* key : {&table->smallest, &table->largest}) {
      sought.emplace_back().key = *key;
    }
  }
  ASSIGN_OR_RETURN(NewerThan newer, Compare(&sought));
  ReportAbsentTables(source_, tables_, absent, sought, &report_);
  ReportLeftOut();
  ReportOldLogs();
  ASSIGN_OR_RETURN(const bool left_out, LeaveOutRedundant());
  if (left_out) {
    ASSIGN_OR_RETURN(newer, Compare(&nothing));
  }
  ReportUnnamed();
  for (;;) {
    report_.levels_kept = source_.has_manifest() && LevelsFit(tables_, newer, comparator);
    if (report_.levels_kept) return absl::OkStatus();
    const auto cycles = FindCycles(tables_.size(), newer);
    if (cycles.empty()) return RenumberLevel0(ArrangeLevels(newer, comparator, &tables_));
    RETURN_IF_ERROR(Merge(cycles));
    ASSIGN_OR_RETURN(newer, Compare(&nothing));
  }
}

// Removes tables that no edit names and whose entries are all in other tables, and the reports
// about them. Returns true if it removed any.
absl::StatusOr<bool> Rescue::LeaveOutRedundant() {
  const auto is_redundant = [](const NewTable& table) {
    return table.is_unnamed && !table.has_own_entries;
  };
  std::set<std::string> new_names, old_names;
  for (const NewTable& table : tables_) {
    if (!is_redundant(table)) continue;
    RETURN_IF_ERROR(RemoveFile(context_.new_folder, table.name));
    new_names.insert(table.name);
  }
  for (RescuedFile& file : report_.files) {
    if (new_names.count(file.new_name) == 0) continue;
    old_names.insert(file.name);
    file.outcome = RescuedFile::Outcome::kLeftOut;
    file.new_name.clear();
    file.message = "no edit of the MANIFEST names it, and others have all of its entries";
  }
  report_.lost.erase(
      std::remove_if(report_.lost.begin(), report_.lost.end(),
                     [&](const LostEntries& lost) { return old_names.count(lost.file) > 0; }),
      report_.lost.end());
  tables_.erase(std::remove_if(tables_.begin(), tables_.end(), is_redundant), tables_.end());
  return !new_names.empty();
}

// Reports tables that no edit names. They are newer than the MANIFEST, or from another database;
// the folder does not show which.
void Rescue::ReportUnnamed() {
  if (!source_.has_manifest() || context_.options.include_dropped) return;
  std::set<std::string> names;
  for (const NewTable& table : tables_) {
    if (table.is_unnamed) names.insert(table.name);
  }
  for (const RescuedFile& file : report_.files) {
    if (names.count(file.new_name) == 0) continue;
    report_.problems.push_back(
        {file.name, std::nullopt,
         absl::StrCat(PathIn(source_.path, file.name), ": no edit of ", source_.manifest_name,
                      " names this table, and it has entries that no other has: they are included, "
                      "though they may belong to another database"),
         /*is_damage=*/true});
  }
}

// Merges the tables of each group into one table.
absl::Status Rescue::Merge(const std::vector<std::vector<size_t>>& groups) {
  std::set<size_t> gone;
  std::map<std::string, std::string> new_names;
  std::vector<NewTable> tables;
  for (const std::vector<size_t>& group : groups) {
    ASSIGN_OR_RETURN(NewTable merged, MergeTables(tables_, group, &context_));
    for (const size_t i : group) {
      gone.insert(i);
      new_names[tables_[i].name] = merged.name;
      RETURN_IF_ERROR(RemoveFile(context_.new_folder, tables_[i].name));
    }
    tables.push_back(std::move(merged));
  }
  for (size_t i = 0; i < tables_.size(); ++i) {
    if (gone.count(i) == 0) tables.push_back(std::move(tables_[i]));
  }
  tables_ = std::move(tables);
  RenameInReport(new_names);
  return absl::OkStatus();
}

// On level 0, a higher number is newer. The new numbers are above all others, so no name is in use.
absl::Status Rescue::RenumberLevel0(const std::vector<size_t>& level_0) {
  std::map<std::string, std::string> new_names;
  for (const size_t i : level_0) {
    NewTable& table = tables_[i];
    const uint64_t number = context_.next_number++;
    const std::string name = TableFileName(number);
    RETURN_IF_ERROR(RenameFile(context_.new_folder, table.name, name));
    new_names[table.name] = name;
    table.name = name;
    table.number = number;
  }
  RenameInReport(new_names);
  return absl::OkStatus();
}

void Rescue::RenameInReport(const std::map<std::string, std::string>& new_names) {
  for (RescuedFile& file : report_.files) {
    const auto renamed = new_names.find(file.new_name);
    if (renamed != new_names.end()) file.new_name = renamed->second;
  }
}

void Rescue::CountEntries() {
  report_.last_sequence = source_.version.last_sequence.value_or(0);
  if (report_.last_sequence > kMaxSequence) report_.last_sequence = 0;
  report_.live_key_count = 0;
  for (const NewTable& table : tables_) {
    *report_.live_key_count += table.live_key_count;
    report_.entry_count += table.entry_count;
    report_.deletion_count += table.deletion_count;
    report_.last_sequence = std::max(report_.last_sequence, table.last_sequence);
    report_.tables.push_back(
        {*table.level, table.number, table.size, table.smallest, table.largest});
  }
  std::sort(report_.tables.begin(), report_.tables.end(),
            [](const TableFile& a, const TableFile& b) {
              return std::tie(a.level, a.number) < std::tie(b.level, b.number);
            });
  SortStably(&report_.files,
             [](const RescuedFile& a, const RescuedFile& b) { return a.name < b.name; });
  report_.comparator_name = source_.version.comparator.empty()
                                ? std::string(context_.comparator->Name())
                                : source_.version.comparator;
}

// Gives each new file the mode and owner of the old file it was made from. MANIFEST, CURRENT and
// log get the mode and owner of the first file.
void Rescue::KeepModesAndOwners() const {
  const auto keep = [this](const std::string& old_name, const std::string& new_name) {
    sys::CopyModeAndOwner(PathIn(source_.path, old_name), PathIn(context_.new_folder, new_name));
  };
  std::string first;
  std::set<std::string> done = {""};
  for (const RescuedFile& file : report_.files) {
    if (first.empty() && file.outcome != RescuedFile::Outcome::kMissing) first = file.name;
    for (const std::string& new_name : {file.new_name, file.unverified_name}) {
      if (done.insert(new_name).second) keep(file.name, new_name);
    }
  }
  const auto files = ListFolder(context_.new_folder);
  if (!files.ok()) return;
  for (const DatabaseFile& file : *files) {
    if (file.parsed.has_value() && done.count(file.name) == 0) keep(first, file.name);
  }
  keep("", "lost");
  if (is_new_folder_) keep("", "");
}

}  // namespace

bool DatabaseSalvageReport::complete() const {
  return lost.empty() &&
         std::none_of(problems.begin(), problems.end(),
                      [](const DatabaseProblem& problem) { return problem.is_damage; });
}

absl::StatusOr<DatabaseSalvageReport> SalvageDatabase(Slice folder, Slice new_folder,
                                                      const DatabaseSalvageOptions& options) {
  ASSIGN_OR_RETURN(SourceFolder source, ReadSourceFolder(folder, options));
  ASSIGN_OR_RETURN(const Comparator* comparator, ChooseComparator(source, options));
  ASSIGN_OR_RETURN(const bool is_new, PrepareNewFolder(folder, std::string(new_folder)));
  return Rescue(std::move(source), std::string(new_folder), is_new, comparator, options).Run();
}

absl::StatusOr<DatabaseSalvageReport> SalvageFiles(const std::vector<std::string>& paths,
                                                   Slice new_folder,
                                                   const DatabaseSalvageOptions& options) {
  ASSIGN_OR_RETURN(SourceFolder source, ReadSourceFiles(paths));
  ASSIGN_OR_RETURN(const Comparator* comparator, ChooseComparator(source, options));
  ASSIGN_OR_RETURN(const bool is_new, PrepareNewFolder("", std::string(new_folder)));
  return Rescue(std::move(source), std::string(new_folder), is_new, comparator, options).Run();
}

}  // namespace sstable
