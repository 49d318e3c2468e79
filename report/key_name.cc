#include "report/key_name.h"

#include <cstddef>
#include <utility>

#include "absl/strings/str_cat.h"
#include "sstable/internal_key.h"
#include "table/block/show_key.h"

namespace sstable {
namespace {

// Returns an empty string if the name is not known.
std::string NameOf(const EntryDecoder* decoder, KeyKind kind, absl::string_view key) {
  std::string name;
  const bool is_internal = kind == KeyKind::kInternal;
  if (decoder == nullptr || (is_internal && !MayHaveTag(key))) return name;
  const DecodedEntry entry = decoder->Decode(is_internal ? ExtractUserKey(key) : key, "");
  if (!entry.key.empty()) entry.key.AppendSummary(&name);
  return name;
}

}  // namespace

std::string NameKey(const EntryDecoder* decoder, KeyKind kind, absl::string_view key) {
  constexpr size_t kMaxSize = 300;  // ShowKey() truncates, too
  std::string name = NameOf(decoder, kind, key);
  return name.empty() || name.size() > kMaxSize ? ShowKey(kind, key) : name;
}

void SetKeyName(absl::string_view name, const EntryDecoder* decoder, KeyKind kind,
                absl::string_view key, Json* json) {
  std::string text = NameOf(decoder, kind, key);
  if (!text.empty()) (*json)[absl::StrCat("decoded_", name)] = std::move(text);
}

}  // namespace sstable
