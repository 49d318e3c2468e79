// Annotated hex dumps: lines of bytes, each followed by what its bytes mean.
#ifndef SSTABLE_REPORT_ANNOTATED_HEX_H_
#define SSTABLE_REPORT_ANNOTATED_HEX_H_

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "report/text/text_output.h"
#include "sstable/experimental/layout.h"
#include "sstable/format.h"
#include "table/block/key_order.h"

namespace sstable {

// Describes an encoded block handle, or says why it is not one.
std::string DescribeHandle(absl::string_view bytes);

// Writes `bytes` in lines of up to 12, each preceded by its offset; the first starts at `offset`
// and ends with `note`.
void WriteHexLines(uint64_t offset, absl::string_view bytes, absl::string_view note,
                   TextOutput* output);

// Writes the uncompressed contents of a block. Offsets are file offsets if the block is stored
// uncompressed, else offsets in the contents. `raw` is the part that could be read; `order` is the
// table's key order.
void WriteAnnotatedBlock(const BlockInfo& info, absl::string_view raw, const KeyOrder& order,
                         TextOutput* output);

void WriteAnnotatedTrailer(const BlockInfo& info, absl::string_view trailer, TextOutput* output);

// Writes the footer, the last 48 bytes of a file of `file_size` bytes.
void WriteAnnotatedFooter(absl::string_view footer, uint64_t file_size, TextOutput* output);

}  // namespace sstable

#endif  // SSTABLE_REPORT_ANNOTATED_HEX_H_
