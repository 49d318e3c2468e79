#include "decode/entry_decoder.h"

namespace sstable {

bool EntryDecoder::Recognizes(absl::string_view key, absl::string_view) const {
  ValueTree tree;
  return DecodeKey(key, &tree);
}

void EntryDecoder::Learn(std::shared_ptr<const EntrySource>) {}

DecodedEntry EntryDecoder::Decode(absl::string_view key, absl::string_view value) const {
  DecodedEntry entry;
  if (key.size() > kMaxDecodedKeySize) return entry;
  if (!DecodeKey(key, &entry.key) || entry.key.exceeds_limits() ||
      entry.key.size() > kMaxDecodedKeyParts) {
    entry.key.Truncate(0);
  }
  if (entry.key.empty() || value.empty() || value.size() > kMaxDecodedSize) return entry;
  const bool is_known = DecodeValue(key, value, &entry.value);
  const bool is_too_large = entry.value.exceeds_limits();
  if (is_known && !is_too_large) return entry;
  entry.value = ValueTree();  // frees its memory
  if (is_too_large) entry.value.Undecoded("more than 8 MiB, decoded", value);
  return entry;
}

}  // namespace sstable
