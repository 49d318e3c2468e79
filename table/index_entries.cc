#include "table/index_entries.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "absl/status/statusor.h"
#include "table/block_iterator.h"
#include "util/internal_key.h"

namespace sstable {

std::optional<Index> ParseHandles(const Block& block, bool strict, Budget* memory) {
  static const KeyOrder order(BytewiseComparator(), KeyKind::kPlain);
  Index index;
  Budget left = *memory;
  BlockIterator it(&order, block);
  for (it.SeekToFirst(); it.Valid(); it.Next()) {
    absl::string_view value = it.value();
    const absl::StatusOr<BlockHandle> handle = BlockHandle::Parse(&value);
    if (!handle.ok() || handle->size > std::numeric_limits<uint32_t>::max()) return std::nullopt;
    if (strict && value.find_first_not_of('\0') != absl::string_view::npos) return std::nullopt;
    if (!left.Take(sizeof(IndexEntry) + it.key().size())) return std::nullopt;
    index.push_back({std::string(it.key()), *handle});
  }
  if (!it.status().ok()) return std::nullopt;
  *memory = left;
  return index;
}

bool IsBackToBack(const Index& index) {
  uint64_t end = 0;
  for (const IndexEntry& entry : index) {
    if (entry.handle.offset != end) return false;
    end = EndOf(entry.handle);
  }
  return !index.empty();
}

std::optional<KeyOrder> OrderOf(const Index& index, const std::optional<const Comparator*>& given) {
  const bool tagged = std::all_of(index.begin(), index.end(), [](const IndexEntry& entry) {
    return ParseInternalKey(entry.key).has_value();
  });
  for (const Comparator* comparator : {BytewiseComparator(), ReverseBytewiseComparator()}) {
    const KeyOrder order(given.value_or(comparator), tagged ? KeyKind::kInternal : KeyKind::kPlain);
    const auto descends = [&order](const IndexEntry& a, const IndexEntry& b) {
      return order.Compare(a.key, b.key) >= 0;
    };
    if (std::adjacent_find(index.begin(), index.end(), descends) == index.end()) return order;
  }
  return std::nullopt;
}

std::optional<size_t> FindInIndex(const Index& index, const std::optional<KeyOrder>& order,
                                  const BlockHandle& handle, absl::string_view first_key,
                                  absl::string_view last_key) {
  const auto at = std::lower_bound(
      index.begin(), index.end(), handle.offset,
      [](const IndexEntry& entry, uint64_t offset) { return entry.handle.offset < offset; });
  const bool same_place = at != index.end() && at->handle == handle;
  if (!order.has_value()) {
    if (same_place) return at - index.begin();
    return std::nullopt;
  }
  const auto by_key = std::lower_bound(index.begin(), index.end(), last_key,
                                       [&order](const IndexEntry& entry, absl::string_view key) {
                                         return order->Compare(entry.key, key) < 0;
                                       });
  if (by_key == index.end() || by_key->handle.size != handle.size ||
      (by_key != index.begin() && order->Compare((by_key - 1)->key, first_key) >= 0)) {
    if (same_place) return at - index.begin();
    return std::nullopt;
  }
  return by_key - index.begin();
}

}  // namespace sstable
