#include "filter/table_filter_keys.h"

#include <cassert>

#include "absl/types/span.h"
#include "filter/locate_filter.h"

namespace sstable {

void TableFilterKeys::CreateFilter(std::string* dst) {
  const absl::Span<uint64_t> hashes(reinterpret_cast<uint64_t*>(hashes_.data()), key_count());
  if (needs_places_) return policy_->CreateLocateFilter(hashes, Places(), dst);
  policy_->CreateFilter(hashes, dst);
}

void TableFilterKeys::AddPrefixOf(absl::string_view user_key) {
  const std::optional<absl::string_view> prefix = prefixes_->PrefixOf(user_key);
  if (!prefix.has_value()) {
    last_prefix_.reset();
  } else if (!last_prefix_.has_value() || *last_prefix_ != *prefix) {
    AddHash(TablePrefixHash(*prefix));
    last_prefix_.emplace(prefix->data(), prefix->size());
  }
}

// Replaces the runs' offsets by their places. Each block's first run, and no other, has offset 0.
KeyPlaces TableFilterKeys::Places() {
  const absl::Span<Run> runs(reinterpret_cast<Run*>(runs_.data()), runs_.size() / sizeof(Run));
  size_t block_count = 0;
  uint64_t restart = 0;
  for (Run& run : runs) {
    if (run.place == 0) {
      ++block_count;
      restart = 0;
    }
    assert(block_count > 0 && block_count <= blocks_.size());
    const PlacedBlock& block = blocks_[block_count - 1];
    run.place = RunPlace(block.offset, block.size, block.is_raw, restart++, run.place);
  }
  uint64_t place_limit = 0;
  for (const PlacedBlock& block : blocks_) {
    place_limit = std::max(place_limit, block.offset + block.size + 1);
  }
  return {runs, place_limit, max_run_entries_};
}

}  // namespace sstable
