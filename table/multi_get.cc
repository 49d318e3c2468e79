// TableReader::MultiGet(): looks up many keys in lockstep.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "absl/base/attributes.h"
#include "absl/base/optimization.h"
#include "filter/lookup_filter.h"
#include "sstable/experimental/table_filter.h"
#include "sstable/table_reader.h"
#include "table/reader_stats_counter.h"
#include "table/table_reader_impl.h"
#include "util/status_util.h"

namespace sstable {
namespace {

using Reader = TableReader::Impl;
using Counter = ReaderStatsCounter::Counter;

constexpr size_t kBatchSize = LayeredTree::kMaxBatch;
constexpr size_t kCacheLine = 64;
constexpr int kEntriesARound = 4;

void PrefetchRange(const char* start, size_t size) {
  for (size_t i = 0; i < size; i += kCacheLine) __builtin_prefetch(start + i);
  if (size > 0) __builtin_prefetch(start + size - 1);
}

// One key on its way through the phases.
struct Lane {
  LookupRequest* request;
  uint32_t hash;  // hash of the key, for a Bloom filter
  bool is_last;   // no later block has versions of the key
  FilterOutcome outcome;
  const IndexRecord* record;
  Block block;
  PinnedBlock pin;
  KeyBuffer buffer;  // for the key, with room after it
  BytewiseSearch bytewise_search;
  InternalSearch internal_search;
  SearchStep end = SearchStep::kEnd;
  BlockSearchResult found;
};

// The lanes of a batch that one phase passes to the next, in the order of their keys.
class Lanes {
 public:
  bool empty() const { return count_ == 0; }
  size_t size() const { return count_; }
  Lane* const* begin() const { return lanes_.data(); }
  Lane* const* end() const { return lanes_.data() + count_; }

  void Add(Lane* lane) { lanes_[count_++] = lane; }

  // Keeps only the lanes for which `step` returns true.
  template <typename Step>
  void Advance(Step step) {
    const size_t count = std::exchange(count_, 0);
    for (size_t i = 0; i < count; ++i) {
      if (step(*lanes_[i])) Add(lanes_[i]);
    }
  }

 private:
  std::array<Lane*, kBatchSize> lanes_;
  size_t count_ = 0;
};

// Counts for the reader's statistics.
struct Counts {
  void Add(Counter counter, uint64_t amount = 1) { amounts[counter] += amount; }
  std::array<uint64_t, Counter::kCounterCount> amounts = {};
};

// The state that the phases of a batch share.
struct Batch {
  const Reader& reader;
  const LoadedTable& loaded;
  uint64_t snapshot;  // internal keys only
  uint64_t tag = SeekTag(snapshot);
  Counts counts = {};

  bool is_internal() const { return reader.parts_.order.kind() == KeyKind::kInternal; }
  bool MayGoOn(const Lane& lane) const {
    return !lane.is_last && is_internal() &&
           reader.VersionsMayContinue(*loaded.index, loaded.index->BlockIndex(*lane.record),
                                      lane.request->key);
  }
  const TableFilter* table_filter() const { return loaded.table_filter.filter.get(); }

