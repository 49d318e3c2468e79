#include "table/table_index.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "absl/base/optimization.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "table/block_iterator.h"
#include "table/block_search.h"
#include "util/coding.h"
#include "util/status_util.h"

namespace sstable {
namespace {

// The first 8 bytes as a number that orders as they do; bytes that are not there count as zeros.
uint64_t BigEndianWord(absl::string_view bytes) {
  if (ABSL_PREDICT_TRUE(bytes.size() >= 8)) return __builtin_bswap64(DecodeFixed64(bytes.data()));
  uint64_t word = 0;
  for (size_t i = 0; i < 8; ++i) {
    word = word << 8 | (i < bytes.size() ? static_cast<unsigned char>(bytes[i]) : 0);
  }
  return word;
}

}  // namespace

absl::StatusOr<TableIndex> TableIndex::Parse(BlockContents contents, const KeyOrder* order,
                                             const FilterBlockReader* filter) {
  TableIndex index(std::move(contents), order);
  ASSIGN_OR_RETURN(index.block_, Block::Parse(index.contents_.bytes));
  RETURN_IF_ERROR(index.DecodeRecords(filter));
  if (order->shape() != KeyOrder::Shape::kOther && index.has_whole_keys_) index.MakePrefixes();
  return index;
}

absl::Status TableIndex::DecodeRecords(const FilterBlockReader* filter) {
  records_.reserve(block_.restart_count());  // as many as there are blocks, in LevelDB's tables
  BlockIterator entries(order_, block_);
  std::string last_separator;
  for (entries.SeekToFirst(); entries.Valid(); entries.Next()) {
    absl::string_view value = entries.value();
    const absl::StatusOr<BlockHandle> handle = BlockHandle::Parse(&value);
    if (!handle.ok()) {
      return AtPlace(absl::StrCat("entry at offset ", entries.entry_offset()), handle.status());
    }
    IndexRecord& record = records_.emplace_back();
    record.block_offset = handle->offset;
    // A size that does not fit is larger than any block; reading it will say so.
    record.block_size = static_cast<uint32_t>(
        std::min<uint64_t>(handle->size, std::numeric_limits<uint32_t>::max()));
    record.entry_offset = static_cast<uint32_t>(entries.entry_offset());
    BlockEntry entry;
    DecodeEntry(block_.begin() + record.entry_offset, block_, &entry);
    if (entry.shared != 0) has_whole_keys_ = false;
    if (records_.size() > 1 && order_status_.ok() &&
        order_->Compare(last_separator, entries.key()) >= 0) {
      order_status_ = absl::FailedPreconditionError(absl::StrFormat(
          "index keys are not in the order of %s, so no key can be looked up; the table was "
          "written with another comparator or another kind of keys",
          order_->comparator().Name()));
    }
    last_separator.assign(entries.key().data(), entries.key().size());
    if (filter == nullptr) continue;
    // A block that starts in an empty window has keys that its filter lacks; such a window answers
    // nothing here. LevelDB would lose those keys.
    const FilterWindow window = filter->Window(filter->WindowIndex(record.block_offset));
    if (window.state == FilterWindow::State::kPresent) {
      record.filter_offset =
          static_cast<uint32_t>(window.filter.data() - filter->contents().data());
      record.filter_size = static_cast<uint32_t>(window.filter.size());
    } else {
      ++blocks_without_filter_;
    }
  }
  return entries.status();
}

absl::string_view TableIndex::Separator(size_t i) const {
  BlockEntry entry;
  // It could be decoded when the index was parsed.
  DecodeEntry(block_.begin() + records_[i].entry_offset, block_, &entry);
  return entry.key_suffix;
}

uint64_t TableIndex::Prefix(absl::string_view user_key) const {
  return BigEndianWord(user_key.substr(std::min(user_key.size(), common_prefix_.size())));
}

void TableIndex::MakePrefixes() {
  if (records_.size() < 2 || !order_status_.ok()) return;
  const absl::string_view first = order_->UserKey(Separator(0));
  const absl::string_view last = order_->UserKey(Separator(records_.size() - 2));
  common_prefix_ = std::string(first.substr(0, CommonPrefixSize(first, last)));
  prefixes_.reserve(records_.size() - 1);
  for (size_t i = 0; i + 1 < records_.size(); ++i) {
    prefixes_.push_back(Prefix(order_->UserKey(Separator(i))));
  }
}

absl::StatusOr<size_t> TableIndex::Find(absl::string_view key) const {
  if (ABSL_PREDICT_FALSE(!order_status_.ok())) return order_status_;
  if (ABSL_PREDICT_FALSE(!has_whole_keys_)) return FindInBlock(key);
  if (order_->shape() != KeyOrder::Shape::kOther) return FindByPrefix(key);
  size_t low = 0, high = records_.size();
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (order_->comparator().Compare(Separator(middle), key) < 0) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

size_t TableIndex::FindByPrefix(absl::string_view key) const {
  const absl::string_view user_key = order_->UserKey(key);
  size_t low = 0, high = prefixes_.size();
  const int common = user_key.substr(0, common_prefix_.size()).compare(common_prefix_);
  if (common < 0) return 0;  // below what all but the last share
  if (common > 0) {
    low = high;
  } else {
    const uint64_t prefix = Prefix(user_key);
    const auto equal = std::equal_range(prefixes_.begin(), prefixes_.end(), prefix);
    low = static_cast<size_t>(equal.first - prefixes_.begin());
    high = static_cast<size_t>(equal.second - prefixes_.begin());
    while (low < high) {  // the 8 bytes don't tell these apart
      const size_t middle = low + (high - low) / 2;
      if (order_->Compare(Separator(middle), key) < 0) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
  }
  if (low == prefixes_.size() && low < records_.size() &&
      order_->Compare(Separator(low), key) < 0) {
    ++low;
  }
  return low;
}

absl::StatusOr<size_t> TableIndex::FindInBlock(absl::string_view key) const {
  KeyBuffer scratch;
  BlockSearchResult found;
  RETURN_IF_ERROR(SearchBlock(block_, *order_, key, &scratch, &found));
  if (found.entry == nullptr) return records_.size();
  const auto entry_offset = static_cast<uint32_t>(found.entry - block_.begin());
  const auto record = std::lower_bound(
      records_.begin(), records_.end(), entry_offset,
      [](const IndexRecord& r, uint32_t offset) { return r.entry_offset < offset; });
  return static_cast<size_t>(record - records_.begin());
}

bool TableIndex::SeparatorHasUserKey(size_t i, absl::string_view user_key) const {
  if (!has_whole_keys_) return true;  // it may
  return order_->user_comparator().Compare(ExtractUserKey(Separator(i)), user_key) == 0;
}

}  // namespace sstable
