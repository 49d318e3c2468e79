// Iterates over the entries of a table, continuing after damage.
#ifndef SSTABLE_C_TABLE_ENTRIES_H_
#define SSTABLE_C_TABLE_ENTRIES_H_

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "sstable/database_files.h"
#include "sstable/format.h"
#include "sstable/internal_key.h"
#include "sstable/slice.h"
#include "sstable/table_iterator.h"
#include "sstable/table_reader.h"
#include "table/block/block_io.h"
#include "table/block/key_order.h"
#include "table/block/show_key.h"
#include "table/table_internals.h"
#include "table/table_walk.h"
#include "util/status_util.h"

namespace sstable {

// Errors: if `on_damage` is set, it is called for each damaged data block, which is skipped. In a
//         table of internal keys, it is also called for each key that is not an internal key.
class TableEntries final : public TableWalk {
 public:
  using OnDamage = std::function<void(const DatabaseProblem&)>;

  TableEntries(const TableReader& reader, OnDamage on_damage)
      : reader_(reader),
        is_internal_(KeyOrderOf(reader).kind() == KeyKind::kInternal),
        on_damage_(std::move(on_damage)),
        it_(reader.NewIterator()) {}

  bool Valid() const override { return it_->Valid(); }
  void SeekToFirst() override {
    it_->SeekToFirst();
    GoForward();
  }
  void SeekToLast() override {
    it_->SeekToLast();
    GoBackward();
  }
  void Seek(Slice target) override {
    it_->Seek(target);
    GoForward();
  }
  void Next() override {
    it_->Next();
    GoForward();
  }
  void Prev() override {
    it_->Prev();
    GoBackward();
  }
  absl::string_view key() const override { return it_->key(); }
  absl::string_view value() const override { return it_->value(); }
  absl::Status status() const override { return it_->status(); }
  TableIterator* table_iterator() override { return it_.get(); }
  void Settle() override { GoForward(); }

 private:
  void GoForward() {
    if (on_damage_ == nullptr) return;
    while (!IsSettled()) {
      const DatabaseProblem problem = Problem();
      if (it_->Valid()) {
        it_->Next();
      } else if (IsLimit(it_->status()) || !it_->SkipDamage()) {
        return;
      }
      on_damage_(problem);
    }
  }
  void GoBackward() {
    if (on_damage_ == nullptr) return;
    while (!IsSettled()) {
      const DatabaseProblem problem = Problem();
      if (it_->Valid()) {
        it_->Prev();
      } else if (IsLimit(it_->status()) ||
                 !SkipDamageBackward(it_.get(), [this](const auto&) { on_damage_(Problem()); })) {
        return;
      }
      on_damage_(problem);
    }
  }
  // Returns true if the iterator is on an entry to be shown, or past either end.
  bool IsSettled() const {
    if (!it_->Valid()) return it_->status().ok();
    return !is_internal_ || ParseInternalKey(it_->key()).has_value();
  }
  DatabaseProblem Problem() const {
    DatabaseProblem problem;
    absl::Status status = it_->status();
    if (const std::optional<BlockHandle> block = DataBlockOf(*it_)) {
      problem.offset = block->offset;
      if (status.ok()) {
        const std::string key = ShowKey(KeyKind::kPlain, it_->key());
        status = AtBlock(reader_.file(), BlockKind::kData, *block,
                         absl::DataLossError(absl::StrCat("key ", key, " is not an internal key")));
      }
    }
    problem.message = std::string(status.message());
    return problem;
  }

  const TableReader& reader_;
  const bool is_internal_;
  const OnDamage on_damage_;
  const std::unique_ptr<TableIterator> it_;
};

}  // namespace sstable

#endif  // SSTABLE_C_TABLE_ENTRIES_H_
