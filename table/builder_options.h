// Checks the options for building a table. Some of the checks are also used by readers.
#ifndef SSTABLE_TABLE_BUILDER_OPTIONS_H_
#define SSTABLE_TABLE_BUILDER_OPTIONS_H_

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "sstable/comparator.h"
#include "sstable/filter_policy.h"
#include "sstable/internal_key.h"
#include "sstable/options.h"

namespace sstable {

// Returns InvalidArgument with the first option that is out of range, its value and the range;
// Unimplemented for one that needs a library which the build leaves out.
absl::Status CheckBuilderOptions(const TableBuilderOptions& options);

// Returns InvalidArgument if `comparator`, which may be null, is itself made for internal keys.
// With plain keys, it would take their last 8 bytes for a tag; with internal keys, it would remove
// a second tag of 8 bytes. With internal keys, such `policies` are refused for the same reason.
absl::Status CheckNotWrapped(KeyKind kind, const Comparator* comparator,
                             absl::Span<const FilterPolicy* const> policies);

}  // namespace sstable

#endif  // SSTABLE_TABLE_BUILDER_OPTIONS_H_
