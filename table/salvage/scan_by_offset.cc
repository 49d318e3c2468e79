// A scan without an index: blocks in the order of the file.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "sstable/format.h"
#include "table/salvage/byte_coverage.h"
#include "table/salvage/carved_file.h"
#include "table/salvage/key_runs.h"
#include "table/salvage/table_scanner.h"

namespace sstable {

void TableScanner::SelectByOffset() {
  uint64_t limit = file_.size();
  if (tail_.footer.has_value() && tail_.shift == 0) limit = tail_.footer->metaindex.offset;
  if (metaindex_ != nullptr) limit = std::min(limit, metaindex_->data.handle.offset);
  const ConsistentBlocks consistent =
      FindConsistent(carved_, is_certain_, options_.comparator, options_.key_kind);
  const std::vector<bool>& is_consistent = consistent.is_consistent;
  comparator_ = consistent.comparator;
  size_t last_data = 0;
  absl::flat_hash_map<absl::string_view, uint64_t> taken;  // offsets of saved blocks, by bytes
  for (size_t n = 0; n < carved_.blocks.size(); ++n) {
    if (!IsData(carved_.blocks[n])) continue;
    last_data = n;
    const ScannedBlock& data = carved_.blocks[n].data;
    if (is_consistent[n] && !data.may_be_index) {
      taken.emplace(StoredBytes(data.handle), data.handle.offset);
    }
  }
  ByteCoverage covered;
  bool is_explained = !scan_.carving_stopped_at.has_value();
  for (size_t n = 0; n < carved_.blocks.size(); ++n) {
    const CarvedBlock& carved = carved_.blocks[n];
    bool is_doubtful = IsData(carved) ? !is_consistent[n] : MayBeData(n, limit);
    if (IsData(carved) && carved.data.may_be_index && !is_doubtful) {
      is_doubtful = !IsBeforeMetaindex(n) && n == last_data;
      ReportPossibleIndex(carved.data.handle, is_doubtful);
    }
    if (is_doubtful) {
      const auto copy = taken.find(StoredBytes(carved.data.handle));
      if (!IsData(carved) || copy == taken.end()) {
        scan_.doubtful.push_back(carved.data);
        continue;
      }
      scan_.doubts.push_back(absl::StrCat(
          "the block at offset ", carved.data.handle.offset, " is a copy of that at offset ",
          copy->second, ", which is saved; one of them may have been written over another block"));
      covered.Add(carved.data.handle);
      is_explained = false;
      continue;
    }
    covered.Add(carved.data.handle);
    const bool is_data = carved.kind == CarvedBlock::Kind::kData && !carved.data.may_be_index;
    if (is_data ? carved.data.handle.offset > limit : IsAmongData(n, limit)) {
      is_explained = false;
    }
    if (!IsData(carved)) continue;
    scan_.blocks.push_back(carved.data);
    scan_.blocks.back().certain = is_certain_[n] && !carved.data.may_be_index;
    if (!scan_.blocks.back().certain) scan_.owner_known = false;
  }
  if (tail_.metaindex_status.ok()) {
    for (const MetaBlock& meta : tail_.meta_blocks) covered.Add(meta.handle);
    // Only RocksDB puts the index before the metaindex. In other files the footer then names the
    // wrong block, which may be a data block unless it is an index.
    if (file_.dialect == CompressionNumbering::kRocksDb && tail_.footer->index.offset < limit) {
      covered.Add(tail_.footer->index);
      is_explained &= tail_.index_status.ok();
    }
  }
  covered.VisitGaps(limit, [&](uint64_t start, uint64_t end) { AddGap(start, end); });
  const bool is_filter_there =
      metaindex_ != nullptr &&
      std::any_of(metaindex_->index.begin(), metaindex_->index.end(),
                  [this](const IndexEntry& e) { return carved_.Find(e.handle, 0).has_value(); });
  const bool is_end_known =
      (tail_.IsWhole() && limit == tail_.footer->metaindex.offset) || is_filter_there;
  scan_.extent_known = is_explained && scan_.lost.empty() && is_end_known;
}

bool TableScanner::IsBeforeMetaindex(size_t n) const {
  return is_certain_[n] && tail_.IsWhole() && file_.dialect == CompressionNumbering::kLevelDb &&
         carved_.blocks[n].data.handle.offset < tail_.footer->metaindex.offset;
}

void TableScanner::ReportPossibleIndex(const BlockHandle& handle, bool is_left_out) {
  scan_.doubts.push_back(
      absl::StrCat("the block at offset ", handle.offset, " (", handle.size,
                   " bytes) may be an index, since values in it are handles; it is ",
                   is_left_out ? "left out, since no data follows it"
                               : "taken for data, since data or the metaindex follows it"));
}

bool TableScanner::IsAmongData(size_t n, uint64_t limit) const {
  const CarvedBlock& carved = carved_.blocks[n];
  const BlockHandle& handle = carved.data.handle;
  if (carved.data.may_be_index) return true;
  if (handle.offset >= limit) return false;
  if (carved.kind == CarvedBlock::Kind::kMeta) return !is_named_meta_[n];
  return !(tail_.footer.has_value() && handle == tail_.footer->index);
}

bool TableScanner::MayBeData(size_t n, uint64_t limit) const {
  const CarvedBlock& carved = carved_.blocks[n];
  const bool is_in_footer = tail_.footer.has_value() && tail_.metaindex_status.ok() &&
                            carved.data.handle == tail_.footer->metaindex;
  if (IsData(carved) || carved.data.entry_count == 0 || is_in_footer) return false;
  const int64_t base = BaseOf(carved_, n).value_or(0);
  return IsAmongData(n, limit) &&
         std::none_of(carved.index.begin(), carved.index.end(), [&](const IndexEntry& entry) {
           return carved_.Find(entry.handle, base).has_value();
         });
}

void TableScanner::AddGap(uint64_t offset, uint64_t end) {
  LostRange lost;
  lost.offset = offset;
  lost.size = end - offset;
  const auto unreadable = carved_.unreadable.find(offset);
  if (unreadable != carved_.unreadable.end() &&
      unreadable->second.size + kBlockTrailerSize == lost.size) {
    lost.is_block = true;
    lost.size = unreadable->second.size;
    lost.reason = unreadable->second.reason;
  } else if (scan_.carving_stopped_at.value_or(end) < end) {
    lost.reason = "the search for blocks was abandoned";
  } else if (file_.IsZeros(offset, lost.size)) {
    lost.reason = "zeros";
  } else {
    const size_t n = carved_.LowerBound(offset);
    lost.reason = n < carved_.blocks.size() && carved_.blocks[n].data.handle.offset < end
                      ? "the intact blocks in it may not be the table's, and are left out"
                      : "no block with a correct checksum is in it";
  }
  const auto next = std::lower_bound(
      scan_.blocks.begin(), scan_.blocks.end(), end,
      [](const ScannedBlock& block, uint64_t at) { return block.handle.offset < at; });
  if (next != scan_.blocks.begin()) lost.after = (next - 1)->last_key;
  if (next != scan_.blocks.end()) lost.until = next->first_key;
  scan_.lost.push_back(std::move(lost));
}

}  // namespace sstable
