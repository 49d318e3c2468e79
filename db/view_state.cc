#include "db/view_state.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "db/database_file.h"
#include "db/folder.h"
#include "db/folder_files.h"
#include "sstable/log_file.h"
#include "sstable/write_batch.h"
#include "table/block/show_key.h"
#include "util/escape.h"
#include "util/status_util.h"

namespace sstable {
namespace {

using Kind = DatabaseFileKind;
using Use = DatabaseFile::Use;

class StateReader {
 public:
  StateReader(const std::string& folder, const DatabaseViewOptions& options, ViewState* state)
      : options_(options), state_(*state) {
    state_.folder = folder;
  }

  absl::Status Read();

 private:
  std::string Path(absl::string_view name) const { return PathIn(state_.folder, name); }
  bool HasManifest() const { return state_.found.source == StateSource::kManifest; }
  const VersionState& manifest() const { return state_.found.manifest.state; }
  bool Is(const DatabaseFile& file, Kind kind) const {
    return file.parsed.has_value() && file.parsed->kind == kind;
  }

  void Report(std::string file, std::optional<uint64_t> offset, std::string message,
              bool is_damage = true) {
    state_.problems.push_back({std::move(file), offset, std::move(message), is_damage});
  }
  void ReportManifest();
  void ChooseComparator();

  absl::Status FindNotRegular(absl::string_view name) const {
    return sstable::FindNotRegular(state_.folder, state_.found.files, name);
  }
  void ReportNotRegular();

  void AddTables();
  void AddTable(DatabaseTable table, DatabaseFile* file);
  absl::Status CheckRange(size_t i);
  std::vector<DatabaseTable> ManifestTables() const;
  bool IsTaken(const DatabaseFile& file) const;

  void AddLogs();
  void ReadLog(DatabaseFile* file, bool is_last);
  void AddRecord(const LogReader& reader, DatabaseLog* log);
  void ReportLeftOver();

