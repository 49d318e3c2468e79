#include "db/view_doubts.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "db/database_file.h"
#include "db/folder.h"
#include "db/view_sources.h"
#include "sstable/database_files.h"
#include "sstable/file.h"
#include "sstable/internal_key.h"
#include "sstable/iterator.h"
#include "sstable/options.h"
#include "sstable/table_iterator.h"
#include "sstable/table_reader.h"
#include "table/block/limits.h"
#include "table/block/show_key.h"
#include "table/merging_iterator.h"
#include "util/status_util.h"

namespace sstable {
namespace {

using Kind = DatabaseFileKind;

// Searches a view for entries of other tables. Fast for keys in order.
class EntryFinder {
 public:
  explicit EntryFinder(const ViewState& state) : order_(state.comparator) {
    std::vector<std::unique_ptr<Iterator>> children;
    // Damage in the database's own files is reported when those are read.
    const auto on_damage = [this](const DatabaseProblem& problem) {
      is_unread_ |= problem.is_unread;
    };
    for (auto& source : SourcesOf(state, on_damage)) {
      children.push_back(std::move(source));
    }
    it_ = std::make_unique<MergingIterator>(state.comparator, KeyKind::kInternal,
                                            std::move(children));
  }

  // Returns true if the view may have the entry. Also true if a source that may have it can't be
  // read, or if `budget` does not allow the search. A search reads a block of each source, which is
  // charged to the view's tables.
  bool MayHave(absl::string_view internal_key, Budget* budget) {
    constexpr int kSteps = 8;  // steps that cost as much as a search
    constexpr uint64_t kSearchCost = uint64_t{16} << 10;
    const auto is_below = [&] {
      return it_->Valid() && order_.Compare(it_->key(), internal_key) < 0;
    };
    for (int i = 0; i < kSteps && is_below(); ++i) it_->Next();
    const bool is_past = !it_->Valid() || order_.Compare(it_->key(), internal_key) > 0;
    if (is_past || is_below()) {
      if (!budget->Take(kSearchCost)) return true;
      it_->Seek(internal_key);
    }
    return is_unread_ || !it_->status().ok() || (it_->Valid() && it_->key() == internal_key);
  }

