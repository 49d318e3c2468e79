// Finds the filter of a window in a filter block, and decides whether lookups consult it.
#ifndef SSTABLE_FILTER_FILTER_WINDOW_H_
#define SSTABLE_FILTER_FILTER_WINDOW_H_

#include <cstdint>

#include "absl/strings/string_view.h"
#include "filter/bloom.h"
#include "filter/bloom_view.h"
#include "sstable/filter_block.h"
#include "sstable/filter_policy.h"
#include "util/coding.h"

namespace sstable {

// FilterBlockReader::Window(), inline because loading an index calls it for each data block.
inline FilterWindow FindFilterWindow(const FilterBlockReader& filter, uint64_t window_index) {
  const char* const contents = filter.contents().data();
  const uint32_t array_offset = filter.array_offset();
  if (window_index >= filter.window_count()) return {FilterWindow::State::kMissing, {}};
  const char* const entry = contents + array_offset + 4 * window_index;
  const uint32_t start = DecodeFixed32(entry);
  // The field after the last offset is array_offset, where the last filter ends, unless the array's
  // size is not a multiple of 4.
  const uint32_t limit =
      window_index + 1 == filter.window_count() ? array_offset : DecodeFixed32(entry + 4);
  if (start > limit || limit > array_offset) return {FilterWindow::State::kMalformed, {}};
  if (start == limit) return {FilterWindow::State::kEmpty, {}};
  return {FilterWindow::State::kPresent, absl::string_view(contents + start, limit - start)};
}

// True if lookups consult the filter of a window. A data block has keys, so an empty filter was not
// made from the blocks of its window. LevelDB consults it anyway and does not find their keys.
inline bool IsAsked(const FilterWindow& window, bool is_bloom) {
  return window.state == FilterWindow::State::kPresent &&
         !(is_bloom && BloomView(window.filter).is_empty());
}

}  // namespace sstable

#endif  // SSTABLE_FILTER_FILTER_WINDOW_H_
