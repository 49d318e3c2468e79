#include "db/version_check.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "db/folder.h"
#include "db/view_state.h"
#include "sstable/internal_key.h"
#include "table/block/show_key.h"
#include "util/status_util.h"

namespace sstable {
namespace {

// The rank of each file in LevelDB's search: 0 is searched first.
std::map<absl::string_view, size_t> RanksOf(const DatabaseView& view) {
  std::map<absl::string_view, size_t> ranks;
  for (const DatabaseLog& log : view.logs()) {
    if (log.change_count > 0) ranks.emplace(log.name, 0);
  }
  size_t rank = 0;
  int level = 0;
  for (const DatabaseTable& table : view.ListTables()) {  // on level 0 the newest first
    if (table.level == 0 || table.level != level) ++rank;
    level = table.level;
    ranks.emplace(table.name, rank);
  }
  return ranks;
}

struct Version {
  std::string key, value;  // the key without its tag
  uint64_t sequence = 0;
  ValueType type = ValueType::kValue;
  absl::string_view file;
  size_t rank = 0;

  std::string Show() const {
    return absl::StrCat(ShowKey(KeyKind::kInternal, MakeInternalKey(key, sequence, type)), " in ",
                        file);
  }
};

}  // namespace

absl::StatusOr<std::vector<DatabaseProblem>> CheckVersions(
    const DatabaseView& view, absl::FunctionRef<void(uint64_t bytes)> advance) {
  constexpr size_t kMaxProblems = 100;
  std::vector<DatabaseProblem> problems;
  if (view.source() != StateSource::kManifest) return problems;
  const std::map<absl::string_view, size_t> ranks = RanksOf(view);
  std::set<size_t> places;
  for (const auto& [name, rank] : ranks) places.insert(rank);
  const std::string& missing_log = ViewStateOf(view).missing_log;
  if (places.size() < 2 && missing_log.empty()) return problems;  // nothing to compare with
  std::set<std::pair<absl::string_view, absl::string_view>> reported;
  const auto report = [&](const Version& newer, const Version& older, absl::string_view what) {
    if (!reported.emplace(newer.file, older.file).second) return;
    problems.push_back({std::string(older.file), std::nullopt,
                        absl::StrCat(PathIn(view.folder(), older.file), ": ", what, ": ",
                                     older.Show(), ", ", newer.Show())});
  };
  ViewReadOptions options;
  bool found_all = true;
  options.on_damage = [&found_all](const DatabaseProblem&) { found_all = false; };
  const auto it = view.NewHistoryIterator(options);
  std::optional<Version> newest, last;  // the key's newest version, and the last one seen
  uint64_t last_sequence = 0;
  for (it->SeekToFirst(); it->Valid() && problems.size() < kMaxProblems; it->Next()) {
    const HistoryIterator::Entry& entry = it->entry();
    advance(entry.key.size() + entry.value.size());
    last_sequence = std::max(last_sequence, entry.sequence);
    Version version{
        std::string(entry.key), std::string(entry.value), entry.sequence, entry.type, entry.file,
        ranks.at(entry.file)};
    if (!last.has_value() || view.comparator()->Compare(last->key, version.key) != 0) {
      newest.reset();
      last.reset();
    }
    if (last.has_value() && last->sequence == version.sequence) {  // the same entry, found later
      if (last->type != version.type || last->value != version.value) {
        report(*last, version, "has another value for a key and sequence");
      }
      continue;
    }
    if (newest.has_value() && newest->rank > version.rank) {
      report(*newest, version, "LevelDB finds an older version of a key before a newer one");
    }
    if (!newest.has_value()) newest = version;  // only snapshots need older ones
    last = std::move(version);
  }
  RETURN_IF_ERROR(it->status());
  const uint64_t expected = view.manifest().last_sequence.value_or(0);
  if (!missing_log.empty() && found_all && !it->Valid() && last_sequence < expected) {
    problems.push_back(
        {missing_log, std::nullopt,
         absl::StrCat(PathIn(view.folder(), missing_log),
                      ": had changes that are lost, unless they were only deletions: "
                      "the highest sequence that was found is ",
                      last_sequence, ", the MANIFEST's last is ", expected)});
  }
  return problems;
}

}  // namespace sstable
