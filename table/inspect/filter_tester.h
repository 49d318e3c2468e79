// Whether the filters of a table let its own keys through: the one place that decides it, for
// check, the filter report and copies of tables.
#ifndef SSTABLE_TABLE_INSPECT_FILTER_TESTER_H_
#define SSTABLE_TABLE_INSPECT_FILTER_TESTER_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "sstable/filter_block.h"
#include "sstable/filter_policy.h"
#include "sstable/format.h"
#include "sstable/table_reader.h"
#include "table/block/block.h"
#include "table/block/key_order.h"

namespace sstable {

// What the filters deny of a key that the table has.
struct FalseNegatives {
  bool of_block_filter = false;
  bool of_table_filter = false;  // the key, or its place if the filter says where keys are
  bool of_prefixes = false;      // the key's prefix, which the table's filter has by its name

  bool any() const { return of_block_filter || of_table_filter || of_prefixes; }
};

// Pattern: (StartBlock Test* | SkipBlock)*, with data blocks in the index's order and all entries
//          of a block in theirs.
// Threads: one at a time.
class FilterTester {
 public:
  // Tests the filters that lookups in `reader` consult, which is borrowed; of the two sorts those
  // that are wanted.
  struct Wanted {
    bool block_filter = true;
    bool table_filter = true;
  };
  FilterTester(const TableReader& reader, Wanted wanted);
  explicit FilterTester(const TableReader& reader) : FilterTester(reader, Wanted()) {}

  bool has_filter() const { return block_filter_ != nullptr || table_filter_ != nullptr; }

  void StartBlock(const BlockHandle& handle, const Block& block);

  // A block, or the rest of one, whose keys can't be tested.
  void SkipBlock() { has_gap_ = true; }

  // `entry_offset`: of the entry, from the start of the block, whose view must still be valid.
  FalseNegatives Test(absl::string_view key, size_t entry_offset);

 private:
  uint64_t NextPlace(size_t entry_offset);

  const KeyOrder& order_;
  const FilterBlockReader* block_filter_ = nullptr;
  const TableFilter* table_filter_ = nullptr;
  std::optional<PrefixExtractor> prefixes_;

  BlockHandle handle_;
  Block block_;
  uint32_t restart_ = 0;  // of the run that the last key is in

  std::optional<std::string> last_user_key_;  // of internal keys
  bool has_gap_ = false;                      // keys before this one were not tested
};

}  // namespace sstable

#endif  // SSTABLE_TABLE_INSPECT_FILTER_TESTER_H_
