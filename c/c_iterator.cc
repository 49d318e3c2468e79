#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "c/bounded_iterator.h"
#include "c/c_objects.h"
#include "c/c_support.h"
#include "c/column_writer.h"
#include "c/history_entries.h"
#include "sstable/c.h"
#include "sstable/comparator.h"
#include "sstable/database_view.h"
#include "sstable/internal_key.h"
#include "sstable/iterator.h"
#include "sstable/table_iterator.h"
#include "sstable/table_reader.h"
#include "table/block/key_order.h"
#include "table/table_internals.h"
#include "util/status_util.h"

struct sstable_iterator {
  std::shared_ptr<const void> source;  // keeps the source alive
  // The table whose entries are iterated over; if null, `new_live` makes the iterator.
  const sstable::TableReader* table = nullptr;
  std::function<std::unique_ptr<sstable::Iterator>()> new_live;
  // The order of the keys. Null: it is unknown to the library, and there are no entries.
  const sstable::Comparator* comparator = nullptr;
  sstable::Bounds bounds;
  std::optional<std::string> prefix;  // for a table, whose filter may rule it out; without bounds

  std::unique_ptr<sstable::Iterator> entries;     // none at first and after a failure
  sstable::TableIterator* all_entries = nullptr;  // the same iterator if nothing restricts it
  // The error that reset `entries`. Not a Status, since there may be no memory for one.
  sstable_code failure = SSTABLE_OK;
  const char* failure_message = "";
};

namespace sstable {
namespace {

void Make(sstable_iterator* iterator) {
  if (iterator->table == nullptr) {
    iterator->entries = iterator->new_live();
  } else if (iterator->prefix.has_value()) {
    iterator->entries = iterator->table->NewPrefixIterator(*iterator->prefix);
  } else {
    std::unique_ptr<TableIterator> entries = iterator->table->NewIterator();
    if (iterator->bounds.empty()) iterator->all_entries = entries.get();
    iterator->entries = std::move(entries);
  }
  if (iterator->bounds.empty() || iterator->comparator == nullptr) return;
  iterator->entries = std::make_unique<BoundedIterator>(std::move(iterator->entries),
                                                        iterator->comparator, iterator->bounds);
}

void Clear(sstable_iterator* iterator, sstable_code code, const char* message) {
  iterator->entries.reset();
  iterator->all_entries = nullptr;
  iterator->failure = code;
  iterator->failure_message = message;
}

// Moves by `move`. After running out of memory, the iterator is rebuilt at the next seek.
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

// Never null, since an empty array is not null in most languages.
const char* View(absl::string_view bytes, size_t* size) {
  if (size != nullptr) *size = bytes.size();
  return bytes.data() != nullptr ? bytes.data() : "";
}

const char* NoView(size_t* size) {
  if (size != nullptr) *size = 0;
  return nullptr;
}

// `It` is Iterator, or TableIterator, whose steps are not virtual.
template <typename It>
void Read(It* entries, bool reverse, size_t max_count, ColumnWriter* keys, ColumnWriter* values,
          size_t* count) {
  while (*count < max_count && entries->Valid()) {
    const absl::string_view key = entries->key(), value = entries->value();
    if (!keys->HasRoom(key.size()) || !values->HasRoom(value.size())) break;
    keys->Append(key);
    values->Append(value);
    ++*count;
    reverse ? entries->Prev() : entries->Next();
  }
}

// Restricts the iterator by calling `set` with the key; it is rebuilt at the next seek.
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

// Returns an iterator over the entries from `new_live`, which reads `source`.
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

// How iterators read the database.
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
using sstable::KeyOrderOf;
using sstable::Move;
using sstable::NotNull;
using sstable::NoView;
using sstable::Report;
using sstable::Restrict;
using sstable::View;

sstable_iterator* sstable_iterator_create(const sstable_reader* reader) {
  if (reader == nullptr) return nullptr;
  sstable_iterator* const iterator = sstable::NewOrNull<sstable_iterator>();
  if (iterator == nullptr) return nullptr;
  iterator->source = reader->reader;
  iterator->table = reader->reader.get();
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
    *iterator = sstable::NewLive(reader->reader, comparator, [=] {
      return sstable::NewSnapshotIterator(table->NewIterator(), comparator, snapshot);
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
          "keys with a common prefix are contiguous only in bytewise order");
    }
    iterator->bounds = iterator->table != nullptr ? Bounds() : Bounds::OfPrefix(start);
    iterator->prefix = std::move(start);
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
        const auto read = [&](auto* from) {
          sstable::Read(from, reverse != 0, max_count, &key_writer, &value_writer, count);
        };
        iterator->all_entries != nullptr ? read(iterator->all_entries) : read(entries);
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
