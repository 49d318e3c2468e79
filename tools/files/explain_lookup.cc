#include "tools/files/explain_lookup.h"

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "db/folder.h"
#include "report/database_lookup_text.h"
#include "report/trace_text.h"
#include "table/inspect/lookup_trace.h"
#include "tools/files/input_files.h"
#include "util/status_util.h"

namespace sstable::tools {
namespace {

std::string Explain(const TableReader& reader, const std::string& target, uint64_t data_bytes_read,
                    const Console& console) {
  return DescribeLookup(TraceLookup(reader, target), reader, target, data_bytes_read,
                        console.message_style());
}

absl::StatusOr<std::string> ExplainTable(const InputFile& file, const LookupTarget& wanted,
                                         const TableInputOptions& input, Console* console) {
  ASSIGN_OR_RETURN(const OpenedTable table, OpenTable(file, input, console));
  const std::string target = wanted.Target(*table.reader);
  RETURN_IF_ERROR(table.reader->LoadIndex());
  const uint64_t before = table.reader->stats().bytes_read;
  RETURN_IF_ERROR(table.reader->InternalGet(target, [](absl::string_view, absl::string_view) {}));
  return Explain(*table.reader, target, table.reader->stats().bytes_read - before, *console);
}

}  // namespace

void ExplainLookup(const TableReader& reader, const std::string& target, uint64_t data_bytes_read,
                   Console* console) {
  console->SayRaw(Explain(reader, target, data_bytes_read, *console));
}

absl::Status ExplainLookup(const DatabaseView& view, const LookupTarget& wanted,
                           TableInputOptions input, Console* console) {
  input.key_kind = KeyKind::kInternal;
  input.comparator = view.comparator();
  ASSIGN_OR_RETURN(
      const std::string text,
      DescribeDatabaseLookup(view, {wanted.key, wanted.snapshot}, [&](const DatabaseTable& table) {
        return ExplainTable(InputFile(PathIn(view.folder(), table.name)), wanted, input, console);
      }));
  console->SayRaw(text);
  return absl::OkStatus();
}

}  // namespace sstable::tools
