#include "table/table_filter_block.h"

#include <cstddef>
#include <cstdint>
#include <utility>

#include "sstable/experimental/table_filter.h"

namespace sstable {

void TableFilterBlock::Parse(const TableFilterPolicy& policy, absl::string_view contents) {
  constexpr size_t kAlignment = 64;  // as TableFilterPolicy::Parse() promises
  bytes.resize(contents.size() + kAlignment);
  const size_t past = reinterpret_cast<uintptr_t>(bytes.data()) % kAlignment;
  char* const start = bytes.data() + (kAlignment - past) % kAlignment;
  contents.copy(start, contents.size());
  auto parsed = policy.Parse(absl::string_view(start, contents.size()));
  status.status = parsed.status();
  if (!parsed.ok()) return;
  filter = *std::move(parsed);
  policy_name = std::string(policy.Name());
}

bool TableFilterBlock::PrefixMayMatch(absl::string_view prefix) const {
  if (filter == nullptr || !prefixes.has_value()) return true;
  const std::optional<absl::string_view> known = prefixes->PrefixOf(prefix);
  return !known.has_value() || filter->MayMatch(TablePrefixHash(*known));
}

}  // namespace sstable
