// The index block, decoded once into a flat array that lookups search.
#ifndef SSTABLE_TABLE_INDEX_TABLE_INDEX_H_
#define SSTABLE_TABLE_INDEX_TABLE_INDEX_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/base/optimization.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "filter/lookup_filter.h"
#include "sstable/filter_block.h"
#include "sstable/format.h"
#include "table/block/block.h"
#include "table/block/block_io.h"
#include "table/block/key_order.h"
#include "table/index/index_walk.h"
#include "table/index/layered_tree.h"
#include "table/index/prefix_tree.h"
#include "util/bytes.h"
#include "util/coding.h"
#include "util/huge_pages.h"

namespace sstable {

// Facts that a reader has found about a block. Threads: any number may call any method at once.
class BlockState {
 public:
  enum Flag : uint8_t {
    kVerified = 1,    // its checksum is correct
    kDirect = 2,      // it is raw and complete in a file in memory, and needs no verification
    kIdentified = 4,  // it is the block that is meant to be there (table/inspect/block_identity.h)
  };

  BlockState() = default;
  BlockState(const BlockState& other) : flags_(other.flags_.load(std::memory_order_relaxed)) {}
  BlockState& operator=(const BlockState&) = delete;

  bool Has(Flag flag) const { return (flags_.load(std::memory_order_relaxed) & flag) != 0; }
  void Set(Flag flag) const { flags_.fetch_or(flag, std::memory_order_relaxed); }

 private:
  mutable std::atomic<uint8_t> flags_{0};
};

// The restart count of a kDirect block, so that a lookup need not wait for the block's end. 0: not
// known, or too large. Threads: as BlockState.
class KnownRestartCount {
 public:
  KnownRestartCount() = default;
  KnownRestartCount(const KnownRestartCount& other) : count_(static_cast<uint16_t>(other.get())) {}
  KnownRestartCount& operator=(const KnownRestartCount&) = delete;

  uint32_t get() const { return count_.load(std::memory_order_relaxed); }
  void Set(uint32_t count) const {
    if (count <= UINT16_MAX) count_.store(static_cast<uint16_t>(count), std::memory_order_relaxed);
  }

 private:
  mutable std::atomic<uint16_t> count_{0};
};

// The facts about one data block from the index and the filter block. 32 bytes, two to a cache
// line: the first two members fill the base's tail padding.
struct IndexRecord : BlockFilter {
  BlockState state;
  KnownRestartCount restart_count;

  uint64_t block_offset = 0;
  uint32_t block_size = 0;    // without the trailer
  uint32_t entry_offset = 0;  // offset of the index entry in the index block

  BlockHandle handle() const { return {block_offset, block_size}; }
};
static_assert(sizeof(IndexRecord) == PrefixTree::kRecordSize, "two to a cache line");

// In bytewise order, a search compares the 8 bytes after the prefix that the separators share, and
// full keys only if those 8 bytes are equal. If they often are, it uses a LayeredTree. The last
// separator is treated separately: it is often a short successor, which shares nothing with the
// others. In other orders, a search compares full keys; if the keys of the index block are
// prefix-compressed, it searches that block.
class TableIndex {
 public:
  // `filter` may be null; it is used to find each block's filter, and not kept. Errors: DataLoss
  // for a malformed block or entry, with its offset in the index block, and for an index with more
  // blocks or larger keys than a file of `file_size` bytes can have (table/block/limits.h).
  static absl::StatusOr<TableIndex> Parse(BlockContents contents, const KeyOrder* order,
                                          const FilterBlockReader* filter,
                                          uint64_t file_size = UINT64_MAX);

  size_t size() const { return records_.size(); }
  const IndexRecord& record(size_t i) const { return records_[i]; }
  size_t BlockIndex(const IndexRecord& record) const {  // inverse of record()
    return static_cast<size_t>(&record - records_.data());
  }

  // The index block itself; entry i is record i.
  const Block& block() const { return block_; }
  const BlockState& state() const { return state_; }  // only kIdentified is used

