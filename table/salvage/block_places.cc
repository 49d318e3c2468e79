#include "table/salvage/block_places.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "absl/strings/string_view.h"

namespace sstable {
namespace {

// A range of bytes of a file. Offsets may be negative, if bytes are missing.
struct Range {
  int64_t start = std::numeric_limits<int64_t>::min();
  int64_t end = std::numeric_limits<int64_t>::max();

  bool Contains(const Range& other) const { return start <= other.start && other.end <= end; }
};

Range RangeOf(const BlockHandle& handle) {
  return {static_cast<int64_t>(handle.offset), static_cast<int64_t>(EndOf(handle))};
}

// Returns, for each block, the range of the contiguous blocks to which it belongs.
std::vector<Range> RangesOfNeighbours(const std::vector<CarvedBlock>& blocks) {
  std::vector<Range> ranges;
  for (const CarvedBlock& block : blocks) {
    Range range = RangeOf(block.data.handle);
    if (!ranges.empty() && ranges.back().end == range.start) range.start = ranges.back().start;
    ranges.push_back(range);
  }
  for (size_t n = ranges.size(); n-- > 1;) {
    if (ranges[n - 1].start == ranges[n].start) ranges[n - 1].end = ranges[n].end;
  }
  return ranges;
}

// Consecutive entries of an index whose blocks were not found.
struct LostRun {
  Range range;                   // contains the lost blocks
  uint64_t largest_size = 0;     // size of their largest block
  std::optional<int64_t> shift;  // set if their neighbours show it; `range` is then exact
};

constexpr uint8_t kMaxType = 7;  // highest in any numbering

// Where lost blocks may be.
class LostRuns {
 public:
  LostRuns(const Index* index, absl::string_view bytes) : index_(*index), bytes_(bytes) {}

  void Add(const LostRun& run) { runs_.push_back(run); }

  void Finish() {
    std::sort(runs_.begin(), runs_.end(),
              [](const LostRun& a, const LostRun& b) { return a.range.start < b.range.start; });
    int64_t end = std::numeric_limits<int64_t>::min();
    for (const LostRun& run : runs_) ends_.push_back(end = std::max(end, run.range.end));
  }

  // Returns true if a lost block may contain a block of `size` bytes at this range, also if there
  // are too many to examine. Sets `*place_known` to true if a lost block with a known place
  // contains it, together with all of `neighbours`, the contiguous blocks to which it belongs.
  bool MayHold(const Range& range, uint64_t size, const Range& neighbours,
               bool* place_known) const {
    constexpr int kMaxRuns = 64;
    bool may_hold = false;
    *place_known = false;
    auto run = std::upper_bound(
        runs_.begin(), runs_.end(), range.start,
        [](int64_t start, const LostRun& other) { return start < other.range.start; });
    for (int n = 0; run != runs_.begin(); ++n) {
      --run;
      if (ends_[static_cast<size_t>(run - runs_.begin())] < range.end) break;
      if (n == kMaxRuns) return true;
      if (!run->range.Contains(range) || run->largest_size <= size) continue;
      may_hold = true;
      *place_known |= run->shift.has_value() && IsInEntry(neighbours, *run->shift);
    }
    return may_hold;
  }

 private:
  // Returns true if the index, moved by `shift`, has one larger block that covers a range, and
  // there is a valid type byte at that block's trailer.
  bool IsInEntry(const Range& range, int64_t shift) const {
    const auto after = std::upper_bound(index_.begin(), index_.end(), range.start - shift,
                                        [](int64_t start, const IndexEntry& e) {
                                          return start < static_cast<int64_t>(e.handle.offset);
                                        });
    if (after == index_.begin()) return false;
    const BlockHandle& handle = (after - 1)->handle;
    if (handle.size + kBlockTrailerSize <= static_cast<uint64_t>(range.end - range.start)) {
      return false;
    }
    const uint64_t type_at = handle.offset + handle.size + static_cast<uint64_t>(shift);
    return type_at < bytes_.size() && static_cast<uint8_t>(bytes_[type_at]) <= kMaxType &&
           range.end - shift <= static_cast<int64_t>(EndOf(handle));
  }

  const Index& index_;
  const absl::string_view bytes_;  // the whole file
  std::vector<LostRun> runs_;      // in order of their starts
  std::vector<int64_t> ends_;      // by run: the largest end of those up to it
};

class Placer {
  static constexpr size_t kMaxLostBetween = 4;

