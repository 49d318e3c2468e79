#include "db/view_state.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "db/database_file.h"
#include "db/folder.h"
#include "db/folder_files.h"
#include "db/renamed_tables.h"
#include "db/unordered_tables.h"
#include "db/view_doubts.h"
#include "db/view_logs.h"
#include "table/block/show_key.h"
#include "util/escape.h"
#include "util/stable_order.h"
#include "util/status_util.h"

namespace sstable {
namespace {

using Kind = DatabaseFileKind;
using Use = DatabaseFile::Use;

constexpr size_t kDefaultCacheSize = size_t{8} << 20;

absl::Status CompareSizes(absl::string_view path, uint64_t file_size, uint64_t manifest_size) {
  if (file_size == manifest_size) return absl::OkStatus();
  return absl::DataLossError(
      absl::StrCat(path, ": has ", file_size, " bytes, the MANIFEST says ", manifest_size));
}

class StateReader {
 public:
  StateReader(const std::string& folder, const DatabaseViewOptions& options, ViewState* state)
      : options_(options), state_(*state), unordered_(state) {
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
  void Report(std::string file, const absl::Status& status) {
    state_.problems.push_back(ProblemOf(std::move(file), status));
  }
  void ReportManifest();
  void ChooseComparator();

  absl::Status FindNotRegular(absl::string_view name) const {
    return sstable::FindNotRegular(state_.folder, state_.found.files, name);
  }
  void ReportNotRegular();

  void AddTables();
  void FindRenamed(const std::map<uint64_t, DatabaseFile*>& by_number);
  void MarkRenamed();
  void AddTable(DatabaseTable table, DatabaseFile* file);
  // Returns true if the order of each table is checked while it is open to find or check its range.
  bool ChecksEachOrder() const {
    return state_.comparator != nullptr && (options_.check_ranges || !HasManifest());
  }
  absl::Status CheckRange(size_t i);
  std::vector<DatabaseTable> ManifestTables() const;
  bool IsTaken(const DatabaseFile& file) const;

  void ReportLeftOver(const std::set<uint64_t>& newer_tables);

  const DatabaseViewOptions& options_;
  ViewState& state_;
  bool is_decrypted_ = false;
  // Names of files that hold missing tables, keyed by the table's number.
  std::map<uint64_t, std::string> renamed_;
  UnorderedTables unordered_;
};

absl::Status StateReader::Read() {
  is_decrypted_ = IsDecrypted(state_.folder);
  const bool needs_sizes = options_.check_ranges || options_.ignore_manifest || is_decrypted_;
  ASSIGN_OR_RETURN(state_.found, ReadFolderState(state_.folder, needs_sizes));
  if (options_.ignore_manifest) state_.found.source = StateSource::kFiles;
  if (is_decrypted_) {
    Report("", std::nullopt, absl::StrCat(state_.folder, ": ", kIsDecrypted), /*is_damage=*/false);
  }
  ReportManifest();
  ReportNotRegular();
  ChooseComparator();
  if (state_.comparator != nullptr) state_.order.emplace(state_.comparator, KeyKind::kInternal);
  AddTables();
  if (state_.comparator != nullptr && !ChecksEachOrder()) unordered_.CheckSome();
  const std::vector<size_t> in_runs = unordered_.Sort();
  state_.tables->EndAdding();
  ReadLogs(options_.resume_within_log_block, &state_);
  MarkRenamed();
  state_.last_sequence = manifest().last_sequence.value_or(0);
  for (const DatabaseLog& log : state_.logs) {
    state_.last_sequence = std::max(state_.last_sequence, log.last_sequence);
  }
  if (state_.comparator != nullptr) {
    state_.runs = GroupIntoRuns(state_.tables->tables(), in_runs, &*state_.order);
  }
  ReportLeftOver(HasManifest() ? FindDoubts(&state_) : std::set<uint64_t>());
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
    const std::string used =
        HasManifest() ? absl::StrCat("; ", found.manifest_name, " is used") : "";
    Report(kCurrentFileName, absl::Status(found.current_status.code(),
                                          absl::StrCat(found.current_status.message(), used)));
  }
  for (const auto& [name, status] : found.unread_manifests) Report(name, status);
  if (!found.manifest_name.empty() && !found.manifest.status.ok()) {
    Report(found.manifest_name, found.manifest.status);
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
    if (!not_regular.ok()) Report(file.name, not_regular);
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
    ReadSizes(state_.folder, &state_.found.files);
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
  options.max_work = options_.max_work;
  options.block_cache = options_.block_cache != nullptr
                            ? options_.block_cache
                            : std::make_shared<BlockCache>(kDefaultCacheSize);
  const std::map<uint64_t, DatabaseFile*> by_number =
      FilesByNumber(Kind::kTable, &state_.found.files);
  const size_t count = HasManifest() ? manifest().tables.size() : by_number.size();
  state_.tables = std::make_unique<ViewTables>(count, options_.max_open_files, options_.file_access,
                                               is_decrypted_, options);
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
  FindRenamed(by_number);
  for (DatabaseTable& table : ManifestTables()) {
    const auto found = by_number.find(table.number);
    AddTable(std::move(table), found == by_number.end() ? nullptr : found->second);
  }
}

void StateReader::FindRenamed(const std::map<uint64_t, DatabaseFile*>& by_number) {
  std::vector<const TableFile*> missing;
  for (const auto& [place, table] : manifest().tables) {
    if (by_number.count(table.number) == 0) missing.push_back(&table);
  }
  if (missing.empty()) return;
  ReadSizes(state_.folder, &state_.found.files);
  std::vector<DatabaseFile> files = ListLevelFolders(state_.folder);
  files.insert(files.end(), state_.found.files.begin(), state_.found.files.end());
  for (const auto& [number, file] :
       FindRenamedTables(state_.folder, files, missing, manifest().dropped,
                         options_.max_uncompressed_block_size)) {
    renamed_[number] = file->name;
  }
}

// A file that holds a missing table is not another table or a log, whatever its name.
void StateReader::MarkRenamed() {
  std::set<absl::string_view> names;
  for (const auto& [number, name] : renamed_) names.insert(name);
  for (DatabaseFile& file : state_.found.files) {
    if (file.use != Use::kLeftOver || names.count(file.name) == 0) continue;
    file.parsed.reset();
    file.use = Use::kForeign;
  }
}

// Returns true if a table belongs to the database, as far as an incomplete MANIFEST shows.
bool StateReader::IsTaken(const DatabaseFile& file) const {
  return options_.ignore_manifest || manifest().dropped.count(file.parsed->number) == 0;
}

std::vector<DatabaseTable> StateReader::ManifestTables() const {
  std::vector<const TableFile*> files;
  for (const auto& [place, file] : manifest().tables) files.push_back(&file);
  SortStably(&files, [&](const TableFile* a, const TableFile* b) {
    if (a->level != b->level) return a->level < b->level;
    if (a->level == 0) return a->number > b->number;
    return state_.order.has_value() && state_.order->Compare(a->smallest, b->smallest) < 0;
  });
  std::vector<DatabaseTable> tables;
  tables.reserve(files.size());
  for (const TableFile* file : files) {
    DatabaseTable& table = tables.emplace_back();
    table.number = file->number;
    table.name = TableFileName(file->number);
    table.level = file->level;
    table.size = file->size;
    table.smallest = file->smallest;
    table.largest = file->largest;
  }
  return tables;
}

// `file` is null if it is missing.
void StateReader::AddTable(DatabaseTable table, DatabaseFile* file) {
  if (file != nullptr) {
    file->use = Use::kPart;
    table.name = file->name;
    table.file_size = file->size - (is_decrypted_ ? kNetEaseMagicSize : 0);
  }
  const std::string name = table.name, path = Path(name);
  const uint64_t size = table.size;
  if (absl::Status not_regular = file == nullptr ? FindNotRegular(name) : absl::OkStatus();
      !not_regular.ok()) {  // already reported
    return state_.tables->AddUnreadable(std::move(table), std::move(not_regular));
  }
  if (const auto renamed = renamed_.find(table.number); renamed != renamed_.end()) {
    state_.found_all = false;
    absl::Status missing =
        absl::NotFoundError(absl::StrCat(path, ": is missing; ", EscapeControls(renamed->second),
                                         " has this table; `sst salvage` uses it"));
    Report(name, missing);
    return state_.tables->AddUnreadable(std::move(table), std::move(missing));
  }
  absl::Status status = state_.tables->Add(std::move(table), path);
  const size_t i = state_.tables->tables().size() - 1;
  if (absl::IsNotFound(status)) state_.found_all = false;
  const uint64_t file_size = state_.tables->tables()[i].file_size.value_or(kUnknownSize);
  if (file != nullptr && file->size == kUnknownSize) file->size = file_size;
  if (status.ok() && HasManifest() && file_size != kUnknownSize) {
    status = CompareSizes(path, file_size, size);
  }
  if (status.ok() && HasManifest()) status = CheckRange(i);
  if (status.ok() && !HasManifest()) status = state_.tables->FindRange(i);
  if (!status.ok()) Report(name, status);
  if (ChecksEachOrder()) unordered_.Check(i).IgnoreError();
}

absl::Status StateReader::CheckRange(size_t i) {
  if (options_.check_ranges) {
    const absl::Status status = state_.tables->CheckRange(i);
    if (absl::IsNotFound(status) || absl::IsAborted(status)) state_.found_all = false;
    RETURN_IF_ERROR(status);
  }
  const DatabaseTable& table = state_.tables->tables()[i];
  if (state_.comparator == nullptr || HasRange(table, state_.comparator)) return absl::OkStatus();
  if (absl::IsDataLoss(unordered_.Check(i))) return absl::OkStatus();  // Sort() reports it
  return absl::DataLossError(
      absl::StrCat(Path(table.name), ": the MANIFEST says that its first key is ",
                   ShowKey(KeyKind::kInternal, table.smallest, table.largest),
                   ", expected one not after its last, ",
                   ShowKey(KeyKind::kInternal, table.largest, table.smallest)));
}

// `newer_tables` has the numbers of the tables already reported as newer than the MANIFEST.
void StateReader::ReportLeftOver(const std::set<uint64_t>& newer_tables) {
  std::map<std::pair<Kind, uint64_t>, std::string> parts;
  for (const DatabaseFile& file : state_.found.files) {
    if (file.use == Use::kPart && file.parsed.has_value()) {
      parts[{file.parsed->kind, file.parsed->number}] = file.name;
    }
  }
  for (const DatabaseFile& file : state_.found.files) {
    if (file.use != Use::kLeftOver || (!Is(file, Kind::kTable) && !Is(file, Kind::kLog))) continue;
    if (Is(file, Kind::kTable) && newer_tables.count(file.parsed->number) > 0) continue;
    const auto part = parts.find({file.parsed->kind, file.parsed->number});
    if (part != parts.end()) {
      Report(file.name, std::nullopt,
             absl::StrCat(Path(file.name), ": ", part->second,
                          " is read instead: not part of the database"),
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

void ViewState::ReadSizes() {
  sstable::ReadSizes(folder, &found.files);
  std::map<absl::string_view, uint64_t> sizes;
  for (const DatabaseFile& file : found.files) sizes[file.name] = file.size;
  for (size_t i = 0; i < tables->tables().size(); ++i) {
    const DatabaseTable& table = tables->tables()[i];
    if (table.file_size != kUnknownSize) continue;
    const uint64_t size = sizes[table.name];
    if (size == kUnknownSize) {  // a program has removed it since, which is not a problem
      tables->SetFileSize(i, std::nullopt);
      continue;
    }
    tables->SetFileSize(i, size);
    const absl::Status status = CompareSizes(PathIn(folder, table.name), size, table.size);
    if (!status.ok()) problems.push_back(ProblemOf(table.name, status));
  }
  for (DatabaseFile& file : found.files) {
    if (file.size == kUnknownSize) file.size = 0;
  }
}

absl::StatusOr<std::unique_ptr<ViewState>> ReadViewState(const std::string& folder,
                                                         const DatabaseViewOptions& options) {
  auto state = std::make_unique<ViewState>();
  RETURN_IF_ERROR(StateReader(folder, options, state.get()).Read());
  return state;
}

}  // namespace sstable
