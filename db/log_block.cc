#include "db/log_block.h"

#include "sstable/experimental/log_file.h"
#include "util/log_fragment.h"

namespace sstable {
namespace {

static_assert(kLogHeaderSize == kFragmentHeaderSize);

// Returns true if nothing can be read from `position` on: the rest is too short for a header, all
// zeros, or a fragment that the file's end cuts.
bool IsEnd(absl::string_view block, size_t position, bool is_cut) {
  if (block.size() - position < kLogHeaderSize) return true;
  if (block.find_first_not_of('\0', position) == block.npos) return true;
  const FragmentHeader header = DecodeFragmentHeader(block.substr(position));
  const size_t end = position + kLogHeaderSize + header.payload_size;
  return is_cut && IsFragmentType(header.type) && end > block.size() && end <= kLogBlockSize;
}

}  // namespace

size_t FindResumption(absl::string_view block, size_t position, size_t claimed_end, bool is_cut) {
  size_t end = 0, next_end = 0;
  if (claimed_end > position && claimed_end <= block.size() &&
      (IsEnd(block, claimed_end, is_cut) || IsFragmentAt(block, claimed_end, &end))) {
    return claimed_end;
  }
  for (size_t i = position + 1; i + kLogHeaderSize <= block.size(); ++i) {
    if (IsFragmentAt(block, i, &end) &&
        (IsEnd(block, end, is_cut) || IsFragmentAt(block, end, &next_end))) {
      return i;
    }
  }
  return block.size();
}

}  // namespace sstable
