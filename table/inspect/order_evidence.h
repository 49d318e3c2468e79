// Evidence of the order of keys, collected from keys in table order.
#ifndef SSTABLE_TABLE_INSPECT_ORDER_EVIDENCE_H_
#define SSTABLE_TABLE_INSPECT_ORDER_EVIDENCE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "sstable/comparator.h"
#include "table/block/key_order.h"
#include "table/inspect/shared_key.h"

namespace sstable {

// Counts the keys to remove so that the others ascend: one for a pair of neighbours that changed
// places, nearly all if the keys are in a different order. Greedy, so it may count a few too many.
class InversionCounter {
 public:
  // Compares full keys, so that versions of a user key may remain where others were removed.
  InversionCounter(const Comparator* user_comparator, KeyKind kind)
      : order_(user_comparator, kind) {}

  // The plain or user key must differ from the previous one.
  void Add(const SharedKey& key);

  uint64_t out_of_order_keys() const { return out_of_order_keys_; }

  // The number of keys that do not ascend from the previous one.
  uint64_t descents() const { return descents_; }

 private:
  KeyOrder order_;
  int kept_ = 0;  // how many of the next two members are set
  SharedKey last_, before_last_;
  bool last_is_previous_ = true;  // nearly always true, which saves a comparison
  SharedKey previous_;            // otherwise the previous key, which was dropped
  uint64_t out_of_order_keys_ = 0;
  uint64_t descents_ = 0;
};

// Counts data blocks that changed places with the next one: swapped back, such a pair fits in order
// between the blocks around it. Numbers in another order, signed or as text, hardly ever look like
// that, however they are divided into blocks: each block would have to move past many others.
class SwapCounter {
 public:
  // Compares full keys.
  SwapCounter(const Comparator* user_comparator, KeyKind kind) : order_(user_comparator, kind) {}

  // The keys of the block must ascend.
  void AddBlock(const SharedKey& first_key, const SharedKey& last_key);

  // The number of pairs that changed places, if all other blocks ascend. With only two blocks there
  // is nothing around them to compare with.
  uint64_t swaps() const { return others_ == 0 && blocks_ > 2 ? swaps_ : 0; }

 private:
  KeyOrder order_;
  SharedKey first_, last_;  // the last block's; after a swap, the higher block's
  SharedKey before_;        // the last key of the block before that
  bool after_swap_ = false;
  uint64_t blocks_ = 0;
  uint64_t swaps_ = 0;
  uint64_t others_ = 0;  // blocks that begin below the previous one for other reasons
};

// Collects the keys of a table, or of some of its blocks, in table order, read as keys of one kind.
// Its methods accept only comparators among KnownComparators().
class OrderEvidence {
 public:
  explicit OrderEvidence(KeyKind kind);

  // The next key begins a data block.
  void BeginBlock();
  void Add(absl::string_view key);

  KeyKind kind() const { return kind_; }

  // The number of plain keys or user keys, not counting those equal to the previous one.
  uint64_t keys() const { return keys_; }
  uint64_t out_of_order_keys(const Comparator* comparator) const {
    return In(comparator).inversions.out_of_order_keys();
  }
  // The minimum over all orders.
  uint64_t out_of_order_keys() const;

  // True if nearly all keys have the format of Chromium's IndexedDB. Only then is evidence of its
  // order collected.
  bool AreIndexedDbKeys() const { return may_be_indexed_db_ && keys_ > 0; }
  uint64_t other_than_indexed_db() const { return other_than_indexed_db_; }

  // True if a few whole blocks are out of order, and nothing else: the keys of each block ascend,
  // some blocks begin below the previous key, and no more keys are out of order than such blocks
  // have. Two swapped blocks have many keys out of order, but only one pair of neighbours that
  // descends. Other orders descend within blocks, too, or, like signed numbers, have longer
  // ascending runs.
  bool HasMovedBlocks(const Comparator* comparator) const;
  uint64_t descents(const Comparator* comparator) const {
    return In(comparator).inversions.descents();
  }

  // The number of data blocks that changed places with the next, if nothing else is out of order;
  // otherwise 0.
  uint64_t SwappedBlocks(const Comparator* comparator) const;

  // Neighbours with the same user key: versions whose sequence falls, as it must, and others.
  uint64_t falling_versions() const { return falling_versions_; }
  uint64_t rising_versions() const { return rising_versions_; }

 private:
  // The evidence for one order.
  struct InOneOrder {
    InOneOrder(const Comparator* order, KeyKind kind)
        : comparator(order), inversions(order, kind), swaps(order, kind) {}

    const Comparator* comparator;
    InversionCounter inversions;
    SwapCounter swaps;  // without the last block
    uint64_t descents_in_blocks = 0;
  };

  const InOneOrder& In(const Comparator* comparator) const;
  bool IsCollectedFor(const InOneOrder& order) const;
  void AddIndexedDb(absl::string_view user_key);

  KeyKind kind_;
  std::vector<InOneOrder> orders_;  // one for each of KnownComparators()
  SharedKey key_, last_;            // the last key that was added, and the one before it
  uint64_t keys_ = 0;
  uint64_t other_than_indexed_db_ = 0;
  bool may_be_indexed_db_ = true;
  uint64_t blocks_ = 0;  // blocks begun
  bool at_block_start_ = true;
  SharedKey first_in_block_;
  uint64_t falling_versions_ = 0;
  uint64_t rising_versions_ = 0;
};

// Returns true if an index key is shorter than the last key of its block, and bytewise above it.
// That is how the bytewise comparator shortens keys. Hardly any other one does, and a builder that
// keeps the order of its input shortens none. In an internal key, the user key is shortened and
// gets the tag of a seek key.
bool IsShortened(KeyKind kind, absl::string_view index_key, absl::string_view last_key);

// Evidence of bytewise order from index keys, given in table order with the last keys of their
// blocks.
class IndexKeyEvidence {
 public:
  explicit IndexKeyEvidence(KeyKind kind) : keys_(kind) {}

  void Add(absl::string_view index_key, absl::string_view last_key);

  // True if index keys show bytewise order. Either one is shortened, or they ascend although one
  // differs from the last key of its block, which may then be misplaced.
  bool ShowsBytewise() const {
    return shortened_ > 0 || (others_ > 0 && keys_.out_of_order_keys(BytewiseComparator()) == 0);
  }

 private:
  OrderEvidence keys_;
  uint64_t shortened_ = 0;
  uint64_t others_ = 0;
};

// The order of keys, as far as it can be determined.
struct OrderGuess {
  const Comparator* comparator = nullptr;  // lives forever; null: not known
  bool has_out_of_order = false;           // some keys are out of that order
  std::string reason;                      // as a clause
};

// Determines the order from the evidence. Keys that all have the format of Chromium's IndexedDB and
// ascend in its order are in that order, even if they ascend bytewise, as many do. Other keys are
// in bytewise order if they all ascend bytewise, if only a few keys don't, if only a few whole
// blocks are out of place, or if the index keys show it. If all descend, they are in reverse order,
// but only if there are too many for a coincidence.
OrderGuess WeighOrder(const OrderEvidence& evidence, const IndexKeyEvidence& index_keys);

}  // namespace sstable

#endif  // SSTABLE_TABLE_INSPECT_ORDER_EVIDENCE_H_
