#include "c/c_iterator.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <utility>

#include "absl/base/optimization.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "c/bounded_iterator.h"
#include "c/c_support.h"
#include "c/column_writer.h"
#include "c/table_entries.h"
#include "sstable/c.h"
#include "sstable/comparator.h"
#include "sstable/format.h"
#include "sstable/internal_key.h"
#include "sstable/iterator.h"
#include "sstable/table_iterator.h"
#include "sstable/table_reader.h"
#include "table/block/key_order.h"
#include "table/block_run.h"
#include "table/table_internals.h"
#include "util/bytes.h"
#include "util/coding.h"
#include "util/status_util.h"

namespace sstable {
namespace {

// Returns true if the first `size` bytes of the key of `entry` equal those of `last`, the key
// before it. The first byte that is not shared nearly always differs.
bool IsRepeated(const BlockEntry& entry, absl::string_view last, size_t size) {
  if (ABSL_PREDICT_TRUE(entry.shared < size && *entry.suffix != last[entry.shared])) return false;
  return std::memcmp(entry.suffix, last.data() + entry.shared, size - entry.shared) == 0;
}

// Like CopyWide(), for bytes that end at or before `dst`. May read past their end, even bytes that
// it has just written.
void CopyShared(char* dst, const char* src, size_t size) {
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

void Make(sstable_iterator* iterator) {
  if (iterator->table == nullptr) {
    iterator->entries = iterator->new_live();
    iterator->runs = dynamic_cast<RunSource*>(iterator->entries.get());
  } else if (iterator->prefix.has_value() && iterator->skipped == nullptr) {
    iterator->entries = iterator->table->NewPrefixIterator(*iterator->prefix);
  } else {
    std::unique_ptr<TableEntries> entries = NewEntries(*iterator->table, iterator->skipped);
    if (iterator->bounds.empty()) iterator->all_entries = entries.get();
    iterator->entries = std::move(entries);
  }
  if (iterator->bounds.empty() || iterator->comparator == nullptr) return;
  iterator->runs = nullptr;
  iterator->entries = std::make_unique<BoundedIterator>(std::move(iterator->entries),
                                                        iterator->comparator, iterator->bounds);
}

void Clear(sstable_iterator* iterator, sstable_code code, const char* message) {
  iterator->entries.reset();
  iterator->all_entries = nullptr;
  iterator->runs = nullptr;
  iterator->failure = code;
  iterator->failure_message = message;
}

// Calls `move` with the iterator. If memory runs out, the iterator is rebuilt at the next seek.
template <typename Function>
void Move(sstable_iterator* iterator, Function move) {
  try {
    if (iterator->entries == nullptr) Make(iterator);
    move(iterator->entries.get());
  } catch (const std::bad_alloc&) {
    Clear(iterator, SSTABLE_RESOURCE_EXHAUSTED, kNoMemory);
  } catch (const std::exception&) {
    Clear(iterator, SSTABLE_UNKNOWN, "the iterator could not move");
  }
}

// Returns an empty string, not null, for empty bytes, since an empty array is not null in most
// languages.
const char* View(absl::string_view bytes, size_t* size) {
  if (size != nullptr) *size = bytes.size();
  return bytes.data() != nullptr ? bytes.data() : "";
}

const char* NoView(size_t* size) {
  if (size != nullptr) *size = 0;
  return nullptr;
}

// Copies the entries that follow the current one in its data block, up to the first that CopyRun()
// can't copy.
size_t ReadRun(TableEntries* table, size_t max_count, ColumnWriter* keys, ColumnWriter* values) {
  return CopyRun</*kIsInternal=*/false>(table->table_iterator(), kMaxSequence, max_count, keys,
                                        values);
}
size_t ReadRun(RunSource* runs, size_t max_count, ColumnWriter* keys, ColumnWriter* values) {
  uint64_t snapshot = 0;
  TableIterator* const table = runs == nullptr ? nullptr : runs->BeginRun(&snapshot);
  if (table == nullptr) return 0;
  const size_t count = CopyRun</*kIsInternal=*/true>(table, snapshot, max_count, keys, values);
  runs->EndRun();
  return count;
}

// `It` is Iterator or, to avoid virtual calls, TableEntries. `runs` points to the same iterator.
template <typename It, typename Runs>
void Read(It* entries, Runs* runs, bool reverse, size_t max_count, ColumnWriter* keys,
          ColumnWriter* values, size_t* count) {
  const bool has_runs = !reverse && keys->is_bytes() && values->is_bytes();
  while (*count < max_count && entries->Valid()) {
    const absl::string_view key = entries->key(), value = entries->value();
    if (!keys->HasRoom(key.size()) || !values->HasRoom(value.size())) break;
    keys->Append(key);
    values->Append(value);
    ++*count;
    if (has_runs) *count += ReadRun(runs, max_count - *count, keys, values);
    reverse ? entries->Prev() : entries->Next();
  }
}

// Restricts the iterator by passing the key to `set`. The iterator is rebuilt at the next seek.
template <typename Function>
sstable_code Restrict(sstable_iterator* iterator, const void* key, size_t key_size, char** message,
                      Function set) {
  return Guard(message, [&]() -> absl::Status {
    RETURN_IF_ERROR(NotNull(iterator, "iterator"));
    ASSIGN_OR_RETURN(const absl::string_view bytes, Bytes(key, key_size, "key"));
    Clear(iterator, SSTABLE_OK, "");
    return set(std::string(bytes));
  });
}

sstable_code SetBound(sstable_iterator* iterator, std::optional<Bound> Bounds::*which,
                      const void* key, size_t key_size, int inclusive, char** message) {
  return Restrict(iterator, key, key_size, message, [&](std::string bound) {
    if (iterator->prefix.has_value()) iterator->bounds = Bounds();
    iterator->prefix.reset();
    iterator->bounds.*which = Bound{std::move(bound), inclusive != 0};
    return absl::OkStatus();
  });
}

}  // namespace

}  // namespace sstable

using sstable::Bounds;
using sstable::BytewiseComparator;
using sstable::Clear;
using sstable::ColumnWriter;
using sstable::Comparator;
using sstable::Guard;
using sstable::Iterator;
using sstable::KeyKind;
using sstable::KeyOrderOf;
using sstable::kMaxSequence;
using sstable::MakeInternalKey;
using sstable::Move;
using sstable::NotNull;
using sstable::NoView;
using sstable::Report;
using sstable::Restrict;
using sstable::TableEntries;
using sstable::ValueType;
using sstable::View;

void sstable_iterator_destroy(sstable_iterator* iterator) { delete iterator; }

sstable_code sstable_iterator_set_lower(sstable_iterator* iterator, const void* key,
                                        size_t key_size, int inclusive, char** message) {
  return sstable::SetBound(iterator, &Bounds::lower, key, key_size, inclusive, message);
}

sstable_code sstable_iterator_set_upper(sstable_iterator* iterator, const void* key,
                                        size_t key_size, int inclusive, char** message) {
  return sstable::SetBound(iterator, &Bounds::upper, key, key_size, inclusive, message);
}

sstable_code sstable_iterator_set_prefix(sstable_iterator* iterator, const void* prefix,
                                         size_t prefix_size, char** message) {
  return Restrict(iterator, prefix, prefix_size, message, [&](std::string start) -> absl::Status {
    const Comparator* const order = iterator->table != nullptr
                                        ? &KeyOrderOf(*iterator->table).user_comparator()
                                        : iterator->comparator;
    if (order != BytewiseComparator()) {
      return absl::FailedPreconditionError(
          "keys with a common prefix are contiguous only in bytewise order, and these keys are in "
          "another; give the first key and the end instead (in Python, start= and stop=)");
    }
    const bool by_filter = iterator->table != nullptr && iterator->skipped == nullptr;
    iterator->bounds = by_filter ? Bounds() : Bounds::OfPrefix(start);
    iterator->prefix = std::move(start);
    const bool has_tags =
        iterator->table != nullptr && KeyOrderOf(*iterator->table).kind() == KeyKind::kInternal;
    for (auto* const bound : {&iterator->bounds.lower, &iterator->bounds.upper}) {
      if (!has_tags || !bound->has_value()) continue;
      (*bound)->key = MakeInternalKey((*bound)->key, kMaxSequence, ValueType::kValue);
    }
    return absl::OkStatus();
  });
}

int sstable_iterator_valid(const sstable_iterator* iterator) {
  return iterator->entries != nullptr && iterator->entries->Valid();
}

void sstable_iterator_seek_to_first(sstable_iterator* iterator) {
  Move(iterator, [](Iterator* entries) { entries->SeekToFirst(); });
}

void sstable_iterator_seek_to_last(sstable_iterator* iterator) {
  Move(iterator, [](Iterator* entries) { entries->SeekToLast(); });
}

void sstable_iterator_seek(sstable_iterator* iterator, const void* key, size_t key_size) {
  if (key == nullptr && key_size > 0)
    return Clear(iterator, SSTABLE_INVALID_ARGUMENT, "key is NULL");
  Move(iterator, [&](Iterator* entries) {
    entries->Seek(absl::string_view(static_cast<const char*>(key), key_size));
  });
}

void sstable_iterator_next(sstable_iterator* iterator) {
  if (!sstable_iterator_valid(iterator)) return;
  Move(iterator, [](Iterator* entries) { entries->Next(); });
}

void sstable_iterator_prev(sstable_iterator* iterator) {
  if (!sstable_iterator_valid(iterator)) return;
  Move(iterator, [](Iterator* entries) { entries->Prev(); });
}

const char* sstable_iterator_key(const sstable_iterator* iterator, size_t* size) {
  if (!sstable_iterator_valid(iterator)) return NoView(size);
  return View(iterator->entries->key(), size);
}

const char* sstable_iterator_value(const sstable_iterator* iterator, size_t* size) {
  if (!sstable_iterator_valid(iterator)) return NoView(size);
  return View(iterator->entries->value(), size);
}

sstable_code sstable_iterator_read(sstable_iterator* iterator, int reverse, size_t max_count,
                                   sstable_column* keys, sstable_column* values, size_t* count,
                                   char** message) {
  if (count != nullptr) *count = 0;
  const sstable_code code = Guard(message, [&]() -> absl::Status {
    RETURN_IF_ERROR(NotNull(iterator, "iterator"));
    RETURN_IF_ERROR(NotNull(count, "count"));
    RETURN_IF_ERROR(ColumnWriter::Check(keys));
    return ColumnWriter::Check(values);
  });
  if (code != SSTABLE_OK) return code;
  {
    ColumnWriter key_writer(keys), value_writer(values);
    if (sstable_iterator_valid(iterator)) {
      Move(iterator, [&](Iterator* entries) {
        const auto read = [&](auto* from, auto* runs) {
          sstable::Read(from, runs, reverse != 0, max_count, &key_writer, &value_writer, count);
        };
        TableEntries* const all = iterator->all_entries;
        all != nullptr ? read(all, all) : read(entries, iterator->runs);
      });
    }
    key_writer.Finish();
    value_writer.Finish();
  }
  return *count > 0 ? SSTABLE_OK : sstable_iterator_status(iterator, message);
}

sstable_code sstable_iterator_status(const sstable_iterator* iterator, char** message) {
  if (iterator == nullptr) return Report(NotNull(iterator, "iterator"), message);
  if (iterator->entries == nullptr) {
    return Report(iterator->failure, iterator->failure_message, message);
  }
  return Report(iterator->entries->status(), message);
}
