#include "sstable/table_iterator.h"

#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/base/attributes.h"
#include "absl/base/optimization.h"
#include "absl/functional/function_ref.h"
#include "sstable/slice.h"
#include "table/block/block_iterator.h"
#include "table/block_run.h"
#include "table/table_internals.h"
#include "table/table_reader_impl.h"
#include "util/bytes.h"
#include "util/status_util.h"

namespace sstable {
namespace {

constexpr size_t kScannedBlocks = 2;  // up to this many are a short range, more are a scan

}  // namespace

class TableIterator::Impl final : public TableIterator {
 public:
  Impl(const TableReader::Impl& reader, bool fill_cache)
      : reader_(reader), data_(fill_cache), entries_(&reader.parts_.order) {}

  static Impl& Of(TableIterator& it) { return static_cast<Impl&>(it); }
  static const Impl& Of(const TableIterator& it) { return static_cast<const Impl&>(it); }

  // Runs a step, and publishes the entry that it reaches. If it throws, the iterator fails first.
  template <typename Step>
  void Move(Step step) {
    try {
      step();
    } catch (...) {
      Fail(StatusOfException());
      Show();
      throw;
    }
    Show();
  }
  // Sets the public half's members, for the steps that it takes by itself.
  void Show() {
    const BlockIterator::Place place = entries_.place();
    next_ = place.next;
    key_ = place.key;
    entry_ = place.entry;
    key_room_ = place.key_room;
    value_ = place.value.data();
    end_ = place.end;
    key_size_ = place.key_size;
    value_size_ = static_cast<uint32_t>(place.value.size());
  }
  // Moves entries_ to the entry that the public half has reached by itself.
  void Resume() { entries_.Resume({entry_, next_, end_, value(), key_, key_size_, key_room_}); }
  BlockRun run() const { return {next_, end_, key_room_}; }
  void MoveTo(const char* start, const BlockEntry& entry, absl::string_view key) {
    std::memcpy(key_, key.data(), key.size());
    key_size_ = key.size();
    value_ = entry.value().data();
    value_size_ = entry.value_size;
    entry_ = start;
    next_ = entry.next();
  }
  size_t entry_offset() const { return static_cast<size_t>(entry_ - data_.block.begin()); }

  void MoveForward() {
    Move([this] {
      Resume();
      entries_.Next();
      if (ABSL_PREDICT_FALSE(!entries_.Valid())) EnterNext();
    });
  }
  // Steps back in the public half, for most entries.
  bool TryPrev() {
    size_t known = 0;
    const char* const p = entries_.PrepareStepBack(entry_, key_, key_room_, &known);
    if (p == nullptr || !TryTake(p, known)) return false;
    entries_.EndStepBack();
    return true;
  }
  ABSL_ATTRIBUTE_NOINLINE void MoveBackward() {
    Move([this] {
      Resume();
      entries_.Prev();
      if (ABSL_PREDICT_FALSE(!entries_.Valid())) EnterPrevious();
    });
  }

  // Detects sequential reads. The first few blocks after a seek do not count as such.
  enum class Entered { kBySeek, kFromNeighbour };
  void CountScan(Entered entered);
  // Prefetches a block that a scan will soon read. Where values are large, the processor does not
  // foresee which lines that reads. Always in line: g++ drops calls that only prefetch.
  ABSL_ATTRIBUTE_ALWAYS_INLINE void PrefetchAhead() const {
    constexpr size_t kBlocksAhead = 2;
    if (block_index_ + kBlocksAhead >= loaded_->index->size()) return;
    const IndexRecord& record = loaded_->index->record(block_index_ + kBlocksAhead);
    const char* const start = data_.scan_bytes + record.block_offset;
    __builtin_prefetch(start);
    __builtin_prefetch(start + record.block_size);
  }
  // Opens a data block. Returns false, with status_ set and no entry, if it can't be read.
  bool OpenBlock(size_t i, Entered entered = Entered::kBySeek);
  void EnterFirst(size_t i);
  void EnterLast();
  void Find(absl::string_view target);
  // Moves to the first entry of block `i` that is not below `target`, or past its end.
  void SeekFrom(size_t i, absl::string_view target);
  void CloseBlock();
  // Closes the block. `status` becomes that of the iterator.
  void Fail(absl::Status status);
  // Sets loaded_. Returns false, after Fail(), if there is no index.
  bool LoadIndex() {
    const bool is_loaded =
        loaded_ != nullptr && loaded_->index.has_value() && !loaded_->is_index_only;
    return ABSL_PREDICT_TRUE(is_loaded) || LoadIndexNow();
  }
  bool LoadIndexNow();
  // Moves to the first entry of the next block (the last of the previous one) when entries_ has
  // ended, or takes over its error.
  void EnterNext();
  void EnterPrevious();
  // Sets status_ to `status`, with the block's name, if it is an error. Returns whether it is one.
  bool SetBlockError(const absl::Status& status);

