// A lookup and its trace as JSON, for the page of web/.
#ifndef SSTABLE_REPORT_LOOKUP_JSON_H_
#define SSTABLE_REPORT_LOOKUP_JSON_H_

#include <string>

#include "absl/strings/string_view.h"
#include "decode/entry_decoder.h"
#include "report/json.h"
#include "table/inspect/opened_table.h"

namespace sstable {

// Looks up `key`, a user key if the table has internal keys. Returns the result, each step as in
// table/inspect/lookup_trace.h, and the text of `sst get --explain`. "error" is set if the index
// can't be read or searched; "decoded_value" if `decoder`, which may be null, knows the value.
Json LookupJson(const OpenedTable& table, const std::string& key, const EntryDecoder* decoder);

// Sets "value" or "value_hex" of the result of a lookup, and "decoded_value", which is null or JSON
// as text.
void SetFoundValue(absl::string_view user_key, absl::string_view value, const EntryDecoder* decoder,
                   Json* json);

}  // namespace sstable

#endif  // SSTABLE_REPORT_LOOKUP_JSON_H_
