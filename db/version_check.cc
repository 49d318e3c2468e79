#include "db/version_check.h"

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
  if (places.size() < 2) return problems;  // nothing to compare with
  std::set<std::pair<absl::string_view, absl::string_view>> reported;
  const auto report = [&](const Version& newer, const Version& older, absl::string_view what) {
    if (!reported.emplace(newer.file, older.file).second) return;
    problems.push_back({std::string(older.file), std::nullopt,
                        absl::StrCat(PathIn(view.folder(), older.file), ": ", what, ": ",
                                     older.Show(), ", ", newer.Show())});
  };
  ViewReadOptions options;
  options.on_damage = [](const DatabaseProblem&) {};
  const auto it = view.NewHistoryIterator(options);
  std::optional<Version> newest, last;  // the key's newest version, and the last one seen
  for (it->SeekToFirst(); it->Valid() && problems.size() < kMaxProblems; it->Next()) {
    const HistoryIterator::Entry& entry = it->entry();
    advance(entry.key.size() + entry.value.size());
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
  return problems;
}

}  // namespace sstable
