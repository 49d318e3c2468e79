// Reads the entries of a table, and reports whatever shows that they are not all of them, or not
// those that the table should have. Every command that prints, counts or looks at entries reads
// them through it, or through VisitBlocks() with a TableGuard.
#ifndef SSTABLE_TABLE_INSPECT_GUARDED_SCAN_H_
#define SSTABLE_TABLE_INSPECT_GUARDED_SCAN_H_

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "sstable/table_iterator.h"
#include "sstable/table_reader.h"
#include "table/block/limits.h"
#include "table/inspect/placement.h"
#include "table/table_internals.h"

namespace sstable {

// Borrows the reader. Of one thread.
class GuardedScan {
 public:
  // What is done with the entries of a block that may stand in another's place.
  enum class Misplaced { kVisit, kSkip };

  // `report` gets each error, with file and block: here that of the index, if there is one.
  GuardedScan(const TableReader* reader, KeysKnown keys, Misplaced misplaced,
              std::function<void(const absl::Status&)> report);

  size_t block_count() const { return block_count_; }  // 0 without an index

  // Data blocks, from `first` up to `end`.
  struct Blocks {
    size_t first = 0, end = 0;
  };

  // The blocks to visit for all entries with user keys from `from` and below `to`; nullopt: from
  // the first, to the last. Those that the index names, and further ones on either side until one
  // is in its place: the index key of a block that is not says nothing of where keys are. The keys
  // are in the order of the reader.
  Blocks BlocksBetween(const std::optional<std::string>& from,
                       const std::optional<std::string>& to);

  // Shows the entries of data block `i` to `visit`, until it returns false. An error ends the
  // block. False if `visit` returned false, or at the reader's limit of work. Fastest if blocks are
  // visited in their order.
  bool Visit(size_t i,
             absl::FunctionRef<bool(absl::string_view key, absl::string_view value)> visit);

  // For `visit`: takes work of this size, beside what visiting an entry takes; false, with a
  // report, at the limit.
  bool Take(uint64_t size);
  bool is_at_limit() const { return work_.is_spent(); }

 private:
  size_t Find(const std::string& user_key, size_t otherwise) const;
  bool IsInPlace(size_t i);

  const TableReader* reader_;
  const Misplaced misplaced_;
  const std::function<void(const absl::Status&)> report_;
  TableGuard guard_;
  WorkMeter work_;
  std::unique_ptr<TableIterator> it_;
  bool at_start_ = false;  // the iterator has just come to a block
  size_t block_count_ = 0;
};

}  // namespace sstable

#endif  // SSTABLE_TABLE_INSPECT_GUARDED_SCAN_H_
