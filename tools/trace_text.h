// Describes a lookup in words.
#ifndef SSTABLE_TOOLS_TRACE_TEXT_H_
#define SSTABLE_TOOLS_TRACE_TEXT_H_

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "sstable/table_reader.h"
#include "tools/cli/style.h"
#include "tools/lookup_trace.h"

namespace sstable::tools {

// What the filter said, in lines without indentation, each with its line end.
std::string DescribeFilterTrace(const FilterTrace& trace, const FilterBlockReader& filter);

// The same of the filter of the whole table.
std::string DescribeTableFilterTrace(const TableFilterTrace& trace, const TableReader& reader);

// All steps, in lines. `key` is what was looked up, `data_bytes_read` what `reader` read of data
// blocks for that.
std::string DescribeLookup(const LookupTrace& trace, const TableReader& reader,
                           absl::string_view key, uint64_t data_bytes_read, const Style& style);

}  // namespace sstable::tools

#endif  // SSTABLE_TOOLS_TRACE_TEXT_H_
