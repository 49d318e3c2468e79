// A database as JSON: the output of `sst ls --format json`, also used by the web page.
#ifndef SSTABLE_REPORT_DATABASE_JSON_H_
#define SSTABLE_REPORT_DATABASE_JSON_H_

#include <cstdint>
#include <optional>

#include "absl/types/span.h"
#include "decode/entry_decoder.h"
#include "report/json.h"
#include "sstable/database_view.h"
#include "sstable/experimental/table_stats.h"

namespace sstable {

// Returns "manifest" or "files".
const char* SourceName(StateSource source);

// Returns the highest sequence; nullopt if it is not known, because there is no MANIFEST and
// `stats` is empty. `stats`: as for DatabaseJson().
std::optional<uint64_t> LastSequence(const DatabaseView& view, absl::Span<const TableStats> stats);

// `stats` has an element for each of view.ListTables(), or is empty if their entries were not read.
// If `decoder` is not null, first and last keys are also shown decoded.
Json DatabaseJson(const DatabaseView& view, absl::Span<const TableStats> stats,
                  const EntryDecoder* decoder);

// "ranges" has two numbers for each of view.ListTables(): the ranks of the table's first and last
// user key among the first and last keys of all tables. Two tables overlap if their ranges of ranks
// do. A range is null if the table's keys are not known; all ranges are null if the order of keys
// is not known. "places" has a position from 0 to 1 for each rank: interpolated from the key's
// bytes if the order is bytewise, else from the rank.
Json KeyRangesJson(const DatabaseView& view);

}  // namespace sstable

#endif  // SSTABLE_REPORT_DATABASE_JSON_H_
