#include "sstable/check.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_format.h"
#include "sstable/experimental/layout.h"
#include "sstable/table_reader.h"
#include "table/block/block.h"
#include "table/block/block_iterator.h"
#include "table/block/key_order.h"
#include "table/index/table_index.h"
#include "table/inspect/block_identity.h"
#include "table/inspect/block_visits.h"
#include "table/inspect/check_findings.h"
#include "table/inspect/key_checker.h"
#include "table/inspect/order_evidence.h"
#include "table/metaindex.h"
#include "table/table_internals.h"
#include "util/descriptor.h"
#include "util/status_util.h"

namespace sstable {
namespace {

// Returns nullopt if restart points ascend from 0, and each is at an entry that shares nothing.
// Otherwise returns the problem, without the block's name.
std::optional<std::string> FindRestartProblem(const KeyOrder& order, const Block& block) {
  if (block.restart_count() == 0) return std::nullopt;
  if (block.RestartOffset(0) != 0) {
    return absl::StrFormat(
        "restart point 0 is at offset %d in the block; readers that start there miss the entries "
        "before it",
        block.RestartOffset(0));
  }
  uint32_t next = 0;  // the next restart point that the walk will reach
  BlockIterator entries(&order, block);
  entries.SeekToFirst();
  for (; entries.Valid() && next < block.restart_count(); entries.Next()) {
    if (entries.entry_offset() < block.RestartOffset(next)) continue;
    BlockEntry entry;
    DecodeEntry(block.begin() + entries.entry_offset(), block, &entry);
    if (entries.entry_offset() != block.RestartOffset(next) || entry.shared != 0) break;
    ++next;
  }
  if (next == block.restart_count() || (block.entries_size() == 0 && block.restart_count() == 1)) {
    return std::nullopt;
  }
  return absl::StrFormat(
      "restart point %d of %d, at offset %d in the block, is not at an entry with a whole key",
      next, block.restart_count(), block.RestartOffset(next));
}

// Checks the blocks of a table, and the keys in them.
// Receives blocks in the order of VisitBlocks(). Borrows reader and table.
class BlockChecker {
 public:
  // Unless the order is known, also checks by index keys whether a data block is in another's
  // place. Those findings count if the keys are in no known order.
  BlockChecker(const TableReader& reader, const LoadedTable& loaded, bool order_known,
               size_t max_problems);
  BlockChecker(const BlockChecker&) = delete;
  BlockChecker& operator=(const BlockChecker&) = delete;

  void Check(const VisitedBlock& block);

  Findings& found() { return found_; }

 private:
  void AddStatus(const BlockInfo& block, const absl::Status& status);

