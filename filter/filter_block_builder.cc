#include "filter/filter_block_builder.h"

#include <cassert>
#include <limits>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "util/coding.h"

namespace sstable {

FilterBlockBuilder::FilterBlockBuilder(const FilterPolicy* policy, int base_lg)
    : base_lg_(base_lg), keys_(policy) {
  assert(base_lg >= 0 && base_lg <= kMaxFilterBaseLg);
}

void FilterBlockBuilder::StartBlock(uint64_t block_offset) {
  const uint64_t window = block_offset >> base_lg_;
  assert(window >= filter_count());
  // The first of these filters gets the pending keys, the others are empty.
  while (filter_count() < window) GenerateFilter();
}

absl::StatusOr<absl::string_view> FilterBlockBuilder::Finish() {
  if (!keys_.empty()) GenerateFilter();
  const uint64_t array_offset = contents_.size();
  const uint64_t size = array_offset + offset_array_.size() + kFilterBlockTailSize;
  if (size > std::numeric_limits<uint32_t>::max()) {
    return absl::InvalidArgumentError(
        absl::StrCat("filter block would have ", size, " bytes; its offsets have 32 bits"));
  }
  contents_.Append(offset_array_.view());
  char* const tail = contents_.Reserve(kFilterBlockTailSize);
  EncodeFixed32(tail, static_cast<uint32_t>(array_offset));
  tail[sizeof(uint32_t)] = static_cast<char>(base_lg_);
  contents_.SetSize(size);
  return contents_.view();
}

void FilterBlockBuilder::GenerateFilter() {
  EncodeFixed32(offset_array_.Reserve(sizeof(uint32_t)), static_cast<uint32_t>(contents_.size()));
  offset_array_.SetSize(offset_array_.size() + sizeof(uint32_t));
  if (keys_.empty()) return;
  filter_.clear();
  keys_.CreateFilter(&filter_);
  contents_.Append(filter_);
  keys_.Clear();
}

}  // namespace sstable
