#include "table/builder_filters.h"

#include "absl/strings/str_cat.h"
#include "sstable/filter_policy.h"
#include "table/metaindex.h"
#include "util/status_util.h"

namespace sstable {

BuilderFilters::BuilderFilters(const TableBuilderOptions& options) : options_(options) {
  if (options.filter_policy != nullptr) {
    window_policy_ = options.key_kind == KeyKind::kInternal
                         ? &internal_policy_.emplace(options.filter_policy)
                         : options.filter_policy;
    keys_.emplace(window_policy_);
    window_filters_.emplace(window_policy_, options.filter_base_lg);
    window_filters_->StartBlock(0);
  }
  if (options.table_filter_policy != nullptr) {
    table_keys_.emplace(options.table_filter_policy, options.table_filter_prefixes);
  }
}

void BuilderFilters::AddTableKey(absl::string_view user_key) { table_keys_->Add(user_key); }

absl::Status BuilderFilters::Finish(std::map<std::string, absl::string_view>* meta_blocks) {
  if (window_filters_.has_value()) {
    std::string name = absl::StrCat(kFilterKeyPrefix, options_.filter_policy->Name());
    ASSIGN_OR_RETURN((*meta_blocks)[name], window_filters_->Finish());
  }
  if (table_keys_.has_value()) {
    table_keys_->CreateFilter(&table_filter_);
    table_keys_.reset();
    (*meta_blocks)[TableFilterName(*options_.table_filter_policy, options_.table_filter_prefixes)] =
        table_filter_;
  }
  return absl::OkStatus();
}

}  // namespace sstable
