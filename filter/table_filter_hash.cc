#include "filter/table_filter_keys.h"
#include "sstable/experimental/table_filter.h"
#include "sstable/filter_policy.h"

#ifdef SSTABLE_WITHOUT_XXHASH

#include "absl/hash/hash.h"

namespace sstable {

absl::Status CheckHasTableFilterHash() {
  return absl::UnimplementedError(
      "filters for whole tables: this build of the library was configured with "
      "-DSSTABLE_WITH_XXHASH=OFF");
}

uint64_t TableFilterHash(absl::string_view user_key) { return absl::HashOf(user_key); }

uint64_t TablePrefixHash(absl::string_view prefix) { return absl::HashOf(prefix, /*seed=*/1); }

}  // namespace sstable

#else

#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#error "filters for whole tables were tried on little-endian machines: SSTABLE_WITH_XXHASH=OFF"
#endif

#define XXH_INLINE_ALL  // calling the shared library would take longer than hashing
#include <xxhash.h>

namespace sstable {

absl::Status CheckHasTableFilterHash() { return absl::OkStatus(); }

uint64_t TableFilterHash(absl::string_view user_key) {
  return XXH3_64bits(user_key.data(), user_key.size());
}

uint64_t TablePrefixHash(absl::string_view prefix) {
  return XXH3_64bits_withSeed(prefix.data(), prefix.size(), /*seed=*/1);
}

}  // namespace sstable

#endif  // SSTABLE_WITHOUT_XXHASH
