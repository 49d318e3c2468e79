#include "table/salvage/key_runs.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <string>

#include "absl/strings/string_view.h"
#include "table/block/key_order.h"
#include "table/salvage/own_blocks.h"

namespace sstable {
namespace {

// One in this many blocks of a run may have been written over another one.
constexpr size_t kBlocksPerMisfit = 8;

struct BlockRun {
  size_t first = 0, end = 0;                   // in CarvedFile::blocks
  bool is_certain = false;                     // all of its blocks are certain
  bool has_tags = false, has_no_tags = false;  // a data block begins with a key that does
};

bool IsCertainlyData(const CarvedBlock& block) { return IsData(block) && !block.data.may_be_index; }

// Returns true if the run up to block `end` ends a table that starts after the start of the file:
// its last block is an index, or a metaindex although data follows later. False if the next block
// is adjacent: then the last block was written over another one.
bool EndsOther(const CarvedFile& carved, size_t end, size_t data_end) {
  const CarvedBlock::Kind kind = carved.blocks[end - 1].kind;
  if (kind != CarvedBlock::Kind::kIndex && kind != CarvedBlock::Kind::kMetaindex) return false;
  if (kind == CarvedBlock::Kind::kMetaindex && end >= data_end) return false;
  if (end < carved.blocks.size() && carved.TouchesPrevious(end)) return false;
  return BaseOf(carved, end - 1).value_or(1) > 0;
}

// Returns all runs that have data, except those that end another table and are not certain.
std::vector<BlockRun> FindRuns(const CarvedFile& carved, const std::vector<bool>& is_certain) {
  const std::vector<CarvedBlock>& blocks = carved.blocks;
  std::vector<BlockRun> runs;
  size_t data_end = blocks.size();
  while (data_end > 0 && !IsData(blocks[data_end - 1])) --data_end;
  for (size_t first = 0; first < blocks.size();) {
    BlockRun run;
    run.first = first;
    run.end = first = carved.EndOfRun(first);
    run.is_certain = is_certain[run.first];
    for (size_t n = run.first; n < run.end; ++n) {
      if (!IsCertainlyData(blocks[n])) continue;
      const ScannedBlock& data = blocks[n].data;
      (ParseInternalKey(data.first_key).has_value() ? run.has_tags : run.has_no_tags) = true;
    }
    if ((run.has_tags || run.has_no_tags) &&
        (run.is_certain || !EndsOther(carved, run.end, data_end)))
      runs.push_back(run);
  }
  return runs;
}

// Compares successive keys among the first and last keys of a run's blocks, and counts how often
// they ascend and how often they descend.
class AscentCounter {
 public:
  explicit AscentCounter(size_t n) : order_(KnownOrders()[n]), bit_(uint32_t{1} << n) {}

  void BeginRun() { last_ = nullptr; }

  void Add(const CarvedBlock& block, bool is_certain) {
    if (is_certain && (block.refuted_orders & bit_) != 0) is_possible_ = false;
    for (const std::string* key : {&block.data.first_key, &block.data.last_key}) {
      const int compared = last_ != nullptr ? order_.Compare(*last_, *key) : 0;
      if (compared < 0) ++ascents_;
      if (compared > 0) ++descents_;
      if (!MayBeIn(order_, *key)) is_possible_ = false;
      last_ = key;
    }
  }

  const KeyOrder& order() const { return order_; }
  bool IsPossible() const { return is_possible_ && 4 * descents_ <= ascents(); }
  // Many keys of IndexedDB also ascend bytewise, so in a tie IndexedDB's order is chosen.
  uint64_t ascents() const {
    return ascents_ + (&order_.user_comparator() == IndexedDbComparator() ? 1 : 0);
  }

