#include "table/salvage/block_places.h"

#include <algorithm>
#include <utility>

namespace sstable {
namespace {

// Bytes of a file, from `start` to `end`. Offsets may be below 0, where bytes are gone.
struct Range {
  int64_t start = 0;
  int64_t end = 0;
};

class Placer {
 public:
  Placer(const Index& index, int64_t base, std::vector<std::optional<ScannedBlock>> found,
         const std::optional<const Comparator*>& comparator)
      : index_(index), finder_(&index, comparator), base_(base), places_(index.size()) {
    result_.blocks = std::move(found);
    for (size_t i = 0; i < index_.size(); ++i) {
      if (result_.blocks[i].has_value()) places_[i] = 0;
    }
  }

  BlockPlaces Run(const CarvedFile& carved) {
    std::vector<const ScannedBlock*> others;
    for (const CarvedBlock& block : carved.blocks) {
      if (block.kind != CarvedBlock::Kind::kData || block.data.entry_count == 0) continue;
      if (!PlaceWhereNamed(block.data)) others.push_back(&block.data);
    }
    const std::vector<Range> lost = LostRanges();
    FindNeighbours();
    auto range = lost.begin();
    for (const ScannedBlock* data : others) {
      const auto start = static_cast<int64_t>(data->handle.offset);
      const auto end = static_cast<int64_t>(EndOf(data->handle));
      while (range != lost.end() && range->end <= start) ++range;
      if (range != lost.end() && start >= range->start && end <= range->end) {
        ++result_.inner_blocks;
      } else if (!PlaceBetween(*data)) {
        ++result_.unnamed_blocks;
      }
    }
    return std::move(result_);
  }

 private:
  std::optional<size_t> Find(const ScannedBlock& data) const {
    const auto i = finder_.Find(data.handle, data.first_key, data.last_key);
    if (i.has_value() || base_ == 0) return i;
    const BlockHandle unmoved = {data.handle.offset - static_cast<uint64_t>(base_),
                                 data.handle.size};
    return finder_.Find(unmoved, data.first_key, data.last_key);
  }

  // Whether the index has a block of this size at this place, when it is moved back by `shift`.
  bool IsPlace(const BlockHandle& handle, int64_t shift) const {
    const uint64_t offset = handle.offset - static_cast<uint64_t>(shift);
    const auto at = std::lower_bound(
        index_.begin(), index_.end(), offset,
        [](const IndexEntry& entry, uint64_t o) { return entry.handle.offset < o; });
    return at != index_.end() && at->handle.offset == offset && at->handle.size == handle.size;
  }

  // False if the block is not where the index has any. One that is there twice is kept once.
  bool PlaceWhereNamed(const ScannedBlock& data) {
    const std::optional<size_t> i = Find(data);
    if (!i.has_value()) return false;
    for (const int64_t shift : {int64_t{0}, base_}) {
      if (!IsPlace(data.handle, shift)) continue;
      if (!result_.blocks[*i].has_value()) Take(data, *i, shift);
      return true;
    }
    return false;
  }

  void Take(const ScannedBlock& data, size_t i, int64_t shift) {
    result_.blocks[i] = data;
    places_[i] = shift;
  }

  int64_t StartOf(size_t i, int64_t shift) const {
    return static_cast<int64_t>(index_[i].handle.offset) + shift;
  }
  int64_t EndOfEntry(size_t i, int64_t shift) const {
    return static_cast<int64_t>(EndOf(index_[i].handle)) + shift;
  }

  // Where the blocks are that were not found, in order: those with neighbours on both sides that
  // were moved by the same amount, so that they were, too.
  std::vector<Range> LostRanges() const {
    std::vector<Range> ranges;
    std::optional<int64_t> before;
    for (size_t i = 0; i < index_.size();) {
      if (places_[i].has_value()) {
        before = places_[i++];
        continue;
      }
      size_t last = i;
      while (last + 1 < index_.size() && !places_[last + 1].has_value()) ++last;
      const int64_t after = last + 1 < index_.size() ? *places_[last + 1] : base_;
      if (before.value_or(after) == after) {
        ranges.push_back({StartOf(i, after), EndOfEntry(last, after)});
      }
      i = last + 1;
    }
    return ranges;
  }

  // For each entry, the nearest one before it and after it that was found.
  void FindNeighbours() {
    before_.assign(index_.size(), std::nullopt);
    after_.assign(index_.size(), std::nullopt);
    for (size_t i = 1; i < index_.size(); ++i) {
      before_[i] = places_[i - 1].has_value() ? i - 1 : before_[i - 1];
    }
    for (size_t i = index_.size(); i-- > 1;) {
      after_[i - 1] = places_[i].has_value() ? i : after_[i];
    }
  }

  // Places a block that was moved by itself. It has to be between those that the index has before
  // and after it. Blocks are asked for in the order of the file.
  bool PlaceBetween(const ScannedBlock& data) {
    const std::optional<size_t> i = Find(data);
    if (!i.has_value()) return false;
    if (result_.blocks[*i].has_value()) return true;  // there twice
    const auto start = static_cast<int64_t>(data.handle.offset);
    const auto end = static_cast<int64_t>(EndOf(data.handle));
    if (last_between_.has_value() && *last_between_ > *i) return false;
    if (before_[*i].has_value() && EndOfEntry(*before_[*i], *places_[*before_[*i]]) > start) {
      return false;
    }
    if (after_[*i].has_value() && end > StartOf(*after_[*i], *places_[*after_[*i]])) return false;
    Take(data, *i, start - static_cast<int64_t>(index_[*i].handle.offset));
    last_between_ = i;
    return true;
  }

  const Index& index_;
  const IndexFinder finder_;
  const int64_t base_;
  std::vector<std::optional<int64_t>> places_;  // by entry: how far it was moved
  std::vector<std::optional<size_t>> before_, after_;
  std::optional<size_t> last_between_;
  BlockPlaces result_;
};

}  // namespace

BlockPlaces PlaceBlocks(const Index& index, int64_t base, const CarvedFile& carved,
                        std::vector<std::optional<ScannedBlock>> found,
                        const std::optional<const Comparator*>& comparator) {
  return Placer(index, base, std::move(found), comparator).Run(carved);
}

}  // namespace sstable
