#include "sqlite/row_source.h"

#include <sys/stat.h>

#include <cstdint>
#include <utility>

#include "absl/strings/str_cat.h"
#include "db/database_file.h"
#include "db/table_run.h"
#include "sstable/experimental/key_guess.h"
#include "sstable/file.h"
#include "sstable/internal_key.h"
#include "sstable/slice.h"
#include "sstable/table_iterator.h"
#include "table/block/block_io.h"
#include "table/block/key_order.h"
#include "table/block/show_key.h"
#include "table/index/table_index.h"
#include "table/inspect/opened_table.h"
#include "table/table_internals.h"
#include "util/status_util.h"

namespace sstable {
namespace {

absl::Status StatusOf(const DatabaseProblem& problem) {
  return problem.is_unread ? absl::UnavailableError(problem.message)
                           : absl::DataLossError(problem.message);
}

class DatabaseSource final : public RowSource {
 public:
  explicit DatabaseSource(std::unique_ptr<DatabaseView> view) : view_(std::move(view)) {}

  const Comparator* order() const override { return view_->comparator(); }
  bool has_sequences() const override { return true; }
  void ReportDamage(const std::string* key, const OnDamage& on_damage) const override {
    for (const DatabaseProblem& problem : view_->FindProblems()) {
      if (!problem.is_damage && !problem.is_unread) continue;
      if (key == nullptr || MayHide(problem, *key)) on_damage(StatusOf(problem));
    }
  }
  std::unique_ptr<HistoryIterator> NewRows(OnDamage on_damage) const override {
    ViewReadOptions options;
    options.on_damage = [on_damage = std::move(on_damage)](const DatabaseProblem& problem) {
      on_damage(StatusOf(problem));
    };
    return view_->NewHistoryIterator(options);
  }
  absl::StatusOr<std::optional<std::string>> Get(absl::string_view key) const override {
    return view_->Get(key);
  }

 protected:
  std::shared_ptr<const EntrySource> NewDecoderSource() const override {
    return NewDatabaseSource(view_.get());
  }

 private:
  // Damage to a table hides only keys within its range.
  bool MayHide(const DatabaseProblem& problem, absl::string_view key) const {
    for (const DatabaseTable& table : view_->ListTables()) {
      if (table.name != problem.file || !table.in_order || !HasRange(table, order())) continue;
      return order()->Compare(key, ExtractUserKey(table.smallest)) >= 0 &&
             order()->Compare(key, ExtractUserKey(table.largest)) <= 0;
    }
    return true;
  }

  const std::unique_ptr<DatabaseView> view_;
};

// The entries of a table.
class TableRows final : public HistoryIterator {
 public:
  TableRows(const TableReader& reader, RowSource::OnDamage on_damage)
      : reader_(reader),
        order_(KeyOrderOf(reader_)),
        on_damage_(std::move(on_damage)),
        it_(reader_.NewIterator(ReadOptions::ForScan())) {
    entry_.file = reader_.file().name();
  }

  bool Valid() const override { return it_->Valid(); }
  void SeekToFirst() override {
    it_->SeekToFirst();
    has_last_key_ = false;
    ToEntry();
  }
  void Seek(Slice user_key) override {
    it_->Seek(order_.kind() == KeyKind::kPlain
                  ? std::string(user_key)
                  : MakeInternalKey(user_key, kMaxSequence, ValueType::kValue));
    has_last_key_ = false;
    ToEntry();
  }
  void Next() override {
    last_key_.assign(entry_.key.data(), entry_.key.size());
    has_last_key_ = true;
    it_->Next();
    ToEntry();
  }
  const Entry& entry() const override { return entry_; }
  absl::Status status() const override { return absl::OkStatus(); }  // errors go to on_damage_

 private:
  // Moves forward to an entry that can be shown.
  void ToEntry() {
    for (; ToReadable(); it_->Next()) {
      entry_.offset = IndexOf(reader_)->record(it_->block_index()).handle().offset;
      entry_.value = it_->value();
      if (order_.kind() == KeyKind::kPlain) {
        entry_.key = it_->key();
        entry_.is_live = !IsLastKey();  // Get() finds the first of equal keys
        return;
      }
      if (const auto key = ParseInternalKey(it_->key())) {
        entry_.key = key->user_key;
        entry_.sequence = key->sequence;
        entry_.type = key->type;
        entry_.is_live = key->type == ValueType::kValue && !IsLastKey();
        return;
      }
      on_damage_(absl::DataLossError(
          absl::StrCat(entry_.file, ": data block at offset ", entry_.offset, ": key ",
                       ShowKey(KeyKind::kPlain, it_->key()), " has no tag of LevelDB")));
    }
  }
  bool ToReadable() {
    while (!it_->Valid()) {
      if (it_->status().ok()) return false;
      on_damage_(it_->status());
      if (!it_->SkipDamage()) return false;
    }
    return true;
  }

  bool IsLastKey() const {
    return has_last_key_ && order_.user_comparator().Compare(last_key_, entry_.key) == 0;
  }

  const TableReader& reader_;
  const KeyOrder& order_;
  const RowSource::OnDamage on_damage_;
  const std::unique_ptr<TableIterator> it_;
  std::string last_key_;  // user key
  bool has_last_key_ = false;
  Entry entry_;
};

class TableSource final : public RowSource {
 public:
  explicit TableSource(OpenedTable table) : table_(std::move(table)) {}

  const Comparator* order() const override {
    return table_.searchable() ? table_.keys.comparator : nullptr;
  }
  bool has_sequences() const override { return table_.keys.key_kind == KeyKind::kInternal; }
  void ReportDamage(const std::string*, const OnDamage& on_damage) const override {
    if (!table_.keys_status.ok()) on_damage(table_.keys_status);
  }
  std::unique_ptr<HistoryIterator> NewRows(OnDamage on_damage) const override {
    return std::make_unique<TableRows>(*table_.reader, std::move(on_damage));
  }
  absl::StatusOr<std::optional<std::string>> Get(absl::string_view key) const override {
    return table_.reader->Get(key);
  }

 protected:
  std::shared_ptr<const EntrySource> NewDecoderSource() const override {
    return NewTableSource(table_.reader.get());
  }

 private:
  const OpenedTable table_;
};

}  // namespace

absl::StatusOr<std::shared_ptr<RowSource>> RowSource::Open(const std::string& path) {
  struct stat info;
  if (::stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode)) {
    DatabaseViewOptions options;
    options.file_access = FileAccess::kRead;  // a mapped file that shrinks would end the process
    options.resume_within_log_block = true;   // as `sst` does
    ASSIGN_OR_RETURN(auto view, DatabaseView::Open(path, options));
    return std::make_shared<DatabaseSource>(std::move(view));
  }
  ASSIGN_OR_RETURN(OpenedTable table,
                   OpenDetectingKeys([&] { return OpenDatabaseFile(path); }, GivenKeys()));
  return std::make_shared<TableSource>(std::move(table));
}

const EntryDecoder* RowSource::decoder() {
  if (!chosen_.has_value()) chosen_ = ChooseDecoder(DecodedProgram::kAuto, NewDecoderSource());
  return chosen_->decoder.get();
}

}  // namespace sstable
