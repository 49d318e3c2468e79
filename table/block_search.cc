#include "table/block_search.h"

#include "util/status_util.h"

namespace sstable {
namespace {

// Where the entry-by-entry search starts: the last restart point with a key below the target, or
// else the first one. `compare` is an order of whole keys.
template <typename Compare>
absl::Status FindRestart(const Block& block, absl::string_view target, const Compare& compare,
                         const char** start) {
  uint32_t low = 0, high = block.restart_count() - 1;
  while (low < high) {
    const uint32_t middle = low + (high - low + 1) / 2;
    BlockEntry entry;
    RETURN_IF_ERROR(DecodeRestartEntry(block, middle, &entry));
    if (compare(entry.key_suffix, target) < 0) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  BlockEntry entry;
  RETURN_IF_ERROR(DecodeRestartEntry(block, low, &entry));
  *start = block.begin() + block.RestartOffset(low);
  return absl::OkStatus();
}

absl::Status SearchBytewise(const Block& block, absl::string_view target,
                            BlockSearchResult* result) {
  const char* p;
  RETURN_IF_ERROR(FindRestart(block, target, &KeyOrder::CompareBytewise, &p));
  size_t matched = 0;   // leading bytes of the target that the entry before has
  size_t key_size = 0;  // of the entry before
  while (p < block.end()) {
    BlockEntry entry;
    if (!DecodeEntry(p, block, &entry) || entry.shared > key_size) {
      return EntryError(block, p, key_size);
    }
    key_size = size_t{entry.shared} + entry.key_suffix.size();
    // An entry that shares more than what matched has, like the one before, a lower byte there.
    if (entry.shared <= matched) {
      const absl::string_view rest = target.substr(entry.shared);
      const size_t common = CommonPrefixSize(entry.key_suffix, rest);
      const bool equal = common == rest.size() && common == entry.key_suffix.size();
      const bool above =
          common == rest.size() || (common < entry.key_suffix.size() &&
                                    static_cast<unsigned char>(entry.key_suffix[common]) >
                                        static_cast<unsigned char>(rest[common]));
      if (above) {
        *result = {
            p, entry.next(), equal, target.substr(0, entry.shared), entry.key_suffix, entry.value};
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
  RETURN_IF_ERROR(FindRestart(block, target, compare, &p));
  key->Clear();
  while (p < block.end()) {
    BlockEntry entry;
    if (!DecodeEntry(p, block, &entry) || entry.shared > key->size()) {
      return EntryError(block, p, key->size());
    }
    key->Replace(entry.shared, entry.key_suffix);
    const int order = compare(key->view(), target);
    if (order >= 0) {
      *result = {p, entry.next(), order == 0, key->view(), {}, entry.value};
      return absl::OkStatus();
    }
    p = entry.next();
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status SearchBlock(const Block& block, const KeyOrder& order, absl::string_view target,
                         KeyBuffer* scratch, BlockSearchResult* result) {
  *result = {};
  if (block.entries_size() == 0) return absl::OkStatus();
  switch (order.shape()) {
    case KeyOrder::Shape::kBytewise:
      return SearchBytewise(block, target, result);
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
