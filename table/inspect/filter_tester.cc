#include "table/inspect/filter_tester.h"

#include "sstable/experimental/table_filter.h"
#include "table/metaindex.h"
#include "table/table_internals.h"

namespace sstable {

FilterTester::FilterTester(const TableReader& reader, Wanted wanted) : order_(KeyOrderOf(reader)) {
  const LoadedTable& loaded = LoadNow(reader);
  if (wanted.block_filter) block_filter_ = loaded.filter.reader();
  if (!wanted.table_filter || loaded.table_filter.filter == nullptr) return;
  table_filter_ = loaded.table_filter.filter.get();
  // `loaded` does not have the prefixes if the filter does not match one of them.
  prefixes_ = MetaindexOf(reader).FindTableFilter(reader.options().table_filter_policies).prefixes;
}

FalseNegatives FilterTester::Test(uint64_t block_offset, absl::string_view key) const {
  FalseNegatives found;
  found.of_block_filter =
      block_filter_ != nullptr && !block_filter_->KeyMayMatch(block_offset, key);
  if (table_filter_ == nullptr) return found;
  const absl::string_view user_key = order_.UserKey(key);
  found.of_table_filter = !table_filter_->MayMatch(TableFilterHash(user_key));
  if (!prefixes_.has_value()) return found;
  const std::optional<absl::string_view> prefix = prefixes_->PrefixOf(user_key);
  found.of_prefixes = prefix.has_value() && !table_filter_->MayMatch(TablePrefixHash(*prefix));
  return found;
}

}  // namespace sstable
