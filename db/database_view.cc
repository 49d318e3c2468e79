// Reads and iterates over a database; db/view_state.cc determines which files it consists of.
#include "sstable/database_view.h"

#include <algorithm>
#include <utility>

#include "absl/base/optimization.h"
#include "absl/strings/str_cat.h"
#include "db/folder_files.h"
#include "db/history.h"
#include "db/view_sources.h"
#include "db/view_state.h"
#include "sstable/iterator.h"
#include "sstable/slice.h"
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

// The newest version of a key found so far.
class NewestVersion {
 public:
  NewestVersion(const Comparator& comparator, absl::string_view key, std::string* value)
      : comparator_(comparator), key_(key), value_(*value) {}

  // Ignores other keys and older versions.
  absl::Status Take(absl::string_view internal_key, absl::string_view value) {
    if (comparator_.Compare(ExtractUserKey(internal_key), key_) != 0) return absl::OkStatus();
    const auto parsed = ParseInternalKey(internal_key);
    if (!parsed.has_value()) return absl::DataLossError("the key found is not an internal key");
    if (is_found() && parsed->sequence <= sequence_) return absl::OkStatus();
    sequence_ = parsed->sequence;
    presence_ = parsed->type == ValueType::kValue ? Presence::kFound : Presence::kDeleted;
    if (presence_ == Presence::kFound) value_.assign(value.data(), value.size());
    return absl::OkStatus();
  }

  // Reads from `table`, the only one that may have the version, so its sequence does not matter.
  absl::Status Find(const TableReader& table, uint64_t snapshot) {
    ASSIGN_OR_RETURN(presence_, table.Get(key_, &value_, {snapshot}));
    return absl::OkStatus();
  }

  bool is_found() const { return presence_ != Presence::kAbsent; }
  Presence presence() const { return presence_; }

 private:
  const Comparator& comparator_;
  const absl::string_view key_;
  std::string& value_;
  Presence presence_ = Presence::kAbsent;
  uint64_t sequence_ = 0;
};

class OpenedView final : public DatabaseView {
 public:
  explicit OpenedView(std::unique_ptr<const ViewState> state) : state_(std::move(state)) {}

  const std::string& folder() const override { return state_->folder; }
  StateSource source() const override { return state_->found.source; }
  const std::vector<DatabaseProblem>& problems() const override { return state_->problems; }
  const std::string& manifest_name() const override { return state_->found.manifest_name; }
  const VersionState& manifest() const override { return state_->found.manifest.state; }
  const std::vector<DatabaseTable>& tables() const override { return state_->tables->tables(); }
  const std::vector<DatabaseLog>& logs() const override { return state_->logs; }
  const std::vector<DatabaseFile>& files() const override { return state_->found.files; }
  uint64_t last_sequence() const override { return state_->last_sequence; }
  const std::string& comparator_name() const override { return state_->comparator_name; }
  const Comparator* comparator() const override { return state_->comparator; }

  absl::StatusOr<Presence> Get(Slice key, std::string* value,
                               const ViewReadOptions& options) const override;
  std::unique_ptr<Iterator> NewIterator(const ViewReadOptions& options) const override;
  std::unique_ptr<HistoryIterator> NewHistoryIterator(
      const ViewReadOptions& options) const override;

 private:
  absl::Status SearchRun(const TableRun& run, const LookupKey& key, const ViewReadOptions& options,
                         NewestVersion* newest) const;

  const std::unique_ptr<const ViewState> state_;
};

absl::StatusOr<Presence> OpenedView::Get(Slice key, std::string* value,
                                         const ViewReadOptions& options) const {
  RETURN_IF_ERROR(state_->order_status);
  if (options.snapshot > kMaxSequence) {
    return absl::InvalidArgumentError(
        absl::StrCat("snapshot is ", options.snapshot, ", expected at most ", kMaxSequence));
  }
  const LookupKey target{key, SeekTag(options.snapshot)};
  NewestVersion newest(*state_->comparator, key, value);
  const auto search = [&](const LogEntries& entries) -> absl::Status {
    const size_t i = entries.Find(target);
    if (i == entries.entries().size()) return absl::OkStatus();
    const LogEntries::Entry& entry = entries.entries()[i];
    return newest.Take(entry.key(), entry.value());
  };
  RETURN_IF_ERROR(search(state_->log_entries));
  int level = -1;
  for (const TableRun& run : state_->runs) {
    // With levels, everything deeper is older.
    if (newest.is_found() && run.level > level) break;
    level = run.level;
    RETURN_IF_ERROR(SearchRun(run, target, options, &newest));
  }
  for (const LogEntries& table : state_->sorted_tables) RETURN_IF_ERROR(search(table));
  return newest.presence();
}

absl::Status OpenedView::SearchRun(const TableRun& run, const LookupKey& key,
                                   const ViewReadOptions& options, NewestVersion* newest) const {
  const size_t place = FindInRun(run, state_->tables->tables(), key);
  const auto report = [&](size_t i, const absl::Status& status) {
    if (ABSL_PREDICT_TRUE(status.ok()) || options.on_damage == nullptr) return status;
    options.on_damage(ProblemOf(state_->tables->tables()[i].name, status));
    return absl::OkStatus();
  };
  size_t before = 0;
  const absl::Status gap = CheckGap(run, *state_->tables, *state_->order, key, place, &before);
  RETURN_IF_ERROR(report(before, gap));
  if (place == run.tables.size()) return absl::OkStatus();
  const size_t i = run.tables[place];
  const auto search = [&]() -> absl::Status {
    ASSIGN_OR_RETURN(const auto table, state_->tables->Open(i));
    if (run.is_level && state_->sorted_tables.empty()) {
      return newest->Find(*table, options.snapshot);
    }
    KeyBuffer buffer;
    char* const tag = buffer.Resize(0, key.user_key.size() + kTagSize) + key.user_key.size();
    CopySmall(buffer.data(), key.user_key.data(), key.user_key.size());
    EncodeFixed64(tag, key.tag);
    absl::Status status;
    RETURN_IF_ERROR(table->InternalGet(
        buffer.view(), [&](absl::string_view found_key, absl::string_view found_value) {
          status = AtPlace(table->file().name(), newest->Take(found_key, found_value));
        }));
    return status;
  };
  return report(i, search());
}

std::unique_ptr<Iterator> OpenedView::NewIterator(const ViewReadOptions& options) const {
  if (!state_->order_status.ok()) return std::make_unique<FailedIterator>(state_->order_status);
  std::vector<std::unique_ptr<Iterator>> children;
  for (auto& source : SourcesOf(*state_, options.on_damage)) children.push_back(std::move(source));
  return NewSnapshotIterator(std::make_unique<MergingIterator>(
                                 state_->comparator, KeyKind::kInternal, std::move(children)),
                             state_->comparator, std::min(options.snapshot, kMaxSequence));
}

std::unique_ptr<HistoryIterator> OpenedView::NewHistoryIterator(
    const ViewReadOptions& options) const {
  if (!state_->order_status.ok()) return NewFailedHistory(state_->order_status);
  return NewHistory(SourcesOf(*state_, options.on_damage), state_->comparator);
}

}  // namespace

absl::StatusOr<std::unique_ptr<DatabaseView>> DatabaseView::Open(
    Slice folder, const DatabaseViewOptions& options) {
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
