// Checks the keys of data blocks against each other, the index keys between them, and the filters.
#ifndef SSTABLE_TABLE_INSPECT_KEY_CHECKER_H_
#define SSTABLE_TABLE_INSPECT_KEY_CHECKER_H_

#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "sstable/experimental/layout.h"
#include "sstable/table_reader.h"
#include "table/block/block.h"
#include "table/block/key_order.h"
#include "table/inspect/check_findings.h"
#include "table/inspect/filter_tester.h"

namespace sstable {

// Pattern:   (Check | Skip)*, with data blocks in the index's order.
// Ownership: borrows its arguments.
class KeyChecker {
 public:
  // Adds its findings to `found`, including evidence of the order unless that is known.
  KeyChecker(const TableReader& reader, bool order_known, Findings* found);

  // `block` is the block's contents.
  void Check(const BlockInfo& info, const Block& block);
  // Call it instead of Check() for a block whose keys can't be read.
  void Skip(const BlockInfo& info);

 private:
  void CheckIndexKey(const BlockInfo& info);
  void CheckAgainstLastIndexKey(const BlockInfo& info, absl::string_view first_key);

  const KeyOrder& order_;
  const CompressionNumbering dialect_;
  FilterTester filters_;
  const bool order_known_;
  Findings& found_;
  std::optional<std::string> last_key_;
  std::optional<std::string> last_index_key_;
};

}  // namespace sstable

#endif  // SSTABLE_TABLE_INSPECT_KEY_CHECKER_H_
