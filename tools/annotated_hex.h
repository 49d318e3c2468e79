// Hex dumps with the meaning of each byte beside it.
#ifndef SSTABLE_TOOLS_ANNOTATED_HEX_H_
#define SSTABLE_TOOLS_ANNOTATED_HEX_H_

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "table/format.h"
#include "table/key_order.h"
#include "table/layout.h"

namespace sstable::tools {

// An encoded block handle in words; if it is none, why.
std::string DescribeHandle(absl::string_view bytes);

// Appends lines of up to 12 bytes; the note stands beside the first. `offset` is shown in front.
void AppendHexLines(uint64_t offset, absl::string_view bytes, absl::string_view note,
                    std::string* out);

// Appends the contents of a block, uncompressed. Offsets are of the file if the block is stored as
// it is, else of the uncompressed block. `raw` are bytes that could be read; `order` is the
// table's.
void AppendAnnotatedBlock(const BlockInfo& info, absl::string_view raw, const KeyOrder& order,
                          std::string* out);

// Appends a block's trailer.
void AppendAnnotatedTrailer(const BlockInfo& info, absl::string_view trailer, std::string* out);

// Appends the last 48 bytes of a file of `file_size` bytes.
void AppendAnnotatedFooter(absl::string_view footer, uint64_t file_size, std::string* out);

}  // namespace sstable::tools

#endif  // SSTABLE_TOOLS_ANNOTATED_HEX_H_
