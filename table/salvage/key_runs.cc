#include "table/salvage/key_runs.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <numeric>
#include <set>
#include <string>

#include "absl/strings/string_view.h"
#include "keys/indexed_db_key.h"
#include "table/block/key_order.h"
#include "table/salvage/own_blocks.h"

namespace sstable {
namespace {

struct BlockRun {
  size_t first = 0, end = 0;                   // in CarvedFile::blocks
  bool is_own = false;                         // so are all of its blocks
  bool has_tags = false, has_no_tags = false;  // some data blocks have keys with a tag, or without
};

// Data blocks of a run with ascending keys. That is the whole run, unless a block was written over
// another one.
struct RunPart {
  size_t run = 0;
  uint64_t size = 0;  // bytes of the blocks
  absl::string_view first_key, last_key;
};

bool IsCertainlyData(const CarvedBlock& block) { return IsData(block) && !block.may_be_index; }

// Returns true if the run up to block `end` is the end of a table that starts after the file does:
// with an index, or with a metaindex although data follows. Except where that touches the run, so
// that the block was written over another one.
bool EndsOther(const CarvedFile& carved, size_t end, size_t data_end) {
  const CarvedBlock::Kind kind = carved.blocks[end - 1].kind;
  if (kind != CarvedBlock::Kind::kIndex && kind != CarvedBlock::Kind::kMetaindex) return false;
  if (kind == CarvedBlock::Kind::kMetaindex && end >= data_end) return false;
  if (end < carved.blocks.size() && carved.TouchesPrevious(end)) return false;
  return BaseOf(carved, end - 1).value_or(1) > 0;
}

// Returns all runs that have data and do not end another table.
std::vector<BlockRun> FindRuns(const CarvedFile& carved, const std::vector<bool>& is_own) {
  const std::vector<CarvedBlock>& blocks = carved.blocks;
  std::vector<BlockRun> runs;
  size_t data_end = blocks.size();
  while (data_end > 0 && !IsData(blocks[data_end - 1])) --data_end;
  for (size_t first = 0; first < blocks.size();) {
    BlockRun run;
    run.first = first;
    run.end = first = carved.EndOfRun(first);
    run.is_own = is_own[run.first];
    for (size_t n = run.first; n < run.end; ++n) {
      if (!IsCertainlyData(blocks[n])) continue;
      const ScannedBlock& data = blocks[n].data;
      (ParseInternalKey(data.first_key).has_value() ? run.has_tags : run.has_no_tags) = true;
    }
    if ((run.has_tags || run.has_no_tags) && (run.is_own || !EndsOther(carved, run.end, data_end)))
      runs.push_back(run);
  }
  return runs;
}

// Counts how often a key of a run is above, and below, the one before it.
class AscentCounter {
 public:
  explicit AscentCounter(const KeyOrder& order)
      : order_(order), is_indexed_db_(&order.user_comparator() == IndexedDbComparator()) {}

  void BeginRun() { has_last_ = false; }

  void Add(absl::string_view key, bool is_own) {
    const int compared = has_last_ ? order_.Compare(last_, key) : 0;
    if (compared < 0) ++ascents_;
    if (compared > 0) ++descents_;
    if (compared > 0 && is_own) is_possible_ = false;
    if (is_indexed_db_ && !IsIndexedDbKey(order_.UserKey(key))) is_possible_ = false;
    last_.assign(key.data(), key.size());
    has_last_ = true;
  }

  const KeyOrder& order() const { return order_; }
  bool IsPossible() const { return is_possible_ && 4 * descents_ <= ascents(); }
  // Many keys of IndexedDB ascend bytewise, too, so this one is taken if both have the same number.
  uint64_t ascents() const { return ascents_ + (is_indexed_db_ ? 1 : 0); }

