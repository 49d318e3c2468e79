// Checks the keys of data blocks: with each other, with the index keys between them, and with the
// filters.
#ifndef SSTABLE_TABLE_INSPECT_KEY_CHECKER_H_
#define SSTABLE_TABLE_INSPECT_KEY_CHECKER_H_

#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "sstable/layout.h"
#include "sstable/table_reader.h"
#include "table/block/block.h"
#include "table/block/key_order.h"
#include "table/inspect/check_findings.h"
#include "table/inspect/filter_tester.h"

namespace sstable {

// Pattern:   (Check | Skip)*, with data blocks in the index's order.
// Ownership: borrows all that it is given.
class KeyChecker {
 public:
  // Adds what it finds to `found`: evidence of the order, too, unless that is known.
  KeyChecker(const TableReader& reader, bool order_known, Findings* found);

  // `block` can be read.
  void Check(const BlockInfo& info, const Block& block);
  // A block whose keys can't be read.
  void Skip(const BlockInfo& info);

  // From here on.
  void SetOrderKnown() { order_known_ = true; }

 private:
  void CheckIndexKey(const BlockInfo& info);
  void CheckAgainstLastIndexKey(const BlockInfo& info, absl::string_view first_key);

  const KeyOrder& order_;
  const TypeByteDialect dialect_;
  FilterTester filters_;
  bool order_known_;
  Findings& found_;
  std::optional<std::string> last_key_;
  std::optional<std::string> last_index_key_;
};

}  // namespace sstable

#endif  // SSTABLE_TABLE_INSPECT_KEY_CHECKER_H_
