// The keys of a table filter that is being built, as hashes.
#ifndef SSTABLE_FILTER_TABLE_FILTER_KEYS_H_
#define SSTABLE_FILTER_TABLE_FILTER_KEYS_H_

#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "sstable/experimental/table_filter.h"
#include "sstable/filter_policy.h"
#include "util/bytes.h"

namespace sstable {

// Returns Unimplemented in a build without xxHash, which neither writes nor reads table filters.
// Its TableFilterHash() is a different hash, valid only within the process.
absl::Status CheckHasTableFilterHash();

// Pattern: Add* CreateFilter.
// Memory:  8 bytes per key, since a ByteBuffer grows without copying large contents.
class TableFilterKeys {
 public:
  // Borrows `policy`. With `prefixes`, the prefixes of the keys are added, too.
  explicit TableFilterKeys(const TableFilterPolicy* policy,
                           std::optional<PrefixExtractor> prefixes = std::nullopt)
      : policy_(policy), prefixes_(std::move(prefixes)) {}

  void Add(absl::string_view user_key) {
    if (prefixes_.has_value()) AddPrefixOf(user_key);
    const uint64_t hash = TableFilterHash(user_key);
    if (hash == last_ && key_count() > 0) return;
    AddHash(hash);
  }

  // Appends the filter of the keys to `*dst`. May be called only once.
  void CreateFilter(std::string* dst);

 private:
  void AddHash(uint64_t hash) {
    std::memcpy(hashes_.Reserve(sizeof(hash)), &hash, sizeof(hash));
    hashes_.SetSize(hashes_.size() + sizeof(hash));
    last_ = hash;
  }
  // Adds the prefix of this key, if it has one that differs from the last key's. Call it before
  // adding the key.
  void AddPrefixOf(absl::string_view user_key);
  uint64_t key_count() const { return hashes_.size() / sizeof(uint64_t); }

  const TableFilterPolicy* policy_;
  std::optional<PrefixExtractor> prefixes_;
  std::optional<std::string> last_prefix_;
  ByteBuffer hashes_;  // in this machine's byte order
  uint64_t last_ = 0;
};

}  // namespace sstable

#endif  // SSTABLE_FILTER_TABLE_FILTER_KEYS_H_
