// A lookup and its trace as JSON, for the page of web/.
#ifndef SSTABLE_TOOLS_LOOKUP_JSON_H_
#define SSTABLE_TOOLS_LOOKUP_JSON_H_

#include <string>

#include "tools/input_table.h"
#include "tools/records/json.h"

namespace sstable::tools {

// Looks up `key`, a user key if the table has internal keys. Returns the result, each step as in
// tools/lookup_trace.h, and the text of `sst get --explain`. "error" is set if the index can't be
// read or searched.
Json LookupJson(const InputTable& table, const std::string& key);

}  // namespace sstable::tools

#endif  // SSTABLE_TOOLS_LOOKUP_JSON_H_
