#include "filter/filter_keys.h"

#include "absl/types/span.h"

namespace sstable {

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

}  // namespace sstable