 public:
  Placer(const Index& index, int64_t base, uint64_t index_offset, absl::string_view bytes,
         const CarvedFile& carved, std::vector<std::optional<ScannedBlock>> found,
         const Comparator* comparator)
      : index_(index),
        finder_(&index, comparator),
        base_(base),
        index_offset_(index_offset),
        bytes_(bytes),
        blocks_(carved.blocks),
        neighbours_(RangesOfNeighbours(carved.blocks)),
        is_outer_(blocks_.size(), false),
        shifts_(index.size()) {
    result_.blocks = std::move(found);
    sums_.push_back(0);
    for (size_t i = 0; i < index_.size(); ++i) {
      if (result_.blocks[i].has_value()) shifts_[i] = 0;
      sums_.push_back(sums_.back() + index_[i].handle.size + kBlockTrailerSize);
    }
  }

  BlockPlaces Run() {
    PlaceWhereNamed();
    // Each pass uses the neighbours and the room in lost blocks that the previous one determined.
    constexpr int kMaxPasses = 8;
    for (int n = 0; n < kMaxPasses && (PlaceBesideOuter() || PlaceTooLarge()); ++n) {
    }
    FindNeighbours();
    FindLostRuns();
    for (size_t n = 0; n < blocks_.size(); ++n) {
      if (IsData(n) && !is_outer_[n]) PlaceByKeys(n);
    }
    for (const auto& [data, i] : out_of_order_) {
      if (!result_.blocks[i].has_value()) TakeInDoubt(*data, i);
    }
    for (size_t n = 0; n < blocks_.size(); ++n) {
      if (IsData(n) && is_outer_[n] && !Find(blocks_[n].data).has_value()) ++result_.unnamed_blocks;
    }
    return std::move(result_);
  }

 private:
  bool IsData(size_t n) const { return sstable::IsData(blocks_[n]); }

  std::optional<size_t> FindByKey(const ScannedBlock& data) const {
    return finder_.FindByKey(data.handle, data.first_key, data.last_key);
  }

  std::optional<size_t> Find(const ScannedBlock& data) const {
    const auto i = finder_.Find(data.handle, data.first_key, data.last_key);
    if (i.has_value() || base_ == 0) return i;
    const BlockHandle unmoved = {data.handle.offset - static_cast<uint64_t>(base_),
                                 data.handle.size};
    return finder_.Find(unmoved, data.first_key, data.last_key);
  }

  // Returns true if the index, moved by `shift`, has a block with this size and offset.
  bool IsPlace(const BlockHandle& handle, int64_t shift) const {
    const uint64_t offset = handle.offset - static_cast<uint64_t>(shift);
    const auto at = std::lower_bound(
        index_.begin(), index_.end(), offset,
        [](const IndexEntry& entry, uint64_t o) { return entry.handle.offset < o; });
    return at != index_.end() && at->handle.offset == offset && at->handle.size == handle.size;
  }

  // Places the blocks that are where the index has a block with their keys. A duplicate is kept
  // once.
  void PlaceWhereNamed() {
    for (size_t n = 0; n < blocks_.size(); ++n) {
      const BlockHandle& handle = blocks_[n].data.handle;
      if (handle.offset == index_offset_) is_outer_[n] = true;
      if (!IsData(n)) continue;
      const std::optional<size_t> i = FindByKey(blocks_[n].data);
      if (!i.has_value()) continue;
      for (const int64_t shift : {int64_t{0}, base_}) {
        if (is_outer_[n] || !IsPlace(handle, shift)) continue;
        is_outer_[n] = true;
        Take(blocks_[n].data, *i);
      }
    }
  }

  void Take(const ScannedBlock& data, size_t i) {
    if (result_.blocks[i].has_value()) return;
    result_.blocks[i] = data;
    shifts_[i] = static_cast<int64_t>(data.handle.offset - index_[i].handle.offset);
  }

  // Takes a block that may be a copy.
  void TakeInDoubt(const ScannedBlock& data, size_t i) {
    Take(data, i);
    result_.blocks[i]->owner = ScannedBlock::Owner::kUnknown;
    result_.certain = false;
  }

