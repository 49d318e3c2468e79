#include "table/inspect/filter_tester.h"

#include "filter/locate_filter.h"
#include "table/metaindex.h"
#include "table/table_internals.h"

namespace sstable {

FilterTester::FilterTester(const TableReader& reader, Wanted wanted) : order_(KeyOrderOf(reader)) {
  const LoadedTable& loaded = LoadNow(reader);
  if (wanted.block_filter && loaded.filter.has_value()) block_filter_ = &*loaded.filter;
  if (!wanted.table_filter || loaded.table_filter.filter == nullptr) return;
  table_filter_ = loaded.table_filter.filter.get();
  // Not those of `loaded`, which has none if the first key's is missing.
  prefixes_ = MetaindexOf(reader).FindTableFilter(reader.options().table_filter_policies).prefixes;
}

void FilterTester::StartBlock(const BlockHandle& handle, const Block& block) {
  handle_ = handle;
  block_ = block;
  restart_ = 0;
}

// The place of the run that the entry is in: docs/filter_block.md#locate-filter.
uint64_t FilterTester::NextPlace(size_t entry_offset) {
  while (restart_ + 1 < block_.restart_count() &&
         block_.RestartOffset(restart_ + 1) <= entry_offset) {
    ++restart_;
  }
  const bool is_raw = block_.contents_size() == handle_.size;
  return RunPlace(handle_.offset, handle_.size, is_raw, restart_, block_.RestartOffset(restart_));
}

FalseNegatives FilterTester::Test(absl::string_view key, size_t entry_offset) {
  FalseNegatives found;
  found.of_block_filter =
      block_filter_ != nullptr && !block_filter_->KeyMayMatch(handle_.offset, key);
  if (table_filter_ == nullptr) return found;
  const absl::string_view user_key = order_.UserKey(key);
  const uint64_t hash = TableFilterHash(user_key);
  // A filter that says where keys are has the place of the newest version.
  bool is_newest = true;
  if (order_.kind() == KeyKind::kInternal) {
    is_newest = !has_gap_ && last_user_key_ != user_key;
    last_user_key_.emplace(user_key.data(), user_key.size());
    has_gap_ = false;
  }
  const uint64_t place = NextPlace(entry_offset);
  found.of_table_filter =
      is_newest ? !table_filter_->MayBeAt(hash, place) : !table_filter_->MayMatch(hash);
  if (!prefixes_.has_value()) return found;
  const std::optional<absl::string_view> prefix = prefixes_->PrefixOf(user_key);
  found.of_prefixes = prefix.has_value() && !table_filter_->MayMatch(TablePrefixHash(*prefix));
  return found;
}

}  // namespace sstable
