// Checks the blocks of a table, and the keys in them.
#ifndef SSTABLE_TABLE_INSPECT_BLOCK_CHECKER_H_
#define SSTABLE_TABLE_INSPECT_BLOCK_CHECKER_H_

#include <cstddef>
#include <optional>

#include "absl/status/status.h"
#include "sstable/table_reader.h"
#include "table/inspect/block_identity.h"
#include "table/inspect/block_visits.h"
#include "table/inspect/check_findings.h"
#include "table/inspect/key_checker.h"
#include "table/table_internals.h"

namespace sstable {

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

}  // namespace sstable

#endif  // SSTABLE_TABLE_INSPECT_BLOCK_CHECKER_H_
