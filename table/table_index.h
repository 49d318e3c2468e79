// The index block, decoded once into a flat array that lookups search.
#ifndef SSTABLE_TABLE_TABLE_INDEX_H_
#define SSTABLE_TABLE_TABLE_INDEX_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "filter/filter_block_reader.h"
#include "table/block.h"
#include "table/block_io.h"
#include "table/format.h"
#include "table/key_order.h"

namespace sstable {

// One data block, as the index and the filter block know it.
struct IndexRecord {
  uint64_t block_offset = 0;
  uint32_t block_size = 0;     // without the trailer
  uint32_t entry_offset = 0;   // of the index entry, in the index block
  uint32_t filter_offset = 0;  // in the filter block
  uint32_t filter_size = 0;    // 0: no filter to ask, so any key may be in the data block

  BlockHandle handle() const { return {block_offset, block_size}; }
};

// Where bytewise order decides, a search compares the 8 bytes behind the prefix that the separators
// share, and whole keys only where those are equal. The last separator stands apart: it is often a
// short successor, which shares nothing with the others. Without such an order, it compares whole
// keys; and where the index block's keys are themselves prefix-compressed, it searches the block.
//
// Ownership: owns the index block's contents; borrows `order`.
// Threads:   immutable.
class TableIndex {
 public:
  // `filter` may be null; it is asked where each block's filter is, and not kept.
  // Errors: DataLoss for a malformed block or entry, with its offset in the index block.
  static absl::StatusOr<TableIndex> Parse(BlockContents contents, const KeyOrder* order,
                                          const FilterBlockReader* filter);

  size_t size() const { return records_.size(); }
  const IndexRecord& record(size_t i) const { return records_[i]; }

  // The index block itself; entry i of it is record i.
  const Block& block() const { return block_; }

  // The number of the first block whose separator is not below `key`, the only one that can hold
  // it; size() if there is none. FailedPrecondition if the separators are not in the order given,
  // so that no search can be trusted: wrong comparator or wrong kind of keys. DataLoss for a
  // malformed block.
  absl::StatusOr<size_t> Find(absl::string_view key) const;

  // OK, or why Find() can't be trusted.
  const absl::Status& order_status() const { return order_status_; }

  // Whether block `i`'s separator belongs to this user key, so that versions of it may go on in the
  // next block. Only of internal keys.
  bool SeparatorHasUserKey(size_t i, absl::string_view user_key) const;

  // Unused windows, malformed offsets and so on are told apart by filter/filter_block_reader.h;
  // here only the sum matters: blocks that have no filter to ask, though the table has a filter
  // block.
  size_t blocks_without_filter() const { return blocks_without_filter_; }

 private:
  TableIndex(BlockContents contents, const KeyOrder* order)
      : contents_(std::move(contents)), order_(order) {}

  absl::Status DecodeRecords(const FilterBlockReader* filter);
  void MakePrefixes();
  uint64_t Prefix(absl::string_view user_key) const;
  absl::string_view Separator(size_t i) const;  // only where has_whole_keys_
  size_t FindByPrefix(absl::string_view key) const;
  absl::StatusOr<size_t> FindInBlock(absl::string_view key) const;

  BlockContents contents_;
  Block block_;
  const KeyOrder* order_;
  std::vector<IndexRecord> records_;
  size_t blocks_without_filter_ = 0;
  bool has_whole_keys_ = true;  // no entry of the index shares bytes with another
  absl::Status order_status_;

  // Of the separators but the last, in bytewise order: the bytes that all share, and the 8 behind.
  std::string common_prefix_;
  std::vector<uint64_t> prefixes_;
};

}  // namespace sstable

#endif  // SSTABLE_TABLE_TABLE_INDEX_H_
