// Describes a lookup in words.
#ifndef SSTABLE_REPORT_TRACE_TEXT_H_
#define SSTABLE_REPORT_TRACE_TEXT_H_

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "report/text/style.h"
#include "sstable/table_reader.h"
#include "table/inspect/lookup_trace.h"

namespace sstable {

// Describes the answer of a block's filter, in lines without indentation, each with a line end.
std::string DescribeFilterTrace(const FilterTrace& trace, const FilterBlockReader& filter);

// Describes the answer of the whole table's filter.
std::string DescribeTableFilterTrace(const TableFilterTrace& trace, const TableReader& reader);

// Describes all steps, in lines. `key` is the key that was looked up; `data_bytes_read` is how much
// of the data blocks `reader` read for it.
std::string DescribeLookup(const LookupTrace& trace, const TableReader& reader,
                           absl::string_view key, uint64_t data_bytes_read, const Style& style);

}  // namespace sstable

#endif  // SSTABLE_REPORT_TRACE_TEXT_H_
