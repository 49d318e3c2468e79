#include "sstable/check.h"

#include <utility>

#include "sstable/experimental/layout.h"
#include "table/inspect/block_checker.h"
#include "table/inspect/block_identity.h"
#include "table/inspect/block_visits.h"
#include "table/inspect/check_findings.h"
#include "table/inspect/order_evidence.h"
#include "table/table_internals.h"
#include "util/descriptor.h"
#include "util/status_util.h"

namespace sstable {
namespace {

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
