// A lookup and its trace as JSON, for the web page.
#ifndef SSTABLE_REPORT_LOOKUP_JSON_H_
#define SSTABLE_REPORT_LOOKUP_JSON_H_

#include <string>

#include "absl/strings/string_view.h"
#include "decode/entry_decoder.h"
#include "report/json.h"
#include "table/inspect/opened_table.h"

namespace sstable {

// Looks up `key`, a user key if the table has internal keys. Returns the result, the steps (see
// table/inspect/lookup_trace.h), and the text of `sst get --explain`; or "error" if the index can't
// be read or searched. Adds "decoded_key" and "decoded_value" if `decoder`, which may be null,
// recognizes them.
Json LookupJson(const OpenedTable& table, const std::string& key, const EntryDecoder* decoder);

// Sets a lookup's "value" or "value_hex", and "decoded_value", which is JSON as text or null.
void SetFoundValue(absl::string_view user_key, absl::string_view value, const EntryDecoder* decoder,
                   Json* json);

}  // namespace sstable

#endif  // SSTABLE_REPORT_LOOKUP_JSON_H_
