#include "decode/entry_decoder.h"

namespace sstable {

bool EntryDecoder::Recognizes(absl::string_view key, absl::string_view) const {
  ValueTree tree;
  return DecodeKey(key, &tree);
}

void EntryDecoder::Learn(std::shared_ptr<const EntrySource>) {}

DecodedEntry EntryDecoder::Decode(absl::string_view key, absl::string_view value) const {
  DecodedEntry entry;
  if (!DecodeKey(key, &entry.key) || entry.key.exceeds_limits()) entry.key.Truncate(0);
  if (entry.key.empty() || value.empty() || value.size() > kMaxDecodedSize) return entry;
  if (!DecodeValue(key, value, &entry.value) || entry.value.exceeds_limits()) {
    entry.value.Truncate(0);
  }
  return entry;
}

}  // namespace sstable