  // Finds blocks next to those known to be outside of values, or as far from them as the index's
  // lost blocks between the two. Returns true if it found any.
  bool PlaceBesideOuter() {
    bool is_any = false;
    std::optional<uint64_t> outer_end;
    if (base_ == 0) outer_end = 0;
    FindNeighbours();
    for (size_t n = 0; n < blocks_.size(); ++n) {
      const BlockHandle& handle = blocks_[n].data.handle;
      if (!is_outer_[n] && outer_end.has_value() && IsAfter(n, handle.offset - *outer_end)) {
        SetOuter(n);
        is_any = true;
      }
      if (is_outer_[n]) outer_end = EndOf(handle);
    }
    std::optional<uint64_t> outer_start;
    for (size_t n = blocks_.size(); n-- > 0;) {
      const BlockHandle& handle = blocks_[n].data.handle;
      if (!is_outer_[n] && outer_start.has_value() && IsBefore(n, *outer_start - EndOf(handle))) {
        SetOuter(n);
        is_any = true;
      }
      if (is_outer_[n]) outer_start = handle.offset;
    }
    return is_any;
  }

  void SetOuter(size_t n) {
    is_outer_[n] = true;
    if (!IsData(n)) return;
    const std::optional<size_t> i = Find(blocks_[n].data);
    if (i.has_value()) Take(blocks_[n].data, *i);
  }

  // Returns true if `distance` is 0, or the size of lost blocks right before block `n` in the
  // index. Of many blocks, some would match by chance, so those must be all that were not found, or
  // only a few.
  bool IsAfter(size_t n, uint64_t distance) const {
    if (distance == 0 || !IsData(n)) return distance == 0;
    const std::optional<size_t> i = FindByKey(blocks_[n].data);
    if (!i.has_value() || distance > sums_[*i]) return false;
    const auto from = std::lower_bound(sums_.begin(), sums_.end(), sums_[*i] - distance);
    if (*from != sums_[*i] - distance) return false;
    const auto first = static_cast<size_t>(from - sums_.begin());
    const size_t first_lost = before_[*i].has_value() ? *before_[*i] + 1 : 0;
    return first == first_lost || (first > first_lost && *i - first <= kMaxLostBetween);
  }

  // IsAfter() for the lost blocks right after block `n`.
  bool IsBefore(size_t n, uint64_t distance) const {
    if (distance == 0 || !IsData(n)) return distance == 0;
    const std::optional<size_t> i = FindByKey(blocks_[n].data);
    if (!i.has_value()) return false;
    const auto to = std::lower_bound(sums_.begin(), sums_.end(), sums_[*i + 1] + distance);
    if (to == sums_.end() || *to != sums_[*i + 1] + distance) return false;
    const auto end = static_cast<size_t>(to - sums_.begin());
    const size_t lost_end = after_[*i].value_or(index_.size());
    return end == lost_end || (end < lost_end && end - *i - 1 <= kMaxLostBetween);
  }

  // Finds, for each entry, the nearest entries before and after it whose blocks were found.
  void FindNeighbours() {
    before_.assign(index_.size(), std::nullopt);
    after_.assign(index_.size(), std::nullopt);
    for (size_t i = 1; i < index_.size(); ++i) {
      before_[i] = shifts_[i - 1].has_value() ? i - 1 : before_[i - 1];
    }
    for (size_t i = index_.size(); i-- > 1;) {
      after_[i - 1] = shifts_[i].has_value() ? i : after_[i];
    }
  }

  Range RangeOfEntry(size_t i, int64_t shift) const {
    const Range range = RangeOf(index_[i].handle);
    return {range.start + shift, range.end + shift};
  }

  // LostRuns::MayHold(). A value's blocks are never adjacent to the table's own, so contiguous
  // blocks are all of the same kind.
  bool MayBeInLost(size_t n, bool* place_known) const {
    const BlockHandle& handle = blocks_[n].data.handle;
    return lost_->MayHold(RangeOf(handle), handle.size, neighbours_[n], place_known);
  }

  // Places blocks that are too large for any lost block to contain. Returns true if there were any.
  bool PlaceTooLarge() {
    FindLostRuns();
    bool is_any = false;
    for (size_t n = 0; n < blocks_.size(); ++n) {
      bool place_known = false;
      const ScannedBlock& data = blocks_[n].data;
      if (is_outer_[n] || !IsData(n) || MayBeInLost(n, &place_known)) {
        continue;
      }
      const std::optional<size_t> i = Find(data);
      if (!i.has_value() || result_.blocks[*i].has_value()) continue;
      SetOuter(n);
      is_any = true;
    }
    return is_any;
  }

