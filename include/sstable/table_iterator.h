// Walks the entries of a table, block by block.
#ifndef SSTABLE_TABLE_TABLE_ITERATOR_H_
#define SSTABLE_TABLE_TABLE_ITERATOR_H_

#include <cstddef>

#include "absl/base/optimization.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "table/block/block_iterator.h"
#include "table/block/iterator.h"
#include "table/table_reader.h"

namespace sstable {

// Final, and its steps inline, so that a loop over one costs no virtual call per entry.
//
// Lifetime: the reader must outlive it. Keys and values are valid until the iterator next moves;
//           Seek() may be given one of them.
// Errors:   a block that is damaged or can't be read ends the walk; status() names it, and
//           SkipDamage() goes on behind it. Seek() needs the index to be in the comparator's
//           order, else FailedPrecondition; the other steps work with any comparator. A step that
//           ends by an exception (std::bad_alloc, or one of the comparator's) leaves the iterator
//           on no entry, with that exception's status(); it can seek again.
class TableIterator final : public Iterator {
 public:
  explicit TableIterator(const TableReader* reader, FillCache fill_cache = FillCache::kYes);

  bool Valid() const override { return entries_.Valid(); }
  void SeekToFirst() override;
  void SeekToLast() override;
  void Seek(absl::string_view target) override;
  void Next() override {
    entries_.Next();
    if (ABSL_PREDICT_FALSE(!entries_.Valid())) GoForward();
  }
  void Prev() override {
    entries_.Prev();
    if (ABSL_PREDICT_FALSE(!entries_.Valid())) GoBackward();
  }
  absl::string_view key() const override { return entries_.key(); }
  absl::string_view value() const override { return entries_.value(); }
  absl::Status status() const override {
    // That of entries_ is taken up, with the block's place, unless a step in it threw.
    return ABSL_PREDICT_TRUE(status_.ok()) ? entries_.status() : status_;
  }

  // To the first entry of data block `i` or of those behind it; i is at most their number.
  void SeekToBlock(size_t i);

  // The number of the data block that the iterator is in, or whose damage stopped it; the number of
  // data blocks, when past the end.
  size_t block_index() const { return block_index_; }

  // The data block that it is in. Only while Valid(); good until the iterator next moves.
  const Block& block() const { return data_.block; }

  // After an error in a data block: to the first entry behind that block. Whatever of it was not
  // yet visited is left out. If the next block can't be read either, the iterator stops there, to
  // be asked again. False, and it stays, if no block stopped it.
  bool SkipDamage();

 private:
  // Turns to a data block; false, with status_ and no entry, if it can't be read.
  bool OpenBlock(size_t i);
  // Does a step. An exception from it fails the iterator before it goes on to the caller.
  template <typename Step>
  auto FailIfThrown(Step step) -> decltype(step());
  void EnterFirst(size_t i);
  void EnterLast();
  void Find(absl::string_view target);
  // To the first entry of block `i` that is not below `target`, or behind the block.
  void SeekFrom(size_t i, absl::string_view target);
  void CloseBlock();
  // Closes the block with an error of the index.
  void Fail(absl::Status status);
  // Sets loaded_; false, as after Fail(), if there is no index.
  bool LoadIndex();
  // To the next (last) entry from where entries_ ended, with its error if it has one.
  void GoForward();
  void GoBackward();
  void EnterNext();
  void EnterPrevious();
  bool TakeBlockError();

  const TableReader* reader_;
  const TableReader::Loaded* loaded_ = nullptr;
  TableReader::DataBlock data_;
  BlockIterator entries_;
  size_t block_index_ = 0;
  bool in_damage_ = false;
  absl::Status status_;
};

}  // namespace sstable

#endif  // SSTABLE_TABLE_TABLE_ITERATOR_H_
