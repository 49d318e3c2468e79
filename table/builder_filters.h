// The filters of a table that is being built: one for each window of its data blocks, as LevelDB
// has them, and one for the whole table.
#ifndef SSTABLE_TABLE_BUILDER_FILTERS_H_
#define SSTABLE_TABLE_BUILDER_FILTERS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "filter/filter_keys.h"
#include "filter/table_filter_keys.h"
#include "sstable/filter_block.h"
#include "sstable/filter_policy.h"
#include "sstable/internal_key.h"
#include "sstable/options.h"
#include "table/block/key_order.h"

namespace sstable {

// Pattern:   (AddKey* EndBlock)* Finish. With threads that compress, a data block's keys
//            go with it: SwapKeys() when it ends, and EndBlock() with them when its size is known.
// Ownership: borrows the options.
// Threads:   one at a time.
class BuilderFilters {
 public:
  explicit BuilderFilters(const TableBuilderOptions& options);

  // The policy of the windows' filters, of whole keys of the table; null if there are none.
  const FilterPolicy* window_policy() const { return window_policy_; }

  // `order` is that of the table's keys.
  void AddKey(absl::string_view key, const KeyOrder& order) {
    if (keys_.has_value()) keys_->Add(key);
    if (table_keys_.has_value()) AddTableKey(order.UserKey(key));
  }

  // Exchanges the keys that were added since the last data block ended with those of another one.
  void SwapKeys(std::optional<FilterKeys>* keys) { std::swap(*keys, keys_); }

  // The data block of `keys` ends at `end`, an offset in the file.
  void EndBlock(const FilterKeys& keys, uint64_t end) {
    window_filters_->AddKeys(keys);
    window_filters_->StartBlock(end);
  }

  // The same for the keys that were added.
  void EndBlock(uint64_t end) {
    if (!keys_.has_value()) return;
    EndBlock(*keys_, end);
    keys_->Clear();
  }

  // Adds the filters to `*meta_blocks` by their names in the metaindex. The views are valid as long
  // as this. Error: InvalidArgument if the filter block would have 4 GiB. Called once.
  absl::Status Finish(std::map<std::string, absl::string_view>* meta_blocks);

 private:
  // Not inline, which would cost Add() registers in tables without such a filter.
  void AddTableKey(absl::string_view user_key);

  const TableBuilderOptions& options_;
  std::optional<InternalFilterPolicy> internal_policy_;
  const FilterPolicy* window_policy_ = nullptr;
  std::optional<FilterKeys> keys_;                    // of the data block
  std::optional<FilterBlockBuilder> window_filters_;  // of the blocks before it
  std::optional<TableFilterKeys> table_keys_;
  std::string table_filter_;  // once finished
};

}  // namespace sstable

#endif  // SSTABLE_TABLE_BUILDER_FILTERS_H_