 private:
  const InternalKeyComparator order_;
  std::unique_ptr<MergingIterator> it_;
  bool is_unread_ = false;
};

// Returns the first entry of the table at `path` that the database does not have, for a message;
// nullopt if there is none in the part that can be read and `budget` allows.
std::optional<std::string> FindUnknownEntry(const std::string& path,
                                            const TableReaderOptions& options, EntryFinder* finder,
                                            Budget* budget) {
  constexpr uint64_t kFileCost = uint64_t{64} << 10;
  constexpr uint64_t kEntryCost = 64;
  if (!budget->Take(kFileCost)) return std::nullopt;
  auto file = OpenDatabaseFile(path);
  if (!file.ok()) return std::nullopt;
  const auto reader = TableReader::Open(*std::move(file), options);
  if (!reader.ok()) return std::nullopt;
  const auto it = (*reader)->NewIterator(ReadOptions::ForScan());
  for (it->SeekToFirst(); it->Valid() || !it->status().ok();) {
    if (!it->Valid()) {
      if (IsLimit(it->status()) || !it->SkipDamage()) break;
      continue;
    }
    if (!budget->Take(kEntryCost + it->key().size() + it->value().size())) return std::nullopt;
    if (ParseInternalKey(it->key()).has_value() && !finder->MayHave(it->key(), budget)) {
      return ShowKey(KeyKind::kInternal, it->key());
    }
    it->Next();
  }
  return std::nullopt;
}

// Returns the tables that edits after the MANIFEST's last may have added. A MANIFEST begins with
// all current tables, so other tables with lower numbers than its own had been dropped before.
std::vector<const DatabaseFile*> TablesAfter(const ViewState& state) {
  std::set<uint64_t> named;
  for (const DatabaseTable& table : state.tables->tables()) named.insert(table.number);
  const auto manifest = ParseDatabaseFileName(state.found.manifest_name);
  std::vector<const DatabaseFile*> tables;
  for (const DatabaseFile& file : state.found.files) {
    if (!file.parsed.has_value() || file.parsed->kind != Kind::kTable) continue;
    const uint64_t number = file.parsed->number;
    const bool is_known =
        named.count(number) > 0 || state.found.manifest.state.dropped.count(number) > 0;
    if (!is_known && manifest.has_value() && number >= manifest->number) tables.push_back(&file);
  }
  std::sort(tables.begin(), tables.end(), [](const DatabaseFile* a, const DatabaseFile* b) {
    return a->parsed->number > b->parsed->number;
  });
  return tables;
}

std::set<uint64_t> FindNewerTables(ViewState* state) {
  std::set<uint64_t> numbers;
  const std::vector<const DatabaseFile*> tables = TablesAfter(*state);
  if (tables.empty() || state->comparator == nullptr) return numbers;
  TableReaderOptions options;
  options.key_kind = KeyKind::kInternal;
  options.comparator = state->comparator;
  Budget budget(uint64_t{64} << 20);
  EntryFinder finder(*state);
  for (const DatabaseFile* const table : tables) {
    const auto entry =
        FindUnknownEntry(PathIn(state->folder, table->name), options, &finder, &budget);
    if (!entry.has_value()) continue;
    constexpr size_t kShown = 5;
    std::vector<absl::string_view> names;
    for (const DatabaseFile* const other : tables) {
      names.push_back(other->name);
      numbers.insert(other->parsed->number);
    }
    std::reverse(names.begin(), names.end());
    const size_t more = names.size() - std::min(names.size(), kShown);
    names.resize(names.size() - more);
    const std::string& manifest = state->found.manifest_name;
    state->problems.insert(
        state->problems.begin(),
        {manifest, std::nullopt,
         absl::StrCat(PathIn(state->folder, manifest), ": is older than the folder: no edit names ",
                      absl::StrJoin(names, ", "),
                      more > 0 ? absl::StrCat(" and ", more, " more") : "", ", and ", table->name,
                      " has ", *entry,
                      ", which is in no table or log of the database; `sst salvage` reads them")});
    break;
  }
  if (numbers.empty() && budget.is_exceeded()) {
    state->problems.push_back(
        {state->found.manifest_name, std::nullopt,
         absl::StrCat(PathIn(state->folder, state->found.manifest_name), ": names none of ",
                      tables.size(),
                      " tables of the folder that may be newer; not all of their "
                      "entries were looked for in the database; `sst salvage` reads them"),
         /*is_damage=*/false});
  }
  return numbers;
}

// CURRENT should name the newest MANIFEST. LevelDB removes the others when it opens the database.
void FindNewerManifest(ViewState* state) {
  constexpr size_t kRead = 4;
  const std::string& used = state->found.manifest_name;
  const auto used_name = ParseDatabaseFileName(used);
  std::vector<const DatabaseFile*> newer;
  for (const DatabaseFile& file : state->found.files) {
    if (file.parsed.has_value() && file.parsed->kind == Kind::kManifest && used_name.has_value() &&
        file.parsed->number > used_name->number) {
      newer.push_back(&file);
    }
  }
  std::sort(newer.begin(), newer.end(), [](const DatabaseFile* a, const DatabaseFile* b) {
    return a->parsed->number > b->parsed->number;
  });
  if (newer.size() > kRead) newer.resize(kRead);
  const bool has_damage =
      std::any_of(state->problems.begin(), state->problems.end(),
                  [](const DatabaseProblem& problem) { return problem.is_damage; });
  for (const DatabaseFile* const file : newer) {
    const std::string path = PathIn(state->folder, file->name);
    const auto opened = OpenDatabaseFile(path);
    if (!opened.ok()) continue;
    const auto manifest = ReadManifest(**opened);
    if (!manifest.ok() || !manifest->status.ok()) continue;
    state->problems.push_back(
        {file->name, std::nullopt,
         absl::StrCat(path, ": is complete and newer than ", used,
                      ", which is used: last sequence ", manifest->state.last_sequence.value_or(0),
                      ", that one has ", state->found.manifest.state.last_sequence.value_or(0)),
         has_damage});
    return;
  }
}

// Below level 0, LevelDB searches only one table of each level for a key.
void FindOverlaps(ViewState* state) {
  if (state->comparator == nullptr) return;
  const InternalKeyComparator order(state->comparator);
  const DatabaseTable* last = nullptr;  // the table with the highest end so far on this level
  std::string message;
  size_t more = 0;
  for (const DatabaseTable& table : state->tables->tables()) {
    if (table.level < 1 || !table.in_order || !HasRange(table, state->comparator)) continue;
    const bool is_same_level = last != nullptr && last->level == table.level;
    const bool overlaps = is_same_level && order.Compare(last->largest, table.smallest) >= 0;
    if (overlaps && message.empty()) {
      message = absl::StrCat("level ", table.level, ": ", last->name, " and ", table.name,
                             " overlap from ", ShowKey(KeyKind::kInternal, table.smallest),
                             " on: LevelDB looks for a key in only one of them");
    } else if (overlaps) {
      ++more;
    }
    if (!is_same_level || order.Compare(last->largest, table.largest) < 0) last = &table;
  }
  if (message.empty()) return;
  if (more > 0) absl::StrAppend(&message, "; and ", more, " more such tables");
  const std::string& manifest = state->found.manifest_name;
  state->problems.push_back(
      {manifest, std::nullopt, absl::StrCat(PathIn(state->folder, manifest), ": ", message)});
}

}  // namespace

std::set<uint64_t> FindDoubts(ViewState* state) {
  FindOverlaps(state);
  std::set<uint64_t> newer_tables = FindNewerTables(state);
  FindNewerManifest(state);
  return newer_tables;
}

}  // namespace sstable
