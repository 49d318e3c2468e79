// Tracks which bytes of a file are explained.
#ifndef SSTABLE_TABLE_SALVAGE_BYTE_COVERAGE_H_
#define SSTABLE_TABLE_SALVAGE_BYTE_COVERAGE_H_

#include <algorithm>
#include <cstdint>
#include <map>

#include "sstable/format.h"
#include "table/block/index_entries.h"

namespace sstable {

// A set of byte ranges of a file, to find the gaps between them.
class ByteCoverage {
 public:
  void Add(uint64_t start, uint64_t end) {
    uint64_t& known = ends_[start];
    known = std::max(known, end);
  }
  void Add(const BlockHandle& handle) { Add(handle.offset, EndOf(handle)); }

  // Calls `visit` with the start and end of each gap up to `limit`.
  template <typename Visit>
  void VisitGaps(uint64_t limit, Visit visit) const {
    uint64_t end = 0;
    for (const auto& [start, range_end] : ends_) {
      if (start >= limit) break;
      if (start > end) visit(end, start);
      end = std::max(end, range_end);
    }
    if (end < limit) visit(end, limit);
  }

 private:
  std::map<uint64_t, uint64_t> ends_;
};

}  // namespace sstable

#endif  // SSTABLE_TABLE_SALVAGE_BYTE_COVERAGE_H_
