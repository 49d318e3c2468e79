// Tests whether the filters of a table match its own keys: for check, the filter report, and copies
// of tables.
#ifndef SSTABLE_TABLE_INSPECT_FILTER_TESTER_H_
#define SSTABLE_TABLE_INSPECT_FILTER_TESTER_H_

#include <cstdint>
#include <optional>

#include "absl/strings/string_view.h"
#include "sstable/experimental/table_filter.h"
#include "sstable/filter_block.h"
#include "sstable/filter_policy.h"
#include "sstable/table_reader.h"
#include "table/block/key_order.h"

namespace sstable {

// The filters that do not match a key of the table.
struct FalseNegatives {
  bool of_block_filter = false;
  bool of_table_filter = false;
  bool of_prefixes = false;  // the table's filter does not match the key's prefix, though its name
                             // says it should

  bool any() const { return of_block_filter || of_table_filter || of_prefixes; }
};

// Threads: immutable, so Test() may run concurrently.
class FilterTester {
 public:
  // Tests the filters of the wanted kinds that lookups in `reader` consult. Borrows the reader.
  struct Wanted {
    bool block_filter = true;
    bool table_filter = true;
  };
  FilterTester(const TableReader& reader, Wanted wanted);
  explicit FilterTester(const TableReader& reader) : FilterTester(reader, Wanted()) {}

  bool has_filter() const { return block_filter_ != nullptr || table_filter_ != nullptr; }

  // `block_offset` is the file offset of the key's data block.
  FalseNegatives Test(uint64_t block_offset, absl::string_view key) const;

 private:
  const KeyOrder& order_;
  const FilterBlockReader* block_filter_ = nullptr;
  const TableFilter* table_filter_ = nullptr;
  std::optional<PrefixExtractor> prefixes_;
};

}  // namespace sstable

#endif  // SSTABLE_TABLE_INSPECT_FILTER_TESTER_H_
