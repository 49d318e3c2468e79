// The filter block of a table: building it, and asking it whether a key may be in a data block.
//
// Format: filter[0] ... filter[n - 1] ++ fixed32 offset[0] ... offset[n - 1] ++ fixed32
//         array_offset ++ u8 base_lg. Filter i is at offset[i] in the block and ends where the next
//         one starts, the last at array_offset, where the offset array starts. It is for the data
//         blocks that start in window i of the file: bytes [i << base_lg, (i + 1) << base_lg).
// Page:   docs/filter_block.md.
#ifndef SSTABLE_FILTER_BLOCK_H_
#define SSTABLE_FILTER_BLOCK_H_

#include <cstddef>
#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "sstable/filter_policy.h"
#include "sstable/slice.h"
#include "sstable/version.h"

namespace sstable {

// Part of the file format. Readers use the value in the file, but LevelDB writes only this one.
inline constexpr int kDefaultFilterBaseLg = 11;  // 2 KiB

// For writers: the smallest base lg, at least LevelDB's, with which a window has about 100 keys or
// more and is no smaller than a data block of mean size, judging by the first MiB of data blocks.
// docs/filter_block.md#the-size-of-windows.
inline constexpr int kAutoFilterBaseLg = -1;

inline constexpr int kMaxFilterBaseLg = 63;        // a window number is a shift of a 64-bit offset
inline constexpr size_t kFilterBlockTailSize = 5;  // array_offset and base_lg

// Groups keys by the window of the file in which their data block starts, and makes one filter for
// each window.
//
// Pattern:   (StartBlock AddKey*)* Finish, with block offsets that never decrease. If the size of a
//            block in the file is not yet known when the next block's keys come, call EndBlock()
//            after its keys, and StartBlock() with the offset where it ends once that is known.
// Ownership: borrows `policy`, which must outlive the builder; copies what it needs of the keys.
// Threads:   one at a time.
class SSTABLE_EXPORT FilterBlockBuilder {
 public:
  // `base_lg` is the binary logarithm of the window size, 0 to kMaxFilterBaseLg, or
  // kAutoFilterBaseLg: then the keys of the first MiB are kept until it is known.
  explicit FilterBlockBuilder(const FilterPolicy* policy, int base_lg = kDefaultFilterBaseLg);
  ~FilterBlockBuilder();
  FilterBlockBuilder(const FilterBlockBuilder&) = delete;
  FilterBlockBuilder& operator=(const FilterBlockBuilder&) = delete;

  // The keys added from now on are in the data block that starts at this offset in the file. Each
  // window before it takes at least 4 bytes of the filter block, even without keys.
  void StartBlock(uint64_t block_offset);

  void AddKey(Slice key);

  // The keys added from now on are in another data block. Its StartBlock() follows, in the order of
  // the blocks.
  void EndBlock();

  // Returns the contents of the filter block, which live as long as the builder. Must be the last
  // call. Errors: InvalidArgument if they would have 4 GiB or more, since their offsets have 32
  // bits.
  absl::StatusOr<absl::string_view> Finish();

  class Impl;  // the private half

 private:
  const std::unique_ptr<Impl> impl_;
};

// The filter of one window of the file.
struct FilterWindow {
  enum class State {
    kPresent,    // `filter` can be probed
    kEmpty,      // no key was added in this window
    kMissing,    // the window is past the last one of the block
    kMalformed,  // its offsets are invalid
  };
  State state = State::kMissing;
  absl::string_view filter;  // a view into the filter block
};

// Says whether a key may be in the data block at a file offset.
//
// Ownership: borrows `policy` and `contents`; both must outlive the reader.
// Threads:   immutable once parsed, so const methods may run concurrently.
// Errors:    Parse() returns DataLoss for a malformed tail. KeyMayMatch() can't fail: where the
//            filter has no answer it returns true. Damage to a filter's bits can't be detected
//            here, only by the block's checksum.
class SSTABLE_EXPORT FilterBlockReader {
 public:
  static absl::StatusOr<FilterBlockReader> Parse(const FilterPolicy* policy, Slice contents);

  // `block_offset` is the data block's byte offset in the file. An empty window holds no key, so
  // the answer there is the policy's for an empty filter; LevelDB's Bloom filter says false.
  bool KeyMayMatch(uint64_t block_offset, Slice key) const;

  // Probes the filter of one window.
  bool Matches(const FilterWindow& window, Slice key) const;

  // The window of a data block, and its filter.
  uint64_t WindowIndex(uint64_t block_offset) const { return block_offset >> base_lg_; }
  FilterWindow Window(uint64_t window_index) const;

  const FilterPolicy* policy() const { return policy_; }
  absl::string_view contents() const { return contents_; }
  uint32_t window_count() const { return window_count_; }
  int base_lg() const { return base_lg_; }
  uint32_t array_offset() const { return array_offset_; }  // bytes from the block's start

 private:
  FilterBlockReader(const FilterPolicy* policy, absl::string_view contents)
      : policy_(policy), contents_(contents) {}

  const FilterPolicy* policy_;
  absl::string_view contents_;
  uint32_t array_offset_ = 0;
  uint32_t window_count_ = 0;
  int base_lg_ = 0;
};

}  // namespace sstable

#endif  // SSTABLE_FILTER_BLOCK_H_
