// One pass over an index block, which checks its entries and whether their keys ascend.
#ifndef SSTABLE_TABLE_INDEX_INDEX_WALK_H_
#define SSTABLE_TABLE_INDEX_INDEX_WALK_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/base/optimization.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "sstable/format.h"
#include "sstable/internal_key.h"
#include "table/block/block.h"
#include "table/block/key_order.h"
#include "table/block/limits.h"
#include "util/bytes.h"
#include "util/coding.h"
#include "util/status_util.h"

namespace sstable {

// Facts about the keys of an index block, its separators.
struct SeparatorFacts {
  bool are_whole = true;  // no key shares bytes with another
  absl::Status order;     // OK, or FailedPrecondition with the reason why they can't be searched
};

// Returns true if an index key has a valid tag, or if keys are plain.
inline bool IsSeparatorOfKind(const KeyOrder& order, absl::string_view separator) {
  return order.kind() == KeyKind::kPlain || MayHaveTag(separator);
}

// Returns the reason why an index with this key can't be searched: the key is not of the order's
// kind, or does not ascend.
absl::Status SeparatorError(const KeyOrder& order, absl::string_view separator);

// Calls `visit(entry_offset, handle)` for each entry; the offset is in the block. Sets `*facts`.
// Errors: DataLoss for a malformed entry, with its offset, and for an index that has more blocks or
// larger keys than a file of `file_size` bytes can (table/block/limits.h).
template <typename Visit>
absl::Status WalkIndex(const Block& block, const KeyOrder& order, uint64_t file_size,
                       SeparatorFacts* facts, Visit visit) {
  BlockBudget blocks(file_size);
  Budget rebuilt_keys(AllowedWork(file_size));
  KeyBuffer rebuilt;  // holds prefix-compressed keys
  std::string last_rebuilt;
  absl::string_view last;  // the previous separator
  for (const char* p = block.begin(); p < block.end();) {
    BlockEntry entry;
    if (!DecodeEntry(p, block, &entry) || entry.shared > last.size()) {
      return EntryError(block, p, last.size());
    }
    absl::string_view separator = entry.key_suffix();
    if (ABSL_PREDICT_FALSE(entry.shared != 0)) {
      facts->are_whole = false;
      if (!rebuilt_keys.Take(size_t{entry.shared} + entry.unshared)) {
        return absl::DataLossError(absl::StrCat("entry at offset ", p - block.begin(),
                                                ": keys so far have more than ",
                                                AllowedWork(file_size), " bytes"));
      }
      rebuilt.Assign(last);
      rebuilt.Replace(entry.shared, entry.key_suffix());
      separator = rebuilt.view();
    }
    BlockHandle handle;
    const char* const value_end = entry.next();
    const char* value = DecodeVarint64Wide(entry.value().data(), value_end, &handle.offset);
    if (ABSL_PREDICT_TRUE(value != nullptr)) {
      value = DecodeVarint64Wide(value, value_end, &handle.size);
    }
    if (ABSL_PREDICT_FALSE(value == nullptr)) {
      absl::string_view bytes = entry.value();
      return AtPlace(absl::StrCat("entry at offset ", p - block.begin()),
                     BlockHandle::Parse(&bytes).status());
    }
    if (ABSL_PREDICT_FALSE(!blocks.Take(handle))) {
      return AtPlace(absl::StrCat("entry at offset ", p - block.begin()), blocks.Error());
    }
    const bool is_due = IsSeparatorOfKind(order, separator) &&
                        (p == block.begin() || order.Compare(last, separator) < 0);
    if (ABSL_PREDICT_FALSE(!is_due) && facts->order.ok()) {
      facts->order = SeparatorError(order, separator);
    }
    visit(static_cast<uint32_t>(p - block.begin()), handle);
    last = separator;
    if (ABSL_PREDICT_FALSE(entry.shared != 0)) {
      last_rebuilt.assign(separator.data(), separator.size());
      last = last_rebuilt;
    }
    p = entry.next();
  }
  return absl::OkStatus();
}

}  // namespace sstable

#endif  // SSTABLE_TABLE_INDEX_INDEX_WALK_H_