 private:
  KeyOrder order_;
  bool is_indexed_db_;
  bool has_last_ = false, is_possible_ = true;
  std::string last_;
  uint64_t ascents_ = 0, descents_ = 0;
};

// Returns the known order in which all keys of certain blocks ascend, and the outermost keys of
// nearly all other blocks of a run; bytewise if nothing shows another. Nullopt if there is none.
std::optional<KeyOrder> OrderOfRuns(const CarvedFile& carved, const std::vector<BlockRun>& runs,
                                    KeyKind kind, ScannedFile* file) {
  std::vector<AscentCounter> counters;
  for (const Comparator* known : KnownComparators()) counters.emplace_back(KeyOrder(known, kind));
  for (const BlockRun& run : runs) {
    for (AscentCounter& counter : counters) counter.BeginRun();
    const auto add = [&](absl::string_view key) {
      for (AscentCounter& counter : counters) counter.Add(key, run.is_own);
    };
    for (size_t n = run.first; n < run.end; ++n) {
      if (!IsCertainlyData(carved.blocks[n])) continue;
      const ScannedBlock& data = carved.blocks[n].data;
      if (run.is_own) {
        const auto contents = file->Read(BlockKind::kData, data.handle);
        if (contents.ok()) static_cast<void>(file->VisitKeys(*contents, add));  // as once before
      } else {
        add(data.first_key);
        add(data.last_key);
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

// Returns the parts of all runs, by offset.
std::vector<RunPart> SplitRuns(const CarvedFile& carved, const std::vector<BlockRun>& runs,
                               const KeyOrder& order) {
  std::vector<RunPart> parts;
  for (size_t r = 0; r < runs.size(); ++r) {
    bool is_first = true;
    for (size_t n = runs[r].first; n < runs[r].end; ++n) {
      if (!IsCertainlyData(carved.blocks[n])) continue;
      const ScannedBlock& data = carved.blocks[n].data;
      if (is_first || order.Compare(parts.back().last_key, data.first_key) >= 0) {
        parts.push_back({r, 0, data.first_key, data.last_key});
      }
      is_first = false;
      parts.back().size += data.handle.size;
      parts.back().last_key = data.last_key;
    }
  }
  return parts;
}

}  // namespace

ConsistentBlocks FindConsistent(const CarvedFile& carved, const std::vector<bool>& is_own,
                                const Comparator* comparator, std::optional<KeyKind> key_kind,
                                ScannedFile* file) {
  ConsistentBlocks result;
  result.is_consistent = is_own;
  std::vector<BlockRun> runs = FindRuns(carved, is_own);
  if (std::all_of(runs.begin(), runs.end(), [](const BlockRun& run) { return run.is_own; })) {
    return result;
  }
  // Plain keys may end like internal ones.
  bool may_have_tags = key_kind.has_value(), may_have_none = key_kind == KeyKind::kPlain;
  for (const BlockRun& run : runs) {
    if (!run.is_own || key_kind.has_value()) continue;
    may_have_tags |= run.has_tags;
    may_have_none |= run.has_no_tags;
  }
  const auto is_of_other_kind = [&](const BlockRun& run) {
    return may_have_tags != may_have_none && !run.is_own &&
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
    order = OrderOfRuns(carved, runs, kind, file);
  }
  const auto mark = [&result](const BlockRun& run) {
    for (size_t n = run.first; n < run.end; ++n) result.is_consistent[n] = true;
  };
  if (!order.has_value()) {
    for (const BlockRun& run : runs) mark(run);
    return result;
  }
  result.comparator = &order->user_comparator();
  const std::vector<RunPart> parts = SplitRuns(carved, runs, *order);
  std::vector<size_t> by_size(parts.size());  // the largest first
  std::iota(by_size.begin(), by_size.end(), size_t{0});
  std::stable_sort(by_size.begin(), by_size.end(),
                   [&parts](size_t a, size_t b) { return parts[a].size > parts[b].size; });
  std::set<size_t> taken;
  for (const size_t p : by_size) {
    const RunPart& part = parts[p];
    const auto next = taken.lower_bound(p);
    const bool fits =
        order->Compare(part.first_key, part.last_key) <= 0 &&
        (next == taken.begin() ||
         order->Compare(parts[*std::prev(next)].last_key, part.first_key) < 0) &&
        (next == taken.end() || order->Compare(part.last_key, parts[*next].first_key) < 0);
    if (!fits) continue;
    taken.insert(next, p);
    mark(runs[part.run]);
  }
  return result;
}

}  // namespace sstable
