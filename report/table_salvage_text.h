// What was saved from a table, in words: the output of `sst salvage TABLE`.
#ifndef SSTABLE_REPORT_TABLE_SALVAGE_TEXT_H_
#define SSTABLE_REPORT_TABLE_SALVAGE_TEXT_H_

#include <string>
#include <vector>

#include "decode/entry_decoder.h"
#include "sstable/experimental/table_salvage.h"

namespace sstable {

// Returns lines of text; the first is the result in one sentence, for someone who reads no further.
// `out` is the path of the new table, if it was written. `doubtful` is a clause that says where the
// entries of doubtful blocks are, or how to get them. If `decoder` is not null, keys are named.
std::vector<std::string> DescribeTableSalvage(const Salvager& salvager, const std::string& out,
                                              bool is_written, const std::string& doubtful,
                                              const EntryDecoder* decoder);

}  // namespace sstable

#endif  // SSTABLE_REPORT_TABLE_SALVAGE_TEXT_H_
