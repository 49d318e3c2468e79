// Lookups through a filter that says where keys are: from it to the run, with no index between.
#include "absl/base/optimization.h"
#include "filter/locate_filter.h"
#include "table/table_reader_impl.h"

namespace sstable {

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

TableReader::Impl::Located TableReader::Impl::Locate(const Loaded& loaded, absl::string_view key,
                                                     KeyBuffer* scratch, DataBlock* data,
                                                     BlockSearchResult* found) const {
  const bool is_internal = order_.kind() == KeyKind::kInternal;
  const absl::string_view user_key = order_.UserKey(key);
  bool has_place = false, is_sure = true;
  const bool is_found =
      loaded.table_filter.locate->ForEachPlace(TableFilterHash(user_key), [&](uint64_t place) {
        has_place = true;
        if (loaded.file_bytes != nullptr && place < file_->size()) {
          // All of the run, as its entries are read one after the other.
          const char* const start = loaded.file_bytes + place;
          const size_t size = std::min<size_t>(loaded.restart_distance, 2048);
          for (size_t i = 0; i < size; i += 64) __builtin_prefetch(start + i);
        }
        const RunStep step = SearchPlace(loaded, place, key, scratch, data, found);
        if (step == RunStep::kFound) {
          return found->equal || (is_internal && HasUserKey(*found, user_key, scratch));
        }
        // After a run of internal keys, older versions of its last one may follow.
        if (is_internal || step == RunStep::kMalformed) is_sure = false;
        return false;
      });
  if (!is_found && !is_sure) return Located::kUnknown;
  ReaderStatsCounter::Shard& stats = stats_.ForThisThread();
  stats.Add(has_place ? ReaderStatsCounter::kFilterPositives
                      : ReaderStatsCounter::kFilterNegatives);
  if (is_found) return Located::kFound;
  if (has_place) stats.Add(ReaderStatsCounter::kFalsePositives);
  found->entry = nullptr;
  return Located::kAbsent;
}

}  // namespace sstable
