#include "tools/range_sample.h"

#include <algorithm>

#include "util/hash.h"

namespace sstable::tools {
namespace {

// The upper bits decide, so they are mixed once more.
uint64_t Hash64(absl::string_view key) {
  uint64_t hash = uint64_t{Hash(key, 0x2f0b4c47)} << 32 | Hash(key, 0x9747b28c);
  hash ^= hash >> 33;
  hash *= 0xff51afd7ed558ccd;  // MurmurHash3's
  hash ^= hash >> 33;
  hash *= 0xc4ceb9fe1a85ec53;
  return hash ^ hash >> 33;
}

}  // namespace

void RangeSample::Add(absl::string_view key, uint64_t size) {
  ++record_count_;
  const uint64_t hash = Hash64(key);
  if (hash > max_hash_) return;
  kept_.push_back({hash, std::string(key), size});
  key_bytes_ += key.size();
  while (max_hash_ > 0 && (kept_.size() > max_count_ || key_bytes_ > max_key_bytes_)) Halve();
}

void RangeSample::Halve() {
  max_hash_ /= 2;
  const auto end = std::remove_if(kept_.begin(), kept_.end(),
                                  [this](const Kept& kept) { return kept.hash > max_hash_; });
  kept_.erase(end, kept_.end());
  key_bytes_ = 0;
  for (const Kept& kept : kept_) key_bytes_ += kept.key.size();
}

std::vector<std::string> RangeSample::Cuts(const Comparator& comparator, size_t parts) const {
  std::vector<const Kept*> sorted;
  uint64_t size = 0;
  for (const Kept& kept : kept_) {
    sorted.push_back(&kept);
    size += kept.size;
  }
  const auto less = [&comparator](absl::string_view a, absl::string_view b) {
    return comparator.Compare(a, b) < 0;
  };
  std::sort(sorted.begin(), sorted.end(),
            [&](const Kept* a, const Kept* b) { return less(a->key, b->key); });
  std::vector<std::string> cuts;
  const double part_size = static_cast<double>(size) / static_cast<double>(parts);
  uint64_t size_before = 0;
  size_t next_part = 1;
  absl::string_view last;  // the first of a part
  if (!sorted.empty()) last = sorted[0]->key;
  for (const Kept* const kept : sorted) {
    // Whether the end of a part is closer to the start of this record than to its end.
    const auto is_due = [&] {
      return next_part < parts &&
             static_cast<double>(size_before) + static_cast<double>(kept->size) / 2 >=
                 part_size * static_cast<double>(next_part);
    };
    if (is_due() && !kept->key.empty() && less(last, kept->key)) {
      cuts.push_back(kept->key);
      last = kept->key;
      while (is_due()) ++next_part;
    }
    size_before += kept->size;
  }
  return cuts;
}

}  // namespace sstable::tools
