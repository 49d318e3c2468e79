#include "table/block/show_key.h"

#include <cstdint>

#include "absl/strings/str_cat.h"
#include "sstable/internal_key.h"
#include "util/bytes.h"
#include "util/escape.h"

namespace sstable {

namespace {

absl::string_view UserPart(KeyKind kind, absl::string_view key) {
  return kind == KeyKind::kPlain || !MayHaveTag(key) ? key : ExtractUserKey(key);
}

std::string ShowFrom(size_t start, KeyKind kind, absl::string_view key) {
  std::string text = ShowBytes(UserPart(kind, key), start);
  if (kind == KeyKind::kPlain || !MayHaveTag(key)) return text;
  const uint64_t tag = ExtractTag(key), sequence = tag >> 8, type = tag & 0xff;
  absl::StrAppend(&text, " @", sequence == kMaxSequence ? "newest" : absl::StrCat(sequence));
  if (type > static_cast<uint8_t>(ValueType::kValue)) absl::StrAppend(&text, " type ", type);
  return text;
}

}  // namespace

std::string ShowKey(KeyKind kind, absl::string_view key) { return ShowFrom(0, kind, key); }

std::string ShowKey(const KeyOrder& order, absl::string_view key) {
  return ShowKey(order.kind(), key);
}

std::string ShowKey(KeyKind kind, absl::string_view key, absl::string_view other) {
  constexpr size_t kLongPrefix = 48;  // a shared prefix of this size or more is omitted
  constexpr size_t kContext = 16;     // except for its last bytes
  const absl::string_view user_key = UserPart(kind, key), other_user_key = UserPart(kind, other);
  const size_t shared = CommonPrefixSize(user_key, other_user_key);
  const bool leaves_out = shared >= kLongPrefix && user_key != other_user_key;
  return ShowFrom(leaves_out ? shared - kContext : 0, kind, key);
}

std::string ShowKey(const KeyOrder& order, absl::string_view key, absl::string_view other) {
  return ShowKey(order.kind(), key, other);
}

}  // namespace sstable
