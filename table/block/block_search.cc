#include "table/block/block_search.h"

#include <algorithm>
#include <limits>

#include "absl/base/optimization.h"
#include "sstable/internal_key.h"
#include "util/status_util.h"

namespace sstable {
namespace {

// The two common orders, inline where they are called.
constexpr auto kBytewise = [](absl::string_view key, const LookupKey& target) {
  return CompareBytes(key, target.user_key);
};
constexpr auto kInternalBytewise = [](absl::string_view key, const LookupKey& target) {
  return KeyOrder::CompareInternalBytewise(key, target);
};

// Any order.
inline auto InOrder(const KeyOrder& order) {
  return [&order](absl::string_view key, const LookupKey& target) {
    return order.Compare(key, target);
  };
}

// Sets `*key` to the full key at a restart point. Returns false if there is no such entry;
// DecodeRestartEntry() then returns the reason.
inline bool RestartKey(const Block& block, uint32_t restart, absl::string_view* key) {
  const size_t limit = restart == 0 ? 1 : block.entries_size();
  BlockEntry entry;
  if (ABSL_PREDICT_FALSE(block.RestartOffset(restart) >= limit ||
                         !DecodeEntry(block.RunStart(restart), block, &entry) ||
                         entry.shared != 0)) {
    return false;
  }
  *key = entry.key_suffix();
  return true;
}

// Finds the restart point from which the linear search starts: the last one with a key below the
// target, or else the first. `compare` compares full keys.
template <typename Compare>
inline absl::Status FindRestart(const Block& block, const LookupKey& target, const Compare& compare,
                                uint32_t* restart) {
  uint32_t low = 0, high = block.restart_count() - 1;
  uint32_t middle = high - high / 2;
  absl::string_view key;
  while (low < high) {
    middle = low + (high - low + 1) / 2;
    if (ABSL_PREDICT_FALSE(!RestartKey(block, middle, &key))) break;
    if (compare(key, target) < 0) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  *restart = low;
  if (ABSL_PREDICT_TRUE(low == high && RestartKey(block, low, &key))) return absl::OkStatus();
  BlockEntry entry;
  return DecodeRestartEntry(block, low == high ? low : middle, &entry);
}

// Returns the first entry after a restart point, and prefetches the rest up to the next one: all of
// it, or the starts of large entries, assuming that all are as large as the first.
inline const char* StartRun(const Block& block, uint32_t restart) {
  constexpr ptrdiff_t kCacheLine = 64, kLargeEntry = 1024, kMostPrefetched = 32;
  const char* const start = block.RunStart(restart);
  const char* const stop =
      restart + 1 < block.restart_count() ? block.RunStart(restart + 1) : block.end();
  const auto prefetch_every = [start, stop](ptrdiff_t step) {
    const char* const end = std::min(stop, start + kMostPrefetched * step);
    for (const char* p = start + step; p < end; p += step) __builtin_prefetch(p);
  };
  BlockEntry first;
  const bool is_large = DecodeEntry(start, block, &first) && first.next() - start >= kLargeEntry;
  if (ABSL_PREDICT_FALSE(is_large)) {
    prefetch_every(first.next() - start);
  } else {  // a branch, so that this need not wait for the first entry
    prefetch_every(kCacheLine);
  }
  return start;
}

absl::Status SearchBytewise(const Block& block, const LookupKey& target, KeyBuffer* scratch,
                            BlockSearchResult* result) {
  uint32_t restart = 0;
  if (absl::Status status = FindRestart(block, target, kBytewise, &restart); !status.ok()) {
    return status;
  }
  scratch->Assign(target.user_key);
  BytewiseSearch search(StartRun(block, restart), block, BytewiseTarget(scratch->view()));
  if (ABSL_PREDICT_FALSE(search.Run(result) == SearchStep::kMalformed)) {
    return EntryError(block, search.position(), search.key_size());
  }
  return absl::OkStatus();
}

// Searches entry by entry from `p`, where an entry stores its full key.
template <typename Compare>
absl::Status WalkRebuilding(const Block& block, const char* p, const KeyOrder& order,
                            const LookupKey& target, const Compare& compare, KeyBuffer* key,
                            BlockSearchResult* result) {
  key->Clear();
  while (p < block.end()) {
    BlockEntry entry;
    if (ABSL_PREDICT_FALSE(!DecodeEntry(p, block, &entry) || entry.shared > key->size())) {
      return EntryError(block, p, key->size());
    }
    key->Replace(entry.shared, entry.key_suffix());
    const int compared = compare(key->view(), target);
    if (compared >= 0) {
      const bool has_user_key = compared == 0 || (order.kind() == KeyKind::kInternal &&
                                                  order.HasUserKey(key->view(), target.user_key));
      *result = {p, entry.next(), has_user_key, entry.shared, entry.key_suffix(), entry.value()};
      return absl::OkStatus();
    }
    p = entry.next();
  }
  return absl::OkStatus();
}

absl::Status SearchInternal(const Block& block, const KeyOrder& order, const LookupKey& target,
                            KeyBuffer* scratch, BlockSearchResult* result) {
  uint32_t restart = 0;
  if (absl::Status status = FindRestart(block, target, kInternalBytewise, &restart); !status.ok()) {
    return status;
  }
  scratch->Assign(target.user_key);
  const char* const start = StartRun(block, restart);
  InternalSearch search(start, block, InternalTarget(scratch->view(), target.tag));
  switch (search.Run(result)) {
    case SearchStep::kNeedsFullKeys:
      return WalkRebuilding(block, start, order, target, kInternalBytewise, scratch, result);
    case SearchStep::kMalformed:
      return EntryError(block, search.position(), search.key_size());
    default:
      return absl::OkStatus();
  }
}

absl::Status SearchRebuilding(const Block& block, const KeyOrder& order, const LookupKey& target,
                              KeyBuffer* key, BlockSearchResult* result) {
  uint32_t restart = 0;
  RETURN_IF_ERROR(FindRestart(block, order, target, &restart));
  return WalkRebuilding(block, StartRun(block, restart), order, target, InOrder(order), key,
                        result);
}

}  // namespace

absl::Status FindRestart(const Block& block, const KeyOrder& order, const LookupKey& target,
                         uint32_t* restart) {
  return FindRestart(block, target, InOrder(order), restart);
}

absl::Status FindRunStart(const Block& block, KeyOrder::Shape shape, const LookupKey& target,
                          const char** start) {
  uint32_t restart = 0;
  absl::Status status = shape == KeyOrder::Shape::kBytewise
                            ? FindRestart(block, target, kBytewise, &restart)
                            : FindRestart(block, target, kInternalBytewise, &restart);
  *start = block.RunStart(restart);
  return status;
}

absl::Status SearchBlock(const Block& block, const KeyOrder& order, const LookupKey& target,
                         KeyBuffer* scratch, BlockSearchResult* result) {
  result->entry = nullptr;
  if (block.entries_size() == 0) return absl::OkStatus();
  switch (order.shape()) {
    case KeyOrder::Shape::kBytewise:
      return SearchBytewise(block, target, scratch, result);
    case KeyOrder::Shape::kInternalBytewise:
      return SearchInternal(block, order, target, scratch, result);
    case KeyOrder::Shape::kOther:
      break;
  }
  return SearchRebuilding(block, order, target, scratch, result);
}

}  // namespace sstable
