// The contents of a page of `sst report`, as the JSON described in web/src/types.ts.
#ifndef SSTABLE_TOOLS_PAGE_REPORT_CONTENTS_H_
#define SSTABLE_TOOLS_PAGE_REPORT_CONTENTS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "decode/choose_decoder.h"
#include "decode/entry_decoder.h"
#include "report/json.h"
#include "sstable/database_view.h"
#include "tools/cli/console.h"
#include "tools/files/input_files.h"

namespace sstable::tools {

// Text that is also safe inside a script element.
std::string ScriptText(const Json& json);

// Returns the folder, with a separator at its end, that contains all absolute paths in `paths`;
// empty if there is none.
std::string CommonFolder(const std::vector<std::string>& paths);
// Removes `folder` from the front of strings. A page may be sent to others, who need not know where
// its author keeps files. Does not change keys.
void RemoveFolder(absl::string_view folder, Json* json);

// Returns JSON that contains the whole table.
absl::StatusOr<Json> WholeTableJson(const InputFile& input);

// Limits of a table's summary.
struct SummaryLimits {
  size_t places, cells, problems;
  uint64_t rows, row_bytes;
};
// About 300 KB and 30 KB.
inline constexpr SummaryLimits kFullSummary = {4000, 2048, 100, 200, 64 << 10};
inline constexpr SummaryLimits kBriefSummary = {400, 256, 20, 20, 8 << 10};

// `database_decoder` is the choice for the database that the table is part of. If it is null, the
// table is part of none, and its own entries show their format.
absl::StatusOr<Json> SummaryJson(const InputFile& input, const ChosenDecoder* database_decoder,
                                 const SummaryLimits& limits, Console* console);

// Returns a database without its tables: the report of `sst ls`, the tables' key ranges, and the
// first live entries, if the order of keys is known. Omits the entries and the tables' first and
// last keys if the text would be larger than `max_size`. `decoder` may be null.
Json DatabaseReportJson(const DatabaseView& view, const EntryDecoder* decoder, uint64_t max_size,
                        Console* console);

}  // namespace sstable::tools

#endif  // SSTABLE_TOOLS_PAGE_REPORT_CONTENTS_H_
