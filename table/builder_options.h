// Which options a table can be built with.
#ifndef SSTABLE_TABLE_BUILDER_OPTIONS_H_
#define SSTABLE_TABLE_BUILDER_OPTIONS_H_

#include "absl/status/status.h"
#include "sstable/options.h"

namespace sstable {

// InvalidArgument names the first option that is out of range, its value and the range.
absl::Status CheckBuilderOptions(const TableBuilderOptions& options);

}  // namespace sstable

#endif  // SSTABLE_TABLE_BUILDER_OPTIONS_H_
