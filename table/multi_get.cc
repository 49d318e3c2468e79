// TableReader::MultiGet(): keys in lock step.
//
// A lookup in a table larger than the cache is a chain of loads, each of which waits for memory:
// tree node, index record, filter, restart array, restart point, entries. Up to 32 keys take
// each link of the chain in turn, and each asks for what its next link needs, so that 32 waits
// pass as one. Blocks are in the file, or pinned in the cache. Keys that can't go along, because
// their block must be verified, uncompressed or read from the file first, are looked up one by
// one behind the others.
#include <algorithm>
#include <array>

#include "absl/base/optimization.h"
#include "filter/bloom.h"
#include "sstable/table_reader.h"
#include "table/table_reader_impl.h"
#include "util/status_util.h"

namespace sstable {
namespace {

constexpr size_t kBatchSize = 32;
constexpr size_t kCacheLine = 64;
constexpr int kEntriesARound = 4;

void PrefetchRange(const char* start, size_t size) {
  for (size_t i = 0; i < size; i += kCacheLine) __builtin_prefetch(start + i);
  if (size > 0) __builtin_prefetch(start + size - 1);
}

}  // namespace

// One batch. Each step works on the lanes that are still under way.
class TableReader::Impl::LockStep {
 public:
  LockStep(const Impl& reader, const Loaded& loaded, absl::Span<LookupRequest> requests)
      : reader_(reader), loaded_(loaded), index_(*loaded.index), requests_(requests) {}

  void Run() {
    FindBlocks();
    AskFilters();
    FindRestarts();
    WalkRuns();
    for (size_t i = 0; i < found_count_; ++i) Deliver(found_[i]);
    Count();
    for (Lane& lane : lanes_) lane.pin.Release();  // room for the blocks of the others
    for (size_t i = 0; i < alone_count_; ++i) LookUpAlone(alone_[i]);
  }

 private:
  struct Lane {
    size_t request;
    uint32_t hash;
    const IndexRecord* record;
    Block block;
    PinnedBlock pin;
    KeyBuffer key;
    BytewiseRun run;
    BlockSearchResult found;
  };

  void FindBlocks() {
    uint64_t prefixes[kBatchSize] = {};
    size_t places[kBatchSize];
    bool in_tree[kBatchSize];
    for (size_t i = 0; i < requests_.size(); ++i) {
      const absl::string_view key = requests_[i].key;
      if (loaded_.bloom != nullptr) lanes_[i].hash = BloomCreationHash(*loaded_.bloom, key);
      in_tree[i] = index_.TreeTarget(key, &prefixes[i]);
    }
    index_.FindInTree(prefixes, requests_.size(), places);
    for (size_t i = 0; i < requests_.size(); ++i) {
      if (places[i] == index_.size()) continue;
      __builtin_prefetch(&index_.record(places[i]));
      if (loaded_.cached_blocks.has_value()) loaded_.cached_blocks->PrefetchPlace(places[i]);
    }
    for (size_t i = 0; i < requests_.size(); ++i) {
      size_t block = places[i];
      if (!in_tree[i] || !index_.IsPlaceSure(prefixes[i], block)) {
        // Can't fail: the index has a tree.
        static_cast<void>(index_.Find(requests_[i].key, &block));
      }
      if (block == index_.size()) {
        requests_[i].presence = Presence::kAbsent;
        ++unfiltered_;
        continue;
      }
      Lane& lane = lanes_[lane_count_];
      lane.hash = lanes_[i].hash;
      lane.request = i;
      lane.record = &index_.record(block);
      ++lane_count_;
      if (loaded_.cached_blocks.has_value()) loaded_.cached_blocks->PrefetchSlot(block);
      if (loaded_.filter.has_value() && lane.record->filter_size > 0) {
        PrefetchRange(loaded_.filter->contents().data() + lane.record->filter_offset,
                      std::min<size_t>(lane.record->filter_size, 2 * kCacheLine));
      }
    }
  }

  // Keeps the lanes for which `step` is true, in their order.
  template <typename Step>
  void Advance(Step step) {
    size_t kept = 0;
    for (size_t i = 0; i < lane_count_; ++i) {
      const size_t lane = order_[i];
      if (step(lanes_[lane])) order_[kept++] = lane;
    }
    lane_count_ = kept;
  }

