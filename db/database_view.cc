// Reads and iterates over a database; db/view_state.cc determines which files it consists of.
#include "sstable/database_view.h"

#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

#include "absl/base/attributes.h"
#include "absl/base/optimization.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "db/folder_files.h"
#include "db/history.h"
#include "db/view_sources.h"
#include "db/view_state.h"
#include "sstable/iterator.h"
#include "sstable/slice.h"
#include "table/builder_options.h"
#include "table/merging_iterator.h"
#include "util/bytes.h"
#include "util/coding.h"
#include "util/status_util.h"

namespace sstable {
namespace {

class FailedIterator final : public Iterator {
 public:
  explicit FailedIterator(absl::Status status) : status_(std::move(status)) {}
  bool Valid() const override { return false; }
  void SeekToFirst() override {}
  void SeekToLast() override {}
  void Seek(Slice) override {}
  void Next() override {}
  void Prev() override {}
  absl::string_view key() const override { return {}; }
  absl::string_view value() const override { return {}; }
  absl::Status status() const override { return status_; }

 private:
  const absl::Status status_;
};

class OpenedView final : public DatabaseView {
 public:
  explicit OpenedView(std::unique_ptr<ViewState> state) : state_(std::move(state)) {}

  const std::string& folder() const override { return state_->folder; }
  StateSource source() const override { return state_->found.source; }
  const std::vector<DatabaseProblem>& FindProblems() const override { return Sized().problems; }
  const std::string& manifest_name() const override { return state_->found.manifest_name; }
  const VersionState& manifest() const override { return state_->found.manifest.state; }
  const std::vector<DatabaseTable>& ListTables() const override { return Sized().tables->tables(); }
  const std::vector<DatabaseLog>& logs() const override { return state_->logs; }
  const std::vector<DatabaseFile>& ListFiles() const override { return Sized().found.files; }
  uint64_t last_sequence() const override { return state_->last_sequence; }
  const std::string& comparator_name() const override { return state_->comparator_name; }
  const Comparator* comparator() const override { return state_->comparator; }

  absl::StatusOr<Presence> Get(Slice key, std::string* value,
                               const ViewReadOptions& options) const override;
  void MultiGet(absl::Span<LookupRequest> requests, const ViewReadOptions& options) const override;
  std::unique_ptr<Iterator> NewIterator(const ViewReadOptions& options) const override;
  std::unique_ptr<HistoryIterator> NewHistoryIterator(
      const ViewReadOptions& options) const override;

  const ViewState& state() const { return *state_; }

 private:
  static constexpr size_t kNoTable = ~size_t{0};

  // A key of MultiGet().
  struct Wanted {
    LookupRequest* request;  // an error in its presence ends the search
    LookupKey key;
    NewestVersion newest;
    size_t table = kNoTable;  // table of the current run that may have the key
  };

  absl::Status CheckReadable(const ViewReadOptions& options) const {
    const bool is_readable = state_->order_status.ok() && options.snapshot <= kMaxSequence;
    return ABSL_PREDICT_TRUE(is_readable) ? absl::OkStatus() : NotReadable(options);
  }
  absl::Status NotReadable(const ViewReadOptions& options) const;
  absl::Status FindTable(const TableRun& run, const LookupKey& key, const ViewReadOptions& options,
                         size_t* table) const;
  absl::Status SearchTable(size_t table, const LookupKey& key, const ViewReadOptions& options,
                           NewestVersion* newest) const;
  absl::Status SearchRun(const TableRun& run, const LookupKey& key, const ViewReadOptions& options,
                         NewestVersion* newest) const;
  void FindAll(absl::Span<LookupRequest> requests, const ViewReadOptions& options) const;
  void SearchLevel(const TableRun& run, absl::Span<Wanted> wanted,
                   const ViewReadOptions& options) const;
  void SearchTogether(absl::Span<Wanted> wanted, const ViewReadOptions& options) const;
  absl::Status Report(size_t table, absl::Status status, const ViewReadOptions& options) const;
  // Returns an error if the order is unknown, or if an iterator would hold too many tables open:
  // each run needs one.
  absl::Status CheckCanIterate() const {
    RETURN_IF_ERROR(state_->order_status);
    return AtPlace(state_->folder, state_->tables->CheckOpenAtOnce(state_->runs.size()));
  }

  // Returns the state after reading the file sizes that Open() skipped.
  const ViewState& Sized() const {
    std::call_once(sizes_once_, [this] { state_->ReadSizes(); });
    return *state_;
  }

