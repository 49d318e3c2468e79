// Lookups through a filter that says where keys are: from it to the run, with no index between.
#include <algorithm>
#include <cstddef>

#include "absl/base/attributes.h"
#include "absl/base/optimization.h"
#include "absl/functional/function_ref.h"
#include "filter/locate_filter.h"
#include "table/table_internals.h"
#include "table/table_reader_impl.h"

namespace sstable {
namespace {

constexpr size_t kMaxPrefetch = 2048;  // bytes of a run
constexpr size_t kCacheLine = 64;

}  // namespace

// Searches the run at `place`: kFound, with the first entry that is not below `key`; kEnd if there
// is none; kMalformed if there can be no run, or its block can't be read. `place` may be any
// number: nothing is read but a block that is sound.
inline RunStep TableReader::Impl::SearchPlace(const Loaded& loaded, uint64_t place,
                                              const LookupKey& key, KeyBuffer* scratch,
                                              DataBlock* data, BlockSearchResult* found) const {
  const TableFilterBlock& filter = loaded.table_filter;
  const IndexRecord& record = filter.blocks->Find(place);
  if (ABSL_PREDICT_FALSE(!ReadDataBlock(loaded, record, data).ok())) return RunStep::kMalformed;
  const Block& block = data->block;
  if (ABSL_PREDICT_FALSE(place >= record.block_offset + record.block_size)) {
    // Only the block is known.
    if (!SearchBlock(block, order_, key, scratch, found).ok()) return RunStep::kMalformed;
    return found->entry != nullptr ? RunStep::kFound : RunStep::kEnd;
  }
  const uint64_t offset = RunOffset(block, record, place);
  if (ABSL_PREDICT_FALSE(offset >= block.entries_size())) return RunStep::kMalformed;
  return SearchRun(block.begin() + offset, block.end(), filter.locate->max_run_entries(), order_,
                   key, scratch, found);
}

// Searches the places that the filter has for a key with this hash. `search` is called with each
// and says what SearchPlace() does, but kGoOn if what it found is another key.
template <typename Search>
inline TableReader::Impl::Located TableReader::Impl::TryPlaces(const Loaded& loaded, uint64_t hash,
                                                               Search search) const {
  bool has_place = false, is_sure = true;
  const bool is_found = loaded.table_filter.locate->ForEachPlace(hash, [&](uint64_t place) {
    has_place = true;
    if (loaded.file_bytes != nullptr && place < file_->size()) {
      // All of the run, as its entries are read one after the other.
      const char* const start = loaded.file_bytes + place;
      const size_t size = std::min(loaded.restart_distance, kMaxPrefetch);
      for (size_t i = 0; i < size; i += kCacheLine) __builtin_prefetch(start + i);
    }
    const RunStep step = search(place);
    // After a run of internal keys, older versions of its last one may follow.
    if (step == RunStep::kMalformed ||
        (step == RunStep::kEnd && order_.kind() == KeyKind::kInternal)) {
      is_sure = false;
    }
    return step == RunStep::kFound;
  });
  if (!is_found && !is_sure) return Located::kUnknown;
  ReaderStatsCounter::Shard& stats = stats_.ForThisThread();
  stats.Add(has_place ? ReaderStatsCounter::kFilterPositives
                      : ReaderStatsCounter::kFilterNegatives);
  if (is_found) return Located::kFound;
  if (has_place) stats.Add(ReaderStatsCounter::kFalsePositives);
  return Located::kAbsent;
}

template <typename Visit>
inline TableReader::Impl::Located TableReader::Impl::LocateAndShow(
    const Loaded& loaded, const LookupKey& key, KeyBuffer* scratch, DataBlock* data,
    BlockSearchResult* found, Visit visit) const {
  const Located located = TryPlaces(loaded, TableFilterHash(key.user_key), [&](uint64_t place) {
    RunStep step = SearchPlace(loaded, place, key, scratch, data, found);
    if (step == RunStep::kFound && !found->has_user_key) step = RunStep::kGoOn;
    visit(place, step);
    return step;
  });
  if (located != Located::kFound) *found = {};
  return located;
}

TableReader::Impl::Located TableReader::Impl::Locate(const Loaded& loaded, const LookupKey& key,
                                                     KeyBuffer* scratch, DataBlock* data,
                                                     BlockSearchResult* found) const {
  return LocateAndShow(loaded, key, scratch, data, found, [](uint64_t, RunStep) {});
}

bool TracePlaces(const TableReader& reader, absl::string_view key,
                 absl::FunctionRef<void(const PlaceStep&)> visit) {
  const auto& self = TableReader::Impl::Of(reader);
  const LoadedTable& loaded = self.loader_.Load();
  if (loaded.table_filter.locate == nullptr) return false;
  KeyBuffer scratch;
  TableReader::Impl::DataBlock data;
  BlockSearchResult found;
  const auto show = [&](uint64_t place, RunStep outcome) {
    const bool has_key = outcome == RunStep::kFound || outcome == RunStep::kGoOn;
    visit({place, loaded.index->BlockIndex(loaded.table_filter.blocks->Find(place)), outcome,
           has_key ? found.TakeKey(&scratch) : absl::string_view()});
  };
  return self.LocateAndShow(loaded, self.order_.Split(key), &scratch, &data, &found, show) !=
         TableReader::Impl::Located::kUnknown;
}

// Find() at one place. Sets `*presence` if it returns kFound.
ABSL_ATTRIBUTE_NOINLINE RunStep
TableReader::Impl::FindAtPlace(const Loaded& loaded, uint64_t place, const LookupKey& key,
                               std::string* value, absl::StatusOr<Presence>* presence) const {
  KeyBuffer scratch;
  DataBlock data;
  BlockSearchResult found;
  const RunStep step = SearchPlace(loaded, place, key, &scratch, &data, &found);
  if (step != RunStep::kFound) return step;
  if (!found.has_user_key) return RunStep::kGoOn;
  *presence = TakeFound(found, &scratch, value);
  return RunStep::kFound;
}

// Keys that the filter rules out come no further than this, so it has no buffers.
absl::StatusOr<Presence> TableReader::Impl::FindLocated(const Loaded& loaded, const LookupKey& key,
                                                        std::string* value) const {
  absl::StatusOr<Presence> presence = Presence::kAbsent;
  const Located located = TryPlaces(loaded, TableFilterHash(key.user_key), [&](uint64_t place) {
    return FindAtPlace(loaded, place, key, value, &presence);
  });
  if (located == Located::kUnknown) return FindByIndex(loaded, key, value);
  return presence;
}

}  // namespace sstable
