#include "db/log_entries.h"

#include <algorithm>
#include <cassert>
#include <string>

#include "absl/types/span.h"
#include "sstable/experimental/table_filter.h"
#include "util/coding.h"

namespace sstable {

char* LogEntries::Allocate(size_t size) {
  constexpr size_t kChunkSize = size_t{256} << 10;
  if (size > free_size_) {
    const size_t chunk_size = std::max(size, kChunkSize);
    free_ = chunks_.emplace_back(new char[chunk_size]).get();  // not zeroed
    free_size_ = chunk_size;
  }
  char* const place = free_;
  free_ += size;
  free_size_ -= size;
  return place;
}

void LogEntries::Add(const BatchChange& change, uint32_t log_index, uint64_t offset) {
  const size_t key_size = change.key.size() + kTagSize;
  assert(change.value.size() <= UINT32_MAX);  // a batch has 32-bit sizes
  char* const bytes = Allocate(key_size + change.value.size());
  std::copy(change.key.begin(), change.key.end(), bytes);
  EncodeFixed64(bytes + change.key.size(),
                change.sequence << 8 | static_cast<uint64_t>(change.type));
  std::copy(change.value.begin(), change.value.end(), bytes + key_size);
  entries_.push_back(
      {bytes, key_size, static_cast<uint32_t>(change.value.size()), log_index, offset});
}

std::vector<LogEntries::Entry> LogEntries::Sort(const KeyOrder* order) {
  std::reverse(entries_.begin(), entries_.end());
  std::stable_sort(entries_.begin(), entries_.end(), [&](const Entry& a, const Entry& b) {
    return order->Compare(a.key(), b.key()) < 0;
  });
  std::vector<Entry> overwritten;
  const auto is_same = [&](const Entry& kept, const Entry& earlier) {
    if (order->Compare(kept.key(), earlier.key()) != 0) return false;
    if (kept.value() != earlier.value()) overwritten.push_back(earlier);
    return true;
  };
  entries_.erase(std::unique(entries_.begin(), entries_.end(), is_same), entries_.end());
  order_ = order;
  search_ = KeySearch(order, entries_.size(), [&](size_t i) { return entries_[i].key(); });
  if (order->shape() == KeyOrder::Shape::kInternalBytewise) MakeFilter();
  return overwritten;
}

// Most keys that are looked up are not in a log. A filter excludes them faster than a search.
void LogEntries::MakeFilter() {
  static const TableFilterPolicy* const policy = NewBlockedBloomPolicy(10).release();
  std::vector<uint64_t> hashes;
  hashes.reserve(entries_.size());
  for (const Entry& entry : entries_) {
    hashes.push_back(TableFilterHash(ExtractUserKey(entry.key())));
  }
  std::string contents;
  policy->CreateFilter(absl::MakeSpan(hashes), &contents);
  filter_.Parse(*policy, contents);
}

void LogEntries::FindNewerThere(const LookupKey& key, NewestVersion* newest) const {
  const size_t i = Find(key);
  if (i == entries_.size()) return;
  const Entry& entry = entries_[i];
  if (!order_->HasUserKey(entry.key(), key.user_key)) return;
  if (const auto parsed = ParseInternalKey(entry.key())) newest->Update(*parsed, entry.value());
}

}  // namespace sstable
