#include "filter/table_filter_keys.h"

#include "absl/types/span.h"
#include "sstable/experimental/table_filter.h"

namespace sstable {

void TableFilterKeys::CreateFilter(std::string* dst) {
  const absl::Span<uint64_t> hashes(reinterpret_cast<uint64_t*>(hashes_.data()), key_count());
  policy_->CreateFilter(hashes, dst);
}

void TableFilterKeys::AddPrefixOf(absl::string_view user_key) {
  const std::optional<absl::string_view> prefix = prefixes_->PrefixOf(user_key);
  if (!prefix.has_value()) {
    last_prefix_.reset();
  } else if (!last_prefix_.has_value() || *last_prefix_ != *prefix) {
    AddHash(TablePrefixHash(*prefix));
    last_prefix_.emplace(prefix->data(), prefix->size());
  }
}

}  // namespace sstable