  void AskFilters() {
    for (size_t i = 0; i < lane_count_; ++i) order_[i] = i;
    Advance([this](Lane& lane) {
      LookupRequest& request = requests_[lane.request];
      const FilterAnswer answer = reader_.AskFilter(loaded_, *lane.record, request.key, lane.hash);
      if (answer == FilterAnswer::kAbsent) {
        request.presence = Presence::kAbsent;
        ++filter_negatives_;
        return false;
      }
      if (!PrepareBlock(&lane)) {
        alone_[alone_count_++] = lane.request;
        return false;
      }
      ++(answer == FilterAnswer::kMayMatch ? filter_positives_ : unfiltered_);
      return true;
    });
  }

  // Asks for the block's restart points, and pins it if it is in the cache. False if it is
  // neither there nor in the file as it is needed.
  bool PrepareBlock(Lane* lane) {
    const IndexRecord& record = *lane->record;
    if (record.state.Has(BlockState::kDirect)) {
      const char* const end = loaded_.file_bytes + record.block_offset + record.block_size;
      __builtin_prefetch(end - 4);
      __builtin_prefetch(end - std::min<size_t>(record.block_size, 36));
      return true;
    }
    if (!loaded_.cached_blocks.has_value()) return false;
    lane->pin = loaded_.cached_blocks->Find(index_.BlockIndex(record));
    if (!lane->pin.has_block()) return false;
    lane->block = lane->pin.block();
    __builtin_prefetch(lane->block.end());
    return true;
  }

  // Puts an error into a request, with the block's place.
  bool Fail(const Lane& lane, const absl::Status& status) {
    requests_[lane.request].presence =
        AtBlock(*reader_.file_, BlockKind::kData, lane.record->handle(), status);
    return false;
  }

  // Parses a block that is in the file; one in the cache is parsed.
  bool ParseBlock(Lane* lane) {
    if (lane->pin.has_block()) {
      ++cache_hits_;
      return true;
    }
    ++blocks_read_;
    bytes_read_ += lane->record->block_size + kBlockTrailerSize;
    const absl::string_view bytes(loaded_.file_bytes + lane->record->block_offset,
                                  lane->record->block_size);
    return Block::TryParse(bytes, &lane->block) || Fail(*lane, Block::Parse(bytes).status());
  }

  void FindRestarts() {
    Advance([this](Lane& lane) {
      if (ABSL_PREDICT_FALSE(!ParseBlock(&lane))) return false;
      // The points that the first steps of the binary search look at.
      const uint32_t count = lane.block.restart_count();
      for (uint32_t i = count / 8; i < count; i += std::max(1u, count / 4)) {
        __builtin_prefetch(lane.block.begin() + lane.block.RestartOffset(i));
      }
      return true;
    });
    Advance([this](Lane& lane) {
      lane.found.entry = nullptr;
      if (lane.block.entries_size() == 0) return true;
      lane.key.Assign(requests_[lane.request].key);
      const char* start = nullptr;
      if (absl::Status status = FindRestartBytewise(lane.block, lane.key.view(), &start);
          ABSL_PREDICT_FALSE(!status.ok())) {
        return Fail(lane, status);
      }
      lane.run = BytewiseRun(start, lane.block, lane.key.view());
      return true;
    });
  }