  const DatabaseViewOptions& options_;
  ViewState& state_;
};

absl::Status StateReader::Read() {
  ASSIGN_OR_RETURN(state_.found, ReadFolderState(state_.folder));
  if (options_.ignore_manifest) state_.found.source = StateSource::kFiles;
  if (IsDecrypted(state_.folder)) {
    Report("", std::nullopt, absl::StrCat(state_.folder, ": ", kIsDecrypted), /*is_damage=*/false);
  }
  ReportManifest();
  ReportNotRegular();
  ChooseComparator();
  AddTables();
  AddLogs();
  ReportLeftOver();
  state_.last_sequence = manifest().last_sequence.value_or(0);
  for (const DatabaseLog& log : state_.logs) {
    state_.last_sequence = std::max(state_.last_sequence, log.last_sequence);
  }
  if (state_.comparator != nullptr) {
    state_.log_entries.Sort(state_.comparator);
    state_.runs = GroupIntoRuns(state_.tables->tables(), state_.comparator);
  }
  return absl::OkStatus();
}

void StateReader::ReportManifest() {
  FolderState& found = state_.found;
  for (DatabaseFile& file : found.files) {
    const bool is_current = file.name == kCurrentFileName && found.current_status.ok();
    const bool is_manifest = file.name == found.manifest_name && HasManifest();
    if (is_current || is_manifest) file.use = Use::kPart;
  }
  if (!found.current_status.ok()) {
    Report(kCurrentFileName, std::nullopt, std::string(found.current_status.message()));
    if (HasManifest()) {
      Report(found.manifest_name, std::nullopt,
             absl::StrCat(Path(found.manifest_name), ": is used, since CURRENT can't be"));
    }
  }
  if (!found.manifest_name.empty() && !found.manifest.status.ok()) {
    Report(found.manifest_name, std::nullopt, std::string(found.manifest.status.message()));
  }
  if (HasManifest()) {
    const absl::Status limits = CheckLevelDbLimits(manifest());
    if (!limits.ok()) {
      Report(found.manifest_name, std::nullopt,
             absl::StrCat(Path(found.manifest_name), ": ", limits.message()));
    }
  }
  if (found.manifest.torn_end.has_value()) {
    const LogDrop& torn = *found.manifest.torn_end;
    Report(found.manifest_name, torn.offset,
           absl::StrCat(Path(found.manifest_name), ": at offset ", torn.offset, ": ", torn.message),
           /*is_damage=*/false);
  }
}

void StateReader::ReportNotRegular() {
  for (const DatabaseFile& file : state_.found.files) {
    const absl::Status not_regular = NotRegular(state_.folder, file);
    if (!not_regular.ok()) Report(file.name, std::nullopt, std::string(not_regular.message()));
  }
}

void StateReader::ChooseComparator() {
  state_.comparator_name = manifest().comparator;
  if (options_.comparator != nullptr) {
    state_.comparator = options_.comparator;
    if (state_.comparator_name.empty()) {
      state_.comparator_name = std::string(options_.comparator->Name());
    }
    return;
  }
  if (state_.comparator_name.empty()) {
    const auto guess =
        GuessComparator(state_.folder, state_.found.files, options_.max_uncompressed_block_size);
    state_.comparator = guess.ok() ? *guess : nullptr;
    state_.order_status = guess.status();
    return;
  }
  state_.comparator = ComparatorByName(state_.comparator_name);
  if (state_.comparator != nullptr) return;
  state_.order_status =
      absl::UnimplementedError(absl::StrCat(Path(state_.found.manifest_name), ": the comparator ",
                                            ShowBytes(state_.comparator_name), " is not known"));
}

void StateReader::AddTables() {
  TableReaderOptions options;
  options.key_kind = KeyKind::kInternal;
  if (state_.comparator != nullptr) options.comparator = state_.comparator;
  options.max_uncompressed_block_size = options_.max_uncompressed_block_size;
  state_.tables = std::make_unique<ViewTables>(options_.max_open_files, options);

  const std::map<uint64_t, DatabaseFile*> by_number =
      FilesByNumber(Kind::kTable, &state_.found.files);
  if (!HasManifest()) {
    for (const auto& [number, file] : by_number) {
      if (!IsTaken(*file)) continue;
      DatabaseTable table;
      table.number = number;
      table.size = file->size;
      AddTable(std::move(table), file);
    }
    return;
  }
  for (DatabaseTable& table : ManifestTables()) {
    const auto found = by_number.find(table.number);
    AddTable(std::move(table), found == by_number.end() ? nullptr : found->second);
  }
}

// Whether a table belongs to the database as far as can be known without the whole MANIFEST.
bool StateReader::IsTaken(const DatabaseFile& file) const {
  return options_.ignore_manifest || manifest().dropped.count(file.parsed->number) == 0;
}

std::vector<DatabaseTable> StateReader::ManifestTables() const {
  std::vector<DatabaseTable> tables;
  for (const auto& [place, file] : manifest().tables) {
    DatabaseTable table;
    table.number = file.number;
    table.name = TableFileName(file.number);
    table.level = file.level;
    table.size = file.size;
    table.smallest = file.smallest;
    table.largest = file.largest;
    tables.push_back(std::move(table));
  }
  const Comparator* const comparator = state_.comparator;
  std::stable_sort(tables.begin(), tables.end(), [&](const auto& a, const auto& b) {
    if (a.level != b.level) return a.level < b.level;
    if (a.level == 0) return a.number > b.number;
    return comparator != nullptr &&
           InternalKeyComparator(comparator).Compare(a.smallest, b.smallest) < 0;
  });
  return tables;
}

// `file` is null if it is missing.
void StateReader::AddTable(DatabaseTable table, DatabaseFile* file) {
  if (file != nullptr) {
    file->use = Use::kPart;
    table.name = file->name;
  }
  const std::string name = table.name, path = Path(name);
  const uint64_t size = table.size;
  if (absl::Status not_regular = file == nullptr ? FindNotRegular(name) : absl::OkStatus();
      !not_regular.ok()) {  // was reported
    return state_.tables->AddUnreadable(std::move(table), std::move(not_regular));
  }
  absl::Status status = state_.tables->Add(std::move(table), path);
  const size_t i = state_.tables->tables().size() - 1;
  if (absl::IsNotFound(status)) state_.found_all = false;
  const std::optional<uint64_t> file_size = state_.tables->tables()[i].file_size;
  if (status.ok() && HasManifest() && file_size != size) {
    status = absl::DataLossError(
        absl::StrCat(path, ": has ", *file_size, " bytes, the MANIFEST says ", size));
  }
  if (status.ok() && HasManifest()) status = CheckRange(i);
  if (status.ok() && !HasManifest()) status = state_.tables->FindRange(i);
  if (!status.ok()) Report(name, std::nullopt, std::string(status.message()));
}

absl::Status StateReader::CheckRange(size_t i) {
  if (options_.check_ranges) {
    const absl::Status status = state_.tables->CheckRange(i);
    if (absl::IsNotFound(status) || absl::IsAborted(status)) state_.found_all = false;
    RETURN_IF_ERROR(status);
  }
  const DatabaseTable& table = state_.tables->tables()[i];
  if (state_.comparator == nullptr || HasRange(table, state_.comparator)) return absl::OkStatus();
  return absl::DataLossError(absl::StrCat(
      Path(table.name), ": the MANIFEST says that its first key is ",
      ShowKey(KeyKind::kInternal, table.smallest), ", expected one not after its last, ",
      ShowKey(KeyKind::kInternal, table.largest)));
}

void StateReader::AddLogs() {
  std::map<uint64_t, DatabaseFile*> logs;
  for (const auto& [number, file] : FilesByNumber(Kind::kLog, &state_.found.files)) {
    if (!HasManifest() || manifest().NeedsLog(number)) logs.emplace(number, file);
  }
  const uint64_t current = manifest().log_number.value_or(0);
  if (HasManifest() && current != 0 && logs.count(current) == 0) {
    state_.found_all = false;
    const std::string name = LogFileName(current);
    if (FindNotRegular(name).ok()) {
      Report(name, std::nullopt,
             absl::StrCat(Path(name), ": is missing, and the last writes in it"));
    }
  }
  for (const auto& [number, file] : logs) ReadLog(file, number == logs.rbegin()->first);
}

void StateReader::ReadLog(DatabaseFile* file, bool is_last) {
  file->use = Use::kPart;
  const std::string path = Path(file->name);
  auto opened = OpenFile(path, FileAccess::kRead);
  if (!opened.ok()) {
    if (absl::IsNotFound(opened.status())) state_.found_all = false;
    return Report(file->name, std::nullopt, std::string(opened.status().message()));
  }
  DatabaseLog& log = state_.logs.emplace_back();
  log.number = file->parsed->number;
  log.name = file->name;
  log.file_size = (*opened)->size();
  LogReader reader(opened->get(), {options_.resume_within_log_block});
  while (reader.Next()) AddRecord(reader, &log);
  const auto report_drop = [&](const LogDrop& drop, bool is_damage) {
    Report(
        log.name, drop.offset,
        absl::StrCat(path, ": at offset ", drop.offset, " (", drop.size, " bytes): ", drop.message),
        is_damage);
  };
  for (const LogDrop& drop : reader.damage()) report_drop(drop, true);
  if (reader.torn_end().has_value()) report_drop(*reader.torn_end(), !is_last);
  if (!reader.status().ok()) {
    Report(log.name, std::nullopt, std::string(reader.status().message()));
  }
}

// Like LevelDB, takes the changes before one that can't be decoded.
void StateReader::AddRecord(const LogReader& reader, DatabaseLog* log) {
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

void StateReader::ReportLeftOver() {
  std::map<std::pair<Kind, uint64_t>, std::string> parts;
  for (const DatabaseFile& file : state_.found.files) {
    if (file.use == Use::kPart && file.parsed.has_value()) {
      parts[{file.parsed->kind, file.parsed->number}] = file.name;
    }
  }
  for (const DatabaseFile& file : state_.found.files) {
    if (file.use != Use::kLeftOver || (!Is(file, Kind::kTable) && !Is(file, Kind::kLog))) continue;
    const auto part = parts.find({file.parsed->kind, file.parsed->number});
    if (part != parts.end()) {
      Report(file.name, std::nullopt,
             absl::StrCat(Path(file.name), ": ", part->second,
                          " is read in its place: not part of the database"),
             /*is_damage=*/false);
      continue;
    }
    const char* const why = Is(file, Kind::kLog) ? "is older than the MANIFEST needs"
                            : manifest().dropped.count(file.parsed->number) > 0
                                ? "was dropped by an edit of the MANIFEST"
                                : "is named by no edit of the MANIFEST";
    Report(file.name, std::nullopt,
           absl::StrCat(Path(file.name), ": ", why, ": not part of the database"),
           /*is_damage=*/false);
  }
}

}  // namespace

absl::StatusOr<std::unique_ptr<ViewState>> ReadViewState(const std::string& folder,
                                                         const DatabaseViewOptions& options) {
  auto state = std::make_unique<ViewState>();
  RETURN_IF_ERROR(StateReader(folder, options, state.get()).Read());
  return state;
}

}  // namespace sstable
