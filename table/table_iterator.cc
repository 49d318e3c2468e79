#include "table/table_iterator.h"

#include <string>
#include <utility>

#include "table/loaded_table.h"
#include "util/status_util.h"

namespace sstable {

TableIterator::TableIterator(const TableReader* reader, FillCache fill_cache)
    : reader_(reader), data_(fill_cache), entries_(&reader->order_) {}

void TableIterator::CloseBlock() {
  entries_.Reset(Block());
  data_.pin.Release();
  status_ = absl::OkStatus();
  in_damage_ = false;
}

void TableIterator::Fail(absl::Status status) {
  CloseBlock();
  status_ = std::move(status);
}

template <typename Step>
inline auto TableIterator::FailIfThrown(Step step) -> decltype(step()) {
  try {
    return step();
  } catch (...) {
    Fail(StatusOfException());
    throw;
  }
}

bool TableIterator::LoadIndex() {
  loaded_ = reader_->loaded_.load(std::memory_order_acquire);
  if (ABSL_PREDICT_FALSE(loaded_ == nullptr)) {
    const absl::StatusOr<const TableReader::Loaded*> loaded = reader_->Load();
    if (!loaded.ok()) {
      Fail(loaded.status());
      return false;
    }
    loaded_ = *loaded;
  }
  if (ABSL_PREDICT_TRUE(loaded_->index.has_value())) return true;
  Fail(loaded_->index_status);
  return false;
}

bool TableIterator::OpenBlock(size_t i) {
  block_index_ = i;
  status_ = reader_->ReadDataBlock(*loaded_, loaded_->index->record(i), &data_);
  in_damage_ = !status_.ok();
  entries_.Reset(in_damage_ ? Block() : data_.block);
  return !in_damage_;
}

bool TableIterator::TakeBlockError() {
  if (ABSL_PREDICT_TRUE(entries_.status().ok())) return false;
  const BlockHandle handle = loaded_->index->record(block_index_).handle();
  status_ = AtBlock(reader_->file(), BlockKind::kData, handle, entries_.status());
  in_damage_ = true;
  return true;
}

void TableIterator::GoForward() {
  FailIfThrown([this] { EnterNext(); });
}

void TableIterator::EnterNext() {
  const size_t block_count = loaded_->index->size();
  while (!entries_.Valid()) {
    if (TakeBlockError()) return;
    if (block_index_ + 1 >= block_count) {
      block_index_ = block_count;
      return CloseBlock();
    }
    if (!OpenBlock(block_index_ + 1)) return;
    entries_.SeekToFirst();
  }
}

void TableIterator::GoBackward() {
  FailIfThrown([this] { EnterPrevious(); });
}

void TableIterator::EnterPrevious() {
  while (!entries_.Valid()) {
    if (TakeBlockError()) return;
    if (block_index_ == 0) return CloseBlock();
    if (!OpenBlock(block_index_ - 1)) return;
    entries_.SeekToLast();
  }
}

void TableIterator::SeekToFirst() { SeekToBlock(0); }

void TableIterator::SeekToBlock(size_t i) {
  FailIfThrown([&] { EnterFirst(i); });
}

void TableIterator::EnterFirst(size_t i) {
  CloseBlock();
  if (!LoadIndex()) return;
  block_index_ = i;
  if (i >= loaded_->index->size() || !OpenBlock(i)) return;
  entries_.SeekToFirst();
  if (!entries_.Valid()) EnterNext();
}

void TableIterator::SeekToLast() {
  FailIfThrown([this] { EnterLast(); });
}

void TableIterator::EnterLast() {
  CloseBlock();
  if (!LoadIndex()) return;
  const size_t block_count = loaded_->index->size();
  if (block_count == 0 || !OpenBlock(block_count - 1)) return;
  entries_.SeekToLast();
  if (!entries_.Valid()) EnterPrevious();
}

void TableIterator::Seek(absl::string_view target) {
  FailIfThrown([&] { Find(target); });
}

void TableIterator::Find(absl::string_view target) {
  if (!LoadIndex()) return;
  const TableReader::Loaded& loaded = *loaded_;
  size_t block = 0;
  if (absl::Status status = reader_->FindBlock(*loaded.index, target, &block);
      ABSL_PREDICT_FALSE(!status.ok())) {
    return Fail(std::move(status));
  }
  if (ABSL_PREDICT_FALSE(block == loaded.index->size())) {
    block_index_ = block;
    return CloseBlock();
  }
  const IndexRecord& record = loaded.index->record(block);
  const bool is_direct = record.state.Has(BlockState::kDirect);
  if (is_direct) {
    reader_->Prefetch(loaded, loaded.file_bytes + record.block_offset, record.block_size);
  }
  // The target may be a view into the block being left. That one goes if it is pinned in the cache,
  // or if the next one needs its buffer.
  if (ABSL_PREDICT_TRUE(is_direct && !data_.pin.has_block())) {
    SeekFrom(block, target);
  } else {
    SeekFrom(block, std::string(target));
  }
}

void TableIterator::SeekFrom(size_t i, absl::string_view target) {
  if (!OpenBlock(i)) return;
  entries_.Seek(target);
  if (ABSL_PREDICT_FALSE(!entries_.Valid())) EnterNext();
}

bool TableIterator::SkipDamage() {
  if (!in_damage_) return false;
  SeekToBlock(block_index_ + 1);
  return true;
}

}  // namespace sstable
