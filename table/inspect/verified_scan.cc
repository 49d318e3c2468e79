#include "table/inspect/verified_scan.h"

#include <algorithm>
#include <utility>

#include "sstable/check.h"
#include "table/block/block_io.h"
#include "table/index/table_index.h"
#include "util/status_util.h"

namespace sstable {

VerifiedScan::VerifiedScan(const TableReader* reader, KeyTrust keys, Misplaced misplaced,
                           std::function<void(const absl::Status&)> report)
    : reader_(reader),
      misplaced_(misplaced),
      report_(std::move(report)),
      verifier_(reader, keys),
      work_(WorkOf(*reader)),
      it_(reader->NewIterator(ReadOptions::ForScan())) {
  if (!verifier_.index_status().ok()) report_(verifier_.index_status());
  if (const TableIndex* const index = IndexOf(*reader)) block_count_ = index->size();
}

// Returns the first block that can have entries at or after a user key according to the index;
// `otherwise` if the index can't be searched.
size_t VerifiedScan::Find(const std::string& user_key, size_t otherwise) const {
  size_t block = 0;
  return IndexOf(*reader_)->Find({user_key}, &block).ok() ? block : otherwise;
}

// Also true for a block that can't be read, or is empty: there is no evidence against it.
bool VerifiedScan::IsVerified(size_t i) {
  at_start_ = false;
  it_->SeekToBlock(i);
  return !it_->Valid() || it_->block_index() != i || verifier_.CheckBlock(i, BlockOf(*it_)).ok();
}

VerifiedScan::Blocks VerifiedScan::BlocksBetween(const std::optional<std::string>& from,
                                                 const std::optional<std::string>& to) {
  Blocks blocks = {0, block_count_};
  if (block_count_ == 0) return blocks;
  if (from.has_value()) blocks.first = Find(*from, 0);
  if (to.has_value()) blocks.end = std::min(Find(*to, block_count_) + 1, block_count_);
  while (blocks.first > 0 && !IsVerified(blocks.first - 1)) --blocks.first;
  while (blocks.end < block_count_ && !IsVerified(blocks.end)) ++blocks.end;
  return blocks;
}

bool VerifiedScan::Visit(
    size_t i, absl::FunctionRef<bool(absl::string_view key, absl::string_view value)> visit) {
  if (!at_start_ || it_->block_index() != i) it_->SeekToBlock(i);
  at_start_ = false;
  bool is_wanted = true;
  if (it_->Valid() && it_->block_index() == i) {
    const absl::Status place = verifier_.CheckBlock(i, BlockOf(*it_));
    if (!place.ok()) {
      report_(
          AtBlock(reader_->file(), BlockKind::kData, IndexOf(*reader_)->record(i).handle(), place));
      is_wanted = misplaced_ == Misplaced::kVisit;
    }
  }
  for (; is_wanted && it_->Valid() && it_->block_index() == i; it_->Next()) {
    if (!Take(kWorkPerEntry + it_->key().size()) || !visit(it_->key(), it_->value())) return false;
  }
  if (it_->block_index() != i) {
    at_start_ = true;
  } else if (!it_->status().ok()) {
    report_(it_->status());
    // An exhausted budget does not suffice: another scan of this reader may have exhausted it.
    is_at_limit_ = IsLimit(it_->status()) && work_.is_spent();
  }
  return !is_at_limit_;
}

bool VerifiedScan::Take(uint64_t size) {
  if (work_.Take(size)) return true;
  is_at_limit_ = true;
  report_(AtPlace(reader_->file().name(), work_.Error()));
  return false;
}

}  // namespace sstable
