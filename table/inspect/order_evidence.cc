#include "table/inspect/order_evidence.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "sstable/internal_key.h"

namespace sstable {
namespace {

// That so many keys descend by chance has a probability of 1 in 120.
constexpr uint64_t kFewestInReverse = 5;

// One stray among so many keys has by chance a probability of 1 in 800.
constexpr uint64_t kFewestWithAStray = 8;
// Of more keys, one in so many may be a stray: damage of a few neighbours. Of the keys of
// Chromium's IndexedDB, whose order is nearly bytewise, a third or more are.
constexpr uint64_t kKeysPerStray = 16;

// That so many keys in blocks of so many ascend but where blocks begin has by chance a probability
// of less than 1 in a million.
constexpr uint64_t kFewestWithMovedBlocks = 16;
constexpr uint64_t kFewestKeysPerBlock = 3;

bool AreFew(uint64_t strays, uint64_t keys) {
  return strays == 1 ? keys >= kFewestWithAStray : strays <= keys / kKeysPerStray;
}

}  // namespace

void StrayCounter::Add(absl::string_view key) {
  if (kept_ > 0 && comparator_->Compare(previous_, key) >= 0) ++descents_;
  previous_.assign(key.data(), key.size());
  if (kept_ > 0 && comparator_->Compare(last_, key) >= 0) {
    ++strays_;
    // Either the last one is too high, or this one too low: whichever leaves more room above.
    if (kept_ < 2 || comparator_->Compare(before_last_, key) < 0) {
      last_.assign(key.data(), key.size());
    }
    return;
  }
  before_last_.swap(last_);
  last_.assign(key.data(), key.size());
  kept_ = std::min(kept_ + 1, 2);
}

void OrderEvidence::BeginBlock() {
  ++blocks_;
  at_block_start_ = true;
}

void OrderEvidence::Add(absl::string_view key) {
  const bool at_block_start = at_block_start_;
  at_block_start_ = false;
  const absl::string_view user_key = kind_ == KeyKind::kInternal ? ExtractUserKey(key) : key;
  if (keys_ > 0) {
    const absl::string_view last_user_key =
        kind_ == KeyKind::kInternal ? ExtractUserKey(last_) : absl::string_view(last_);
    if (user_key == last_user_key) {
      const bool falls = kind_ == KeyKind::kInternal && ExtractTag(key) < ExtractTag(last_);
      ++(falls ? falling_versions_ : rising_versions_);
      last_.assign(key.data(), key.size());
      return;
    }
  }
  ++keys_;
  const uint64_t bytewise_before = bytewise_.descents(), reverse_before = reverse_.descents();
  bytewise_.Add(user_key);
  reverse_.Add(user_key);
  if (!at_block_start) {
    bytewise_in_blocks_ += bytewise_.descents() - bytewise_before;
    reverse_in_blocks_ += reverse_.descents() - reverse_before;
  }
  last_.assign(key.data(), key.size());
}

bool OrderEvidence::HasMovedBlocks(const Comparator* comparator) const {
  const uint64_t in_blocks =
      comparator == BytewiseComparator() ? bytewise_in_blocks_ : reverse_in_blocks_;
  return in_blocks == 0 && blocks_ > 1 && keys_ >= kFewestKeysPerBlock * blocks_ &&
         keys_ >= kFewestWithMovedBlocks && 2 * descents(comparator) <= blocks_ &&
         strays(comparator) <= 2 * descents(comparator) * (keys_ / blocks_);
}

uint64_t OrderEvidence::strays() const { return std::min(bytewise_.strays(), reverse_.strays()); }

void IndexKeyEvidence::Add(absl::string_view index_key, absl::string_view last_key) {
  keys_.Add(index_key);
  if (index_key == last_key) return;
  ++(IsShortened(keys_.kind(), index_key, last_key) ? shortened_ : others_);
}

bool IsShortened(KeyKind kind, absl::string_view index_key, absl::string_view last_key) {
  if (kind == KeyKind::kInternal) {
    if (index_key.size() < kTagSize || ExtractTag(index_key) != SeekTag(kMaxSequence)) return false;
    index_key = ExtractUserKey(index_key);
    last_key = ExtractUserKey(last_key);
  }
  return index_key.size() < last_key.size() && index_key > last_key;
}

namespace {

// Of the user keys alone.
OrderGuess WeighUserKeys(const OrderEvidence& evidence, bool index_shows_bytewise) {
  const uint64_t keys = evidence.keys();
  const uint64_t strays = evidence.strays(BytewiseComparator());
  const uint64_t strays_in_reverse = evidence.strays(ReverseBytewiseComparator());
  if (keys < 2) return {BytewiseComparator(), false, "one key is in any order"};
  if (strays == 0) return {BytewiseComparator(), false, "the keys ascend"};
  if (strays_in_reverse == 0 && keys >= kFewestInReverse) {
    return {ReverseBytewiseComparator(), false, "the keys descend"};
  }
  if (index_shows_bytewise) {
    return {BytewiseComparator(), true, "index keys are in bytewise order"};
  }
  if (AreFew(strays, keys)) {
    return {BytewiseComparator(), true,
            absl::StrFormat("all but %d of %d keys ascend", strays, keys)};
  }
  if (evidence.HasMovedBlocks(BytewiseComparator())) {
    return {BytewiseComparator(), true,
            absl::StrFormat("the keys of each block ascend, and %d of %d neighbours do not",
                            evidence.descents(BytewiseComparator()), keys - 1)};
  }
  if (strays_in_reverse == 0) {
    return {nullptr, false, absl::StrCat(keys, " keys descend, too few to tell an order by")};
  }
  if (AreFew(strays_in_reverse, keys)) {
    return {ReverseBytewiseComparator(), true,
            absl::StrFormat("all but %d of %d keys descend", strays_in_reverse, keys)};
  }
  if (evidence.HasMovedBlocks(ReverseBytewiseComparator())) {
    return {ReverseBytewiseComparator(), true,
            absl::StrFormat("the keys of each block descend, and %d of %d neighbours do not",
                            evidence.descents(ReverseBytewiseComparator()), keys - 1)};
  }
  return {nullptr, false,
          absl::StrFormat("of %d keys, %d do not ascend and %d do not descend", keys, strays,
                          strays_in_reverse)};
}

}  // namespace

OrderGuess WeighOrder(const OrderEvidence& evidence, const IndexKeyEvidence& index_keys) {
  OrderGuess guess = WeighUserKeys(evidence, index_keys.ShowsBytewise());
  if (guess.comparator != nullptr && evidence.rising_versions() > 0) guess.has_strays = true;
  return guess;
}

}  // namespace sstable
