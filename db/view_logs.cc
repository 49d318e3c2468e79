#include "db/view_logs.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "db/database_file.h"
#include "db/folder.h"
#include "db/folder_files.h"
#include "db/log_entries.h"
#include "sstable/database_files.h"
#include "sstable/experimental/log_file.h"
#include "sstable/experimental/write_batch.h"
#include "sstable/file.h"
#include "table/block/show_key.h"

namespace sstable {
namespace {

class LogsReader {
 public:
  LogsReader(bool resumes_within_block, ViewState* state)
      : resumes_within_block_(resumes_within_block), state_(*state) {}

  void Read();

 private:
  std::string Path(absl::string_view name) const { return PathIn(state_.folder, name); }
  bool HasManifest() const { return state_.found.source == StateSource::kManifest; }
  const VersionState& manifest() const { return state_.found.manifest.state; }
  void Report(std::string file, std::optional<uint64_t> offset, std::string message,
              bool is_damage = true) {
    state_.problems.push_back({std::move(file), offset, std::move(message), is_damage});
  }
  void Report(std::string file, const absl::Status& status) {
    state_.problems.push_back(ProblemOf(std::move(file), status));
  }

  bool HasGapBeforeLogs() const;
  void ReadLog(DatabaseFile* file, bool is_last);
  void AddRecord(const LogReader& reader, DatabaseLog* log);
  void ReportOverwritten(const std::vector<LogEntries::Entry>& overwritten);

  const bool resumes_within_block_;
  ViewState& state_;
};

void LogsReader::Read() {
  std::map<uint64_t, DatabaseFile*> logs;
  for (const auto& [number, file] : FilesByNumber(DatabaseFileKind::kLog, &state_.found.files)) {
    if (!HasManifest() || manifest().NeedsLog(number)) logs.emplace(number, file);
  }
  const uint64_t current = manifest().log_number.value_or(0);
  if (HasManifest() && current != 0 && logs.count(current) == 0) {
    const std::string name = LogFileName(current);
    if (FindNotRegular(state_.folder, state_.found.files, name).ok()) {
      state_.missing_log = name;
      Report(name, std::nullopt,
             absl::StrCat(Path(name), ": is not there; if it was empty, nothing is lost"),
             /*is_damage=*/false);
    }
  }
  uint64_t last_written = 0;  // number of the last log that is not empty
  for (const auto& [number, file] : logs) {
    if (file->size > 0) last_written = number;
  }
  for (const auto& [number, file] : logs) ReadLog(file, number >= last_written);
  if (HasManifest() && HasGapBeforeLogs()) state_.found_all = false;
  if (state_.order.has_value()) ReportOverwritten(state_.log_entries.Sort(&*state_.order));
}

// Returns true if sequences are missing between the MANIFEST and the logs. They may be in a table
// that was added later and not made from a log: goleveldb writes a transaction or a large batch as
// a table.
bool LogsReader::HasGapBeforeLogs() const {
  const uint64_t last = manifest().last_sequence.value_or(0);
  for (const DatabaseLog& log : state_.logs) {
    if (log.change_count > 0) return log.first_sequence > last && log.first_sequence - last > 1;
  }
  return false;
}

void LogsReader::ReadLog(DatabaseFile* file, bool is_last) {
  file->use = DatabaseFile::Use::kPart;
  const std::string path = Path(file->name);
  auto opened = OpenFile(path, FileAccess::kRead);
  if (!opened.ok()) {
    if (absl::IsNotFound(opened.status())) state_.found_all = false;
    return Report(file->name, opened.status());
  }
  DatabaseLog& log = state_.logs.emplace_back();
  log.number = file->parsed->number;
  log.name = file->name;
  log.file_size = (*opened)->size();
  LogReader reader(opened->get(), {resumes_within_block_});
  while (reader.Next()) AddRecord(reader, &log);
  const auto report_drop = [&](const LogDrop& drop, bool is_damage) {
    Report(
        log.name, drop.offset,
        absl::StrCat(path, ": at offset ", drop.offset, " (", drop.size, " bytes): ", drop.message),
        is_damage);
  };
  for (const LogDrop& drop : reader.damage()) report_drop(drop, true);
  if (reader.torn_end().has_value()) report_drop(*reader.torn_end(), !is_last);
  if (!reader.status().ok()) Report(log.name, reader.status());
}

// Like LevelDB, applies the changes before one that can't be decoded.
void LogsReader::AddRecord(const LogReader& reader, DatabaseLog* log) {
  const auto log_index = static_cast<uint32_t>(state_.logs.size() - 1);
  const absl::Status status =
      VisitWriteBatch(reader.record(), [&](const BatchChange& change) -> absl::Status {
        state_.log_entries.Add(change, log_index, reader.record_offset());
        if (log->change_count++ == 0) log->first_sequence = change.sequence;
        log->last_sequence = std::max(log->last_sequence, change.sequence);
        return absl::OkStatus();
      });
  ++log->batch_count;
  if (status.ok()) return;
  Report(log->name, reader.record_offset(),
         absl::StrCat(Path(log->name), ": at offset ", reader.record_offset(), ": ",
                      status.message()));
}

void LogsReader::ReportOverwritten(const std::vector<LogEntries::Entry>& overwritten) {
  if (overwritten.empty()) return;
  const LogEntries::Entry& first = overwritten.front();
  const std::string& name = state_.logs[first.log_index].name;
  Report(name, std::nullopt,
         absl::StrCat(Path(name), ": at offset ", first.offset, ": ",
                      ShowKey(KeyKind::kInternal, first.key()),
                      " is written again later in the logs, at the same sequence with another "
                      "value, which is used; such changes: ",
                      overwritten.size()));
}

}  // namespace

void ReadLogs(bool resumes_within_block, ViewState* state) {
  LogsReader(resumes_within_block, state).Read();
}

}  // namespace sstable