  // Entries are mostly of one size, so that a lane can ask for some ahead of its next round. The
  // first rounds are for one entry: the first has a whole key, the second's size is like
  // others'.
  void WalkRuns() {
    for (int round = 0; lane_count_ > 0; ++round) {
      const int entries = round < 2 ? 1 : kEntriesARound;
      Advance([this, entries](Lane& lane) {
        const char* const from = lane.run.position();
        BytewiseRun::Step step = lane.run.Next(&lane.found);
        for (int i = 1; i < entries && step == BytewiseRun::Step::kGoOn; ++i) {
          step = lane.run.Next(&lane.found);
        }
        switch (step) {
          case BytewiseRun::Step::kGoOn: {
            const char* const next = lane.run.position();
            const ptrdiff_t size = (next - from) / entries;
            for (int i = 0; i < kEntriesARound; ++i) __builtin_prefetch(next + i * size);
            return true;
          }
          case BytewiseRun::Step::kMalformed:
            return Fail(lane, EntryError(lane.block, lane.run.position(), lane.run.key_size()));
          case BytewiseRun::Step::kFound:
            if (lane.found.equal) {
              found_[found_count_++] = static_cast<size_t>(&lane - lanes_.data());
              PrefetchRange(lane.found.value.data(),
                            std::min<size_t>(lane.found.value.size(), 512));
              return false;
            }
            break;
          case BytewiseRun::Step::kEnd:
            break;
        }
        requests_[lane.request].presence = Presence::kAbsent;
        if (loaded_.filter.has_value() && lane.record->filter_size > 0) ++false_positives_;
        return false;
      });
    }
  }

  void Deliver(size_t lane_index) {
    const Lane& lane = lanes_[lane_index];
    LookupRequest& request = requests_[lane.request];
    request.value->assign(lane.found.value.data(), lane.found.value.size());
    request.presence = Presence::kFound;
  }

  void Count() const {
    ReaderStatsCounter::Shard& stats = reader_.stats_.ForThisThread();
    stats.Add(ReaderStatsCounter::kUnfilteredLookups, unfiltered_);
    stats.Add(ReaderStatsCounter::kFilterNegatives, filter_negatives_);
    stats.Add(ReaderStatsCounter::kFilterPositives, filter_positives_);
    stats.Add(ReaderStatsCounter::kFalsePositives, false_positives_);
    stats.Add(ReaderStatsCounter::kBlocksRead, blocks_read_);
    stats.Add(ReaderStatsCounter::kBytesRead, bytes_read_);
    stats.Add(ReaderStatsCounter::kCacheHits, cache_hits_);
  }

  void LookUpAlone(size_t i) {
    requests_[i].presence = reader_.Find(requests_[i].key, requests_[i].value);
  }

  const Impl& reader_;
  const Loaded& loaded_;
  const TableIndex& index_;
  const absl::Span<LookupRequest> requests_;

  std::array<Lane, kBatchSize> lanes_;
  size_t lane_count_ = 0;
  std::array<size_t, kBatchSize> order_;  // the lanes under way
  std::array<size_t, kBatchSize> found_;  // lanes
  size_t found_count_ = 0;
  std::array<size_t, kBatchSize> alone_;  // requests
  size_t alone_count_ = 0;

  uint64_t unfiltered_ = 0;
  uint64_t filter_negatives_ = 0;
  uint64_t filter_positives_ = 0;
  uint64_t false_positives_ = 0;
  uint64_t blocks_read_ = 0;
  uint64_t bytes_read_ = 0;
  uint64_t cache_hits_ = 0;
};

void TableReader::MultiGet(absl::Span<LookupRequest> requests, uint64_t snapshot) const {
  try {
    Impl::Of(*this).LookUpTogether(requests, snapshot);
  } catch (...) {
    // Which of them have been answered nobody knows.
    const absl::Status status = StatusOfException();
    for (LookupRequest& request : requests) request.presence = status;
    throw;
  }
}

void TableReader::Impl::LookUpTogether(absl::Span<LookupRequest> requests,
                                       uint64_t snapshot) const {
  const Loaded& loaded = loader_.Load();
  if (ABSL_PREDICT_FALSE(!loaded.index.has_value())) {
    const absl::Status status = loaded.index_status.At(*file_);
    for (LookupRequest& request : requests) request.presence = status;
    return;
  }
  const bool in_lock_step = (loaded.file_bytes != nullptr || loaded.cached_blocks.has_value()) &&
                            loaded.index->has_tree() &&
                            order_.shape() == KeyOrder::Shape::kBytewise;
  if (!in_lock_step) {
    for (LookupRequest& request : requests) {
      request.presence = Find(request.key, request.value, snapshot);
    }
    return;
  }
  for (size_t i = 0; i < requests.size(); i += kBatchSize) {
    LockStep(*this, loaded, requests.subspan(i, kBatchSize)).Run();
  }
}

}  // namespace sstable
