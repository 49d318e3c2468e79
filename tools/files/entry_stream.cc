#include "tools/files/entry_stream.h"

#include <cstddef>
#include <utility>

#include "absl/strings/str_cat.h"
#include "sstable/check.h"
#include "sstable/iterator.h"
#include "sstable/slice.h"
#include "sstable/table_iterator.h"
#include "table/block/block_io.h"
#include "table/block/show_key.h"
#include "table/index/table_index.h"
#include "table/inspect/block_identity.h"
#include "table/table_internals.h"
#include "tools/files/decoder_option.h"
#include "tools/files/input_files.h"
#include "util/escape.h"
#include "util/status_util.h"

namespace sstable::tools {
namespace {

// See NewGuardedIterator().
class GuardedEntries final : public Iterator {
 public:
  explicit GuardedEntries(const TableReader* reader)
      : reader_(*reader),
        verifier_(reader, KeyTrust::kOrdered),
        it_(reader->NewIterator(ReadOptions::ForScan())),
        work_(WorkOf(*reader)),
        status_(verifier_.index_status()) {}

  bool Valid() const override { return status_.ok() && it_->Valid(); }
  void SeekToFirst() override {
    it_->SeekToFirst();
    CheckBlock();
  }
  void SeekToLast() override {
    it_->SeekToLast();
    CheckBlock();
  }
  void Seek(Slice target) override {
    it_->Seek(target);
    CheckBlock();
  }
  void Next() override {
    last_key_.assign(key().data(), key().size());
    it_->Next();
    CheckBlock();
    if (Valid()) status_ = AtCheckedBlock(CheckAscends(KeyOrderOf(reader_), last_key_, key()));
  }
  void Prev() override {
    it_->Prev();
    CheckBlock();
  }
  absl::string_view key() const override { return it_->key(); }
  absl::string_view value() const override { return it_->value(); }
  absl::Status status() const override { return status_.ok() ? it_->status() : status_; }

 private:
  void CheckBlock() {
    if (Valid() && !work_.TakeKey(it_->key().size())) {
      status_ = AtPlace(reader_.file().name(), work_.Error());
    }
    if (!Valid() || it_->block_index() == checked_block_) return;
    checked_block_ = it_->block_index();
    status_ = AtCheckedBlock(verifier_.CheckBlock(*checked_block_, BlockOf(*it_)));
  }

  absl::Status AtCheckedBlock(const absl::Status& status) const {
    if (status.ok()) return status;
    return AtBlock(reader_.file(), BlockKind::kData,
                   IndexOf(reader_)->record(*checked_block_).handle(), status);
  }

  const TableReader& reader_;
  TableVerifier verifier_;
  const std::unique_ptr<TableIterator> it_;
  WorkMeter work_;
  std::optional<size_t> checked_block_;
  std::string last_key_;
  absl::Status status_;
};

}  // namespace

std::unique_ptr<Iterator> NewGuardedIterator(const TableReader* reader) {
  return std::make_unique<GuardedEntries>(reader);
}

absl::StatusOr<EntryStream> EntryStream::Open(const std::string& path,
                                              const TableInputOptions& options, Console* console) {
  EntryStream stream;
  stream.name_ = InputName(path);
  if (IsFolder(path)) {
    ASSIGN_OR_RETURN(DatabaseInput database, DatabaseInput::Open(path, options, console));
    stream.database_ = std::make_unique<DatabaseInput>(std::move(database));
    const DatabaseView& view = stream.database_->view();
    stream.order_ = view.comparator();
    if (stream.order_ == nullptr) {
      return absl::UnimplementedError(absl::StrCat(stream.name_, ": its order, ",
                                                   view.comparator_name(),
                                                   ", is not known; --comparator gives one"));
    }
    stream.it_ = view.NewIterator(stream.database_->ReadOptions());
  } else {
    ASSIGN_OR_RETURN(stream.table_, OpenTable(path, options, console));
    const TableReader& reader = *stream.table_->reader;
    RETURN_IF_ERROR(reader.LoadIndex());
    if (!stream.table_->searchable()) {
      return absl::UnimplementedError(
          absl::StrCat(stream.name_, ": ", stream.table_->why_not_searchable));
    }
    stream.order_ = &KeyOrderOf(reader).user_comparator();
    stream.it_ = NewGuardedIterator(&reader);
    if (KeyOrderOf(reader).kind() == KeyKind::kInternal) {
      stream.it_ = NewSnapshotIterator(std::move(stream.it_), stream.order_);
    }
  }
  stream.it_->SeekToFirst();
  return stream;
}

ChosenDecoder EntryStream::Choose(DecodedProgram program) const {
  if (program == DecodedProgram::kNone) return {};
  return ChooseDecoder(program, database_ != nullptr ? NewDatabaseSource(&database_->view())
                                                     : NewTableSource(table_->reader.get()));
}

void EntryStream::Next() {
  last_key_.assign(key().data(), key().size());
  it_->Next();
  if (!it_->Valid() || order_->Compare(last_key_, key()) < 0) return;
  status_ = absl::DataLossError(
      absl::StrCat(name_, ": key ", ShowKey(KeyKind::kPlain, key(), last_key_),
                   " follows, but is not above, ", ShowKey(KeyKind::kPlain, last_key_, key())));
}

absl::StatusOr<DecodedStream> DecodedStream::Open(const std::string& path,
                                                  const TableInputOptions& options,
                                                  DecodedProgram program, Console* console) {
  ASSIGN_OR_RETURN(EntryStream entries, EntryStream::Open(path, options, console));
  ChosenDecoder chosen = entries.Choose(program);
  return DecodedStream{std::move(entries), std::move(chosen)};
}

}  // namespace sstable::tools
