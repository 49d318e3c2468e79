// What keys in table order show of the order that they are in.
#ifndef SSTABLE_TABLE_INSPECT_ORDER_EVIDENCE_H_
#define SSTABLE_TABLE_INSPECT_ORDER_EVIDENCE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "sstable/comparator.h"
#include "table/block/key_order.h"
#include "table/inspect/kept_key.h"

namespace sstable {

// Counts the keys that stand in the way of an ascending order: one for a pair of neighbours that
// changed places, nearly all where another order rules. Greedy, so that it may count a few more
// than need be taken out.
class StrayCounter {
 public:
  // Compares whole keys, so that versions of a user key may stand where others were taken out.
  StrayCounter(const Comparator* user_comparator, KeyKind kind) : order_(user_comparator, kind) {}

  // The plain or user key differs from that of the one before.
  void Add(const KeptKey& key);

  uint64_t strays() const { return strays_; }

  // Keys that do not ascend from the one before.
  uint64_t descents() const { return descents_; }

 private:
  KeyOrder order_;
  int kept_ = 0;  // how many of the next two there are
  KeptKey last_, before_last_;
  bool last_is_previous_ = true;  // nearly always, so that it is compared once; else:
  KeptKey previous_;              // the key before, which was taken out
  uint64_t strays_ = 0;
  uint64_t descents_ = 0;
};

// Counts data blocks that changed places with the next. Such a pair would be in order the other way
// round, between the blocks around it. Runs of numbers, with a sign or as text, hardly ever look
// so, whatever blocks they are cut into: each would have to be moved past many blocks.
class SwapCounter {
 public:
  // Compares whole keys.
  SwapCounter(const Comparator* user_comparator, KeyKind kind) : order_(user_comparator, kind) {}

  // The keys of the block ascend.
  void AddBlock(const KeptKey& first_key, const KeptKey& last_key);

  // How many pairs changed places, if all blocks but these ascend. With two blocks alone there is
  // nothing around them that would show it.
  uint64_t swaps() const { return others_ == 0 && blocks_ > 2 ? swaps_ : 0; }

 private:
  KeyOrder order_;
  KeptKey first_, last_;  // of the last block; of a pair that changed places, the higher one's
  KeptKey before_;        // the last key before that
  bool after_swap_ = false;
  uint64_t blocks_ = 0;
  uint64_t swaps_ = 0;
  uint64_t others_ = 0;  // blocks that begin below the one before for other reasons
};

// Takes the keys of a table, all or those of some blocks, in table order, and reads them as keys of
// one kind. A comparator below is one of KnownComparators().
class OrderEvidence {
 public:
  explicit OrderEvidence(KeyKind kind);

  // A data block begins with the next key.
  void BeginBlock();
  void Add(absl::string_view key);

  KeyKind kind() const { return kind_; }

  // Of plain keys, or of user keys, each counted where it differs from the one before.
  uint64_t keys() const { return keys_; }
  uint64_t strays(const Comparator* comparator) const { return In(comparator).strays.strays(); }
  // The fewest of all orders.
  uint64_t strays() const;

  // Whether nearly all keys are keys of Chromium's IndexedDB by their format. Only then is the
  // evidence of its order collected.
  bool AreIndexedDbKeys() const { return may_be_indexed_db_ && keys_ > 0; }
  uint64_t other_than_indexed_db() const { return other_than_indexed_db_; }

  // Whether a few whole blocks are out of order, and nothing else: the keys of each block ascend,
  // some blocks begin below the key before, and no more keys are strays than such blocks have. Two
  // blocks that changed places have many strays, but one pair of neighbours that descends. Orders
  // of another kind descend within blocks, too, or, as numbers with a sign, have longer runs.
  bool HasMovedBlocks(const Comparator* comparator) const;
  uint64_t descents(const Comparator* comparator) const { return In(comparator).strays.descents(); }

  // How many data blocks changed places with the next, if nothing else is out of order; else 0.
  uint64_t SwappedBlocks(const Comparator* comparator) const;

  // Neighbours of one user key: versions whose sequence falls, as it must, and others.
  uint64_t falling_versions() const { return falling_versions_; }
  uint64_t rising_versions() const { return rising_versions_; }

 private:
  // What the keys show of one order.
  struct InOneOrder {
    InOneOrder(const Comparator* order, KeyKind kind)
        : comparator(order), strays(order, kind), swaps(order, kind) {}

    const Comparator* comparator;
    StrayCounter strays;
    SwapCounter swaps;  // without the last block
    uint64_t descents_in_blocks = 0;
  };

  const InOneOrder& In(const Comparator* comparator) const;
  bool IsCollectedFor(const InOneOrder& order) const;
  void AddIndexedDb(absl::string_view user_key);

  KeyKind kind_;
  std::vector<InOneOrder> orders_;  // one for each of KnownComparators()
  KeptKey key_, last_;              // the key that is added, and the one before
  uint64_t keys_ = 0;
  uint64_t other_than_indexed_db_ = 0;
  bool may_be_indexed_db_ = true;
  uint64_t blocks_ = 0;  // that have begun
  bool at_block_start_ = true;
  KeptKey first_in_block_;
  uint64_t falling_versions_ = 0;
  uint64_t rising_versions_ = 0;
};

// Whether an index key is shorter than the last key of its block and above it, byte by byte. So
// the bytewise comparator shortens; hardly any other does, and none where the input's order is
// kept. Of internal keys the user key is shortened, and gets the tag that a seek has.
bool IsShortened(KeyKind kind, absl::string_view index_key, absl::string_view last_key);

// What index keys, given in table order with the last keys of their blocks, show of that order.
class IndexKeyEvidence {
 public:
  explicit IndexKeyEvidence(KeyKind kind) : keys_(kind) {}

  void Add(absl::string_view index_key, absl::string_view last_key);

  // Whether keys are in bytewise order: an index key is shortened, or is another one than the last
  // of its block though index keys ascend, so that the block may be another.
  bool ShowsBytewise() const {
    return shortened_ > 0 || (others_ > 0 && keys_.strays(BytewiseComparator()) == 0);
  }

 private:
  OrderEvidence keys_;
  uint64_t shortened_ = 0;
  uint64_t others_ = 0;
};

// The order that keys are in, as far as it can be told.
struct OrderGuess {
  const Comparator* comparator = nullptr;  // lives forever; null: it can't be told
  bool has_strays = false;                 // keys that are out of that order
  std::string reason;                      // in half a sentence
};

// Weighs. Keys that all have the format of Chromium's IndexedDB and ascend in its order are in
// that, also where they ascend byte by byte, as many of them do. Other keys that all ascend byte by
// byte are in bytewise order, and so are those of which but a few don't, or of which but a few
// whole blocks are out of place, or whose index keys show it. That they all descend shows the
// reverse order only where there are so many that it is no accident.
//
// CheckInParts() relies on this: several keys that ascend byte by byte and are not IndexedDB's are
// in bytewise order, whatever the index keys show.
OrderGuess WeighOrder(const OrderEvidence& evidence, const IndexKeyEvidence& index_keys);

}  // namespace sstable

#endif  // SSTABLE_TABLE_INSPECT_ORDER_EVIDENCE_H_
