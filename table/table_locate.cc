// Lookups through a filter that says where keys are: from it to the run, with no index between.
#include <algorithm>
#include <cstddef>

#include "absl/base/attributes.h"
#include "absl/base/optimization.h"
#include "filter/locate_filter.h"
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
                                              absl::string_view key, KeyBuffer* scratch,
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

TableReader::Impl::Located TableReader::Impl::Locate(const Loaded& loaded, absl::string_view key,
                                                     KeyBuffer* scratch, DataBlock* data,
                                                     BlockSearchResult* found) const {
  const absl::string_view user_key = order_.UserKey(key);
  const Located located = TryPlaces(loaded, TableFilterHash(user_key), [&](uint64_t place) {
    const RunStep step = SearchPlace(loaded, place, key, scratch, data, found);
    if (step != RunStep::kFound || found->equal ||
        (order_.kind() == KeyKind::kInternal && HasUserKey(*found, user_key, scratch))) {
      return step;
    }
    return RunStep::kGoOn;
  });
  if (located != Located::kFound) *found = {};
  return located;
}

// Find() at one place, for plain keys.
ABSL_ATTRIBUTE_NOINLINE RunStep TableReader::Impl::FindAtPlace(const Loaded& loaded, uint64_t place,
                                                               absl::string_view key,
                                                               std::string* value) const {
  KeyBuffer scratch;
  DataBlock data;
  BlockSearchResult found;
  const RunStep step = SearchPlace(loaded, place, key, &scratch, &data, &found);
  if (step != RunStep::kFound) return step;
  if (!found.equal) return RunStep::kGoOn;
  AssignValue(found.value, value);
  return RunStep::kFound;
}

// Keys that the filter rules out come no further than this, so it has no buffers.
absl::StatusOr<Presence> TableReader::Impl::FindLocated(const Loaded& loaded, absl::string_view key,
                                                        std::string* value) const {
  switch (TryPlaces(loaded, TableFilterHash(key),
                    [&](uint64_t place) { return FindAtPlace(loaded, place, key, value); })) {
    case Located::kFound:
      return Presence::kFound;
    case Located::kAbsent:
      return Presence::kAbsent;
    case Located::kUnknown:
      break;
  }
  return FindByIndex(loaded, key, value);
}

}  // namespace sstable
