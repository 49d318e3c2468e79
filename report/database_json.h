// A database as JSON: the output of `sst ls --format json`, also used by the page of web/.
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

// The highest sequence, or nullopt if it is not known: without a MANIFEST, only the tables show it.
// `stats`: as below.
std::optional<uint64_t> LastSequence(const DatabaseView& view, absl::Span<const TableStats> stats);

// `stats` has those of view.ListTables(), or is empty if their entries were not read. `decoder` may
// be null; else the first and last keys of tables have their names, too.
Json DatabaseJson(const DatabaseView& view, absl::Span<const TableStats> stats,
                  const EntryDecoder* decoder);

// "ranges" has for each of view.ListTables() an array of two numbers: the ranks of its first and
// last user key among those of all tables, so that two tables overlap if these ranges do. Null for
// a table whose keys are not known; for all tables, if their order is not known. "places" has for
// each rank where its key is between the first and the last, from 0 to 1: interpolated by its bytes
// if their order is bytewise, or else by rank.
Json KeyRangesJson(const DatabaseView& view);

}  // namespace sstable

#endif  // SSTABLE_REPORT_DATABASE_JSON_H_
