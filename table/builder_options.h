// Which options a table can be built with; and what of it holds for reading, too.
#ifndef SSTABLE_TABLE_BUILDER_OPTIONS_H_
#define SSTABLE_TABLE_BUILDER_OPTIONS_H_

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "sstable/comparator.h"
#include "sstable/filter_policy.h"
#include "sstable/internal_key.h"
#include "sstable/options.h"

namespace sstable {

// InvalidArgument names the first option that is out of range, its value and the range.
absl::Status CheckBuilderOptions(const TableBuilderOptions& options);

// InvalidArgument if keys are internal, and `comparator`, which may be null, or one of `policies`
// is already that of internal keys: it would take a tag of 8 bytes off them once more.
absl::Status CheckNotWrapped(KeyKind kind, const Comparator* comparator,
                             absl::Span<const FilterPolicy* const> policies);

}  // namespace sstable

#endif  // SSTABLE_TABLE_BUILDER_OPTIONS_H_
