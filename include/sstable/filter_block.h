// Tells whether a key may be in the data block at a file offset.
#ifndef SSTABLE_FILTER_FILTER_BLOCK_READER_H_
#define SSTABLE_FILTER_FILTER_BLOCK_READER_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "filter/filter_policy.h"
#include "util/coding.h"

namespace sstable {

// The filter of one window of the file.
struct FilterWindow {
  enum class State {
    kPresent,    // `filter` can be asked
    kEmpty,      // no key was added in this window
    kMissing,    // the window is past the last one of the block
    kMalformed,  // its offsets make no sense
  };
  State state = State::kMissing;
  absl::string_view filter;  // a view into the filter block
};

// Format:    filter/filter_block.h.
// Ownership: borrows `policy` and `contents`; both must outlive the reader.
// Threads:   immutable once parsed, so const methods may run concurrently.
// Errors:    Parse() returns DataLoss for a malformed tail. KeyMayMatch() cannot fail: where
//            the filter has no answer it says true. Damage to the bits of a filter can't be seen
//            here; the block's checksum tells.
class FilterBlockReader {
 public:
  static absl::StatusOr<FilterBlockReader> Parse(const FilterPolicy* policy,
                                                 absl::string_view contents);

  // `block_offset` is the data block's byte offset in the file. An empty window holds no key, so
  // the answer there is the policy's for an empty filter; LevelDB's Bloom filter says false.
  bool KeyMayMatch(uint64_t block_offset, absl::string_view key) const;

  // Asks one window's filter, with nothing looked up.
  bool Matches(const FilterWindow& window, absl::string_view key) const;

  // The window of a data block, and its filter.
  uint64_t WindowIndex(uint64_t block_offset) const { return block_offset >> base_lg_; }
  FilterWindow Window(uint64_t window_index) const {
    if (window_index >= window_count_) return {FilterWindow::State::kMissing, {}};
    const char* const entry = contents_.data() + array_offset_ + 4 * window_index;
    const uint32_t start = DecodeFixed32(entry);
    // Behind the last offset stands array_offset, which limits the last filter. Only where the
    // array's size is no multiple of 4 does something else stand there.
    const uint32_t limit =
        window_index + 1 == window_count_ ? array_offset_ : DecodeFixed32(entry + 4);
    if (start > limit || limit > array_offset_) return {FilterWindow::State::kMalformed, {}};
    if (start == limit) return {FilterWindow::State::kEmpty, {}};
    return {FilterWindow::State::kPresent,
            absl::string_view(contents_.data() + start, limit - start)};
  }

  const FilterPolicy* policy() const { return policy_; }
  absl::string_view contents() const { return contents_; }
  uint32_t window_count() const { return window_count_; }
  int base_lg() const { return base_lg_; }
  uint32_t array_offset() const { return array_offset_; }  // bytes from the block's start

 private:
  FilterBlockReader(const FilterPolicy* policy, absl::string_view contents)
      : policy_(policy), contents_(contents) {}

  const FilterPolicy* policy_;
  absl::string_view contents_;
  uint32_t array_offset_ = 0;
  uint32_t window_count_ = 0;
  int base_lg_ = 0;
};

}  // namespace sstable

#endif  // SSTABLE_FILTER_FILTER_BLOCK_READER_H_
