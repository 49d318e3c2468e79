#include "table/block/show_key.h"

#include <cstdint>

#include "absl/strings/str_cat.h"
#include "sstable/internal_key.h"
#include "util/escape.h"

namespace sstable {

std::string ShowKey(KeyKind kind, absl::string_view key) {
  if (kind == KeyKind::kPlain || !MayHaveTag(key)) return ShowBytes(key);
  const uint64_t tag = ExtractTag(key), sequence = tag >> 8, type = tag & 0xff;
  std::string text = absl::StrCat(ShowBytes(ExtractUserKey(key)), " @",
                                  sequence == kMaxSequence ? "newest" : absl::StrCat(sequence));
  if (type > static_cast<uint8_t>(ValueType::kValue)) absl::StrAppend(&text, " type ", type);
  return text;
}

std::string ShowKey(const KeyOrder& order, absl::string_view key) {
  return ShowKey(order.kind(), key);
}

}  // namespace sstable
