#define XXH_INLINE_ALL  // calling the shared library would take longer than hashing
#include <xxhash.h>

#include "sstable/experimental/table_filter.h"
#include "sstable/filter_policy.h"

namespace sstable {

uint64_t TableFilterHash(absl::string_view user_key) {
  return XXH3_64bits(user_key.data(), user_key.size());
}

uint64_t TablePrefixHash(absl::string_view prefix) {
  return XXH3_64bits_withSeed(prefix.data(), prefix.size(), /*seed=*/1);
}

}  // namespace sstable
