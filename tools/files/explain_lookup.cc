#include "tools/files/explain_lookup.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "db/folder.h"
#include "report/text/words.h"
#include "report/trace_text.h"
#include "sstable/database_files.h"
#include "sstable/internal_key.h"
#include "table/inspect/lookup_trace.h"
#include "tools/files/input_files.h"
#include "util/escape.h"
#include "util/status_util.h"

namespace sstable::tools {
namespace {

// What is known of the key in each file, by the file's name.
struct Versions {
  std::map<std::string, std::string> newest;  // the newest version that the lookup sees
  std::set<std::string> damaged;              // may have others
};

absl::StatusOr<Versions> FindVersions(const DatabaseView& view, const LookupTarget& wanted) {
  Versions versions;
  for (const DatabaseProblem& problem : view.FindProblems()) {
    if (problem.is_damage) versions.damaged.insert(problem.file);
  }
  ViewReadOptions options;
  options.on_damage = [&versions](const DatabaseProblem& problem) {
    versions.damaged.insert(problem.file);
  };
  const auto it = view.NewHistoryIterator(options);
  for (it->Seek(wanted.key); it->Valid() && it->entry().key == wanted.key; it->Next()) {
    const HistoryIterator::Entry& entry = it->entry();
    if (entry.sequence > wanted.snapshot.value_or(kMaxSequence)) continue;
    versions.newest.emplace(
        entry.file, absl::StrCat(entry.type == ValueType::kDeletion ? "a deletion" : "a value",
                                 " at sequence ", entry.sequence));
  }
  RETURN_IF_ERROR(it->status());
  return versions;
}

bool IsInRange(const DatabaseView& view, const DatabaseTable& table, absl::string_view key) {
  if (table.smallest.empty() || view.comparator() == nullptr) return true;  // not known
  const Comparator& order = *view.comparator();
  return order.Compare(ExtractUserKey(table.smallest), key) <= 0 &&
         order.Compare(key, ExtractUserKey(table.largest)) <= 0;
}

absl::Status ExplainTable(const InputFile& file, const LookupTarget& wanted,
                          const TableInputOptions& input, Console* console) {
  ASSIGN_OR_RETURN(const OpenedTable table, OpenTable(file, input, console));
  const std::string target = wanted.Target(*table.reader);
  RETURN_IF_ERROR(table.reader->LoadIndex());
  const uint64_t before = table.reader->stats().bytes_read;
  RETURN_IF_ERROR(table.reader->InternalGet(target, [](absl::string_view, absl::string_view) {}));
  ExplainLookup(*table.reader, target, table.reader->stats().bytes_read - before, console);
  return absl::OkStatus();
}

}  // namespace

void ExplainLookup(const TableReader& reader, const std::string& target, uint64_t data_bytes_read,
                   Console* console) {
  console->SayRaw(DescribeLookup(TraceLookup(reader, target), reader, target, data_bytes_read,
                                 console->message_style()));
}

absl::Status ExplainLookup(const DatabaseView& view, const LookupTarget& wanted,
                           TableInputOptions input, Console* console) {
  ASSIGN_OR_RETURN(const Versions versions, FindVersions(view, wanted));
  input.key_kind = KeyKind::kInternal;
  input.comparator = view.comparator();
  const auto say = [&](absl::string_view name, absl::string_view text) {
    console->SayRaw(absl::StrCat(EscapeControls(name), ": ", text, "\n"));
  };
  say(view.folder(),
      absl::StrCat("looking for ", ShowBytes(wanted.key), " in ", Count(view.logs().size(), "log"),
                   " and ", Count(view.ListTables().size(), "table")));
  // Says what the file has. Returns true if it has a version.
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
  // Without levels, sequences decide, so that all are looked at.
  const bool has_levels = tables.empty() || tables.front().level >= 0;
  const std::vector<DatabaseLog>& logs = view.logs();
  for (auto log = logs.rbegin(); log != logs.rend(); ++log) {
    if (say_found(log->name) && has_levels) return absl::OkStatus();
  }
  for (auto first = tables.begin(); first != tables.end();) {
    const auto last = std::find_if(first, tables.end(), [first](const DatabaseTable& table) {
      return table.level != first->level;
    });
    std::vector<const DatabaseTable*> in_range;
    for (auto table = first; table != last; ++table) {
      if (IsInRange(view, *table, wanted.key)) in_range.push_back(&*table);
    }
    say(first->level < 0 ? "tables of no known level" : absl::StrCat("level ", first->level),
        absl::StrCat("the key is in the range of ", in_range.size(), " of ",
                     Count(std::distance(first, last), "table")));
    bool found = false;
    for (const DatabaseTable* table : in_range) {
      const absl::Status status =
          ExplainTable(InputFile(PathIn(view.folder(), table->name)), wanted, input, console);
      if (!status.ok()) console->SayRaw(EscapeControls(status.message()) + "\n");
      found = say_found(table->name) || found;
    }
    if (found && has_levels) return absl::OkStatus();
    first = last;
  }
  return absl::OkStatus();
}

}  // namespace sstable::tools