 private:
  const KeyOrder& order_;
  const uint32_t bit_;  // in CarvedBlock::refuted_orders
  bool is_possible_ = true;
  const std::string* last_ = nullptr;
  uint64_t ascents_ = 0, descents_ = 0;
};

// Returns the known order in which the keys of every certain block ascend, as do the first and last
// keys of nearly all blocks of each run. Returns nullopt if there is none.
std::optional<KeyOrder> OrderOfRuns(const CarvedFile& carved, const std::vector<BlockRun>& runs,
                                    KeyKind kind) {
  std::vector<AscentCounter> counters;
  for (size_t n = 0; n < KnownOrders().size(); ++n) {
    if (KnownOrders()[n].kind() == kind) counters.emplace_back(n);
  }
  for (AscentCounter& counter : counters) {
    for (const BlockRun& run : runs) {
      counter.BeginRun();
      for (size_t n = run.first; n < run.end; ++n) {
        if (IsCertainlyData(carved.blocks[n])) counter.Add(carved.blocks[n], run.is_certain);
      }
    }
  }
  const AscentCounter* best = nullptr;
  for (const AscentCounter& counter : counters) {
    if (!counter.IsPossible()) continue;
    if (best == nullptr || counter.ascents() > best->ascents()) best = &counter;
  }
  if (best == nullptr) return std::nullopt;
  return best->order();
}

// Returns, for each carved block, whether it is in the chain. The chain is the sequence of data
// blocks in order of offset, with ascending keys, that has the most bytes.
std::vector<bool> FindChain(const CarvedFile& carved, const std::vector<BlockRun>& runs,
                            const KeyOrder& order) {
  struct Link {
    uint64_t size = 0;             // bytes in the longest chain that ends with the block
    std::optional<size_t> before;  // the block before it in that chain
  };
  std::vector<Link> links(carved.blocks.size());
  const auto is_below = [&order](absl::string_view a, absl::string_view b) {
    return order.Compare(a, b) < 0;
  };
  // The last block of each chain that may still be extended, by last key. A chain with a higher
  // last key is longer.
  std::map<absl::string_view, size_t, decltype(is_below)> ends(is_below);
  for (const BlockRun& run : runs) {
    for (size_t n = run.first; n < run.end; ++n) {
      const ScannedBlock& data = carved.blocks[n].data;
      if (!IsCertainlyData(carved.blocks[n]) || is_below(data.last_key, data.first_key)) continue;
      Link& link = links[n];
      link.size = data.handle.size;
      if (const auto above = ends.lower_bound(data.first_key); above != ends.begin()) {
        link.before = std::prev(above)->second;
        link.size += links[*link.before].size;
      }
      auto next = ends.lower_bound(data.last_key);
      if (next != ends.begin() && links[std::prev(next)->second].size >= link.size) continue;
      while (next != ends.end() && links[next->second].size < link.size) next = ends.erase(next);
      ends.emplace(data.last_key, n);
    }
  }
  std::vector<bool> is_in_chain(carved.blocks.size(), false);
  if (ends.empty()) return is_in_chain;
  for (std::optional<size_t> n = ends.rbegin()->second; n.has_value(); n = links[*n].before) {
    is_in_chain[*n] = true;
  }
  return is_in_chain;
}

}  // namespace

ConsistentBlocks FindConsistent(const CarvedFile& carved, const std::vector<bool>& is_certain,
                                const Comparator* comparator, std::optional<KeyKind> key_kind) {
  ConsistentBlocks result;
  result.is_consistent = is_certain;
  std::vector<BlockRun> runs = FindRuns(carved, is_certain);
  if (std::all_of(runs.begin(), runs.end(), [](const BlockRun& run) { return run.is_certain; })) {
    return result;
  }
  // Plain keys may look like internal ones.
  bool may_have_tags = key_kind.has_value(), may_have_none = key_kind == KeyKind::kPlain;
  for (const BlockRun& run : runs) {
    if (!run.is_certain || key_kind.has_value()) continue;
    may_have_tags |= run.has_tags;
    may_have_none |= run.has_no_tags;
  }
  const auto is_of_other_kind = [&](const BlockRun& run) {
    return may_have_tags != may_have_none && !run.is_certain &&
           (may_have_tags ? run.has_no_tags : !run.has_no_tags);
  };
  runs.erase(std::remove_if(runs.begin(), runs.end(), is_of_other_kind), runs.end());
  const bool is_plain =
      std::any_of(runs.begin(), runs.end(), [](const BlockRun& run) { return run.has_no_tags; });
  const KeyKind kind = key_kind.value_or(is_plain ? KeyKind::kPlain : KeyKind::kInternal);
  std::optional<KeyOrder> order;
  if (comparator != nullptr) {
    order.emplace(comparator, kind);
  } else {
    order = OrderOfRuns(carved, runs, kind);
  }
  std::vector<bool> is_in_chain(carved.blocks.size(), true);
  if (order.has_value()) {
    result.comparator = &order->user_comparator();
    is_in_chain = FindChain(carved, runs, *order);
  }
  for (const BlockRun& run : runs) {
    size_t blocks = 0, misfits = 0, descents = 0;
    const ScannedBlock* last = nullptr;
    for (size_t n = run.first; n < run.end; ++n) {
      if (!IsCertainlyData(carved.blocks[n])) continue;
      const ScannedBlock& data = carved.blocks[n].data;
      ++blocks;
      if (!is_in_chain[n]) ++misfits;
      if (order.has_value() && last != nullptr &&
          order->Compare(last->last_key, data.first_key) >= 0) {
        ++descents;
      }
      last = &data;
    }
    if (misfits > 0 && (misfits == blocks || misfits > 2 * descents + blocks / kBlocksPerMisfit)) {
      continue;
    }
    for (size_t n = run.first; n < run.end; ++n) result.is_consistent[n] = true;
  }
  return result;
}

}  // namespace sstable
