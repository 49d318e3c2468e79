#include <cassert>
#include <limits>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "filter/filter_keys.h"
#include "sstable/filter_block.h"
#include "util/bytes.h"
#include "util/coding.h"

namespace sstable {

struct FilterBlockBuilder::Rep {
  Rep(const FilterPolicy* policy, int lg) : base_lg(lg), keys(policy) {}

  uint64_t filter_count() const { return offset_array.size() / sizeof(uint32_t); }
  void GenerateFilter();

  const int base_lg;
  FilterKeys keys;  // of the window being filled

  std::string filter;  // scratch of GenerateFilter()
  ByteBuffer contents;
  // Of the filters so far, fixed32 each. Finish() refuses a block whose offsets don't fit.
  ByteBuffer offset_array;
};

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
  assert(base_lg >= 0 && base_lg <= kMaxFilterBaseLg);
}

FilterBlockBuilder::~FilterBlockBuilder() = default;

void FilterBlockBuilder::AddKey(absl::string_view key) { rep_->keys.Add(key); }
void FilterBlockBuilder::AddKeys(const FilterKeys& keys) { rep_->keys.Append(keys); }

void FilterBlockBuilder::StartBlock(uint64_t block_offset) {
  const uint64_t window = block_offset >> rep_->base_lg;
  assert(window >= rep_->filter_count());
  // The first of these filters gets the pending keys, the others are empty.
  while (rep_->filter_count() < window) rep_->GenerateFilter();
}

absl::StatusOr<absl::string_view> FilterBlockBuilder::Finish() {
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