  // Ends a lane whose key is not in the table.
  bool EndAbsent(const FilterOutcome& outcome, LookupRequest* request) {
    request->presence = Presence::kAbsent;
    outcome.Count(&counts);
    return false;
  }
  // Ends a lane with an error, to which it adds the block's name.
  bool Fail(const Lane& lane, const absl::Status& status) const {
    lane.request->presence =
        AtBlock(*reader.parts_.file, BlockKind::kData, lane.record->handle(), status);
    return false;
  }
};

// Copies to `asked` the requests that the table's filter does not rule out. Returns their number.
size_t PassTableFilter(absl::Span<LookupRequest> requests, Batch* batch, LookupRequest** asked) {
  const TableFilter* const filter = batch->table_filter();
  uint64_t hashes[kBatchSize];
  if (filter != nullptr) {
    for (size_t i = 0; i < requests.size(); ++i) {
      hashes[i] = TableFilterHash(requests[i].key);
      filter->Prefetch(hashes[i]);
    }
  }
  size_t count = 0;
  for (size_t i = 0; i < requests.size(); ++i) {
    if (filter == nullptr || filter->MayMatch(hashes[i])) {
      asked[count++] = &requests[i];
    } else {
      batch->EndAbsent(FilterOutcome(FilterAnswer::kAbsent), &requests[i]);
    }
  }
  return count;
}

// Sets up a lane for each request. Returns the lanes whose key may be in a block.
Lanes FindBlocks(absl::Span<LookupRequest* const> requests, Batch* batch, Lane* all) {
  const LoadedTable& loaded = batch->loaded;
  const TableIndex& index = *loaded.index;
  absl::string_view keys[kBatchSize];
  size_t blocks[kBatchSize];
  bool are_of_other_keys[kBatchSize];
  for (size_t i = 0; i < requests.size(); ++i) {
    all[i].request = requests[i];
    keys[i] = requests[i]->key;
    all[i].hash = loaded.filter.Hash(keys[i]);
    if (batch->table_filter() != nullptr) all[i].outcome = FilterOutcome(FilterAnswer::kMayMatch);
  }
  index.FindMany(keys, requests.size(), batch->tag, blocks, are_of_other_keys);
  for (size_t i = 0; i < requests.size(); ++i) {
    if (blocks[i] == index.size()) continue;
    __builtin_prefetch(&index.record(blocks[i]));
    if (loaded.cached_blocks.has_value()) loaded.cached_blocks->PrefetchPlace(blocks[i]);
  }
  Lanes lanes;
  for (size_t i = 0; i < requests.size(); ++i) {
    const size_t block = blocks[i];
    if (block == index.size()) {
      batch->EndAbsent(all[i].outcome, requests[i]);
      continue;
    }
    Lane* const lane = &all[i];
    lane->record = &index.record(block);
    lane->is_last = are_of_other_keys[i];
    if (loaded.cached_blocks.has_value()) loaded.cached_blocks->PrefetchSlot(block);
    if (loaded.filter.reader() != nullptr) {
      const absl::string_view filter = loaded.filter.BytesOf(*lane->record);
      PrefetchRange(filter.data(), std::min<size_t>(filter.size(), 2 * kCacheLine));
    }
    lanes.Add(lane);
  }
  return lanes;
}

// Prefetches the block's restart points, and pins it if it is in the cache. Returns false if it is
// neither in the cache nor, raw and verified, in a file in memory.
ABSL_ATTRIBUTE_ALWAYS_INLINE inline bool PrepareBlock(const LoadedTable& loaded, Lane* lane) {
  const IndexRecord& record = *lane->record;
  if (record.state.Has(BlockState::kDirect)) {
    const char* const end = loaded.file_bytes + record.block_offset + record.block_size;
    __builtin_prefetch(end - 4);
    __builtin_prefetch(end - std::min<size_t>(record.block_size, 36));
    return true;
  }
  if (!loaded.cached_blocks.has_value()) return false;
  lane->pin = loaded.cached_blocks->Find(loaded.index->BlockIndex(record));
  if (!lane->pin.has_block()) return false;
  lane->block = lane->pin.block();
  __builtin_prefetch(lane->block.end());
  return true;
}

// Drops the lanes that the filter rules out. Returns those that must be looked up alone: their
// block is not at hand, or versions of their key may continue in the next block.
Lanes AskFilters(Batch* batch, Lanes* lanes) {
  Lanes alone;
  lanes->Advance([&](Lane& lane) {
    if (ABSL_PREDICT_FALSE(batch->MayGoOn(lane))) {
      alone.Add(&lane);
      return false;
    }
    const FilterAnswer answer =
        batch->loaded.filter.Ask(*lane.record, lane.request->key, lane.hash);
    if (lane.outcome.RulesOut(answer)) return batch->EndAbsent(lane.outcome, lane.request);
    if (!PrepareBlock(batch->loaded, &lane)) {
      alone.Add(&lane);
      return false;
    }
    return true;
  });
  return alone;
}

// Parses a block in the file; one in the cache is parsed already.
ABSL_ATTRIBUTE_ALWAYS_INLINE inline bool ParseBlock(Batch* batch, Lane* lane) {
  if (lane->pin.has_block()) {
    batch->counts.Add(Counter::kCacheHits);
    return true;
  }
  batch->counts.Add(Counter::kBlocksRead);
  batch->counts.Add(Counter::kBytesRead, lane->record->block_size + kBlockTrailerSize);
  const absl::string_view bytes(batch->loaded.file_bytes + lane->record->block_offset,
                                lane->record->block_size);
  return Block::TryParse(bytes, &lane->block, lane->record->restart_count.get()) ||
         batch->Fail(*lane, Block::Parse(bytes).status());
}

void FindRestarts(Batch* batch, Lanes* lanes) {
  lanes->Advance([batch](Lane& lane) {
    if (ABSL_PREDICT_FALSE(!ParseBlock(batch, &lane))) return false;
    // the points where the binary search starts
    const uint32_t count = lane.block.restart_count();
    for (uint32_t i = count / 8; i < count; i += std::max(1u, count / 4)) {
      __builtin_prefetch(lane.block.begin() + lane.block.RestartOffset(i));
    }
    return true;
  });
  lanes->Advance([batch](Lane& lane) {
    lane.found.entry = nullptr;
    if (lane.block.entries_size() == 0) return true;
    const LookupKey key = {lane.request->key, batch->tag};
    const char* start = nullptr;
    if (absl::Status status =
            FindRunStart(lane.block, batch->reader.parts_.order.shape(), key, &start);
        ABSL_PREDICT_FALSE(!status.ok())) {
      return batch->Fail(lane, status);
    }
    lane.buffer.Assign(key.user_key);
    if (batch->is_internal()) {
      const InternalTarget target(lane.buffer.view(), key.tag);
      lane.internal_search = InternalSearch(start, lane.block, target);
    } else {
      lane.bytewise_search = BytewiseSearch(start, lane.block, BytewiseTarget(lane.buffer.view()));
    }
    return true;
  });
}

// Prefetches the entries of a lane's next round, from `next` on, assuming they have the size of the
// last ones. Sizes differ, so it prefetches the cache lines 32 bytes before and after each expected
// start, which cover a small entry.
void PrefetchEntries(const char* next, ptrdiff_t size) {
  for (int i = 0; i < kEntriesARound; ++i) {
    __builtin_prefetch(next + i * size - kCacheLine / 2);
    __builtin_prefetch(next + i * size + kCacheLine / 2);
  }
}

// Returns the lanes whose search found the key, and puts the others into `missed`. The first two
// rounds take one entry each: the first entry has a full key, so the second is the first of typical
// size.
template <typename Search>
Lanes WalkEntries(Search Lane::*search, Lanes* lanes, Lanes* missed) {
  Lanes found;
  for (int round = 0; !lanes->empty(); ++round) {
    const int entries = round < 2 ? 1 : kEntriesARound;
    lanes->Advance([&](Lane& lane) {
      const char* const from = (lane.*search).position();
      SearchStep step = (lane.*search).Next(&lane.found);
      for (int i = 1; i < entries && step == SearchStep::kContinue; ++i) {
        step = (lane.*search).Next(&lane.found);
      }
      if (step == SearchStep::kContinue) {
        const char* const next = (lane.*search).position();
        PrefetchEntries(next, (next - from) / entries);
        return true;
      }
      lane.end = step;
      if (step == SearchStep::kFound && lane.found.has_user_key) {
        found.Add(&lane);
        PrefetchRange(lane.found.value.data(), std::min<size_t>(lane.found.value.size(), 512));
      } else {
        missed->Add(&lane);
      }
      return false;
    });
  }
  return found;
}

// Ends a lane whose block does not have the key. Returns false if only a search that rebuilds keys
// can decide that.
bool EndMissed(Batch* batch, Lane* lane) {
  if (ABSL_PREDICT_FALSE(lane->end == SearchStep::kNeedsFullKeys)) return false;
  if (ABSL_PREDICT_FALSE(lane->end == SearchStep::kMalformed)) {
    const bool is_internal = batch->is_internal();
    const char* const at =
        is_internal ? lane->internal_search.position() : lane->bytewise_search.position();
    batch->Fail(*lane, EntryError(lane->block, at,
                                  is_internal ? lane->internal_search.key_size()
                                              : lane->bytewise_search.key_size()));
    return true;
  }
  const LookupKey key = {lane->request->key, batch->tag};
  if (batch->is_internal() && key.tag < kNewestTag &&
      batch->reader.HasNewerVersion(batch->loaded, lane->block, key, &lane->buffer)) {
    lane->outcome.set_has_key();
  }
  batch->EndAbsent(lane->outcome, lane->request);
  return true;
}

void EndFound(Batch* batch, Lane* lane) {
  LookupRequest* const request = lane->request;
  NewestVersion newest{request->value};
  absl::Status status;
  if (batch->is_internal()) {
    status = batch->reader.DecodeVersion(lane->found, &lane->buffer, &newest);
  } else {
    newest.presence = Presence::kFound;
    request->value->assign(lane->found.value.data(), lane->found.value.size());
  }
  if (!status.ok()) {
    request->presence = std::move(status);
    return;
  }
  request->presence = newest.presence;
  lane->outcome.set_has_key();
  lane->outcome.Count(&batch->counts);
}

void LookUpInLockStep(const Reader& reader, const LoadedTable& loaded, uint64_t snapshot,
                      absl::Span<LookupRequest> requests) {
  Batch batch = {reader, loaded, snapshot};
  std::array<Lane, kBatchSize> all;
  Lanes missed;
  std::array<LookupRequest*, kBatchSize> asked;
  const size_t asked_count = PassTableFilter(requests, &batch, asked.data());
  Lanes lanes = FindBlocks(absl::MakeConstSpan(asked.data(), asked_count), &batch, all.data());
  Lanes alone = AskFilters(&batch, &lanes);
  FindRestarts(&batch, &lanes);
  const Lanes found = batch.is_internal() ? WalkEntries(&Lane::internal_search, &lanes, &missed)
                                          : WalkEntries(&Lane::bytewise_search, &lanes, &missed);
  for (Lane* const lane : missed) {
    if (!EndMissed(&batch, lane)) alone.Add(lane);
  }
  for (Lane* const lane : found) EndFound(&batch, lane);
  ReaderStatsCounter::Shard& stats = reader.parts_.stats.ForThisThread();
  for (size_t i = 0; i < Counter::kCounterCount; ++i) {
    const uint64_t amount = batch.counts.amounts[i];
    if (amount > 0) stats.Add(static_cast<Counter>(i), amount);
  }
  for (Lane& lane : all) lane.pin.Release();  // makes room for the blocks of `alone`
  // A device can read the blocks of all lanes at once. Verified blocks have been read before.
  for (const Lane* lane : alone) {
    if (!lane->record->state.Has(BlockState::kVerified)) {
      FetchAhead(*reader.parts_.file, lane->record->handle());
    }
  }
  for (const Lane* lane : alone) {
    lane->request->presence = reader.Get(lane->request->key, lane->request->value, {snapshot});
  }
}

}  // namespace

void TableReader::MultiGet(absl::Span<LookupRequest> requests, const ReadOptions& options) const {
  try {
    Impl::Of(*this).LookUpTogether(requests, options.snapshot);
  } catch (...) {
    // It is not known which requests have been answered.
    const absl::Status status = StatusOfException();
    for (LookupRequest& request : requests) request.presence = status;
    throw;
  }
}

void TableReader::Impl::LookUpTogether(absl::Span<LookupRequest> requests,
                                       uint64_t snapshot) const {
  const LoadedTable& loaded = loader_.Load();
  if (ABSL_PREDICT_FALSE(!loaded.index.has_value())) {
    const absl::Status status = loaded.index_status.At(*parts_.file);
    for (LookupRequest& request : requests) request.presence = status;
    return;
  }
  // Invalid snapshots are left to single lookups.
  const bool is_internal =
      parts_.order.shape() == KeyOrder::Shape::kInternalBytewise && snapshot <= kMaxSequence;
  const bool in_lock_step = (loaded.file_bytes != nullptr || loaded.cached_blocks.has_value()) &&
                            loaded.index->has_tree() &&
                            (parts_.order.shape() == KeyOrder::Shape::kBytewise || is_internal);
  if (!in_lock_step) {
    for (LookupRequest& request : requests) {
      request.presence = Get(request.key, request.value, {snapshot});
    }
    return;
  }
  for (size_t i = 0; i < requests.size(); i += kBatchSize) {
    LookUpInLockStep(*this, loaded, snapshot, requests.subspan(i, kBatchSize));
  }
}

}  // namespace sstable
