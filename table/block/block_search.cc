#include "table/block/block_search.h"

#include "absl/base/optimization.h"
#include "sstable/internal_key.h"

namespace sstable {
namespace {

// The two common orders, in line where they are called.
constexpr auto kBytewise = [](absl::string_view a, absl::string_view b) {
  return CompareBytes(a, b);
};
constexpr auto kInternalBytewise = [](absl::string_view a, absl::string_view b) {
  return KeyOrder::CompareInternalBytewise(a, b);
};

// The key at a restart point, which is whole there. False if there is no such entry; then
// DecodeRestartEntry() says why.
inline bool RestartKey(const Block& block, uint32_t restart, absl::string_view* key) {
  const uint32_t offset = block.RestartOffset(restart);
  BlockEntry entry;
  if (ABSL_PREDICT_FALSE(offset >= block.entries_size() ||
                         !DecodeEntry(block.begin() + offset, block, &entry) || entry.shared != 0 ||
                         (restart == 0 && offset != 0))) {
    return false;
  }
  *key = entry.key_suffix();
  return true;
}

// The restart point that the entry-by-entry search starts from: the last one with a key below
// the target, or else the first one. `compare` is an order of whole keys.
template <typename Compare>
inline absl::Status FindRestart(const Block& block, absl::string_view target,
                                const Compare& compare, uint32_t* restart) {
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

// The first entry of the run at a restart point, the rest of which is prefetched.
inline const char* StartRun(const Block& block, uint32_t restart) {
  const char* const start = block.begin() + block.RestartOffset(restart);
  const char* const stop = restart + 1 < block.restart_count()
                               ? block.begin() + block.RestartOffset(restart + 1)
                               : block.end();
  for (const char* p = start + 64; p < stop && p < start + 2048; p += 64) __builtin_prefetch(p);
  return start;
}

absl::Status SearchBytewise(const Block& block, absl::string_view target, KeyBuffer* scratch,
                            BlockSearchResult* result) {
  uint32_t restart = 0;
  if (absl::Status status = FindRestart(block, target, kBytewise, &restart); !status.ok()) {
    return status;
  }
  scratch->Assign(target);
  BytewiseRun run(StartRun(block, restart), block, BytewiseTarget(scratch->view()));
  if (ABSL_PREDICT_FALSE(run.Run(result) == RunStep::kMalformed)) {
    return EntryError(block, run.position(), run.key_size());
  }
  return absl::OkStatus();
}

// Entry by entry from the restart point at `p` on.
template <typename Compare>
absl::Status WalkRebuilding(const Block& block, const char* p, absl::string_view target,
                            const Compare& compare, KeyBuffer* key, BlockSearchResult* result) {
  key->Clear();
  while (p < block.end()) {
    BlockEntry entry;
    if (ABSL_PREDICT_FALSE(!DecodeEntry(p, block, &entry) || entry.shared > key->size())) {
      return EntryError(block, p, key->size());
    }
    key->Replace(entry.shared, entry.key_suffix());
    const int order = compare(key->view(), target);
    if (order >= 0) {
      *result = {p, entry.next(), order == 0, entry.shared, entry.key_suffix(), entry.value()};
      return absl::OkStatus();
    }
    p = entry.next();
  }
  return absl::OkStatus();
}

absl::Status SearchInternal(const Block& block, absl::string_view target, KeyBuffer* scratch,
                            BlockSearchResult* result) {
  uint32_t restart = 0;
  if (absl::Status status = FindRestart(block, target, kInternalBytewise, &restart); !status.ok()) {
    return status;
  }
  scratch->Assign(ExtractUserKey(target));
  const char* const start = StartRun(block, restart);
  InternalRun run(start, block, InternalTarget(scratch->view(), ExtractTag(target)));
  switch (run.Run(result)) {
    case RunStep::kRebuild:
      return WalkRebuilding(block, start, target, kInternalBytewise, scratch, result);
    case RunStep::kMalformed:
      return EntryError(block, run.position(), run.key_size());
    default:
      return absl::OkStatus();
  }
}

template <typename Compare>
absl::Status SearchRebuilding(const Block& block, absl::string_view target, const Compare& compare,
                              KeyBuffer* key, BlockSearchResult* result) {
  uint32_t restart = 0;
  if (absl::Status status = FindRestart(block, target, compare, &restart); !status.ok()) {
    return status;
  }
  return WalkRebuilding(block, StartRun(block, restart), target, compare, key, result);
}

}  // namespace

absl::Status FindRestart(const Block& block, const KeyOrder& order, absl::string_view target,
                         uint32_t* restart) {
  return FindRestart(
      block, target,
      [&order](absl::string_view a, absl::string_view b) { return order.Compare(a, b); }, restart);
}

absl::Status FindRestartBytewise(const Block& block, absl::string_view target, const char** start) {
  uint32_t restart = 0;
  absl::Status status = FindRestart(block, target, kBytewise, &restart);
  *start = block.begin() + block.RestartOffset(restart);
  return status;
}

absl::Status SearchBlock(const Block& block, const KeyOrder& order, absl::string_view target,
                         KeyBuffer* scratch, BlockSearchResult* result) {
  result->entry = nullptr;
  if (block.entries_size() == 0) return absl::OkStatus();
  switch (order.shape()) {
    case KeyOrder::Shape::kBytewise:
      return SearchBytewise(block, target, scratch, result);
    case KeyOrder::Shape::kInternalBytewise:
      return SearchInternal(block, target, scratch, result);
    case KeyOrder::Shape::kOther:
      break;
  }
  const Comparator& comparator = order.comparator();
  return SearchRebuilding(
      block, target,
      [&comparator](absl::string_view a, absl::string_view b) { return comparator.Compare(a, b); },
      scratch, result);
}

}  // namespace sstable
