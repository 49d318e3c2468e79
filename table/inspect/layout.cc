#include "sstable/experimental/layout.h"

#include <algorithm>

#include "table/inspect/block_visits.h"
#include "util/stable_order.h"

namespace sstable {

Layout DescribeLayout(const TableReader& reader) {
  Layout layout;
  layout.file_size = reader.file().size();
  layout.index_status = reader.LoadIndex();
  layout.metaindex_status = reader.metaindex_status();
  VisitBlocks(reader,
              [&layout](const VisitedBlock& block) { layout.blocks.push_back(block.info); });
  ArrangeLayout(&layout);
  return layout;
}

void ArrangeLayout(Layout* layout) {
  SortStably(&layout->blocks, [](const BlockInfo& a, const BlockInfo& b) {
    return a.handle.offset < b.handle.offset;
  });
  const uint64_t footer_offset = layout->file_size - kFooterSize;
  uint64_t end = 0;  // end of the bytes claimed so far
  for (const BlockInfo& block : layout->blocks) {
    if (!FitsInFile(block.handle, layout->file_size)) continue;  // its status says so
    const uint64_t start = block.handle.offset;
    const uint64_t block_end = start + block.handle.size + kBlockTrailerSize;
    if (start > end) layout->unreferenced.push_back({end, start - end});
    if (start < end) layout->overlapping.push_back({start, std::min(end, block_end) - start});
    end = std::max(end, block_end);
  }
  if (end < footer_offset) layout->unreferenced.push_back({end, footer_offset - end});
}

}  // namespace sstable
