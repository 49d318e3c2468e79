// Names keys in reports as the program that wrote them means them.
#ifndef SSTABLE_REPORT_KEY_NAME_H_
#define SSTABLE_REPORT_KEY_NAME_H_

#include <string>

#include "absl/strings/string_view.h"
#include "decode/entry_decoder.h"
#include "report/json.h"
#include "table/block/key_order.h"

namespace sstable {

// Such as: record database="mail" store="drafts" key=5. A key that `decoder` does not know, one
// with a long name, and each key if it is null, is shown by ShowKey() (table/block/show_key.h).
std::string NameKey(const EntryDecoder* decoder, KeyKind kind, absl::string_view key);

// Sets decoded_`name` to the name of the key, unless `decoder` does not know it or is null.
void SetKeyName(absl::string_view name, const EntryDecoder* decoder, KeyKind kind,
                absl::string_view key, Json* json);

}  // namespace sstable

#endif  // SSTABLE_REPORT_KEY_NAME_H_
