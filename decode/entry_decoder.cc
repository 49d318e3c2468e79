#include "decode/entry_decoder.h"

#include <cstdint>

namespace sstable {
namespace {

// Bounds memory: a tree takes up to about 30 times the bytes that it is made of.
constexpr uint64_t kMaxValueSize = uint64_t{64} << 20;

}  // namespace

bool EntryDecoder::Recognizes(absl::string_view key, absl::string_view) const {
  ValueTree tree;
  return DecodeKey(key, &tree);
}

void EntryDecoder::Learn(std::shared_ptr<const EntrySource>) {}

DecodedEntry EntryDecoder::Decode(absl::string_view key, absl::string_view value) const {
  DecodedEntry entry;
  if (!DecodeKey(key, &entry.key) || entry.key.exceeds_limits()) entry.key.Truncate(0);
  if (entry.key.empty() || value.empty() || value.size() > kMaxValueSize) return entry;
  if (!DecodeValue(key, value, &entry.value) || entry.value.exceeds_limits()) {
    entry.value.Truncate(0);
  }
  return entry;
}

}  // namespace sstable
