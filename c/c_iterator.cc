#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "c/bounded_iterator.h"
#include "c/c_objects.h"
#include "c/c_support.h"
#include "c/column_run.h"
#include "c/column_writer.h"
#include "c/history_entries.h"
#include "c/table_entries.h"
#include "sstable/c.h"
#include "sstable/comparator.h"
#include "sstable/database_view.h"
#include "sstable/internal_key.h"
#include "sstable/iterator.h"
#include "sstable/table_iterator.h"
#include "sstable/table_reader.h"
#include "table/block/key_order.h"
#include "table/block_run.h"
#include "table/table_internals.h"
#include "util/status_util.h"

struct sstable_iterator {
  std::shared_ptr<const void> source;  // keeps the source alive
  // The table whose entries are iterated over; if null, `new_live` makes the iterator.
  const sstable::TableReader* table = nullptr;
  // Collects the damage that is skipped; null: damage ends an iteration.
  std::shared_ptr<sstable::SkippedDamage> skipped;
  std::function<std::unique_ptr<sstable::Iterator>()> new_live;
  // The order of the keys; null if the library does not know it, and then there are no entries.
  const sstable::Comparator* comparator = nullptr;
  sstable::Bounds bounds;
  // If set, a table's filter may rule out the prefix. There are then no bounds, unless damage is
  // skipped.
  std::optional<std::string> prefix;

  std::unique_ptr<sstable::Iterator> entries;  // null at first and after a failure
  // Both point to `entries`: `all_entries` if it iterates over all of a table, `runs` if it can
  // copy runs of entries; else null.
  sstable::TableEntries* all_entries = nullptr;
  sstable::RunSource* runs = nullptr;
  // The error that cleared `entries`; not a Status, which may need memory.
  sstable_code failure = SSTABLE_OK;
  const char* failure_message = "";
};

namespace sstable {
namespace {

std::unique_ptr<TableEntries> NewEntries(const TableReader& table,
                                         const std::shared_ptr<SkippedDamage>& skipped) {
  TableEntries::OnDamage on_damage;
  if (skipped != nullptr) {
    on_damage = [skipped](const DatabaseProblem& problem) { skipped->Add(problem); };
  }
  return std::make_unique<TableEntries>(table, std::move(on_damage));
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

// Returns an empty string, not null, for empty bytes: in most languages, an empty array is not
// null.
const char* View(absl::string_view bytes, size_t* size) {
  if (size != nullptr) *size = bytes.size();
  return bytes.data() != nullptr ? bytes.data() : "";
}

const char* NoView(size_t* size) {
  if (size != nullptr) *size = 0;
  return nullptr;
}

// Copies the entries that follow the current one in its data block, as far as CopyRun() can.
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

// `It` is Iterator, or TableEntries, whose calls are not virtual. `runs` points to the same
// iterator.
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

// Restricts the iterator: passes the key to `set`; the iterator is rebuilt at the next seek.
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

// Returns an iterator that `new_live` will create, and that keeps `source` alive.
template <typename Function>
sstable_iterator* NewLive(std::shared_ptr<const void> source, const Comparator* comparator,
                          Function new_live) {
  auto iterator = std::make_unique<sstable_iterator>();
  iterator->source = std::move(source);
  iterator->comparator = comparator;
  iterator->new_live = new_live;
  return iterator.release();
}

absl::Status CheckSnapshot(uint64_t snapshot) {
  if (snapshot <= kMaxSequence) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("snapshot is ", snapshot, ", expected at most ", kMaxSequence));
}

// Returns the options with which iterators read the database.
ViewReadOptions OptionsOf(const sstable_database& database) {
  ViewReadOptions options;
  if (const std::shared_ptr<SkippedDamage> skipped = database.skipped) {
    options.on_damage = [skipped](const DatabaseProblem& problem) { skipped->Add(problem); };
  }
  return options;
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

sstable_iterator* sstable_iterator_create(const sstable_reader* reader) {
  if (reader == nullptr) return nullptr;
  sstable_iterator* const iterator = sstable::NewOrNull<sstable_iterator>();
  if (iterator == nullptr) return nullptr;
  iterator->source = reader->reader;
  iterator->table = reader->reader.get();
  iterator->skipped = reader->skipped;
  iterator->comparator = &KeyOrderOf(*reader->reader).comparator();
  return iterator;
}

sstable_code sstable_iterator_create_live(const sstable_reader* reader, uint64_t snapshot,
                                          sstable_iterator** iterator, char** message) {
  if (iterator != nullptr) *iterator = nullptr;
  return Guard(message, [&]() -> absl::Status {
    RETURN_IF_ERROR(NotNull(reader, "reader"));
    RETURN_IF_ERROR(NotNull(iterator, "iterator"));
    RETURN_IF_ERROR(sstable::CheckSnapshot(snapshot));
    const sstable::TableReader* const table = reader->reader.get();
    RETURN_IF_ERROR(sstable::NeedInternalKeys(*table));
    const Comparator* const comparator = &KeyOrderOf(*table).user_comparator();
    const std::shared_ptr<sstable::SkippedDamage> skipped = reader->skipped;
    *iterator = sstable::NewLive(reader->reader, comparator, [=] {
      if (skipped == nullptr) {
        return sstable::NewSnapshotIterator(table->NewIterator(), comparator, snapshot);
      }
      // Uses a merging iterator, which can walk a table that is read past its damage.
      std::vector<std::unique_ptr<Iterator>> entries;
      entries.push_back(sstable::NewEntries(*table, skipped));
      return sstable::NewSnapshotIterator(
          sstable::NewMergingIterator(comparator, sstable::KeyKind::kInternal, std::move(entries)),
          comparator, snapshot);
    });
    return absl::OkStatus();
  });
}

sstable_code sstable_iterator_create_database(const sstable_database* database, uint64_t snapshot,
                                              sstable_iterator** iterator, char** message) {
  if (iterator != nullptr) *iterator = nullptr;
  return Guard(message, [&]() -> absl::Status {
    RETURN_IF_ERROR(NotNull(database, "database"));
    RETURN_IF_ERROR(NotNull(iterator, "iterator"));
    RETURN_IF_ERROR(sstable::CheckSnapshot(snapshot));
    const sstable::DatabaseView* const view = database->view.get();
    sstable::ViewReadOptions options = sstable::OptionsOf(*database);
    options.snapshot = snapshot;
    *iterator = sstable::NewLive(database->view, view->comparator(),
                                 [=] { return view->NewIterator(options); });
    return absl::OkStatus();
  });
}

sstable_code sstable_iterator_create_history(const sstable_database* database,
                                             sstable_iterator** iterator, char** message) {
  if (iterator != nullptr) *iterator = nullptr;
  return Guard(message, [&]() -> absl::Status {
    RETURN_IF_ERROR(NotNull(database, "database"));
    RETURN_IF_ERROR(NotNull(iterator, "iterator"));
    const sstable::DatabaseView* const view = database->view.get();
    if (view->comparator() == nullptr) {
      return absl::UnimplementedError(
          absl::StrCat(view->folder(), ": its order, ", view->comparator_name(), ", is not known"));
    }
    const auto order = std::make_shared<sstable::InternalKeyComparator>(view->comparator());
    const sstable::ViewReadOptions options = sstable::OptionsOf(*database);
    *iterator = sstable::NewLive(database->view, order.get(), [=] {  // keeps `order`, too
      return std::make_unique<sstable::HistoryEntries>(view->NewHistoryIterator(options),
                                                       order.get());
    });
    return absl::OkStatus();
  });
}

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