  // Sets `*block` to the first block whose separator is not below `key`, the only one that can hold
  // it; size() if there is none. FailedPrecondition if the separators are not in the given order or
  // not of the given kind, so that no search can be trusted. DataLoss for a malformed block. Sets
  // `*ends_user_key`, if not null, to true if that separator is known to have another user key,
  // so that no later block has a version of this one.
  absl::Status Find(const LookupKey& key, size_t* block, bool* ends_user_key = nullptr) const;

  // The common case of Find(), inline: the separator found has another user key. Returns false if
  // Find() has to be called: there is no PrefixTree, or the 8 bytes of the key do not decide.
  bool TryFind(absl::string_view user_key, size_t* block) const {
    if (ABSL_PREDICT_FALSE(tree_ != Tree::kPrefixes)) return false;
    if (ABSL_PREDICT_FALSE(!HasCommonPrefix(user_key))) return false;
    const uint64_t prefix = Prefix(user_key);
    *block = prefixes_.LowerBound(prefix, records_.data());
    return ABSL_PREDICT_TRUE(IsPlaceSure(prefix, *block));
  }

  // Find() for `count` keys with one tag, at most 32, side by side, so that their cache misses
  // overlap. Requires has_tree(); can't fail.
  bool has_tree() const { return tree_ != Tree::kNone; }
  void FindMany(const absl::string_view* user_keys, size_t count, uint64_t tag, size_t* blocks,
                bool* are_of_other_keys) const;

  // OK, or the reason why Find() fails.
  const absl::Status& order_status() const { return separators_.order; }

  // Returns true if block `i`'s separator has this user key, so that its versions may continue in
  // the next block. Internal keys only.
  bool SeparatorHasUserKey(size_t i, absl::string_view user_key) const;

 private:
  TableIndex(BlockContents contents, const KeyOrder* order)
      : contents_(std::move(contents)), order_(order) {}

  absl::Status DecodeRecords(const FilterBlockReader* filter, uint64_t file_size);
  void MakeTree();
  bool HasCommonPrefix(absl::string_view user_key) const {
    if (ABSL_PREDICT_TRUE(user_key.size() >= sizeof(common_words_) &&
                          common_prefix_.size() <= sizeof(common_words_))) {
      return (((DecodeFixed64(user_key.data()) ^ common_words_[0]) & common_masks_[0]) |
              ((DecodeFixed64(user_key.data() + 8) ^ common_words_[1]) & common_masks_[1])) == 0;
    }
    return absl::StartsWith(user_key, common_prefix_);
  }
  // The user key must have the common prefix.
  uint64_t Prefix(absl::string_view user_key) const {
    return NumberOf(user_key.substr(common_prefix_.size()));
  }
  bool IsPlaceSure(uint64_t prefix, size_t place) const {
    return place < prefixes_.size() && prefixes_[place] != prefix;
  }
  absl::string_view Separator(size_t i) const;  // only if are_whole
  size_t LowerBound(size_t low, size_t high, const LookupKey& key) const;
  PlaceRange FindAmongPrefixes(absl::string_view user_key) const;
  size_t Settle(PlaceRange range, const LookupKey& key, bool* ends_user_key) const;
  absl::Status FindWithoutTree(const LookupKey& key, size_t* block) const;

  BlockContents contents_;
  Block block_;
  const KeyOrder* order_;
  std::vector<IndexRecord, HugePageAllocator<IndexRecord>> records_;
  SeparatorFacts separators_;

  // A tree over all separators but the last, in bytewise order.
  enum class Tree { kNone, kPrefixes, kLayers };
  Tree tree_ = Tree::kNone;
  BlockState state_;
  LayeredTree layers_;
  // The bytes that all these separators share. prefixes_ has the 8 bytes that follow.
  std::string common_prefix_;
  uint64_t common_words_[2] = {};  // its first 16 bytes, little-endian
  uint64_t common_masks_[2] = {};  // all ones for bytes of the prefix
  PrefixTree prefixes_;
};

}  // namespace sstable

#endif  // SSTABLE_TABLE_INDEX_TABLE_INDEX_H_
