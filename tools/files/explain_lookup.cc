#include "tools/files/explain_lookup.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
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

// The newest version of the key that the lookup sees in each file, by the file's name.
using NewestByFile = std::map<std::string, std::string>;

absl::StatusOr<NewestByFile> FindVersions(const DatabaseView& view, const LookupTarget& wanted) {
  NewestByFile newest;
  ViewReadOptions options;
  options.on_damage = [](const DatabaseProblem&) {};  // the lookup reports it
  const auto it = view.NewHistoryIterator(options);
  for (it->Seek(wanted.key); it->Valid() && it->entry().key == wanted.key; it->Next()) {
    const HistoryIterator::Entry& entry = it->entry();
    if (entry.sequence > wanted.snapshot.value_or(kMaxSequence)) continue;
    newest.emplace(entry.file,
                   absl::StrCat(entry.type == ValueType::kDeletion ? "a deletion" : "a value",
                                " at sequence ", entry.sequence));
  }
  RETURN_IF_ERROR(it->status());
  return newest;
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
  ASSIGN_OR_RETURN(const NewestByFile newest, FindVersions(view, wanted));
  input.key_kind = KeyKind::kInternal;
  input.comparator = view.comparator();
  const auto say = [&](absl::string_view name, absl::string_view text) {
    console->SayRaw(absl::StrCat(EscapeControls(name), ": ", text, "\n"));
  };
  say(view.folder(),
      absl::StrCat("looking for ", ShowBytes(wanted.key), " in ", Count(view.logs().size(), "log"),
                   " and ", Count(view.tables().size(), "table")));
  // Says what the file has. Returns true if it has a version.
  const auto say_found = [&](const std::string& name) {
    const auto found = newest.find(name);
    say(PathIn(view.folder(), name),
        found == newest.end() ? "no version of the key" : absl::StrCat("has ", found->second));
    return found != newest.end();
  };
  const std::vector<DatabaseLog>& logs = view.logs();
  for (auto log = logs.rbegin(); log != logs.rend(); ++log) {
    if (say_found(log->name)) return absl::OkStatus();
  }
  const std::vector<DatabaseTable>& tables = view.tables();
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
      // In level 0 the newest table comes first. Without levels, sequences decide.
      found = say_found(table->name) || found;
      if (found && table->level >= 0) return absl::OkStatus();
    }
    first = last;
  }
  return absl::OkStatus();
}

}  // namespace sstable::tools