  const TableReader& reader_;
  const LoadedTable& loaded_;
  Findings found_;
  KeyChecker keys_;
  std::optional<BlockIdentityChecker> block_identity_;
};

BlockChecker::BlockChecker(const TableReader& reader, const LoadedTable& loaded, bool order_known,
                           size_t max_problems)
    : reader_(reader),
      loaded_(loaded),
      found_(KeyOrderOf(reader).kind(), max_problems),
      keys_(reader, order_known, &found_) {
  if (!order_known && loaded.index_status.ok()) {
    block_identity_.emplace(&reader, /*order_known=*/false);
  }
}

void BlockChecker::Check(const VisitedBlock& block) {
  const BlockInfo& info = block.info;
  const bool is_data = info.kind == BlockKind::kData;
  found_.layout.blocks.push_back(info);
  if (is_data) ++found_.report.data_blocks;
  if (!info.status.ok()) {
    AddStatus(info, info.status);
    if (is_data) {
      if (!IsLimit(info.status)) ++found_.report.damaged_data_blocks;
      keys_.Skip(info);
    }
    return;
  }
  if (block.parsed != nullptr) {
    const std::optional<std::string> problem =
        FindRestartProblem(KeyOrderOf(reader_), *block.parsed);
    if (problem.has_value()) found_.problems.Add(info, *problem);
  }
  // A block in the place of the metaindex or index may be readable without being one.
  if (info.kind == BlockKind::kMetaindex) AddStatus(info, MetaindexOf(reader_).status());
  if (info.kind == BlockKind::kIndex) {
    AddStatus(info, loaded_.index_status.status);
    if (loaded_.index_status.ok() && !loaded_.index->order_status().ok()) {
      found_.order_problems.Add(info, loaded_.index->order_status().message());
    }
  }
  if (!is_data) return;
  if (block_identity_.has_value()) {
    const absl::Status status =
        block_identity_->Check(found_.report.data_blocks - 1, *block.parsed);
    if (!status.ok()) found_.place_problems.Add(info, status.message());
  }
  keys_.Check(info, *block.parsed);
}

void BlockChecker::AddStatus(const BlockInfo& block, const absl::Status& status) {
  if (status.ok()) return;
  if (IsLimit(status)) {
    found_.report.limit_status.Update(AtBlock(reader_.file(), block.kind, block.handle, status));
    return;
  }
  found_.problems.Add(block, status.message());
  if (IsReadFailure(status)) found_.report.read_status.Update(status);
}

Findings CheckBlocks(const TableReader& reader, const LoadedTable& loaded,
                     const CheckOptions& options) {
  BlockChecker checker(reader, loaded, options.keys == KeyTrust::kOrdered, options.max_problems);
  VisitBlocks(reader, [&checker](const VisitedBlock& block) { checker.Check(block); });
  return std::move(checker.found());
}

// Reports bytes that no block or several blocks claim. There must be an index.
void CheckRanges(const TableReader& reader, Findings* found) {
  Layout& layout = found->layout;
  layout.file_size = reader.file().size();
  ArrangeLayout(&layout);
  // RocksDB may align blocks.
  if (reader.dialect() != CompressionNumbering::kRocksDb && reader.metaindex_status().ok()) {
    for (const ByteRange& range : layout.unreferenced) {
      found->problems.Add(range, "belong to no block");
    }
  }
  for (const ByteRange& range : layout.overlapping) {
    found->problems.Add(range, "belong to more than one block");
  }
  if (const absl::Status status = CheckExtent(reader);
      !status.ok() && layout.unreferenced.empty() && layout.overlapping.empty()) {
    BlockInfo index;
    index.kind = BlockKind::kIndex;
    index.handle = reader.footer().index;
    found->problems.Add(index, status.message());
  }
}

// Damage to a filter's block has been reported already. This reports errors that only the filter's
// reader detects, and a block that could be read, but not when the filter was loaded.
void CheckFilterStatus(const BlockStatus& filter, Findings* found) {
  if (filter.ok() || IsLimit(filter.status) ||
      (filter.kind != BlockKind::kFilter && filter.kind != BlockKind::kData))
    return;
  for (const BlockInfo& block : found->layout.blocks) {
    if (block.kind == filter.kind && block.handle == filter.handle && block.status.ok()) {
      // FailedPrecondition: the filter was read, but does not belong to the table's keys.
      if (IsReadFailure(filter.status) && !absl::IsFailedPrecondition(filter.status)) {
        found->report.read_status.Update(filter.status);
      }
      return found->problems.Add(block, filter.status.message());
    }
  }
}

// Decides whether the keys are in a known order, and so which findings of key comparisons are
// problems.
CheckReport Conclude(const TableReader& reader, const LoadedTable& loaded, bool order_known,
                     Findings found) {
  CheckReport report = std::move(found.report);
  report.filter_status = loaded.FilterStatus().At(reader.file());
  if (!order_known) {
    const OrderGuess guess = WeighOrder(found.order_evidence, found.index_evidence);
    report.order_reason = guess.reason;
    report.order_checked = guess.comparator == &KeyOrderOf(reader).user_comparator();
    report.order_assumed = report.order_checked && guess.has_out_of_order;
  }
  found.problems.Append(
      std::move(report.order_checked ? found.order_problems : found.place_problems));
  std::move(found.problems).MoveTo(&report);
  return report;
}

}  // namespace

CheckReport CheckTable(const TableReader& reader, const CheckOptions& options) {
  // Loads the filter only once: if it can't be read now, that is reported, even if it could be read
  // a moment later.
  const LoadedTable& loaded = LoadNow(reader);
  Findings found = CheckBlocks(reader, loaded, options);
  if (loaded.index_status.ok()) CheckRanges(reader, &found);
  CheckFilterStatus(loaded.filter_status, &found);
  CheckFilterStatus(loaded.table_filter.status, &found);
  return Conclude(reader, loaded, options.keys == KeyTrust::kOrdered, std::move(found));
}

}  // namespace sstable
