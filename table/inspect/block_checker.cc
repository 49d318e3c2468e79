#include "table/inspect/block_checker.h"

#include <string>

#include "table/index/table_index.h"
#include "table/inspect/restart_points.h"
#include "table/metaindex.h"
#include "util/descriptor.h"
#include "util/status_util.h"

namespace sstable {

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

}  // namespace sstable
