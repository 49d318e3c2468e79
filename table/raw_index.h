// The index block of a table as it is in the file; the first lookups search it.
#ifndef SSTABLE_TABLE_RAW_INDEX_H_
#define SSTABLE_TABLE_RAW_INDEX_H_

#include <atomic>
#include <cstdint>

#include "absl/strings/string_view.h"
#include "sstable/file.h"
#include "table/block/block.h"
#include "table/block/block_io.h"
#include "table/table_parts.h"

namespace sstable {

// Mapping a file, decoding its index and loading its filter cost as much as many lookups that do
// none of this. So the first lookups of a reader search the raw index block.
class RawIndex {
 public:
  static constexpr uint64_t kBytesPerLookup = uint64_t{256} << 10;  // bytes of the file
  static constexpr uint64_t kBytesPerLookupUnmapped = uint64_t{64} << 10;

  // The number of these lookups. A file that is not mapped yet gets one, plus one for each 64 KiB,
  // since mapping would cost about as many page faults. Any other file gets one for each 256 KiB.
  static uint64_t MostLookups(const RandomAccessFile& file);

  // `contents` are verified, and `block` points into them.
  RawIndex(BlockContents contents, const Block& block, const TableParts* table);

  const Block& block() const { return block_; }
  absl::string_view contents() const { return contents_.bytes; }
  // False if the contents are a view into a file in memory.
  bool is_copy() const { return contents_.buffer.size() > 0; }

  // True if a key that a search does not find is certainly not in the table: the whole index can be
  // decoded, its keys ascend, and all restart points are at entries. The first call reads all of
  // it.
  bool IsInOrder();

  // Returns true if one more lookup may search here.
  bool TakeLookup() { return lookups_left_.fetch_sub(1, std::memory_order_relaxed) > 0; }

 private:
  bool ProveOrder() const;

  const BlockContents contents_;
  const Block block_;
  const TableParts& table_;
  std::atomic<int64_t> lookups_left_;
  enum class Proof : uint8_t { kNotTried, kInOrder, kNone };
  std::atomic<Proof> proof_{Proof::kNotTried};
};

}  // namespace sstable

#endif  // SSTABLE_TABLE_RAW_INDEX_H_
