#include "filter/filter_block_builder.h"

#include <cassert>
#include <limits>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "filter/bloom.h"
#include "util/coding.h"

namespace sstable {

FilterBlockBuilder::FilterBlockBuilder(const FilterPolicy* policy, int base_lg)
    : policy_(policy), bloom_(policy->bloom()), base_lg_(base_lg) {
  assert(base_lg >= 0 && base_lg <= kMaxFilterBaseLg);
}

void FilterBlockBuilder::StartBlock(uint64_t block_offset) {
  const uint64_t window = block_offset >> base_lg_;
  assert(window >= filter_offsets_.size());
  // The first of these filters gets the pending keys, the others are empty.
  while (filter_offsets_.size() < window) GenerateFilter();
}

void FilterBlockBuilder::AddKey(absl::string_view key) {
  if (bloom_ != nullptr) {
    hashes_.push_back(BloomCreationHash(*bloom_, key));
  } else {
    key_starts_.push_back(keys_.size());
    keys_.append(key.data(), key.size());
  }
}

absl::StatusOr<absl::string_view> FilterBlockBuilder::Finish() {
  if (HasPendingKeys()) GenerateFilter();
  const uint64_t array_offset = contents_.size();
  const uint64_t size = array_offset + 4 * filter_offsets_.size() + kFilterBlockTailSize;
  if (size > std::numeric_limits<uint32_t>::max()) {
    return absl::InvalidArgumentError(
        absl::StrCat("filter block would have ", size, " bytes; its offsets have 32 bits"));
  }
  for (uint64_t offset : filter_offsets_) AppendFixed32(&contents_, static_cast<uint32_t>(offset));
  AppendFixed32(&contents_, static_cast<uint32_t>(array_offset));
  contents_.push_back(static_cast<char>(base_lg_));
  return absl::string_view(contents_);
}

void FilterBlockBuilder::GenerateFilter() {
  filter_offsets_.push_back(contents_.size());
  if (!HasPendingKeys()) return;
  if (bloom_ != nullptr) {
    AppendBloomFilter(hashes_, bloom_->bits_per_key, &contents_);
    hashes_.clear();
    return;
  }
  key_starts_.push_back(keys_.size());  // the end of the last key
  key_views_.clear();
  for (size_t i = 0; i + 1 < key_starts_.size(); ++i) {
    key_views_.emplace_back(keys_.data() + key_starts_[i], key_starts_[i + 1] - key_starts_[i]);
  }
  policy_->CreateFilter(key_views_, &contents_);
  keys_.clear();
  key_starts_.clear();
}

}  // namespace sstable
