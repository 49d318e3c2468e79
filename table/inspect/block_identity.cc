#include "table/inspect/block_identity.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/hash/hash.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "sstable/check.h"
#include "table/block/block_io.h"
#include "table/block/show_key.h"
#include "table/index/table_index.h"
#include "table/table_internals.h"
#include "util/status_util.h"

namespace sstable {
namespace {

absl::Status LeavesOut(uint64_t offset, uint64_t end) {
  return absl::DataLossError(absl::StrFormat(
      "leaves out bytes %d to %d, so it may be another block, or cut short", offset, end - 1));
}

}  // namespace

absl::Status CheckExtent(absl::Span<const BlockHandle> data_blocks, const Footer& footer,
                         const absl::Status& metaindex_status,
                         absl::Span<const MetaBlock> meta_blocks, CompressionNumbering dialect) {
  const bool is_rocksdb = dialect == CompressionNumbering::kRocksDb;
  uint64_t others = std::min(footer.metaindex.offset, footer.index.offset);
  bool knows_others = true;  // no handle of a meta block is wrong
  for (const MetaBlock& block : meta_blocks) {
    const bool names_a_block = block.handle.size <= footer.index.offset &&
                               block.handle.offset <= footer.index.offset - block.handle.size;
    knows_others &= names_a_block;
    if (names_a_block) others = std::min(others, block.handle.offset);
  }
  if (!is_rocksdb && footer.metaindex.offset > footer.index.offset) {
    return absl::DataLossError("the footer names the metaindex block after the index block");
  }
  uint64_t end = 0;
  bool is_beyond = false;  // a data block extends beyond the start of another block
  for (const BlockHandle& block : data_blocks) {
    if (block.offset > end && !is_rocksdb) return LeavesOut(end, block.offset);
    if (block.offset < end) {
      return absl::DataLossError(absl::StrFormat(
          "names the block at offset %d (%d bytes) after one that ends at offset %d", block.offset,
          block.size, end));
    }
    is_beyond = block.offset > others || block.size > others;
    if (is_beyond) break;  // before the sum below could overflow
    end = block.offset + block.size + kBlockTrailerSize;
  }
  if (is_rocksdb) return absl::OkStatus();
  if (!metaindex_status.ok()) {
    // Nothing shows where other blocks begin, and the footer may be wrong about the metaindex.
    return data_blocks.empty() ? LeavesOut(0, footer.index.offset) : absl::OkStatus();
  }
  if (is_beyond || end > others) {
    return absl::DataLossError(
        absl::StrFormat("data blocks go beyond offset %d, where another block starts", others));
  }
  return end < others && knows_others ? LeavesOut(end, others) : absl::OkStatus();
}

absl::Status CheckExtent(const TableReader& reader) {
  const TableIndex* const index = IndexOf(reader);
  if (index == nullptr || index->state().Has(BlockState::kIdentified)) return absl::OkStatus();
  std::vector<BlockHandle> blocks;
  blocks.reserve(index->size());
  for (size_t i = 0; i < index->size(); ++i) blocks.push_back(index->record(i).handle());
  RETURN_IF_ERROR(CheckExtent(blocks, reader.footer(), reader.metaindex_status(),
                              reader.meta_blocks(), reader.dialect()));
  index->state().Set(BlockState::kIdentified);
  return absl::OkStatus();
}

absl::Status CheckAscends(const KeyOrder& order, absl::string_view last, absl::string_view key) {
  if (order.Compare(last, key) < 0) return absl::OkStatus();
  return absl::DataLossError(absl::StrCat("keys are out of order: ", ShowKey(order, key, last),
                                          " comes after ", ShowKey(order, last, key),
                                          "; or they are in another order"));
}

BlockIdentityChecker::BlockIdentityChecker(const TableReader* reader, bool order_known)
    : reader_(reader),
      order_known_(order_known),
      index_entries_(&KeyOrderOf(*reader), IndexOf(*reader)->block()) {
  index_entries_.SeekToFirst();
  if (!order_known) {
    for (; index_entries_.Valid(); index_entries_.Next()) {
      index_key_hashes_.insert(absl::Hash<absl::string_view>()(index_entries_.key()));
    }
    index_entries_.SeekToFirst();
  }
}

// Reads the key of an index entry. Returns false if restart points are wrong, so that it can't be
// found; lookups and scans don't need it.
bool BlockIdentityChecker::ReadIndexKey(size_t i, std::string* key) {
  const TableIndex& index = *IndexOf(*reader_);
  const size_t entry_offset = index.record(i).entry_offset;
  BlockEntry entry;
  DecodeEntry(index.block().begin() + entry_offset, index.block(), &entry);
  absl::string_view found = entry.key_suffix();
  if (entry.shared > 0) {
    for (; iterator_at_ < i && index_entries_.Valid(); ++iterator_at_) index_entries_.Next();
    for (; iterator_at_ > i && index_entries_.Valid(); --iterator_at_) index_entries_.Prev();
    if (!index_entries_.Valid() || index_entries_.entry_offset() != entry_offset) return false;
    found = index_entries_.key();
  }
  key->assign(found.data(), found.size());
  return true;
}

absl::Status BlockIdentityChecker::Check(size_t i, const Block& block) {
  if ((i > 0 && !ReadIndexKey(i - 1, &key_before_)) || !ReadIndexKey(i, &key_)) {
    return absl::DataLossError(
        "its index key can't be read: the index block's restart points are not at entries with a "
        "whole key");
  }
  const KeyOrder& order = KeyOrderOf(*reader_);
  BlockIterator entries(&order, block);
  entries.SeekToFirst();
  if (!entries.Valid()) return absl::OkStatus();
  const auto misplaced = [&](absl::string_view why, absl::string_view index_key) {
    return absl::DataLossError(
        absl::StrCat("key ", ShowKey(order, entries.key(), index_key), " is ", why,
                     index_key.empty() ? "" : ShowKey(order, index_key, entries.key()),
                     ", so another block may have been here, or the keys are in another order"));
  };
  if (order_known_ && i > 0 && order.Compare(key_before_, entries.key()) >= 0) {
    return misplaced("not above the index key before it, ", key_before_);
  }
  entries.SeekToLast();
  if (!entries.Valid() || entries.key() == key_) return absl::OkStatus();
  if (order_known_) {
    return order.Compare(entries.key(), key_) < 0 ? absl::OkStatus()
                                                  : misplaced("above its index key, ", key_);
  }
  if (!index_key_hashes_.contains(absl::Hash<absl::string_view>()(entries.key()))) {
    return absl::OkStatus();
  }
  return misplaced("the index key of another block", "");
}

TableVerifier::TableVerifier(const TableReader* reader, KeyTrust keys)
    : index_status_(IndexOf(*reader) != nullptr ? absl::OkStatus() : reader->LoadIndex()) {
  if (!index_status_.ok()) return;
  index_status_ =
      AtBlock(reader->file(), BlockKind::kIndex, reader->footer().index, CheckExtent(*reader));
  if (keys != KeyTrust::kUnknown) block_identity_.emplace(reader, keys == KeyTrust::kOrdered);
}

absl::Status TableVerifier::CheckBlock(size_t i, const Block& block) {
  return block_identity_.has_value() ? block_identity_->Check(i, block) : absl::OkStatus();
}

}  // namespace sstable
