#include "table/index/table_index.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "table/block/block_search.h"
#include "table/index/index_walk.h"
#include "util/bytes.h"
#include "util/status_util.h"

namespace sstable {
namespace {

// If more than one in this many separators has the same 8 bytes as the previous one, the tree is
// layered, which costs 4 ns more for a key found in the first layer.
constexpr size_t kFewTies = 16;

}  // namespace

absl::StatusOr<TableIndex> TableIndex::Parse(BlockContents contents, const KeyOrder* order,
                                             const FilterBlockReader* filter, uint64_t file_size) {
  TableIndex index(std::move(contents), order);
  ASSIGN_OR_RETURN(index.block_, Block::Parse(index.contents_.bytes));
  RETURN_IF_ERROR(index.DecodeRecords(filter, file_size));
  if (order->shape() != KeyOrder::Shape::kOther && index.separators_.are_whole &&
      index.separators_.order.ok()) {
    index.MakeTree();
  }
  return index;
}

absl::Status TableIndex::DecodeRecords(const FilterBlockReader* filter, uint64_t file_size) {
  // Tables of LevelDB have one block per restart point.
  records_.reserve(static_cast<size_t>(
      std::min<uint64_t>(block_.restart_count(), file_size / kBlockTrailerSize)));
  std::optional<BlockFilterDecoder> filters;
  if (filter != nullptr) filters.emplace(filter);
  return WalkIndex(block_, *order_, file_size, &separators_,
                   [&](uint32_t entry_offset, const BlockHandle& handle) {
                     IndexRecord& record = records_.emplace_back();
                     record.block_offset = handle.offset;
                     // A larger size exceeds any block; reading the block will report it.
                     record.block_size = static_cast<uint32_t>(
                         std::min<uint64_t>(handle.size, std::numeric_limits<uint32_t>::max()));
                     record.entry_offset = entry_offset;
                     if (filters.has_value()) filters->Decode(handle.offset, &record);
                   });
}

absl::string_view TableIndex::Separator(size_t i) const {
  BlockEntry entry;
  // This entry was decoded successfully when the index was parsed.
  DecodeEntry(block_.begin() + records_[i].entry_offset, block_, &entry);
  return entry.key_suffix();
}

void TableIndex::MakeTree() {
  tree_ = Tree::kPrefixes;
  const size_t count = records_.empty() ? 0 : records_.size() - 1;
  std::vector<uint64_t> prefixes;
  size_t ties = 0;
  if (count > 0) {
    const absl::string_view first = order_->UserKey(Separator(0));
    const absl::string_view last = order_->UserKey(Separator(count - 1));
    // If keys are long enough, leaves 8 bytes after the common ones, so that one load reads them.
    const size_t key_size = std::max(first.size(), last.size());
    const size_t common =
        std::min(CommonPrefixSize(first, last), key_size - std::min<size_t>(key_size, 8));
    common_prefix_ = std::string(first.substr(0, common));
    for (size_t i = 0; i < std::min(common, sizeof(common_words_)); ++i) {
      const size_t bit = 8 * (i % 8);
      common_words_[i / 8] |= uint64_t{static_cast<unsigned char>(first[i])} << bit;
      common_masks_[i / 8] |= uint64_t{0xff} << bit;
    }
    prefixes.reserve(count);
    for (size_t i = 0; i < count; ++i) {
      const uint64_t prefix = Prefix(order_->UserKey(Separator(i)));
      ties += !prefixes.empty() && prefix == prefixes.back();
      prefixes.push_back(prefix);
    }
  }
  if (ties <= count / kFewTies) {
    prefixes_ = PrefixTree(prefixes);
    return;
  }
  tree_ = Tree::kLayers;
  layers_ = LayeredTree(count, [this](size_t i) { return order_->UserKey(Separator(i)); });
}

absl::Status TableIndex::Find(const LookupKey& key, size_t* block, bool* ends_user_key) const {
  bool unused;
  if (ends_user_key == nullptr) ends_user_key = &unused;
  if (tree_ == Tree::kNone) {
    *ends_user_key = false;
    return FindWithoutTree(key, block);
  }
  const PlaceRange range =
      tree_ == Tree::kLayers ? layers_.Find(key.user_key) : FindAmongPrefixes(key.user_key);
  *block = Settle(range, key, ends_user_key);
  return absl::OkStatus();
}

void TableIndex::FindMany(const absl::string_view* user_keys, size_t count, uint64_t tag,
                          size_t* blocks, bool* are_of_other_keys) const {
  PlaceRange ranges[LayeredTree::kMaxBatch];
  if (tree_ == Tree::kLayers) {
    layers_.FindMany(user_keys, count, ranges);
  } else {
    uint64_t prefixes[LayeredTree::kMaxBatch] = {};
    size_t places[LayeredTree::kMaxBatch];
    bool in_tree[LayeredTree::kMaxBatch];
    for (size_t i = 0; i < count; ++i) {
      in_tree[i] = HasCommonPrefix(user_keys[i]);
      prefixes[i] = in_tree[i] ? Prefix(user_keys[i]) : 0;
    }
    prefixes_.LowerBounds(prefixes, count, places);
    for (size_t i = 0; i < count; ++i) {
      ranges[i] = in_tree[i] && IsPlaceSure(prefixes[i], places[i])
                      ? PlaceRange{places[i], places[i]}
                      : FindAmongPrefixes(user_keys[i]);
    }
  }
  for (size_t i = 0; i < count; ++i) {
    if (ranges[i].low < ranges[i].high) __builtin_prefetch(&records_[ranges[i].low]);
  }
  for (size_t i = 0; i < count; ++i) {
    blocks[i] = Settle(ranges[i], {user_keys[i], tag}, &are_of_other_keys[i]);
  }
}

// Returns the first separator in [low, high) that is not below `key`, or `high`.
size_t TableIndex::LowerBound(size_t low, size_t high, const LookupKey& key) const {
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (order_->Compare(Separator(middle), key) < 0) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

PlaceRange TableIndex::FindAmongPrefixes(absl::string_view user_key) const {
  if (!HasCommonPrefix(user_key)) {
    const size_t place = user_key < common_prefix_ ? 0 : prefixes_.size();
    return {place, place};
  }
  const uint64_t prefix = Prefix(user_key);
  const size_t low = prefixes_.LowerBound(prefix);
  if (low == prefixes_.size() || prefixes_[low] != prefix) return {low, low};
  const bool is_last = prefix == std::numeric_limits<uint64_t>::max();
  return {low, is_last ? prefixes_.size() : prefixes_.LowerBound(prefix + 1)};
}

// Compares full keys where the tree could not decide, and with the last separator, which is not in
// the tree.
size_t TableIndex::Settle(PlaceRange range, const LookupKey& key, bool* ends_user_key) const {
  const size_t place = LowerBound(range.low, range.high, key);
  const bool is_in_tree = place + 1 < records_.size();
  *ends_user_key = range.low == range.high && is_in_tree;
  if (is_in_tree || records_.empty()) return place;
  return order_->Compare(Separator(place), key) < 0 ? place + 1 : place;
}

absl::Status TableIndex::FindWithoutTree(const LookupKey& key, size_t* block) const {
  RETURN_IF_ERROR(separators_.order);
  if (separators_.are_whole) {
    *block = LowerBound(0, records_.size(), key);
    return absl::OkStatus();
  }
  // Keys are prefix-compressed: find the index entry, then its record.
  KeyBuffer scratch;
  BlockSearchResult found;
  RETURN_IF_ERROR(SearchBlock(block_, *order_, key, &scratch, &found));
  *block = records_.size();
  if (found.entry == nullptr) return absl::OkStatus();
  const auto entry_offset = static_cast<uint32_t>(found.entry - block_.begin());
  const auto record = std::lower_bound(
      records_.begin(), records_.end(), entry_offset,
      [](const IndexRecord& r, uint32_t offset) { return r.entry_offset < offset; });
  *block = static_cast<size_t>(record - records_.begin());
  return absl::OkStatus();
}

bool TableIndex::SeparatorHasUserKey(size_t i, absl::string_view user_key) const {
  if (!separators_.are_whole) return true;  // it may
  return order_->user_comparator().Compare(ExtractUserKey(Separator(i)), user_key) == 0;
}

}  // namespace sstable
