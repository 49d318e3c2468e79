// Creates iterators over a table, a snapshot of it, a database, and a database's history.
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "c/c_iterator.h"
#include "c/c_objects.h"
#include "c/c_support.h"
#include "c/table_entries.h"
#include "sstable/c.h"
#include "sstable/comparator.h"
#include "sstable/database_view.h"
#include "sstable/internal_key.h"
#include "sstable/iterator.h"
#include "sstable/slice.h"
#include "sstable/table_iterator.h"
#include "sstable/table_reader.h"
#include "table/block/key_order.h"
#include "table/table_internals.h"
#include "util/status_util.h"

namespace sstable {
namespace {

// The history of a database as an iterator over internal keys.
// Forward only: SeekToLast() and Prev() fail with Unimplemented.
class HistoryEntries final : public Iterator {
 public:
  HistoryEntries(std::unique_ptr<HistoryIterator> history, const Comparator* internal_order)
      : history_(std::move(history)), order_(*internal_order) {}

  bool Valid() const override { return !failed_ && history_->Valid(); }
  void SeekToFirst() override {
    failed_ = false;
    history_->SeekToFirst();
    BuildKey();
  }
  void SeekToLast() override { failed_ = true; }
  void Seek(Slice target) override {
    failed_ = false;
    history_->Seek(ExtractUserKey(target));
    for (BuildKey(); Valid() && order_.Compare(key_, target) < 0;) Next();
  }
  void Next() override {
    history_->Next();
    BuildKey();
  }
  void Prev() override { failed_ = true; }
  absl::string_view key() const override { return key_; }
  absl::string_view value() const override { return history_->entry().value; }
  absl::Status status() const override {
    return failed_ ? absl::UnimplementedError("a history goes forward only") : history_->status();
  }

 private:
  void BuildKey() {
    if (!history_->Valid()) return;
    const HistoryIterator::Entry& entry = history_->entry();
    key_ = MakeInternalKey(entry.key, entry.sequence, entry.type);
  }

  const std::unique_ptr<HistoryIterator> history_;
  const Comparator& order_;
  std::string key_;
  bool failed_ = false;
};

// Returns an iterator that calls `new_live` when first used, and that keeps `source` alive.
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

std::unique_ptr<TableEntries> NewEntries(const TableReader& table,
                                         const std::shared_ptr<SkippedDamage>& skipped) {
  TableEntries::OnDamage on_damage;
  if (skipped != nullptr) {
    on_damage = [skipped](const DatabaseProblem& problem) { skipped->Add(problem); };
  }
  return std::make_unique<TableEntries>(table, std::move(on_damage));
}

}  // namespace sstable

using sstable::Comparator;
using sstable::Guard;
using sstable::Iterator;
using sstable::KeyOrderOf;
using sstable::NotNull;

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
      // A merging iterator can walk entries that continue after damage.
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
