#include "filter/filter_keys.h"

#include "absl/types/span.h"

namespace sstable {

void FilterKeys::AddWhole(absl::string_view key) {
  bytes_.append(key.data(), key.size());
  ends_.push_back(bytes_.size());
}

void FilterKeys::CreateFilter(size_t count, std::string* dst) {
  if (bloom_ != nullptr) {
    AppendBloomFilter(absl::MakeConstSpan(hashes_).first(count), *bloom_, dst);
    hashes_.erase(hashes_.begin(), hashes_.begin() + count);
    return;
  }
  std::vector<absl::string_view> keys;
  keys.reserve(count);
  size_t start = 0;
  for (size_t i = 0; i < count; ++i) {
    keys.emplace_back(bytes_.data() + start, ends_[i] - start);
    start = ends_[i];
  }
  policy_->CreateFilter(keys, dst);
  bytes_.erase(0, start);
  ends_.erase(ends_.begin(), ends_.begin() + count);
  for (size_t& end : ends_) end -= start;
}

}  // namespace sstable
