#include "filter/filter_keys.h"

namespace sstable {

void FilterKeys::AddWhole(absl::string_view key) {
  bytes_.append(key.data(), key.size());
  ends_.push_back(bytes_.size());
}

void FilterKeys::Append(const FilterKeys& other) {
  hashes_.insert(hashes_.end(), other.hashes_.begin(), other.hashes_.end());
  for (const size_t end : other.ends_) ends_.push_back(bytes_.size() + end);
  bytes_ += other.bytes_;
}

void FilterKeys::Clear() {
  hashes_.clear();
  bytes_.clear();
  ends_.clear();
}

void FilterKeys::CreateFilter(std::string* dst) const {
  if (bloom_ != nullptr) return AppendBloomFilter(hashes_, *bloom_, dst);
  std::vector<absl::string_view> keys;
  keys.reserve(ends_.size());
  size_t start = 0;
  for (const size_t end : ends_) {
    keys.emplace_back(bytes_.data() + start, end - start);
    start = end;
  }
  policy_->CreateFilter(keys, dst);
}

}  // namespace sstable
