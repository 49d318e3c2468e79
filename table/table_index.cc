#include "table/table_index.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "filter/bloom.h"
#include "filter/bloom_kernels.h"
#include "filter/filter_window.h"
#include "table/block/block_search.h"
#include "table/index_walk.h"
#include "util/bytes.h"
#include "util/status_util.h"

namespace sstable {

absl::StatusOr<TableIndex> TableIndex::Parse(BlockContents contents, const KeyOrder* order,
                                             const FilterBlockReader* filter, uint64_t file_size) {
  TableIndex index(std::move(contents), order);
  ASSIGN_OR_RETURN(index.block_, Block::Parse(index.contents_.bytes));
  RETURN_IF_ERROR(index.DecodeRecords(filter, file_size));
  if (order->shape() != KeyOrder::Shape::kOther && index.separators_.are_whole &&
      index.separators_.order.ok()) {
    index.MakePrefixes();
  }
  return index;
}

// Puts into a record what a probe of its block's filter needs. Most filters have one of few
// sizes, so that the division for one is seldom made.
class TableIndex::FilterLocator {
 public:
  explicit FilterLocator(const FilterBlockReader* filter)
      : filter_(filter), is_bloom_(filter->policy()->bloom() != nullptr) {}

  // Leaves the record without a filter if there is none to ask.
  void Locate(IndexRecord* record) {
    const FilterWindow window =
        FindFilterWindow(*filter_, filter_->WindowIndex(record->block_offset));
    if (!IsAsked(window, is_bloom_)) return;
    const BloomView bloom(window.filter);
    record->filter_offset =
        static_cast<uint32_t>(window.filter.data() - filter_->contents().data());
    record->filter_size = static_cast<uint32_t>(window.filter.size());
    if (!is_bloom_ || !bloom.is_probeable()) return;
    if (window.filter.size() != last_size_) {
      last_size_ = window.filter.size();
      last_reciprocal_ = BloomProbe::Reciprocal(static_cast<uint32_t>(bloom.bit_count()));
    }
    record->filter_reciprocal = last_reciprocal_;
    record->filter_probe_count = static_cast<uint8_t>(bloom.probe_count());
  }

 private:
  const FilterBlockReader* filter_;
  bool is_bloom_;
  size_t last_size_ = 0;
  uint32_t last_reciprocal_ = 0;
};

absl::Status TableIndex::DecodeRecords(const FilterBlockReader* filter, uint64_t file_size) {
  // In LevelDB's tables there are as many blocks as restart points.
  records_.reserve(static_cast<size_t>(
      std::min<uint64_t>(block_.restart_count(), file_size / kBlockTrailerSize)));
  std::optional<FilterLocator> locator;
  if (filter != nullptr) locator.emplace(filter);
  return WalkIndex(block_, *order_, file_size, &separators_,
                   [&](uint32_t entry_offset, const BlockHandle& handle) {
                     IndexRecord& record = records_.emplace_back();
                     record.block_offset = handle.offset;
                     // A size that does not fit is larger than any block; reading it will say so.
                     record.block_size = static_cast<uint32_t>(
                         std::min<uint64_t>(handle.size, std::numeric_limits<uint32_t>::max()));
                     record.entry_offset = entry_offset;
                     if (locator.has_value()) locator->Locate(&record);
                   });
}

absl::string_view TableIndex::Separator(size_t i) const {
  BlockEntry entry;
  // It could be decoded when the index was parsed.
  DecodeEntry(block_.begin() + records_[i].entry_offset, block_, &entry);
  return entry.key_suffix();
}

uint64_t TableIndex::PaddedBigEndian64(absl::string_view bytes) {
  uint64_t word = 0;
  for (size_t i = 0; i < 8; ++i) {
    word = word << 8 | (i < bytes.size() ? static_cast<unsigned char>(bytes[i]) : 0);
  }
  return word;
}

void TableIndex::MakePrefixes() {
  has_prefixes_ = true;
  std::vector<uint64_t> prefixes;
  if (records_.size() > 1) {
    const absl::string_view first = order_->UserKey(Separator(0));
    const absl::string_view last = order_->UserKey(Separator(records_.size() - 2));
    // If keys are long enough, 8 bytes remain after the common ones, so that one load gets them.
    const size_t key_size = std::max(first.size(), last.size());
    const size_t common =
        std::min(CommonPrefixSize(first, last), key_size - std::min<size_t>(key_size, 8));
    common_prefix_ = std::string(first.substr(0, common));
    for (size_t i = 0; i < std::min(common, sizeof(common_words_)); ++i) {
      reinterpret_cast<char*>(common_words_)[i] = first[i];
      reinterpret_cast<char*>(common_masks_)[i] = '\xff';
    }
    prefixes.reserve(records_.size() - 1);
    for (size_t i = 0; i + 1 < records_.size(); ++i) {
      prefixes.push_back(Prefix(order_->UserKey(Separator(i))));
    }
  }
  prefixes_ = PrefixTree(prefixes);
}

absl::Status TableIndex::Find(absl::string_view key, size_t* block) const {
  if (!has_prefixes_) return FindWithoutPrefixes(key, block);
  const absl::string_view user_key = order_->UserKey(key);
  if (HasCommonPrefix(user_key)) {
    const uint64_t prefix = Prefix(user_key);
    const size_t i = prefixes_.LowerBound(prefix);
    *block = IsPlaceSure(prefix, i) ? i : FindAmongEqualPrefixes(key, prefix, i);
  } else {
    *block = user_key < common_prefix_ ? 0 : FindPastPrefixes(key);
  }
  return absl::OkStatus();
}

// The first separator in [low, high) that is not below `key`, or `high`.
size_t TableIndex::LowerBound(size_t low, size_t high, absl::string_view key) const {
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

// The 8 bytes are the key's in some separators, of which `low` is the first.
size_t TableIndex::FindAmongEqualPrefixes(absl::string_view key, uint64_t prefix,
                                          size_t low) const {
  if (low == prefixes_.size()) return FindPastPrefixes(key);
  const size_t high = prefix == std::numeric_limits<uint64_t>::max()
                          ? prefixes_.size()
                          : prefixes_.LowerBound(prefix + 1);
  low = LowerBound(low, high, key);
  return low == prefixes_.size() ? FindPastPrefixes(key) : low;
}

// The key is above every separator but perhaps the last.
size_t TableIndex::FindPastPrefixes(absl::string_view key) const {
  const size_t last = prefixes_.size();
  if (last == records_.size()) return last;  // there are no blocks
  return order_->Compare(Separator(last), key) < 0 ? last + 1 : last;
}

absl::Status TableIndex::FindWithoutPrefixes(absl::string_view key, size_t* block) const {
  RETURN_IF_ERROR(separators_.order);
  if (separators_.are_whole) {
    *block = LowerBound(0, records_.size(), key);
    return absl::OkStatus();
  }
  // Keys are prefix-compressed: find the index entry, then which record it is.
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
