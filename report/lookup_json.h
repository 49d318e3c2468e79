// A lookup and its trace as JSON, for the page of web/.
#ifndef SSTABLE_REPORT_LOOKUP_JSON_H_
#define SSTABLE_REPORT_LOOKUP_JSON_H_

#include <string>

#include "report/json.h"
#include "table/inspect/opened_table.h"

namespace sstable {

// Looks up `key`, a user key if the table has internal keys. Returns the result, each step as in
// table/inspect/lookup_trace.h, and the text of `sst get --explain`. "error" is set if the index
// can't be read or searched.
Json LookupJson(const OpenedTable& table, const std::string& key);

}  // namespace sstable

#endif  // SSTABLE_REPORT_LOOKUP_JSON_H_
