#include "report/database_lookup_text.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "db/folder.h"
#include "report/text/words.h"
#include "report/trace_text.h"
#include "sstable/database_files.h"
#include "sstable/internal_key.h"
#include "table/block/seek_key.h"
#include "table/inspect/lookup_trace.h"
#include "table/table_internals.h"
#include "util/escape.h"
#include "util/status_util.h"

namespace sstable {
namespace {

// The versions of a key, keyed by file name.
struct Versions {
  std::map<std::string, std::string> newest;  // the newest version that the snapshot includes
  std::set<std::string> damaged;              // files that may have other versions
};

absl::StatusOr<Versions> FindVersions(const DatabaseView& view, const std::string& key,
                                      uint64_t snapshot) {
  Versions versions;
  for (const DatabaseProblem& problem : view.FindProblems()) {
    if (problem.is_damage) versions.damaged.insert(problem.file);
  }
  ViewReadOptions options;
  options.on_damage = [&versions](const DatabaseProblem& problem) {
    versions.damaged.insert(problem.file);
  };
  const auto it = view.NewHistoryIterator(options);
  for (it->Seek(key); it->Valid() && it->entry().key == key; it->Next()) {
    const HistoryIterator::Entry& entry = it->entry();
    if (entry.sequence > snapshot) continue;
    versions.newest.emplace(
        entry.file, absl::StrCat(entry.type == ValueType::kDeletion ? "a deletion" : "a value",
                                 " at sequence ", entry.sequence));
  }
  RETURN_IF_ERROR(it->status());
  return versions;
}

bool IsInRange(const DatabaseView& view, const DatabaseTable& table, absl::string_view key) {
  if (table.smallest.empty() || view.comparator() == nullptr) return true;  // unknown
  const Comparator& order = *view.comparator();
  return order.Compare(ExtractUserKey(table.smallest), key) <= 0 &&
         order.Compare(key, ExtractUserKey(table.largest)) <= 0;
}

absl::StatusOr<std::string> DescribeTableLookup(const absl::StatusOr<OpenedTable>& table,
                                                const std::string& key, uint64_t snapshot,
                                                const Style& style) {
  RETURN_IF_ERROR(table.status());
  const TableReader& reader = *table->reader;
  const std::string target = SeekKey(KeyOrderOf(reader), key, snapshot);
  RETURN_IF_ERROR(reader.LoadIndex());
  const uint64_t before = reader.stats().bytes_read;
  RETURN_IF_ERROR(reader.InternalGet(target, [](absl::string_view, absl::string_view) {}));
  const uint64_t bytes_read = reader.stats().bytes_read - before;
  return DescribeLookup(TraceLookup(reader, target), reader, target, bytes_read, style);
}

}  // namespace

absl::StatusOr<std::string> DescribeDatabaseLookup(const DatabaseView& view, const std::string& key,
                                                   uint64_t snapshot, TableOpener open_table,
                                                   const Style& style) {
  ASSIGN_OR_RETURN(const Versions versions, FindVersions(view, key, snapshot));
  std::string text;
  const auto say = [&](absl::string_view name, absl::string_view what) {
    absl::StrAppend(&text, EscapeControls(name), ": ", what, "\n");
  };
  say(view.folder(),
      absl::StrCat("looking for ", ShowBytes(key), " in ", Count(view.logs().size(), "log"),
                   " and ", Count(view.ListTables().size(), "table")));
  // Reports the version that the file has. Returns true if it has one.
  const auto say_found = [&](const std::string& name) {
    const auto found = versions.newest.find(name);
    const bool is_damaged = versions.damaged.count(name) > 0;
    say(PathIn(view.folder(), name),
        absl::StrCat(
            found == versions.newest.end() ? "no version of the key"
                                           : absl::StrCat("has ", found->second),
            is_damaged ? " in what can be read; it is damaged, and may have a newer one" : ""));
    return found != versions.newest.end();
  };
  const std::vector<DatabaseTable>& tables = view.ListTables();
  // Without levels, any table may have the newest version, so all are searched.
  const bool has_levels = tables.empty() || tables.front().level >= 0;
  const std::vector<DatabaseLog>& logs = view.logs();
  for (auto log = logs.rbegin(); log != logs.rend(); ++log) {
    if (say_found(log->name) && has_levels) return text;
  }
  for (auto first = tables.begin(); first != tables.end();) {
    const auto last = std::find_if(first, tables.end(), [first](const DatabaseTable& table) {
      return table.level != first->level;
    });
    std::vector<const DatabaseTable*> in_range;
    for (auto table = first; table != last; ++table) {
      if (IsInRange(view, *table, key)) in_range.push_back(&*table);
    }
    say(first->level < 0 ? "tables of no known level" : absl::StrCat("level ", first->level),
        absl::StrCat("the key is in the range of ", in_range.size(), " of ",
                     Count(std::distance(first, last), "table")));
    bool found = false;
    for (const DatabaseTable* table : in_range) {
      const absl::StatusOr<std::string> lines =
          DescribeTableLookup(open_table(*table), key, snapshot, style);
      absl::StrAppend(&text, lines.ok()
                                 ? *lines
                                 : absl::StrCat(EscapeControls(lines.status().message()), "\n"));
      found = say_found(table->name) || found;
    }
    if (found && has_levels) return text;
    first = last;
  }
  return text;
}

}  // namespace sstable