  const TableReader::Impl& reader_;
  const LoadedTable* loaded_ = nullptr;
  DataBlock data_;
  BlockIterator entries_;
  size_t block_index_ = 0;
  size_t scanned_blocks_ = 0;  // since the last seek
  bool in_damage_ = false;
  absl::Status status_;  // includes the error of entries_, with the block's name
};

void TableIterator::Impl::CloseBlock() {
  entries_.Reset(Block());
  data_.pin.Release();
  status_ = absl::OkStatus();
  in_damage_ = false;
}

void TableIterator::Impl::Fail(absl::Status status) {
  CloseBlock();
  status_ = std::move(status);
}

bool TableIterator::Impl::LoadIndexNow() {
  loaded_ = &reader_.loader_.LoadIndex(/*seeks=*/1);
  if (ABSL_PREDICT_TRUE(loaded_->index.has_value())) return true;
  Fail(loaded_->index_status.At(*reader_.parts_.file));
  return false;
}

void TableIterator::Impl::CountScan(Entered entered) {
  scanned_blocks_ = entered == Entered::kFromNeighbour ? scanned_blocks_ + 1 : 0;
  if (scanned_blocks_ < kScannedBlocks) {
    data_.scan_bytes = nullptr;
  } else if (scanned_blocks_ == kScannedBlocks &&
             (loaded_->file_bytes != nullptr || loaded_->is_index_only)) {
    if (const auto bytes = reader_.parts_.file->ContentsForScan()) data_.scan_bytes = bytes->data();
  }
}

bool TableIterator::Impl::OpenBlock(size_t i, Entered entered) {
  CountScan(entered);
  block_index_ = i;
  const absl::Status status =
      loaded_->ReadDataBlock(reader_.parts_, loaded_->index->record(i), &data_);
  entries_.Reset(status.ok() ? data_.block : Block());
  if (data_.scan_bytes != nullptr) PrefetchAhead();
  return !SetBlockError(status);
}

bool TableIterator::Impl::SetBlockError(const absl::Status& status) {
  in_damage_ = !status.ok();
  if (ABSL_PREDICT_TRUE(status.ok())) {
    status_ = absl::OkStatus();
    return false;
  }
  const BlockHandle handle = loaded_->index->record(block_index_).handle();
  status_ = AtBlock(*reader_.parts_.file, BlockKind::kData, handle, status);
  return true;
}

void TableIterator::Impl::EnterNext() {
  const size_t block_count = loaded_->index->size();
  while (!entries_.Valid()) {
    if (SetBlockError(entries_.status())) return;
    if (block_index_ + 1 >= block_count) {
      block_index_ = block_count;
      return CloseBlock();
    }
    if (!OpenBlock(block_index_ + 1, Entered::kFromNeighbour)) return;
    entries_.SeekToFirst();
  }
}

void TableIterator::Impl::EnterPrevious() {
  while (!entries_.Valid()) {
    if (SetBlockError(entries_.status())) return;
    if (block_index_ == 0) return CloseBlock();
    if (!OpenBlock(block_index_ - 1, Entered::kFromNeighbour)) return;
    entries_.SeekToLast();
  }
}

void TableIterator::Impl::EnterFirst(size_t i) {
  CloseBlock();
  if (!LoadIndex()) return;
  block_index_ = i;
  if (i >= loaded_->index->size() || !OpenBlock(i)) return;
  entries_.SeekToFirst();
  if (!entries_.Valid()) EnterNext();
}

void TableIterator::Impl::EnterLast() {
  CloseBlock();
  if (!LoadIndex()) return;
  const size_t block_count = loaded_->index->size();
  if (block_count == 0 || !OpenBlock(block_count - 1)) return;
  entries_.SeekToLast();
  if (!entries_.Valid()) EnterPrevious();
}

inline void TableIterator::Impl::Find(absl::string_view target) {
  if (!LoadIndex()) return;
  const LoadedTable& loaded = *loaded_;
  TableReader::Impl::BlockPosition at;
  if (absl::Status status =
          reader_.FindBlock(*loaded.index, reader_.parts_.order.Split(target), &at);
      ABSL_PREDICT_FALSE(!status.ok())) {
    return Fail(std::move(status));
  }
  if (ABSL_PREDICT_FALSE(at.block == loaded.index->size())) {
    block_index_ = at.block;
    return CloseBlock();
  }
  const IndexRecord& record = loaded.index->record(at.block);
  loaded.Prefetch(record);
  // The target may be a view into the block being left, which becomes invalid if it is pinned in
  // the cache, or if the next block needs its buffer.
  if (ABSL_PREDICT_TRUE(record.state.Has(BlockState::kDirect) && !data_.pin.has_block())) {
    SeekFrom(at.block, target);
  } else {
    SeekFrom(at.block, std::string(target));
  }
}

void TableIterator::Impl::SeekFrom(size_t i, absl::string_view target) {
  if (!OpenBlock(i)) return;
  entries_.Seek(target);
  if (ABSL_PREDICT_FALSE(!entries_.Valid())) EnterNext();
}

void TableIterator::SeekToFirst() { SeekToBlock(0); }

void TableIterator::SeekToLast() {
  Impl& self = Impl::Of(*this);
  self.Move([&self] { self.EnterLast(); });
}

void TableIterator::SeekToBlock(size_t i) {
  Impl& self = Impl::Of(*this);
  self.Move([&self, i] { self.EnterFirst(i); });
}

void TableIterator::Seek(Slice target) {
  Impl& self = Impl::Of(*this);
  self.Move([&self, target] { self.Find(target); });
}

void TableIterator::NextBeyond() {
  static_assert(kCopyStep == kCopySlack);
  Impl::Of(*this).MoveForward();
}

// For most entries, a step needs no stack frame: the only call is the last one.
void TableIterator::Prev() {
  Impl& self = Impl::Of(*this);
  if (ABSL_PREDICT_FALSE(!self.TryPrev())) self.MoveBackward();
}

absl::Status TableIterator::status() const { return Impl::Of(*this).status_; }

size_t TableIterator::block_index() const { return Impl::Of(*this).block_index_; }

bool TableIterator::SkipDamage() {
  if (!Impl::Of(*this).in_damage_) return false;
  SeekToBlock(block_index() + 1);
  return true;
}

std::optional<BlockHandle> DataBlockOf(const TableIterator& it) {
  const TableIterator::Impl& self = TableIterator::Impl::Of(it);
  const bool has_index = self.loaded_ != nullptr && self.loaded_->index.has_value();
  if (!has_index || self.block_index_ >= self.loaded_->index->size()) return std::nullopt;
  return self.loaded_->index->record(self.block_index_).handle();
}

// Counts from a block's start, since a damaged block can't be read from its end.
bool SkipDamageBackward(TableIterator* it, absl::FunctionRef<void(const absl::Status&)> report) {
  if (!TableIterator::Impl::Of(*it).in_damage_) return false;
  for (size_t block = it->block_index(); block-- > 0;) {
    it->SeekToBlock(block);
    size_t entries = 0;
    for (; it->Valid() && it->block_index() == block; it->Next()) ++entries;
    const bool is_damaged = !it->Valid() && it->block_index() == block;
    if (entries == 0 && is_damaged) return true;
    if (entries == 0) continue;
    if (is_damaged) report(it->status());
    it->SeekToBlock(block);
    while (--entries > 0) it->Next();
    return true;
  }
  it->SeekToBlock(TableIterator::Impl::Of(*it).loaded_->index->size());
  return true;
}

std::unique_ptr<TableIterator> TableReader::NewIterator(const ReadOptions& options) const {
  return std::make_unique<TableIterator::Impl>(Impl::Of(*this), options.fill_cache);
}

BlockRun RunOf(const TableIterator& it) { return TableIterator::Impl::Of(it).run(); }

void MoveTo(const char* start, const BlockEntry& entry, absl::string_view key, TableIterator* it) {
  TableIterator::Impl::Of(*it).MoveTo(start, entry, key);
}

const Block& BlockOf(const TableIterator& it) { return TableIterator::Impl::Of(it).data_.block; }

}  // namespace sstable
