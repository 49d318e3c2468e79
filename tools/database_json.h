// A database as JSON: what `sst ls --format json` prints, and what the page of web/ shows.
#ifndef SSTABLE_TOOLS_DATABASE_JSON_H_
#define SSTABLE_TOOLS_DATABASE_JSON_H_

#include <cstdint>
#include <optional>

#include "absl/types/span.h"
#include "sstable/database_view.h"
#include "sstable/table_stats.h"
#include "tools/records/json.h"

namespace sstable::tools {

// The highest sequence, which without a MANIFEST only the tables show. `stats`: as below. Nullopt
// if it is not known.
std::optional<uint64_t> LastSequence(const DatabaseView& view, absl::Span<const TableStats> stats);

// `stats`: of view.tables(), or empty if their entries were not read.
Json DatabaseJson(const DatabaseView& view, absl::Span<const TableStats> stats);

// Of each of view.tables(), the places of its first and last user key among those of all tables, as
// an array of two numbers; two tables overlap if these ranges do. Null for a table whose keys are
// not known, and for all tables if their order is not.
Json KeyRangesJson(const DatabaseView& view);

}  // namespace sstable::tools

#endif  // SSTABLE_TOOLS_DATABASE_JSON_H_
