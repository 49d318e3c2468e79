// Checks a sound table by several threads.
#ifndef SSTABLE_TABLE_INSPECT_PARTS_CHECK_H_
#define SSTABLE_TABLE_INSPECT_PARTS_CHECK_H_

#include <atomic>
#include <cstddef>
#include <future>
#include <optional>
#include <vector>

#include "sstable/table_reader.h"
#include "table/block/limits.h"
#include "table/inspect/block_checker.h"
#include "table/inspect/block_visits.h"
#include "table/inspect/check_findings.h"
#include "table/table_internals.h"

namespace sstable {

// Each thread has a part of the data blocks.
//
// Where something is wrong, which of it is a problem depends on the keys of the whole table. So
// this gives up then, and the table has to be checked in order. It also does if the order is not
// known and the first blocks do not show that it can only be bytewise: that they have several keys,
// which ascend and are not IndexedDB's. If all after them ascend, too, they show nothing else.
class PartsCheck {
 public:
  // `threads` is at least 1. The index can be read. Borrows reader and table.
  PartsCheck(const TableReader& reader, const LoadedTable& loaded, bool order_known, int threads);

  // What is found in all blocks, as if they had been checked in order; nullopt if it gave up. Once.
  std::optional<Findings> Run();

 private:
  std::future<Findings> Begin(size_t part);
  Findings CheckPart(size_t first, size_t end);
  void VisitUntil(size_t end, BlockVisitor* visitor, BlockChecker* checker);

  const TableReader& reader_;
  const LoadedTable& loaded_;
  const bool order_known_;
  const std::vector<size_t> starts_;  // the first block of each part, and the end of the last
  const KeyBudget key_budget_;        // of each thread
  std::atomic<bool> gave_up_{false};
};

}  // namespace sstable

#endif  // SSTABLE_TABLE_INSPECT_PARTS_CHECK_H_
