// Explains a lookup in a table.
#ifndef SSTABLE_REPORT_TRACE_TEXT_H_
#define SSTABLE_REPORT_TRACE_TEXT_H_

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "report/text/style.h"
#include "sstable/table_reader.h"
#include "table/inspect/lookup_trace.h"

namespace sstable {

// Describes the answer of a block's filter, in lines without indentation.
std::string DescribeFilterTrace(const FilterTrace& trace, const FilterBlockReader& filter);

// Describes the answer of the whole table's filter.
std::string DescribeTableFilterTrace(const TableFilterTrace& trace, const TableReader& reader);

// Describes all steps of the lookup of `key`. `data_bytes_read` is the size of the data blocks that
// `reader` read for it.
std::string DescribeLookup(const LookupTrace& trace, const TableReader& reader,
                           absl::string_view key, uint64_t data_bytes_read, const Style& style);

}  // namespace sstable

#endif  // SSTABLE_REPORT_TRACE_TEXT_H_
