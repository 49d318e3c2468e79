// The index block of a table as it stands in the file, which first lookups search.
#ifndef SSTABLE_TABLE_INDEX_IN_PLACE_H_
#define SSTABLE_TABLE_INDEX_IN_PLACE_H_

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "absl/strings/string_view.h"
#include "sstable/file.h"
#include "table/block/block.h"
#include "table/block/block_io.h"
#include "table/block/key_order.h"

namespace sstable {

// What mapping a file, decoding its index and loading its filter costs is worth many lookups in the
// block itself, each of which is a search as in a data block. So lookups are charged what they cost
// more than those in a loaded table; when the sum is what loading costs, it is time to load. The
// unit is about a ns.
//
// Ownership: owns the index block's contents; borrows `order` and `file`.
// Threads:   any number may call any method at once.
class IndexInPlace {
 public:
  // Of a file in memory, a smaller index block is decoded at once: that takes a microsecond or two.
  static constexpr uint64_t kMinSize = 4096;  // bytes

  static constexpr uint64_t kSearchCost = 256;  // of a search here instead of in the tree

  // `contents` are verified, and `block` is of them. `filter_size`: of the filters that loading
  // would verify, in bytes.
  IndexInPlace(BlockContents contents, const Block& block, const KeyOrder* order,
               const RandomAccessFile* file, uint64_t filter_size);

  const Block& block() const { return block_; }
  absl::string_view contents() const { return contents_.bytes; }
  bool is_copy() const { return contents_.buffer.size() > 0; }  // not those of the file in memory

  // Whether what a search does not find is not in the table: the whole index can be decoded, its
  // keys ascend, and the restart points are those of entries. The first call reads all of it.
  bool IsInOrder();

  void Charge(uint64_t cost) { charged_.fetch_add(cost, std::memory_order_relaxed); }
  // For a data block that was read or uncompressed into memory of `size` bytes: another lookup in
  // it will cost this again.
  void ChargeCopy(size_t size) { Charge(file_.IsUnmapped() ? size / kBytesReadPerCost : size); }
  // For a data block that did not have the key, as a filter might have said.
  void ChargeMiss() {
    if (has_filter_) Charge(file_.IsUnmapped() ? kMissCost : kMissCostMapped);
  }
  // Whether it is time to load; counted anew from there, in case that fails.
  bool IsTimeToLoad() {
    if (charged_.load(std::memory_order_relaxed) < loading_cost_) return false;
    charged_.store(0, std::memory_order_relaxed);
    return true;
  }

 private:
  static constexpr uint64_t kBytesReadPerCost = 4;
  // More than it takes, since the filter would rule out nearly all of them.
  static constexpr uint64_t kMissCost = 4096;
  static constexpr uint64_t kMissCostMapped = 8192;  // with two page faults

  bool ProveOrder() const;

  const BlockContents contents_;
  const Block block_;
  const KeyOrder& order_;
  const RandomAccessFile& file_;
  const uint64_t loading_cost_;
  const bool has_filter_;
  std::atomic<uint64_t> charged_{0};
  enum class Proof : uint8_t { kNotTried, kInOrder, kNone };
  std::atomic<Proof> proof_{Proof::kNotTried};
};

}  // namespace sstable

#endif  // SSTABLE_TABLE_INDEX_IN_PLACE_H_
