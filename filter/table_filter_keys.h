// The keys of a table's filter to be: their hashes.
#ifndef SSTABLE_FILTER_TABLE_FILTER_KEYS_H_
#define SSTABLE_FILTER_TABLE_FILTER_KEYS_H_

#include <cstdint>
#include <cstring>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "sstable/filter_policy.h"
#include "util/bytes.h"

namespace sstable {

// Memory:  8 bytes a key: a ByteBuffer grows without a copy of large contents.
// Threads: one at a time.
class TableFilterKeys {
 public:
  void Add(absl::string_view user_key) {
    const uint64_t hash = TableFilterHash(user_key);
    if (hash == last_ && hashes_.size() > 0) return;  // another version of the key
    std::memcpy(hashes_.Reserve(sizeof(hash)), &hash, sizeof(hash));
    hashes_.SetSize(hashes_.size() + sizeof(hash));
    last_ = hash;
  }

  // Appends the filter of the keys to `*dst`. Not to be called twice.
  void CreateFilter(const TableFilterPolicy& policy, std::string* dst) {
    policy.CreateFilter(absl::MakeSpan(reinterpret_cast<uint64_t*>(hashes_.data()),
                                       hashes_.size() / sizeof(uint64_t)),
                        dst);
  }

 private:
  ByteBuffer hashes_;  // in this machine's byte order
  uint64_t last_ = 0;
};

}  // namespace sstable

#endif  // SSTABLE_FILTER_TABLE_FILTER_KEYS_H_
