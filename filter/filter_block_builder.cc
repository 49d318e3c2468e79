#include <cassert>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "filter/bloom.h"
#include "sstable/filter_block.h"
#include "sstable/filter_policy.h"
#include "sstable/slice.h"
#include "util/bytes.h"
#include "util/coding.h"

namespace sstable {
namespace {

// The keys of a filter that is being built, in the form that its policy needs.
//
// Ownership: borrows `policy`, which must outlive it. Copies what it needs of each key: the 4-byte
// hash for a Bloom policy, the whole key for others.
// Threads:   one at a time.
class FilterKeys {
 public:
  explicit FilterKeys(const FilterPolicy* policy)
      : policy_(policy), bloom_(BloomTraitsOf(*policy)) {}

  void Add(absl::string_view key) {
    if (bloom_.has_value()) {
      hashes_.push_back(BloomCreationHash(*bloom_, key));
    } else {
      AddWhole(key);
    }
  }

  size_t size() const { return hashes_.size() + ends_.size() - removed_; }  // one list is empty

  // Appends the filter of the first `count` keys to `*dst`, and removes them.
  void CreateFilter(size_t count, std::string* dst);

 private:
  void AddWhole(absl::string_view key);
  void Remove(size_t count);

  const FilterPolicy* policy_;
  const std::optional<BloomTraits> bloom_;  // nullopt if the policy needs whole keys

  // Only one of the two forms is used.
  std::vector<uint32_t> hashes_;
  std::string bytes_;         // the keys, one after another
  std::vector<size_t> ends_;  // where each key ends in bytes_

  size_t removed_ = 0;  // keys removed from the start of the lists; fewer than half
};

void FilterKeys::AddWhole(absl::string_view key) {
  bytes_.append(key.data(), key.size());
  ends_.push_back(bytes_.size());
}

void FilterKeys::CreateFilter(size_t count, std::string* dst) {
  if (bloom_.has_value()) {
    AppendBloomFilter(absl::MakeConstSpan(hashes_).subspan(removed_, count), *bloom_, dst);
    return Remove(count);
  }
  std::vector<absl::string_view> keys;
  keys.reserve(count);
  size_t start = removed_ > 0 ? ends_[removed_ - 1] : 0;
  for (size_t i = removed_; i < removed_ + count; ++i) {
    keys.emplace_back(bytes_.data() + start, ends_[i] - start);
    start = ends_[i];
  }
  policy_->CreateFilter(keys, dst);
  Remove(count);
}

// Moves the remaining keys to the front only once at least as many were removed, so each key is
// rarely moved.
void FilterKeys::Remove(size_t count) {
  removed_ += count;
  if (size() > removed_) return;
  if (bloom_.has_value()) {
    hashes_.erase(hashes_.begin(), hashes_.begin() + removed_);
  } else if (removed_ > 0) {
    const size_t start = ends_[removed_ - 1];
    bytes_.erase(0, start);
    ends_.erase(ends_.begin(), ends_.begin() + removed_);
    for (size_t& end : ends_) end -= start;
  }
  removed_ = 0;
}

// The keys per window that kAutoFilterBaseLg aims for. With so many, a window's offset and k cost
// 0.4 bits per key. With more, little is gained, and a probe touches more cache lines.
constexpr uint64_t kEnoughKeys = 100;
constexpr uint64_t kSampleSize = uint64_t{1} << 20;  // bytes of data blocks

// A block that started before the base lg was chosen.
struct WaitingBlock {
  uint64_t offset;
  size_t key_count;
};

// Chooses the base lg. `data_size` is the size of these blocks in the file, in bytes.
int ChooseBaseLg(const std::vector<WaitingBlock>& blocks, uint64_t data_size) {
  uint64_t key_count = 0;
  for (const WaitingBlock& block : blocks) key_count += block.key_count;
  if (key_count == 0) return kDefaultFilterBaseLg;
  const uint64_t block_size = data_size / blocks.size();
  const uint64_t bytes_per_key = data_size / key_count;
  int base_lg = kDefaultFilterBaseLg;
  while (base_lg < kMaxFilterBaseLg && ((uint64_t{1} << base_lg) / kEnoughKeys < bytes_per_key ||
                                        (uint64_t{1} << base_lg) < block_size)) {
    ++base_lg;
  }
  return base_lg;
}

}  // namespace

class FilterBlockBuilder::Impl {
 public:
  Impl(const FilterPolicy* policy, int lg) : base_lg(lg), keys(policy) {}

  uint64_t filter_count() const { return offset_array.size() / sizeof(uint32_t); }
  void EndBlock();
  size_t TakeEndedBlock();
  void GoToWindowOf(uint64_t block_offset);
  void EndWaiting();
  void GenerateFilter();

  int base_lg;  // kAutoFilterBaseLg: not chosen yet

