#include <vector>

#include "sstable/filter_policy.h"
#include "sstable/internal_key.h"

namespace sstable {

void InternalFilterPolicy::CreateFilter(absl::Span<const absl::string_view> keys,
                                        std::string* dst) const {
  std::vector<absl::string_view> user_keys;
  user_keys.reserve(keys.size());
  for (absl::string_view key : keys) user_keys.push_back(ExtractUserKey(key));
  user_policy_->CreateFilter(user_keys, dst);
}

bool InternalFilterPolicy::KeyMayMatch(absl::string_view key, absl::string_view filter) const {
  return user_policy_->KeyMayMatch(ExtractUserKey(key), filter);
}

}  // namespace sstable
