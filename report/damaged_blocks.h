// Describes adjacent damaged blocks as one place, so that a hole in a file takes one line of a
// report, not one for each block.
#ifndef SSTABLE_REPORT_DAMAGED_BLOCKS_H_
#define SSTABLE_REPORT_DAMAGED_BLOCKS_H_

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "report/text/words.h"
#include "sstable/format.h"

namespace sstable {

// Returns true if block `b` directly follows `a` in the file. `Block` has an `offset` and a `size`
// without the trailer.
template <typename Block>
bool AreNeighbours(const Block& a, const Block& b) {
  return b.offset > a.offset && b.offset - a.offset > kBlockTrailerSize &&
         b.offset - a.offset - kBlockTrailerSize == a.size && b.size <= UINT64_MAX - b.offset;
}

// Splits a list into runs of neighbours; `are_alike` says whether two may be in one run. The runs
// are views of `blocks`.
template <typename Block>
std::vector<absl::Span<const Block>> GroupNeighbours(
    absl::Span<const Block> blocks, absl::FunctionRef<bool(const Block&, const Block&)> are_alike) {
  std::vector<absl::Span<const Block>> runs;
  for (size_t first = 0, end = 0; first < blocks.size(); first = end) {
    for (end = first + 1; end < blocks.size(); ++end) {
      const Block &last = blocks[end - 1], &next = blocks[end];
      if (!AreNeighbours(last, next) || !are_alike(last, next)) break;
    }
    runs.push_back(blocks.subspan(first, end - first));
  }
  return runs;
}

// Returns "at offset 12 (34 bytes)" or "at offsets 12 to 90 (3 blocks, 120 bytes)".
template <typename Block>
std::string DescribePlace(absl::Span<const Block> run) {
  const Block &first = run.front(), &last = run.back();
  if (run.size() == 1) {
    return absl::StrCat("at offset ", first.offset, " (", Count(first.size, "byte"), ")");
  }
  return absl::StrCat("at offsets ", first.offset, " to ", last.offset, " (", run.size(),
                      " blocks, ", last.offset + last.size - first.offset, " bytes)");
}

// Returns "zeros" or "crc32c stored 0x8a942ebe, computed 0xdf3993e3; then: zeros; and 12 other
// reasons".
template <typename Block>
std::string DescribeReasons(absl::Span<const Block> run, const std::string Block::*reason) {
  constexpr size_t kMaxShown = 3;
  std::set<absl::string_view> seen;
  std::string text;
  for (const Block& block : run) {
    if (!seen.insert(block.*reason).second || seen.size() > kMaxShown) continue;
    absl::StrAppend(&text, text.empty() ? "" : "; then: ", block.*reason);
  }
  if (seen.size() <= kMaxShown) return text;
  return absl::StrCat(text, "; and ", Count(seen.size() - kMaxShown, "other reason"));
}

}  // namespace sstable

#endif  // SSTABLE_REPORT_DAMAGED_BLOCKS_H_