  const std::unique_ptr<ViewState> state_;
  mutable std::once_flag sizes_once_;
};

absl::StatusOr<Presence> OpenedView::Get(Slice key, std::string* value,
                                         const ViewReadOptions& options) const {
  RETURN_IF_ERROR(CheckReadable(options));
  const LookupKey target{key, SeekTag(options.snapshot)};
  NewestVersion newest{value};
  state_->log_entries.FindNewer(target, &newest);
  int level = -1;
  for (const TableRun& run : state_->runs) {
    // If levels are known, everything on deeper levels is older.
    if (newest.is_found() && run.level > level) break;
    level = run.level;
    RETURN_IF_ERROR(SearchRun(run, target, options, &newest));
  }
  for (const LogEntries& table : state_->sorted_tables) table.FindNewer(target, &newest);
  return newest.presence;
}

ABSL_ATTRIBUTE_NOINLINE absl::Status OpenedView::NotReadable(const ViewReadOptions& options) const {
  RETURN_IF_ERROR(state_->order_status);
  return absl::InvalidArgumentError(
      absl::StrCat("snapshot is ", options.snapshot, ", expected at most ", kMaxSequence));
}

ABSL_ATTRIBUTE_ALWAYS_INLINE inline absl::Status OpenedView::SearchRun(
    const TableRun& run, const LookupKey& key, const ViewReadOptions& options,
    NewestVersion* newest) const {
  size_t table = kNoTable;
  RETURN_IF_ERROR(FindTable(run, key, options, &table));
  return table == kNoTable ? absl::OkStatus() : SearchTable(table, key, options, newest);
}

// Sets `*table` to the table of the run that may have the key, if any.
ABSL_ATTRIBUTE_ALWAYS_INLINE inline absl::Status OpenedView::FindTable(
    const TableRun& run, const LookupKey& key, const ViewReadOptions& options,
    size_t* table) const {
  const ViewTables& tables = *state_->tables;
  const size_t place = FindInRun(run, tables.tables(), key);
  size_t before = 0;
  absl::Status gap = CheckGap(run, tables, *state_->order, key, place, &before);
  if (ABSL_PREDICT_FALSE(!gap.ok())) RETURN_IF_ERROR(Report(before, std::move(gap), options));
  if (place < run.tables.size()) *table = run.tables[place];
  return absl::OkStatus();
}

ABSL_ATTRIBUTE_ALWAYS_INLINE inline absl::Status OpenedView::SearchTable(
    size_t table, const LookupKey& key, const ViewReadOptions& options,
    NewestVersion* newest) const {
  const auto search = [&]() -> absl::Status {
    const ViewTables& tables = *state_->tables;
    if (const TableReader* const kept = tables.Kept(table)) return FindNewer(*kept, key, newest);
    ASSIGN_OR_RETURN(const auto opened, tables.Open(table));
    return FindNewer(*opened, key, newest);
  };
  absl::Status status = search();
  if (ABSL_PREDICT_TRUE(status.ok())) return status;
  return Report(table, std::move(status), options);
}

absl::Status OpenedView::Report(size_t table, absl::Status status,
                                const ViewReadOptions& options) const {
  if (options.on_damage == nullptr) return status;
  options.on_damage(ProblemOf(state_->tables->tables()[table].name, status));
  return absl::OkStatus();
}

void OpenedView::MultiGet(absl::Span<LookupRequest> requests,
                          const ViewReadOptions& options) const {
  try {
    FindAll(requests, options);
  } catch (...) {
    // It is unknown which requests have been answered.
    const absl::Status status = StatusOfException();
    for (LookupRequest& request : requests) request.presence = status;
    throw;
  }
}

// Does each step of Get() for all keys before the next step.
void OpenedView::FindAll(absl::Span<LookupRequest> requests, const ViewReadOptions& options) const {
  const absl::Status readable = CheckReadable(options);
  std::vector<Wanted> wanted;
  wanted.reserve(requests.size());
  for (LookupRequest& request : requests) {
    request.presence = Presence::kAbsent;
    if (!readable.ok()) request.presence = readable;
    wanted.push_back(
        {&request, {request.key, SeekTag(options.snapshot)}, NewestVersion{request.value}});
  }
  if (!readable.ok()) return;
  for (Wanted& key : wanted) state_->log_entries.FindNewer(key.key, &key.newest);
  auto end = wanted.end();  // keys from here on are answered
  int level = -1;
  for (const TableRun& run : state_->runs) {
    end = std::partition(wanted.begin(), end, [&](const Wanted& key) {
      const bool is_answered = key.newest.is_found() && run.level > level;
      return !is_answered && key.request->presence.ok();
    });
    level = run.level;
    const auto left = absl::MakeSpan(wanted).first(static_cast<size_t>(end - wanted.begin()));
    if (run.is_level && state_->sorted_tables.empty()) {
      SearchLevel(run, left, options);
      continue;
    }
    for (Wanted& key : left) {
      const absl::Status status = SearchRun(run, key.key, options, &key.newest);
      if (!status.ok()) key.request->presence = status;
    }
  }
  for (Wanted& key : wanted) {
    if (!key.request->presence.ok()) continue;
    for (const LogEntries& table : state_->sorted_tables) table.FindNewer(key.key, &key.newest);
    key.request->presence = key.newest.presence;
  }
}

// Searches one level for keys not found above it. Any version there is newer than those below, so
// sequences need not be compared.
void OpenedView::SearchLevel(const TableRun& run, absl::Span<Wanted> wanted,
                             const ViewReadOptions& options) const {
  for (Wanted& key : wanted) {
    key.table = kNoTable;
    const absl::Status status = FindTable(run, key.key, options, &key.table);
    if (!status.ok()) key.request->presence = status;
  }
  std::sort(wanted.begin(), wanted.end(),
            [](const Wanted& a, const Wanted& b) { return a.table < b.table; });
  for (size_t i = 0, end = 0; i < wanted.size() && wanted[i].table != kNoTable; i = end) {
    while (end < wanted.size() && wanted[end].table == wanted[i].table) ++end;
    if (end - i > 1) {
      SearchTogether(wanted.subspan(i, end - i), options);
      continue;
    }
    Wanted& key = wanted[i];  // a single key need not load the table
    const absl::Status status = SearchTable(key.table, key.key, options, &key.newest);
    if (!status.ok()) key.request->presence = status;
  }
}

// Looks up keys that are all in the range of the same table.
void OpenedView::SearchTogether(absl::Span<Wanted> wanted, const ViewReadOptions& options) const {
  const size_t i = wanted.front().table;
  std::vector<LookupRequest> requests;
  for (const Wanted& key : wanted) requests.push_back({key.key.user_key, key.newest.value});
  const auto table = state_->tables->Open(i);
  if (table.ok()) (*table)->MultiGet(absl::MakeSpan(requests), options);
  for (size_t k = 0; k < wanted.size(); ++k) {
    auto& presence = table.ok() ? requests[k].presence : (requests[k].presence = table.status());
    if (presence.ok()) {
      wanted[k].newest.presence = *presence;
    } else if (absl::Status status = Report(i, presence.status(), options); !status.ok()) {
      wanted[k].request->presence = status;
    }
  }
}

std::unique_ptr<Iterator> OpenedView::NewIterator(const ViewReadOptions& options) const {
  absl::Status status = CheckCanIterate();
  if (!status.ok()) return std::make_unique<FailedIterator>(std::move(status));
  std::vector<std::unique_ptr<Iterator>> children;
  for (auto& source : SourcesOf(*state_, options.on_damage)) children.push_back(std::move(source));
  return NewSnapshotIterator(std::make_unique<MergingIterator>(
                                 state_->comparator, KeyKind::kInternal, std::move(children)),
                             state_->comparator, std::min(options.snapshot, kMaxSequence));
}

std::unique_ptr<HistoryIterator> OpenedView::NewHistoryIterator(
    const ViewReadOptions& options) const {
  absl::Status status = CheckCanIterate();
  if (!status.ok()) return NewFailedHistory(std::move(status));
  return NewHistory(SourcesOf(*state_, options.on_damage), state_->comparator);
}

}  // namespace

const ViewState& ViewStateOf(const DatabaseView& view) {
  return static_cast<const OpenedView&>(view).state();
}

absl::StatusOr<std::unique_ptr<DatabaseView>> DatabaseView::Open(
    Slice folder, const DatabaseViewOptions& options) {
  RETURN_IF_ERROR(CheckNotWrapped(KeyKind::kInternal, options.comparator, {}));
  constexpr int kMaxAttempts = 100;
  const std::string path(folder);
  for (int attempt = 0; attempt < kMaxAttempts; ++attempt) {
    ASSIGN_OR_RETURN(auto state, ReadViewState(path, options));
    if (IsStillValid(path, state->found, state->found_all)) {
      return std::make_unique<OpenedView>(std::move(state));
    }
  }
  return absl::AbortedError(
      absl::StrCat(path, ": changed each of ", kMaxAttempts, " times while it was read"));
}

absl::StatusOr<std::optional<std::string>> DatabaseView::Get(Slice key,
                                                             const ViewReadOptions& options) const {
  std::string value;
  ASSIGN_OR_RETURN(const Presence presence, Get(key, &value, options));
  if (presence != Presence::kFound) return std::nullopt;
  return value;
}

}  // namespace sstable
