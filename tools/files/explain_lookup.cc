#include "tools/files/explain_lookup.h"

#include <string>

#include "absl/status/status.h"
#include "db/folder.h"
#include "report/database_lookup_text.h"
#include "report/trace_text.h"
#include "sstable/internal_key.h"
#include "table/inspect/lookup_trace.h"
#include "tools/files/input_files.h"
#include "util/status_util.h"

namespace sstable::tools {

void ExplainLookup(const TableReader& reader, const std::string& target, uint64_t data_bytes_read,
                   Console* console) {
  console->SayRaw(DescribeLookup(TraceLookup(reader, target), reader, target, data_bytes_read,
                                 console->message_style()));
}

absl::Status ExplainLookup(const DatabaseView& view, const LookupTarget& wanted,
                           TableInputOptions input, Console* console) {
  input.key_kind = KeyKind::kInternal;
  input.comparator = view.comparator();
  const auto open_table = [&](const DatabaseTable& table) {
    return OpenTable(InputFile(PathIn(view.folder(), table.name)), input, console);
  };
  ASSIGN_OR_RETURN(const std::string text,
                   DescribeDatabaseLookup(view, wanted.key, wanted.snapshot.value_or(kMaxSequence),
                                          open_table, console->message_style()));
  console->SayRaw(text);
  return absl::OkStatus();
}

}  // namespace sstable::tools
