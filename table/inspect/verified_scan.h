// Reads the entries of a table, and reports any sign that they are incomplete or not the table's.
// Every command that prints, counts or examines entries reads them through this, or through
// VisitBlocks() with a TableVerifier.
#ifndef SSTABLE_TABLE_INSPECT_VERIFIED_SCAN_H_
#define SSTABLE_TABLE_INSPECT_VERIFIED_SCAN_H_

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "sstable/check.h"
#include "sstable/table_iterator.h"
#include "sstable/table_reader.h"
#include "table/block/limits.h"
#include "table/inspect/block_identity.h"
#include "table/table_internals.h"

namespace sstable {

// Borrows the reader. Threads: one at a time.
class VerifiedScan {
 public:
  // What to do with the entries of a block that may be misplaced.
  enum class Misplaced { kVisit, kSkip };

  // `report` receives each error, with file and block; the constructor reports that of the index.
  VerifiedScan(const TableReader* reader, KeyTrust keys, Misplaced misplaced,
               std::function<void(const absl::Status&)> report);

  size_t block_count() const { return block_count_; }  // 0 without an index

  // The data blocks from `first` up to `end`.
  struct Blocks {
    size_t first = 0, end = 0;
  };

  // Returns the blocks to visit for all entries with user keys from `from` up to but not including
  // `to`; nullopt is no bound. These are the blocks that the index gives for the range, and any
  // misplaced blocks next to them, whose index keys say nothing about their keys. The keys must be
  // in the order of the reader.
  Blocks BlocksBetween(const std::optional<std::string>& from,
                       const std::optional<std::string>& to);

  // Passes the entries of data block `i` to `visit`, until it returns false. An error ends the
  // block. Returns false if `visit` did, or at the reader's limit of work. Fastest if blocks are
  // visited in order.
  bool Visit(size_t i,
             absl::FunctionRef<bool(absl::string_view key, absl::string_view value)> visit);

  // `visit` may call this. It charges work of this size, in addition to the cost of visiting an
  // entry. Returns false at the limit, which is reported.
  bool Take(uint64_t size);
  // True if this scan has ended at the limit, and reported it.
  bool is_at_limit() const { return is_at_limit_; }

 private:
  size_t Find(const std::string& user_key, size_t otherwise) const;
  bool IsVerified(size_t i);

  const TableReader* reader_;
  const Misplaced misplaced_;
  const std::function<void(const absl::Status&)> report_;
  TableVerifier verifier_;
  WorkMeter work_;
  std::unique_ptr<TableIterator> it_;
  bool at_start_ = false;  // the iterator is at the start of a block
  bool is_at_limit_ = false;
  size_t block_count_ = 0;
};

}  // namespace sstable

#endif  // SSTABLE_TABLE_INSPECT_VERIFIED_SCAN_H_
