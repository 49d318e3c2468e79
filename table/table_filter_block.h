// The filter of a whole table, as loaded by a reader.
#ifndef SSTABLE_TABLE_TABLE_FILTER_BLOCK_H_
#define SSTABLE_TABLE_TABLE_FILTER_BLOCK_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "sstable/experimental/table_filter.h"
#include "sstable/filter_policy.h"
#include "table/block/block_io.h"
#include "util/huge_pages.h"

namespace sstable {

// Threads: immutable once loaded.
struct TableFilterBlock {
  // Sets up the filter of `policy` with these contents.
  void Parse(const TableFilterPolicy& policy, absl::string_view contents);

  // OK if there is a filter to consult; NotFound if the table has none; otherwise the reason why it
  // is not consulted.
  BlockStatus status;
  std::string policy_name;                    // policy of the filter to consult
  std::unique_ptr<const TableFilter> filter;  // null: there is none
  std::optional<PrefixExtractor> prefixes;    // the key prefixes in the filter; nullopt: none

  // Returns false only if no user key of the table begins with `prefix`.
  bool PrefixMayMatch(absl::string_view prefix) const;

  // A copy, so that lines of 64 bytes are aligned to 64 bytes, and in huge pages.
  std::vector<char, HugePageAllocator<char>> bytes;
};

}  // namespace sstable

#endif  // SSTABLE_TABLE_TABLE_FILTER_BLOCK_H_
