// Copies runs of a data block's entries straight into columns.
#ifndef SSTABLE_C_COLUMN_RUN_H_
#define SSTABLE_C_COLUMN_RUN_H_

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "absl/base/optimization.h"
#include "absl/strings/string_view.h"
#include "c/column_writer.h"
#include "sstable/format.h"
#include "sstable/internal_key.h"
#include "sstable/table_iterator.h"
#include "table/block_run.h"
#include "util/bytes.h"
#include "util/coding.h"

namespace sstable {

// Returns true if the first `size` bytes of the key of `entry` equal those of `last`, the key
// before it. The first byte that is not shared nearly always differs.
inline bool IsRepeated(const BlockEntry& entry, absl::string_view last, size_t size) {
  if (ABSL_PREDICT_TRUE(entry.shared < size && *entry.suffix != last[entry.shared])) return false;
  return std::memcmp(entry.suffix, last.data() + entry.shared, size - entry.shared) == 0;
}

// Like CopyWide(), for bytes that end at or before `dst`. May read past their end, even bytes that
// it has just written.
inline void CopyShared(char* dst, const char* src, size_t size) {
  size_t i = 0;
  do {
    char step[kCopySlack];
    std::memcpy(step, src + i, sizeof(step));
    std::memcpy(dst + i, step, sizeof(step));
    i += sizeof(step);
  } while (ABSL_PREDICT_FALSE(i < size));
}

// Appends the entries that follow the current one of `it` to the columns, moves `it` to the last of
// them, and returns their number. Stops after `max_count`, at the end of the block, and before an
// entry that needs more than copying. If the keys are internal, appends user keys, and also stops
// before an entry that is not a value, has a sequence above `snapshot`, or has the same user key as
// the previous one.
template <bool kIsInternal>
size_t CopyRun(TableIterator* it, uint64_t snapshot, size_t max_count, ColumnWriter* keys,
               ColumnWriter* values) {
  constexpr size_t kMaxWide = 64;  // bytes; above this, memcpy() is faster
  constexpr size_t kTag = kIsInternal ? kTagSize : 0;
  BlockRun run = RunOf(*it);
  // The last key with its tag: first in the iterator, then in the column, where the next user key
  // overwrites the tag.
  absl::string_view last = it->key();
  if (last.size() < kTag) return 0;
  // An older key and the number of bytes that `last` shares with it. Shared bytes are copied from
  // the older key: the CPU would stall on the bytes of `last`, which have just been written.
  const char* older = last.data();
  size_t common = last.size() - kTag;
  const char* start = nullptr;
  BlockEntry entry, next;
  size_t count = 0;
  for (; count < max_count && run.Peek(last.size() - kTag, &next); ++count) {
    const size_t user_size = size_t{next.shared} + next.unshared - kTag;
    if (kIsInternal) {
      if (ABSL_PREDICT_FALSE(next.unshared < kTag)) break;
      const uint64_t tag = DecodeFixed64(next.suffix + next.unshared - kTag);
      if (ABSL_PREDICT_FALSE(tag % 256 != static_cast<uint64_t>(ValueType::kValue) ||
                             tag >> 8 > snapshot)) {
        break;
      }
      if (user_size == last.size() - kTag && IsRepeated(next, last, user_size)) break;
    }
    if (!keys->HasWideRoom(user_size + kTag) || !values->HasWideRoom(next.value_size)) break;
    char* const key = keys->end();
    if (ABSL_PREDICT_FALSE(next.shared > common)) older = last.data();
    common = next.shared;
    CopyShared(key, older, common);
    CopyWide(key + next.shared, next.key_suffix());
    if (ABSL_PREDICT_TRUE(next.value_size <= kMaxWide)) {
      CopyWide(values->end(), next.value());
    } else {
      std::memcpy(values->end(), next.value().data(), next.value_size);
    }
    keys->EndItem(user_size);
    values->EndItem(next.value_size);
    last = absl::string_view(key, user_size + kTag);
    start = run.next;
    run.next = next.next();
    entry = next;
  }
  if (count > 0) MoveTo(start, entry, last, it);
  return count;
}

}  // namespace sstable

#endif  // SSTABLE_C_COLUMN_RUN_H_
