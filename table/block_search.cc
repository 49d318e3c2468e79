#include "table/block_search.h"

#include <algorithm>

#include "absl/base/optimization.h"

namespace sstable {
namespace {

// The key at a restart point, which is whole there. False if there is no such entry; then
// DecodeRestartEntry() says why.
inline bool RestartKey(const Block& block, uint32_t restart, absl::string_view* key) {
  const uint32_t offset = block.RestartOffset(restart);
  BlockEntry entry;
  if (ABSL_PREDICT_FALSE(offset >= block.entries_size() ||
                         !DecodeEntry(block.begin() + offset, block, &entry) ||
                         entry.shared != 0 || (restart == 0 && offset != 0))) {
    return false;
  }
  *key = entry.key_suffix();
  return true;
}

// Where the entry-by-entry search starts: the last restart point with a key below the target, or else
// the first one. `compare` is an order of whole keys.
template <typename Compare>
inline absl::Status FindRestart(const Block& block, absl::string_view target,
                                const Compare& compare, const char** start) {
  uint32_t low = 0, high = block.restart_count() - 1;
  uint32_t middle = high - high / 2;
  absl::string_view key;
  while (low < high) {
    middle = low + (high - low + 1) / 2;
    if (ABSL_PREDICT_FALSE(!RestartKey(block, middle, &key))) break;
    if (compare(key, target) < 0) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  if (ABSL_PREDICT_TRUE(low == high && RestartKey(block, low, &key))) {
    *start = block.begin() + block.RestartOffset(low);
    const char* const stop =
        low + 1 < block.restart_count() ? block.begin() + block.RestartOffset(low + 1) : block.end();
    for (const char* p = *start + 64; p < stop && p < *start + 2048; p += 64) __builtin_prefetch(p);
    return absl::OkStatus();
  }
  BlockEntry entry;
  return DecodeRestartEntry(block, low == high ? low : middle, &entry);
}

absl::Status SearchBytewise(const Block& block, absl::string_view target, KeyBuffer* scratch,
                            BlockSearchResult* result) {
  const char* p;
  if (absl::Status status = FindRestart(block, target, &CompareBytes, &p); !status.ok()) {
    return status;
  }
  scratch->Assign(target);
  const char* const padded = scratch->view().data();  // the target, with kCopySlack bytes behind it
  size_t matched = 0;   // leading bytes of the target that the entry before has
  size_t key_size = 0;  // of the entry before
  const char* const end = block.end();
  while (p < end) {
    BlockEntry entry;
    if (ABSL_PREDICT_FALSE(!DecodeEntry(p, end, &entry) || entry.shared > key_size)) {
      return EntryError(block, p, key_size);
    }
    key_size = size_t{entry.shared} + entry.unshared;
    // An entry that shares more than what matched has, like the one before, a lower byte there.
    if (entry.shared <= matched) {
      const size_t rest_size = target.size() - entry.shared;
      const char* const rest = padded + entry.shared;
      const size_t limit = std::min<size_t>(entry.unshared, rest_size);
      size_t common = 0;
      for (; common < limit; common += 8) {  // reads up to 7 bytes past the limit
        const uint64_t diff = DecodeFixed64(entry.suffix + common) ^ DecodeFixed64(rest + common);
        if (diff != 0) {
          common += static_cast<size_t>(__builtin_ctzll(diff)) / 8;
          break;
        }
      }
      common = std::min(common, limit);
      if (common == rest_size ||
          (common < entry.unshared && static_cast<unsigned char>(entry.suffix[common]) >
                                          static_cast<unsigned char>(rest[common]))) {
        const bool equal = common == rest_size && common == entry.unshared;
        *result = {p, entry.next(), equal, entry.shared, entry.key_suffix(), entry.value()};
        return absl::OkStatus();
      }
      matched = entry.shared + common;
    }
    p = entry.next();
  }
  return absl::OkStatus();
}

template <typename Compare>
absl::Status SearchRebuilding(const Block& block, absl::string_view target, const Compare& compare,
                              KeyBuffer* key, BlockSearchResult* result) {
  const char* p;
  if (absl::Status status = FindRestart(block, target, compare, &p); !status.ok()) return status;
  key->Clear();
  while (p < block.end()) {
    BlockEntry entry;
    if (ABSL_PREDICT_FALSE(!DecodeEntry(p, block, &entry) || entry.shared > key->size())) {
      return EntryError(block, p, key->size());
    }
    key->Replace(entry.shared, entry.key_suffix());
    const int order = compare(key->view(), target);
    if (order >= 0) {
      *result = {p, entry.next(), order == 0, entry.shared, entry.key_suffix(), entry.value()};
      return absl::OkStatus();
    }
    p = entry.next();
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status SearchBlock(const Block& block, const KeyOrder& order, absl::string_view target,
                         KeyBuffer* scratch, BlockSearchResult* result) {
  result->entry = nullptr;
  if (block.entries_size() == 0) return absl::OkStatus();
  switch (order.shape()) {
    case KeyOrder::Shape::kBytewise:
      return SearchBytewise(block, target, scratch, result);
    case KeyOrder::Shape::kInternalBytewise:
      return SearchRebuilding(block, target, &KeyOrder::CompareInternalBytewise, scratch, result);
    case KeyOrder::Shape::kOther:
      break;
  }
  const Comparator& comparator = order.comparator();
  return SearchRebuilding(
      block, target,
      [&comparator](absl::string_view a, absl::string_view b) { return comparator.Compare(a, b); },
      scratch, result);
}

}  // namespace sstable
