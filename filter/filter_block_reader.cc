#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "filter/bloom.h"
#include "filter/filter_window.h"
#include "sstable/filter_block.h"
#include "sstable/slice.h"
#include "util/coding.h"

namespace sstable {

absl::StatusOr<FilterBlockReader> FilterBlockReader::Parse(const FilterPolicy* policy,
                                                           Slice contents) {
  if (contents.size() < kFilterBlockTailSize) {
    return absl::DataLossError(absl::StrCat("filter block has ", contents.size(),
                                            " bytes, needs at least ", kFilterBlockTailSize));
  }
  FilterBlockReader reader(policy, contents);
  const size_t tail_offset = contents.size() - kFilterBlockTailSize;
  reader.array_offset_ = DecodeFixed32(contents.data() + tail_offset);
  if (reader.array_offset_ > tail_offset) {
    return absl::DataLossError(absl::StrCat("filter block's offset array starts at ",
                                            reader.array_offset_, ", past its end at ",
                                            tail_offset));
  }
  reader.base_lg_ = static_cast<unsigned char>(contents.back());
  if (reader.base_lg_ > kMaxFilterBaseLg) {
    return absl::DataLossError(absl::StrCat("filter block's base lg is ", reader.base_lg_,
                                            ", expected at most ", kMaxFilterBaseLg));
  }
  reader.window_count_ = static_cast<uint32_t>((tail_offset - reader.array_offset_) / 4);
  return reader;
}

FilterWindow FilterBlockReader::Window(uint64_t window_index) const {
  return FindFilterWindow(*this, window_index);
}

bool FilterBlockReader::Matches(const FilterWindow& window, Slice key) const {
  if (window.state == FilterWindow::State::kMissing ||
      window.state == FilterWindow::State::kMalformed) {
    return true;
  }
  return policy_->KeyMayMatch(key, window.filter);
}

bool FilterBlockReader::KeyMayMatch(uint64_t block_offset, Slice key) const {
  return Matches(Window(WindowIndex(block_offset)), key);
}

}  // namespace sstable
