// Copies entries of a data block straight into columns.
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

// Returns true if the key of `entry` begins with the first `size` bytes of the key before it,
// `last`. The byte after those that are shared nearly always differs.
inline bool IsRepeated(const BlockEntry& entry, absl::string_view last, size_t size) {
  if (ABSL_PREDICT_TRUE(entry.shared < size && *entry.suffix != last[entry.shared])) return false;
  return std::memcmp(entry.suffix, last.data() + entry.shared, size - entry.shared) == 0;
}

// CopyWide() of bytes that end at or before the start of `dst`. It also reads the bytes after them,
// which may be those of `dst`.
inline void CopyShared(char* dst, const char* src, size_t size) {
  size_t i = 0;
  do {
    char step[kCopySlack];
    std::memcpy(step, src + i, sizeof(step));
    std::memcpy(dst + i, step, sizeof(step));
    i += sizeof(step);
  } while (ABSL_PREDICT_FALSE(i < size));
}

// Appends entries after the one that `it` is on, and moves it to the last of them. Ends after
// `max_count`, and before an entry that needs more than a copy. Returns how many there were. If the
// keys are internal, the columns get user keys, and it also ends before an entry that is not a
// value, has a sequence above `snapshot`, or has the same user key as the previous one.
template <bool kIsInternal>
size_t CopyRun(TableIterator* it, uint64_t snapshot, size_t max_count, ColumnWriter* keys,
               ColumnWriter* values) {
  constexpr size_t kMaxWide = 64;  // bytes; more are faster by memcpy()
  constexpr size_t kTag = kIsInternal ? kTagSize : 0;
  BlockRun run = RunOf(*it);
  // The last key with its tag. It is in the iterator at first, and then in the column, where the
  // next user key overwrites the tag.
  absl::string_view last = it->key();
  if (last.size() < kTag) return 0;
  // An older key, and how many bytes `last` shares with it. Shared bytes are copied from this key:
  // those of `last` have just been written, and the processor would wait for them.
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
