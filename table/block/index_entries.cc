#include "table/block/index_entries.h"

#include <algorithm>
#include <limits>

#include "absl/status/statusor.h"
#include "keys/indexed_db_key.h"
#include "sstable/internal_key.h"
#include "table/block/block_iterator.h"
#include "util/stable_order.h"

namespace sstable {

std::optional<Index> ParseHandles(const Block& block, bool strict, Budget* memory, size_t* others) {
  static const KeyOrder order(BytewiseComparator(), KeyKind::kPlain);
  Index index;
  Budget left = *memory;
  BlockIterator it(&order, block);
  for (it.SeekToFirst(); it.Valid(); it.Next()) {
    absl::string_view value = it.value();
    const absl::StatusOr<BlockHandle> handle = BlockHandle::Parse(&value);
    const bool is_handle = handle.ok() && handle->size <= std::numeric_limits<uint32_t>::max() &&
                           !(strict && value.find_first_not_of('\0') != absl::string_view::npos);
    if (!is_handle) {
      // + 1: the first entry may not be a handle
      if (others == nullptr || ++*others > index.size() + 1) return std::nullopt;
      continue;
    }
    if (!left.Take(sizeof(IndexEntry) + it.key().size())) return std::nullopt;
    index.push_back({std::string(it.key()), *handle});
  }
  if (!it.status().ok()) return std::nullopt;
  if (others != nullptr && *others > 0 && *others >= index.size()) return std::nullopt;
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

bool MayBeIn(const KeyOrder& order, absl::string_view key) {
  return &order.user_comparator() != IndexedDbComparator() || IsIndexedDbKey(order.UserKey(key));
}

std::optional<KeyOrder> OrderOf(const Index& index, const Comparator* given) {
  // A shortened key has the highest tag, which has a different type in RocksDB's tables. A few keys
  // may be damaged.
  const auto has_room = [](const IndexEntry& entry) { return entry.key.size() >= kTagSize; };
  const auto has_tag = [](const IndexEntry& entry) {
    return ParseInternalKey(entry.key).has_value() ||
           ExtractTag(entry.key) >= SeekTag(kMaxSequence);
  };
  const bool is_internal = std::all_of(index.begin(), index.end(), has_room) &&
                           4 * std::count_if(index.begin(), index.end(), has_tag) >=
                               3 * static_cast<ptrdiff_t>(index.size());
  for (const Comparator* comparator : KnownComparators()) {
    const KeyOrder order(given != nullptr ? given : comparator,
                         is_internal ? KeyKind::kInternal : KeyKind::kPlain);
    if (given == nullptr && !std::all_of(index.begin(), index.end(), [&](const IndexEntry& entry) {
          return MayBeIn(order, entry.key);
        })) {
      continue;
    }
    const auto descends = [&order](const IndexEntry& a, const IndexEntry& b) {
      return order.Compare(a.key, b.key) >= 0;
    };
    if (std::adjacent_find(index.begin(), index.end(), descends) == index.end()) return order;
  }
  return std::nullopt;
}

void SortByOffset(Index* index) {
  SortStably(index, [](const IndexEntry& a, const IndexEntry& b) {
    return a.handle.offset < b.handle.offset;
  });
  const auto is_same_block = [](const IndexEntry& a, const IndexEntry& b) {
    return a.handle == b.handle;
  };
  index->erase(std::unique(index->begin(), index->end(), is_same_block), index->end());
}

IndexFinder::IndexFinder(const Index* index, const Comparator* comparator)
    : index_(*index), order_(OrderOf(*index, comparator)) {
  if (order_.has_value()) return;
  for (size_t i = 0; i < index_.size(); ++i) by_key_.emplace(index_[i].key, i);
}

bool IndexFinder::MayBeEntryOf(size_t i, absl::string_view first_key,
                               absl::string_view last_key) const {
  if (!order_.has_value()) {
    return last_key == index_[i].key || by_key_.find(last_key) == by_key_.end();
  }
  const auto fits = [&](const KeyOrder& order) {
    return order.Compare(last_key, index_[i].key) <= 0 &&
           (i == 0 || order.Compare(index_[i - 1].key, first_key) < 0);
  };
  // The keys of a small index may only look like internal keys.
  return fits(*order_) || (!ParseInternalKey(last_key).has_value() &&
                           fits(KeyOrder(&order_->user_comparator(), KeyKind::kPlain)));
}

std::optional<size_t> IndexFinder::FindByKey(const BlockHandle& handle, absl::string_view first_key,
                                             absl::string_view last_key) const {
  if (!order_.has_value()) {
    const auto entry = by_key_.find(last_key);
    if (entry == by_key_.end() || index_[entry->second].handle.size != handle.size) {
      return std::nullopt;
    }
    return entry->second;
  }
  const auto entry = std::lower_bound(index_.begin(), index_.end(), last_key,
                                      [this](const IndexEntry& e, absl::string_view key) {
                                        return order_->Compare(e.key, key) < 0;
                                      });
  if (entry == index_.end() || entry->handle.size != handle.size) return std::nullopt;
  const auto i = static_cast<size_t>(entry - index_.begin());
  return MayBeEntryOf(i, first_key, last_key) ? std::optional<size_t>(i) : std::nullopt;
}

std::optional<size_t> IndexFinder::Find(const BlockHandle& handle, absl::string_view first_key,
                                        absl::string_view last_key) const {
  const std::optional<size_t> by_key = FindByKey(handle, first_key, last_key);
  if (by_key.has_value()) return by_key;
  const auto at = std::lower_bound(
      index_.begin(), index_.end(), handle.offset,
      [](const IndexEntry& entry, uint64_t offset) { return entry.handle.offset < offset; });
  if (at == index_.end() || at->handle != handle) return std::nullopt;
  return at - index_.begin();
}

}  // namespace sstable
