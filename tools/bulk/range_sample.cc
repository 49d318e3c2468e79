#include "tools/bulk/range_sample.h"

#include <algorithm>

#include "util/hash.h"

namespace sstable::tools {
namespace {

// Mixes the hash again, since its upper bits decide.
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

std::vector<RangeSample::SizedKey> RangeSample::SortedKeys(const Comparator& comparator) const {
  std::vector<SizedKey> records;
  records.reserve(kept_.size());
  for (const Kept& kept : kept_) records.push_back({kept.key, kept.size});
  std::sort(records.begin(), records.end(), [&comparator](const SizedKey& a, const SizedKey& b) {
    const int order = comparator.Compare(a.key, b.key);
    return order != 0 ? order < 0 : a.key < b.key;  // equal keys may differ in their bytes
  });
  std::vector<SizedKey> keys;
  for (const SizedKey& record : records) {
    const bool is_new = keys.empty() || comparator.Compare(keys.back().key, record.key) < 0;
    if (is_new && (keys.empty() || !record.key.empty())) {
      keys.push_back(record);
    } else {
      keys.back().size += record.size;
    }
  }
  return keys;
}

// Each part gets an even share of what the previous parts left, so one large key makes the other
// parts smaller, not fewer.
std::vector<std::string> RangeSample::Cuts(const Comparator& comparator, size_t parts) const {
  const std::vector<SizedKey> keys = SortedKeys(comparator);
  std::vector<std::string> cuts;
  uint64_t rest = 0;  // bytes from the start of the current part to the end
  for (const SizedKey& key : keys) rest += key.size;
  uint64_t part_size = 0;  // bytes of the current part before the key
  for (size_t i = 0; i < keys.size(); ++i) {
    const size_t parts_left = parts - cuts.size();
    const bool each_key_is_a_part = keys.size() - i < parts_left;
    // An even share would end closer to the start of this key than to its end.
    const bool is_due = static_cast<double>(part_size) + static_cast<double>(keys[i].size) / 2 >=
                        static_cast<double>(rest) / static_cast<double>(parts_left);
    if (i > 0 && parts_left > 1 && (each_key_is_a_part || is_due)) {
      cuts.emplace_back(keys[i].key);
      rest -= part_size;
      part_size = 0;
    }
    part_size += keys[i].size;
  }
  return cuts;
}

}  // namespace sstable::tools
