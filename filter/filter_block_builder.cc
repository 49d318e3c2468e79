#include <cassert>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "filter/filter_keys.h"
#include "sstable/filter_block.h"
#include "util/bytes.h"
#include "util/coding.h"

namespace sstable {

namespace {

// Of kAutoFilterBaseLg. Fewer keys in a window cost up to half a bit each for its offset and k;
// more gain little, and a probe then meets more cache lines.
constexpr uint64_t kEnoughKeys = 100;
constexpr uint64_t kSampleSize = uint64_t{1} << 20;  // bytes of data blocks

// The keys of a block that wait for the base lg.
struct WaitingBlock {
  uint64_t offset;
  FilterKeys keys;
};

// `data_size`: bytes of these blocks in the file.
int ChooseBaseLg(const std::vector<WaitingBlock>& blocks, uint64_t data_size) {
  uint64_t key_count = 0;
  for (const WaitingBlock& block : blocks) key_count += block.keys.size();
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

struct FilterBlockBuilder::Rep {
  Rep(const FilterPolicy* policy, int lg) : base_lg(lg), keys(policy) {}

  uint64_t filter_count() const { return offset_array.size() / sizeof(uint32_t); }
  void StartBlock(uint64_t block_offset);
  void EndWaitingBlock(uint64_t next_offset);
  void EndWaiting();
  void GenerateFilter();

  int base_lg;      // kAutoFilterBaseLg: not yet known
  FilterKeys keys;  // of the window being filled, or of the block that will wait

  std::vector<WaitingBlock> waiting;
  uint64_t waiting_offset =
      0;  // of the block whose keys are in `keys`, if the base lg is not known

  std::string filter;  // scratch of GenerateFilter()
  ByteBuffer contents;
  // Of the filters so far, fixed32 each. Finish() refuses a block whose offsets don't fit.
  ByteBuffer offset_array;
};

// Needs the base lg.
void FilterBlockBuilder::Rep::StartBlock(uint64_t block_offset) {
  const uint64_t window = block_offset >> base_lg;
  assert(window >= filter_count());
  // The first of these filters gets the pending keys, the others are empty.
  while (filter_count() < window) GenerateFilter();
}

void FilterBlockBuilder::Rep::EndWaitingBlock(uint64_t next_offset) {
  assert(next_offset >= waiting_offset);
  if (!keys.empty()) waiting.push_back({waiting_offset, keys});
  keys.Clear();
  waiting_offset = next_offset;
}

// Chooses the base lg, and does what waited for it.
void FilterBlockBuilder::Rep::EndWaiting() {
  base_lg = ChooseBaseLg(waiting, waiting_offset);
  for (const WaitingBlock& block : waiting) {
    StartBlock(block.offset);
    keys.Append(block.keys);
  }
  waiting = {};
  StartBlock(waiting_offset);
}

void FilterBlockBuilder::Rep::GenerateFilter() {
  EncodeFixed32(offset_array.Reserve(sizeof(uint32_t)), static_cast<uint32_t>(contents.size()));
  offset_array.SetSize(offset_array.size() + sizeof(uint32_t));
  if (keys.empty()) return;
  filter.clear();
  keys.CreateFilter(&filter);
  contents.Append(filter);
  keys.Clear();
}

FilterBlockBuilder::FilterBlockBuilder(const FilterPolicy* policy, int base_lg)
    : rep_(std::make_unique<Rep>(policy, base_lg)) {
  assert(base_lg == kAutoFilterBaseLg || (base_lg >= 0 && base_lg <= kMaxFilterBaseLg));
}

FilterBlockBuilder::~FilterBlockBuilder() = default;

void FilterBlockBuilder::AddKey(absl::string_view key) { rep_->keys.Add(key); }
void FilterBlockBuilder::AddKeys(const FilterKeys& keys) { rep_->keys.Append(keys); }

void FilterBlockBuilder::StartBlock(uint64_t block_offset) {
  if (rep_->base_lg != kAutoFilterBaseLg) return rep_->StartBlock(block_offset);
  rep_->EndWaitingBlock(block_offset);
  if (block_offset >= kSampleSize) rep_->EndWaiting();
}

absl::StatusOr<absl::string_view> FilterBlockBuilder::Finish() {
  if (rep_->base_lg == kAutoFilterBaseLg) {
    rep_->EndWaitingBlock(rep_->waiting_offset);
    rep_->EndWaiting();
  }
  if (!rep_->keys.empty()) rep_->GenerateFilter();
  ByteBuffer& contents = rep_->contents;
  const uint64_t array_offset = contents.size();
  const uint64_t size = array_offset + rep_->offset_array.size() + kFilterBlockTailSize;
  if (size > std::numeric_limits<uint32_t>::max()) {
    return absl::InvalidArgumentError(
        absl::StrCat("filter block would have ", size, " bytes; its offsets have 32 bits"));
  }
  contents.Append(rep_->offset_array.view());
  char* const tail = contents.Reserve(kFilterBlockTailSize);
  EncodeFixed32(tail, static_cast<uint32_t>(array_offset));
  tail[sizeof(uint32_t)] = static_cast<char>(rep_->base_lg);
  contents.SetSize(size);
  return contents.view();
}

}  // namespace sstable