  // The keys that are in no filter yet, in three groups: the keys of the current window (of all
  // `waiting` blocks, until the base lg is chosen), then the keys of blocks that have ended at an
  // offset not yet known, then the keys of the current block.
  FilterKeys keys;
  size_t window_key_count = 0;
  std::deque<size_t> ended_key_counts;  // for each block of the second group
  size_t ended_key_end = 0;             // where that group ends in `keys`

  std::vector<WaitingBlock> waiting;
  uint64_t block_offset = 0;  // where the last block started, until the base lg is chosen

  std::string filter;  // scratch of GenerateFilter()
  ByteBuffer contents;
  // The offsets of the filters so far, fixed32 each. Finish() refuses a block whose offsets don't
  // fit.
  ByteBuffer offset_array;
};

void FilterBlockBuilder::Impl::EndBlock() {
  ended_key_counts.push_back(keys.size() - ended_key_end);
  ended_key_end = keys.size();
}

// Removes the first block that has ended, or ends the current one. Returns its number of keys.
size_t FilterBlockBuilder::Impl::TakeEndedBlock() {
  if (ended_key_counts.empty()) EndBlock();
  const size_t key_count = ended_key_counts.front();
  ended_key_counts.pop_front();
  return key_count;
}

// The base lg must have been chosen.
void FilterBlockBuilder::Impl::GoToWindowOf(uint64_t offset) {
  const uint64_t window = offset >> base_lg;
  assert(window >= filter_count());
  // The first of these filters gets the pending keys; the others are empty.
  while (filter_count() < window) GenerateFilter();
}

// Chooses the base lg, and processes the blocks that waited for it.
void FilterBlockBuilder::Impl::EndWaiting() {
  base_lg = ChooseBaseLg(waiting, block_offset);
  for (const WaitingBlock& block : waiting) {
    GoToWindowOf(block.offset);
    window_key_count += block.key_count;
  }
  waiting = {};
  GoToWindowOf(block_offset);
}

void FilterBlockBuilder::Impl::GenerateFilter() {
  EncodeFixed32(offset_array.Reserve(sizeof(uint32_t)), static_cast<uint32_t>(contents.size()));
  offset_array.SetSize(offset_array.size() + sizeof(uint32_t));
  if (window_key_count == 0) return;
  filter.clear();
  keys.CreateFilter(window_key_count, &filter);
  contents.Append(filter);
  ended_key_end -= std::exchange(window_key_count, 0);
}

FilterBlockBuilder::FilterBlockBuilder(const FilterPolicy* policy, int base_lg)
    : impl_(std::make_unique<Impl>(policy, base_lg)) {
  assert(base_lg == kAutoFilterBaseLg || (base_lg >= 0 && base_lg <= kMaxFilterBaseLg));
}

FilterBlockBuilder::~FilterBlockBuilder() = default;

void FilterBlockBuilder::AddKey(Slice key) { impl_->keys.Add(key); }
void FilterBlockBuilder::EndBlock() { impl_->EndBlock(); }

void FilterBlockBuilder::StartBlock(uint64_t block_offset) {
  Impl& impl = *impl_;
  const size_t key_count = impl.TakeEndedBlock();
  if (impl.base_lg != kAutoFilterBaseLg) {
    impl.window_key_count += key_count;
    return impl.GoToWindowOf(block_offset);
  }
  assert(block_offset >= impl.block_offset);
  if (key_count > 0) impl.waiting.push_back({impl.block_offset, key_count});
  impl.block_offset = block_offset;
  if (block_offset >= kSampleSize) impl.EndWaiting();
}

absl::StatusOr<absl::string_view> FilterBlockBuilder::Finish() {
  if (impl_->base_lg == kAutoFilterBaseLg) {
    StartBlock(impl_->block_offset);
    if (impl_->base_lg == kAutoFilterBaseLg) impl_->EndWaiting();
  }
  impl_->window_key_count = impl_->keys.size();
  if (impl_->window_key_count > 0) impl_->GenerateFilter();
  ByteBuffer& contents = impl_->contents;
  const uint64_t array_offset = contents.size();
  const uint64_t size = array_offset + impl_->offset_array.size() + kFilterBlockTailSize;
  if (size > std::numeric_limits<uint32_t>::max()) {
    return absl::InvalidArgumentError(
        absl::StrCat("filter block would have ", size, " bytes; its offsets have 32 bits"));
  }
  contents.Append(impl_->offset_array.view());
  char* const tail = contents.Reserve(kFilterBlockTailSize);
  EncodeFixed32(tail, static_cast<uint32_t>(array_offset));
  tail[sizeof(uint32_t)] = static_cast<char>(impl_->base_lg);
  contents.SetSize(size);
  return contents.view();
}

}  // namespace sstable
