// Shows keys in reports as the program that wrote them would name them.
#ifndef SSTABLE_REPORT_KEY_NAME_H_
#define SSTABLE_REPORT_KEY_NAME_H_

#include <string>

#include "absl/strings/string_view.h"
#include "decode/entry_decoder.h"
#include "report/json.h"
#include "table/block/key_order.h"

namespace sstable {

// Returns a name such as: record database="mail" store="drafts" key=5. If `decoder` is null or does
// not recognize the key, or the name is long, returns ShowKey() (table/block/show_key.h).
std::string NameKey(const EntryDecoder* decoder, KeyKind kind, absl::string_view key);

// Sets decoded_`name` to the key's name, unless `decoder` is null or does not recognize the key.
void SetKeyName(absl::string_view name, const EntryDecoder* decoder, KeyKind kind,
                absl::string_view key, Json* json);

}  // namespace sstable

#endif  // SSTABLE_REPORT_KEY_NAME_H_
