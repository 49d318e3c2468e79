// A scan with an index, which names the table's blocks.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "sstable/format.h"
#include "table/block/index_entries.h"
#include "table/salvage/byte_coverage.h"
#include "table/salvage/carved_file.h"
#include "table/salvage/table_scanner.h"
#include "util/coding.h"

namespace sstable {

void TableScanner::ReadByOffset(const Index& index) {
  found_.resize(index.size());
  reasons_.assign(index.size(), "");
  const IndexFinder finder(&index, options_.comparator);
  for (size_t i = 0; i < index.size(); ++i) {
    ScannedBlock data;
    absl::Status status = file_.ReadData(index[i].handle, &data);
    if (status.ok() && data.entry_count > 0 &&
        (!finder.MayBeEntryOf(i, data.first_key, data.last_key) ||
         IsCopyOf(index[i].handle, tail_.footer->metaindex))) {
      status = absl::DataLossError("has the keys of another block");
    }
    if (status.ok()) {
      found_[i] = std::move(data);
    } else {
      reasons_[i] = std::string(status.message());
    }
  }
}

void TableScanner::UseCarvedIndex() {
  scan_.index_source = IndexSource::kCarved;
  CarvedBlock& block = carved_.blocks[*own_->block];
  block.kind = CarvedBlock::Kind::kIndex;
  const uint64_t end = EndOf(block.data.handle);
  const absl::string_view after = file_.bytes().substr(end, kFooterSize);
  const bool has_footer = after.size() == kFooterSize &&
                          DecodeFixed64(after.data() + kFooterHandlesSize) == kTableMagic;
  scan_.has_magic |= has_footer;
  found_.resize(own_->entries.size());
  reasons_.resize(own_->entries.size());
  // A file without a footer may also be the middle of a larger file, cut out of a value.
  if (own_->certain && (own_->base >= 0 || has_footer)) return;
  scan_.owner_known = false;
  const std::string index = absl::StrCat("the index at offset ", own_->offset);
  scan_.doubts.push_back(
      own_->base == 0
          ? absl::StrCat(index, " may be of a table that was a value of another table")
          : absl::StrCat(index, " seems to be of a table that starts at offset ", own_->base,
                         ": either bytes were ", own_->base < 0 ? "removed" : "inserted",
                         " before it, or it was a value of another table"));
}

void TableScanner::SelectNamedBlocks() {
  const IndexFinder finder(&own_->entries, options_.comparator);
  std::vector<bool> is_doubtful(carved_.blocks.size(), false);
  std::vector<uint64_t> misplaced;  // offsets
  for (const bool certain : {true, false}) {
    for (size_t n = 0; n < carved_.blocks.size(); ++n) {
      if (is_certain_[n] != certain || !IsData(carved_.blocks[n])) continue;
      const ScannedBlock& data = carved_.blocks[n].data;
      auto i = finder.Find(data.handle, data.first_key, data.last_key);
      if (!i.has_value() && own_->base != 0) {
        const uint64_t unmoved = data.handle.offset - static_cast<uint64_t>(own_->base);
        i = finder.Find({unmoved, data.handle.size}, data.first_key, data.last_key);
      }
      if (i.has_value() && !found_[*i].has_value()) {
        found_[*i] = data;
        found_[*i]->certain = certain;
        if (!finder.MayBeEntryOf(*i, data.first_key, data.last_key)) {
          misplaced.push_back(data.handle.offset);
        }
        if (!certain) scan_.owner_known = false;
      } else {
        is_doubtful[n] = !i.has_value() || !IsCopyOf(data.handle, found_[*i]->handle);
      }
    }
  }
  if (!misplaced.empty()) {
    scan_.owner_known = false;
    scan_.doubts.push_back(
        absl::StrFormat("blocks whose keys are not those that the index has for their place: %d, "
                        "the first at offset %d",
                        misplaced.size(), *std::min_element(misplaced.begin(), misplaced.end())));
  }
  uint64_t data_end = 0;
  for (const IndexEntry& entry : own_->entries) {
    data_end = std::max(data_end, EndOf(entry.handle));
  }
  data_end += static_cast<uint64_t>(own_->base);  // the base may be negative, the sum is not
  for (size_t n = 0; n < is_doubtful.size(); ++n) {
    if (is_doubtful[n] || (n != own_->block && MayBeData(n, data_end))) {
      scan_.doubtful.push_back(carved_.blocks[n].data);
    }
  }
  // A block without entries has no keys to be found by.
  for (size_t i = 0; i < found_.size(); ++i) {
    const auto n = carved_.Find(own_->entries[i].handle, own_->base);
    if (found_[i].has_value() || !n.has_value()) continue;
    const CarvedBlock& carved = carved_.blocks[*n];
    const bool was_parsed = carved.kind != CarvedBlock::Kind::kMeta;  // not a filter block
    if (was_parsed && carved.data.entry_count == 0) found_[i] = carved.data;
  }
}

void TableScanner::ReportByIndex() {
  for (size_t i = 0; i < own_->entries.size(); ++i) {
    const IndexEntry& entry = own_->entries[i];
    if (found_[i].has_value()) {
      scan_.blocks.push_back(*std::move(found_[i]));
      scan_.blocks.back().index_key = entry.key;
      continue;
    }
    LostRange lost;
    lost.is_block = true;
    lost.offset = entry.handle.offset;
    lost.size = entry.handle.size;
    lost.reason = reasons_[i].empty() ? ReasonAt(entry.handle, own_->base) : reasons_[i];
    if (i > 0) lost.after = own_->entries[i - 1].key;
    lost.until = entry.key;
    scan_.lost.push_back(std::move(lost));
  }
  // ReadTail() has done this for an index that the footer leads to.
  if (scan_.index_source == IndexSource::kCarved && scan_.lost.empty()) FindUnexplained();
  scan_.extent_known = scan_.doubts.empty();
}

std::string TableScanner::ReasonAt(BlockHandle handle, int64_t base) {
  if (base < 0 && handle.offset < static_cast<uint64_t>(-base)) {
    return absl::StrCat("apparently before the start of the file, of which ", -base,
                        " bytes seem to be missing");
  }
  handle.offset += static_cast<uint64_t>(base);
  ScannedBlock unused;
  return std::string(file_.ReadData(handle, &unused).message());
}

void TableScanner::FindUnexplained() {
  if (file_.dialect == CompressionNumbering::kRocksDb) return;  // may have bytes between blocks
  ByteCoverage explained;
  uint64_t data_end = 0;
  for (const ScannedBlock& block : scan_.blocks) {
    explained.Add(block.handle);
    data_end = std::max(data_end, EndOf(block.handle));
  }
  for (size_t n = carved_.LowerBound(data_end); n < carved_.blocks.size(); ++n) {
    if (!IsData(carved_.blocks[n])) explained.Add(carved_.blocks[n].data.handle);
  }
  if (metaindex_ != nullptr && own_->base == 0) {  // a filter may be damaged
    for (const MetaBlock& meta : tail_.meta_blocks) explained.Add(meta.handle);
  }
  // The footer, or what is left of it, follows the index.
  const uint64_t index_end = EndOf(carved_.blocks[*own_->block].data.handle);
  explained.Add(index_end, std::min(index_end + kFooterSize, file_.size()));
  explained.VisitGaps(file_.size(), [&](uint64_t start, uint64_t gap_end) {
    scan_.doubts.push_back(absl::StrFormat(
        "bytes %d to %d are in no block that the table's index names%s", start, gap_end - 1,
        file_.IsZeros(start, gap_end - start) ? "; they are zeros" : ""));
  });
}

}  // namespace sstable
