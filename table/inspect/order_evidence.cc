#include "table/inspect/order_evidence.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "keys/indexed_db_key.h"
#include "sstable/internal_key.h"

namespace sstable {
namespace {

// The probability that this many keys descend by chance is 1 in 120.
constexpr uint64_t kFewestInReverse = 5;

// The probability that only one of this many keys is out of order by chance is 1 in 800.
constexpr uint64_t kFewestWithOneOut = 8;
// With more keys, one in this many may be out of order, because of damage to a few neighbours. By
// bytewise order, at least a third of the keys of Chromium's IndexedDB are, though its order is
// nearly bytewise.
constexpr uint64_t kKeysPerOneOut = 16;

// This many keys in IndexedDB's format and order are not a coincidence.
constexpr uint64_t kFewestOfIndexedDb = 8;

// The probability that keys in blocks of at least kFewestKeysPerBlock descend only at block
// boundaries by chance is less than 1 in a million for this many keys.
constexpr uint64_t kFewestWithMovedBlocks = 16;
constexpr uint64_t kFewestKeysPerBlock = 3;

bool AreFew(uint64_t out_of_order_keys, uint64_t keys) {
  return out_of_order_keys == 1 ? keys >= kFewestWithOneOut
                                : out_of_order_keys <= keys / kKeysPerOneOut;
}

}  // namespace

void InversionCounter::Add(const SharedKey& key) {
  const SharedKey& previous = last_is_previous_ ? last_ : previous_;
  const bool descends = kept_ > 0 && order_.Compare(previous.view(), key.view()) >= 0;
  const bool is_out_of_order =
      last_is_previous_ ? descends : order_.Compare(last_.view(), key.view()) >= 0;
  if (descends) ++descents_;
  last_is_previous_ = true;
  if (is_out_of_order) {
    ++out_of_order_keys_;
    // Either the last key is too high or this one too low; drop the higher one if this one is above
    // the key before both.
    if (kept_ < 2 || order_.Compare(before_last_.view(), key.view()) < 0) {
      last_ = key;
    } else {
      last_is_previous_ = false;
      previous_ = key;
    }
    return;
  }
  std::swap(before_last_, last_);
  last_ = key;
  kept_ = std::min(kept_ + 1, 2);
}

void SwapCounter::AddBlock(const SharedKey& first_key, const SharedKey& last_key) {
  if (++blocks_ > 1 && order_.Compare(last_.view(), first_key.view()) >= 0) {
    const bool fits_before = order_.Compare(last_key.view(), first_.view()) < 0 &&
                             (blocks_ == 2 || order_.Compare(before_.view(), first_key.view()) < 0);
    if (fits_before && !after_swap_) {
      ++swaps_;
      after_swap_ = true;
      return;
    }
    ++others_;
  }
  after_swap_ = false;
  std::swap(before_, last_);
  first_ = first_key;
  last_ = last_key;
}

OrderEvidence::OrderEvidence(KeyKind kind) : kind_(kind) {
  for (const Comparator* comparator : KnownComparators()) orders_.emplace_back(comparator, kind);
}

const OrderEvidence::InOneOrder& OrderEvidence::In(const Comparator* comparator) const {
  size_t i = 0;
  while (orders_[i].comparator != comparator) ++i;
  return orders_[i];
}

bool OrderEvidence::IsCollectedFor(const InOneOrder& order) const {
  return may_be_indexed_db_ || order.comparator != IndexedDbComparator();
}

void OrderEvidence::BeginBlock() {
  ++blocks_;
  at_block_start_ = true;
}

void OrderEvidence::AddIndexedDb(absl::string_view user_key) {
  if (!may_be_indexed_db_ || IsIndexedDbKey(user_key)) return;
  ++other_than_indexed_db_;
  may_be_indexed_db_ = other_than_indexed_db_ <= 1 + keys_ / kKeysPerOneOut;
}

void OrderEvidence::Add(absl::string_view key) {
  std::swap(last_, key_);
  key_.Assign(key);
  const bool at_block_start = at_block_start_;
  at_block_start_ = false;
  if (at_block_start) {
    if (keys_ > 0) {
      for (InOneOrder& order : orders_) {
        if (IsCollectedFor(order)) order.swaps.AddBlock(first_in_block_, last_);
      }
    }
    first_in_block_ = key_;
  }
  const absl::string_view user_key = kind_ == KeyKind::kInternal ? ExtractUserKey(key) : key;
  if (keys_ > 0) {
    const absl::string_view last = last_.view();
    if (user_key == (kind_ == KeyKind::kInternal ? ExtractUserKey(last) : last)) {
      const bool falls = kind_ == KeyKind::kInternal && ExtractTag(key) < ExtractTag(last);
      ++(falls ? falling_versions_ : rising_versions_);
      return;
    }
  }
  ++keys_;
  AddIndexedDb(user_key);
  for (InOneOrder& order : orders_) {
    if (!IsCollectedFor(order)) continue;
    const uint64_t before = order.inversions.descents();
    order.inversions.Add(key_);
    if (!at_block_start) order.descents_in_blocks += order.inversions.descents() - before;
  }
}

bool OrderEvidence::HasMovedBlocks(const Comparator* comparator) const {
  return In(comparator).descents_in_blocks == 0 && blocks_ > 1 &&
         keys_ >= kFewestKeysPerBlock * blocks_ && keys_ >= kFewestWithMovedBlocks &&
         2 * descents(comparator) <= blocks_ &&
         out_of_order_keys(comparator) <= 2 * descents(comparator) * (keys_ / blocks_);
}

uint64_t OrderEvidence::SwappedBlocks(const Comparator* comparator) const {
  if (In(comparator).descents_in_blocks > 0) return 0;
  SwapCounter swaps = In(comparator).swaps;
  swaps.AddBlock(first_in_block_, key_);
  return swaps.swaps();
}

uint64_t OrderEvidence::out_of_order_keys() const {
  uint64_t fewest = std::numeric_limits<uint64_t>::max();
  for (const InOneOrder& order : orders_) {
    if (IsCollectedFor(order)) fewest = std::min(fewest, order.inversions.out_of_order_keys());
  }
  return fewest;
}

void IndexKeyEvidence::Add(absl::string_view index_key, absl::string_view last_key) {
  keys_.Add(index_key);
  if (index_key == last_key) return;
  ++(IsShortened(keys_.kind(), index_key, last_key) ? shortened_ : others_);
}

bool IsShortened(KeyKind kind, absl::string_view index_key, absl::string_view last_key) {
  if (kind == KeyKind::kInternal) {
    // The highest sequence marks a seek key. RocksDB's seek keys have a higher type than LevelDB's,
    // which depends on its version.
    if (index_key.size() < kTagSize || ExtractTag(index_key) < SeekTag(kMaxSequence)) return false;
    index_key = ExtractUserKey(index_key);
    last_key = ExtractUserKey(last_key);
  }
  return index_key.size() < last_key.size() && index_key > last_key;
}

namespace {

// Returns the evidence for an order although some keys violate it; nullopt if they are too many.
std::optional<std::string> WhyFewAreOutOf(const Comparator* comparator,
                                          const OrderEvidence& evidence) {
  const uint64_t keys = evidence.keys();
  const std::string ascend = comparator == BytewiseComparator() ? "ascend"
                             : comparator == ReverseBytewiseComparator()
                                 ? "descend"
                                 : "ascend in IndexedDB's order";
  if (const uint64_t out_of_order_keys = evidence.out_of_order_keys(comparator);
      AreFew(out_of_order_keys, keys)) {
    return absl::StrFormat("all but %d of %d keys %s", out_of_order_keys, keys, ascend);
  }
  if (const uint64_t swaps = evidence.SwappedBlocks(comparator); swaps > 0 && AreFew(swaps, keys)) {
    return absl::StrFormat(
        "all keys %s, except for %d data block%s that changed places with the next", ascend, swaps,
        swaps == 1 ? "" : "s");
  }
  if (evidence.HasMovedBlocks(comparator)) {
    return absl::StrFormat("the keys of each block %s, and %d of %d neighbours do not", ascend,
                           evidence.descents(comparator), keys - 1);
  }
  return std::nullopt;
}

// Decides whether the keys are IndexedDB's and in its order; nullopt if not.
std::optional<OrderGuess> WeighIndexedDb(const OrderEvidence& evidence) {
  if (!evidence.AreIndexedDbKeys() || evidence.keys() < kFewestOfIndexedDb) return std::nullopt;
  const Comparator* const comparator = IndexedDbComparator();
  if (evidence.out_of_order_keys(comparator) == 0 && evidence.other_than_indexed_db() == 0) {
    return OrderGuess{comparator, false, "the keys are IndexedDB's, and ascend in its order"};
  }
  if (evidence.out_of_order_keys(comparator) == 0) {
    return OrderGuess{
        comparator, false,
        absl::StrFormat("all but %d of %d keys are IndexedDB's, and ascend in its order",
                        evidence.other_than_indexed_db(), evidence.keys())};
  }
  if (const auto reason = WhyFewAreOutOf(comparator, evidence)) {
    return OrderGuess{comparator, true, *reason};
  }
  return std::nullopt;
}

// Decides from the user keys alone.
OrderGuess WeighUserKeys(const OrderEvidence& evidence, bool index_shows_bytewise) {
  const uint64_t keys = evidence.keys();
  const uint64_t out_of_order_keys = evidence.out_of_order_keys(BytewiseComparator());
  const uint64_t out_of_order_in_reverse = evidence.out_of_order_keys(ReverseBytewiseComparator());
  if (keys < 2) return {BytewiseComparator(), false, "fewer than two keys are in every order"};
  if (!index_shows_bytewise) {
    auto guess = WeighIndexedDb(evidence);
    if (guess.has_value() && (!guess->has_out_of_order || out_of_order_keys > 0))
      return *std::move(guess);
  }
  if (out_of_order_keys == 0) return {BytewiseComparator(), false, "the keys ascend"};
  if (out_of_order_in_reverse == 0 && keys >= kFewestInReverse) {
    return {ReverseBytewiseComparator(), false, "the keys descend"};
  }
  if (index_shows_bytewise) {
    return {BytewiseComparator(), true, "index keys are in bytewise order"};
  }
  if (const auto reason = WhyFewAreOutOf(BytewiseComparator(), evidence)) {
    return {BytewiseComparator(), true, *reason};
  }
  if (out_of_order_in_reverse == 0) {
    return {nullptr, false, absl::StrCat(keys, " keys descend, too few to show an order")};
  }
  if (const auto reason = WhyFewAreOutOf(ReverseBytewiseComparator(), evidence)) {
    return {ReverseBytewiseComparator(), true, *reason};
  }
  return {nullptr, false,
          absl::StrFormat("of %d keys, %d do not ascend and %d do not descend", keys,
                          out_of_order_keys, out_of_order_in_reverse)};
}

}  // namespace

OrderGuess WeighOrder(const OrderEvidence& evidence, const IndexKeyEvidence& index_keys) {
  OrderGuess guess = WeighUserKeys(evidence, index_keys.ShowsBytewise());
  if (guess.comparator != nullptr && evidence.rising_versions() > 0) guess.has_out_of_order = true;
  return guess;
}

}  // namespace sstable
