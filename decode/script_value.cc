// Source: Blink's bindings/core/v8/serialization.
//
// Blink's envelope: FF version [FE, trailer offset (8), trailer size (4), if version >= 21], then
// V8's envelope:    FF version, a value
// Up to version 15, a single "FF version" serves for both.
#include "decode/script_value.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "util/bytes.h"
#include "util/coding.h"

namespace sstable {
namespace {

// Returns true if the bytes of each pair are swapped, as they were until April 2017.
bool IsSwapped(absl::string_view bytes) {
  constexpr absl::string_view kTags = "#@DINRSU[bfl{";
  return bytes.size() % 2 == 0 && !bytes.empty() &&
         (bytes.size() < 4 || bytes[0] != '\xff' || absl::StrContains(kTags, bytes[1]));
}

std::string SwapPairs(absl::string_view bytes) {
  std::string swapped(bytes);
  for (size_t i = 0; i + 1 < swapped.size(); i += 2) std::swap(swapped[i], swapped[i + 1]);
  return swapped;
}

// Removes a version from the front of `*bytes`; returns 0 if there is none.
uint32_t ConsumeVersion(absl::string_view* bytes) {
  absl::string_view rest = *bytes;
  uint32_t version = 0;
  if (rest.empty() || rest.front() != '\xff') return 0;
  rest.remove_prefix(1);
  if (!ConsumeVarint32(&rest, &version)) return 0;
  *bytes = rest;
  return version;
}

}  // namespace

void DecodeScriptValue(absl::string_view bytes, AddBlobFields add_blob_fields, ValueTree* tree) {
  constexpr uint32_t kMaxSharedVersion = 15, kHasTrailerVersion = 21, kMaxVersion = 16;
  constexpr size_t kTrailerFieldSize = 13;
  std::string swapped;
  absl::string_view value = bytes;
  if (IsSwapped(bytes)) {
    swapped = SwapPairs(bytes);
    value = swapped;
  }
  absl::string_view rest = value;
  const uint32_t blink_version = ConsumeVersion(&rest);
  uint32_t version = blink_version;
  if (blink_version == 0) return tree->Undecoded("no version at 0", bytes);
  if (blink_version > kMaxSharedVersion) {
    if (blink_version >= kHasTrailerVersion && rest.size() >= kTrailerFieldSize &&
        rest.front() == '\xfe') {
      const uint64_t trailer = LoadBigEndian64(rest.data() + 1);
      const size_t offset = value.size() - rest.size() + kTrailerFieldSize;
      if (trailer >= offset && trailer < value.size()) value = value.substr(0, trailer);
      rest = value.substr(offset);
    }
    version = ConsumeVersion(&rest);
    if (version == 0) {
      return tree->Undecoded(absl::StrCat("no version of V8 at ", value.size() - rest.size()),
                             bytes);
    }
  }
  if (version > kMaxVersion) {
    return tree->Undecoded(absl::StrCat("version ", version, " of V8's format"), bytes);
  }
  const size_t start = tree->size(), offset = value.size() - rest.size();
  std::string reason;
  for (const bool has_flags : {version >= 14, true}) {
    const std::string failure =
        DecodeV8Value(value, offset, {blink_version, version, has_flags}, add_blob_fields, tree);
    if (failure.empty()) return;
    tree->Truncate(start);
    if (reason.empty()) reason = failure;
    if (version != 13) break;
  }
  tree->Undecoded(reason, bytes);
}

}  // namespace sstable
