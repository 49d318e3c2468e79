// One block of a log file: its fragments, and where they go on after damage. Format:
// docs/database.md.
#ifndef SSTABLE_DB_LOG_BLOCK_H_
#define SSTABLE_DB_LOG_BLOCK_H_

#include <cstddef>
#include <cstdint>

#include "absl/strings/string_view.h"

namespace sstable {

// Part of the file format.
enum class FragmentType : uint8_t { kZero = 0, kFull = 1, kFirst = 2, kMiddle = 3, kLast = 4 };

struct FragmentHeader {
  uint32_t stored_crc = 0;  // masked
  size_t payload_size = 0;
  uint8_t type = 0;
};

// `bytes` has at least kLogHeaderSize.
FragmentHeader DecodeFragmentHeader(absl::string_view bytes);

// The masked checksum of a fragment: of its type and its payload.
uint32_t FragmentCrc(uint8_t type, absl::string_view payload);

// Whether a fragment with a known type and a right checksum begins at `position`. If so, `*end` is
// where it ends in the block.
bool IsFragmentAt(absl::string_view block, size_t position, size_t* end);

// Where in `block` fragments go on after the damaged one at `position`, or block.size() if that is
// not certain: at `claimed_end`, where that one says that it ends, or at the first place from which
// two fragments follow one another, or one ends with the block. (A single one might be part of a
// value.) `is_cut`: the file's end cuts the block, so that a fragment may reach beyond it.
size_t FindResumption(absl::string_view block, size_t position, size_t claimed_end, bool is_cut);

}  // namespace sstable

#endif  // SSTABLE_DB_LOG_BLOCK_H_
