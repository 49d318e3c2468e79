#include "tests/support/block_bytes.h"

#include <algorithm>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "util/bytes.h"
#include "util/coding.h"

namespace sstable::test {

PaddedBytes::PaddedBytes(absl::string_view bytes)
    : bytes_(new char[bytes.size() + kCopySlack]), size_(bytes.size()) {
  std::copy(bytes.begin(), bytes.end(), bytes_.get());
  std::memset(bytes_.get() + size_, 0xee, kCopySlack);
}

std::string EncodeEntrySizes(uint32_t shared, uint32_t unshared, uint32_t value_size) {
  std::string bytes;
  AppendVarint64(&bytes, shared);
  AppendVarint64(&bytes, unshared);
  AppendVarint64(&bytes, value_size);
  return bytes;
}

std::string EncodeEntry(uint32_t shared, absl::string_view suffix, absl::string_view value) {
  return absl::StrCat(EncodeEntrySizes(shared, static_cast<uint32_t>(suffix.size()),
                                       static_cast<uint32_t>(value.size())),
                      suffix, value);
}

std::string EncodeRestarts(const std::vector<uint32_t>& restarts) {
  std::string bytes;
  for (uint32_t restart : restarts) AppendFixed32(&bytes, restart);
  AppendFixed32(&bytes, static_cast<uint32_t>(restarts.size()));
  return bytes;
}

std::string EncodeBlock(const std::vector<std::pair<std::string, std::string>>& entries,
                        const BlockShape& shape) {
  std::string bytes;
  std::vector<uint32_t> restarts = {0};
  absl::string_view last_key;
  int since_restart = 0;
  for (const auto& [key, value] : entries) {
    size_t shared = 0;
    if (since_restart == shape.restart_interval) {
      restarts.push_back(static_cast<uint32_t>(bytes.size()));
      since_restart = 0;
    } else {
      const size_t limit = std::min({key.size(), last_key.size(), shape.max_shared});
      while (shared < limit && key[shared] == last_key[shared]) ++shared;
    }
    ++since_restart;
    absl::StrAppend(&bytes, EncodeEntry(static_cast<uint32_t>(shared),
                                        absl::string_view(key).substr(shared), value));
    last_key = key;
  }
  return absl::StrCat(bytes, EncodeRestarts(restarts));
}

}  // namespace sstable::test