  void FindLostRuns() {
    lost_.emplace(&index_, bytes_);
    for (size_t i = 0; i < index_.size(); ++i) {
      if (shifts_[i].has_value()) continue;
      const size_t first = i;
      LostRun run;
      run.largest_size = index_[i].handle.size;
      for (; i + 1 < index_.size() && !shifts_[i + 1].has_value(); ++i) {
        run.largest_size = std::max(run.largest_size, index_[i + 1].handle.size);
      }
      // The table's start and end are neighbours, too, if its start is known.
      std::optional<int64_t> before;
      if (first > 0) before = shifts_[first - 1];
      if (first == 0 && base_ == 0) before = 0;
      const int64_t after = i + 1 < index_.size() ? *shifts_[i + 1] : base_;
      if (before.value_or(after) == after) {
        run.range = {RangeOfEntry(first, after).start, RangeOfEntry(i, after).end};
        if (base_ == 0 || (first > 0 && i + 1 < index_.size())) run.shift = after;
      } else {
        const Range between = {first > 0 ? RangeOfEntry(first - 1, *before).end : 0,
                               i + 1 < index_.size() ? RangeOfEntry(i + 1, after).start
                                                     : static_cast<int64_t>(index_offset_)};
        if (between.start <= between.end) run.range = between;
      }
      lost_->Add(run);
    }
    lost_->Finish();
  }

  // Places a block whose surroundings do not show whether it is a value's.
  void PlaceByKeys(size_t n) {
    const ScannedBlock& data = blocks_[n].data;
    bool place_known = false;
    const bool may_be_inner = MayBeInLost(n, &place_known);
    const std::optional<size_t> i = Find(data);
    const bool is_lost = i.has_value() && !result_.blocks[*i].has_value();
    if (place_known && !is_lost) {
      ++result_.inner_blocks;
    } else if (!i.has_value()) {
      ++result_.unnamed_blocks;
    } else if (is_lost) {
      if (!may_be_inner) {
        Take(data, *i);
      } else if (!place_known && IsBetweenNeighbours(data, *i)) {
        TakeInDoubt(data, *i);
        last_between_ = i;
      } else {
        out_of_order_.emplace_back(&data, *i);
      }
    }
  }

  // Returns true if a block is between its neighbours in the index. Must be called in the order of
  // the file.
  bool IsBetweenNeighbours(const ScannedBlock& data, size_t i) const {
    const Range range = RangeOf(data.handle);
    if (last_between_.has_value() && *last_between_ > i) return false;
    const std::optional<size_t> before = before_[i], after = after_[i];
    return (!before.has_value() || RangeOfEntry(*before, *shifts_[*before]).end <= range.start) &&
           (!after.has_value() || range.end <= RangeOfEntry(*after, *shifts_[*after]).start);
  }

  const Index& index_;
  const IndexFinder finder_;
  const int64_t base_;
  const uint64_t index_offset_;
  const absl::string_view bytes_;
  const std::vector<CarvedBlock>& blocks_;
  const std::vector<Range> neighbours_;         // by carved block: those side by side with it
  std::vector<bool> is_outer_;                  // by carved block: none of a value's
  std::vector<std::optional<int64_t>> shifts_;  // by entry: how far it moved
  std::vector<uint64_t> sums_;                  // by entry: sizes of those before it; of all
  std::vector<std::optional<size_t>> before_, after_;
  std::optional<LostRuns> lost_;
  std::optional<size_t> last_between_;
  std::vector<std::pair<const ScannedBlock*, size_t>> out_of_order_;  // with their entries
  BlockPlaces result_;
};

}  // namespace

BlockPlaces PlaceBlocks(const Index& index, int64_t base, uint64_t index_offset,
                        absl::string_view bytes, const CarvedFile& carved,
                        std::vector<std::optional<ScannedBlock>> found,
                        const Comparator* comparator) {
  return Placer(index, base, index_offset, bytes, carved, std::move(found), comparator).Run();
}

}  // namespace sstable
