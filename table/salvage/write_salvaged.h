// Writes a table with the remains of a damaged one: for `sst salvage` and the page of web/.
#ifndef SSTABLE_TABLE_SALVAGE_WRITE_SALVAGED_H_
#define SSTABLE_TABLE_SALVAGE_WRITE_SALVAGED_H_

#include <memory>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "sstable/experimental/table_salvage.h"
#include "sstable/file.h"
#include "sstable/options.h"

namespace sstable {

// Writes every entry that `salvager` has left to a table with the settings of the old one, as far
// as its blocks show them, and with a Bloom filter of 10 bits per key if the old one may have had a
// filter. `adjust` may change these options. `create` creates the file once there is something to
// write. Returns false if nothing was written, since no entry of a table that had entries is left.
absl::StatusOr<bool> WriteSalvaged(
    Salvager* salvager, absl::FunctionRef<void(TableBuilderOptions*)> adjust,
    absl::FunctionRef<absl::StatusOr<std::unique_ptr<WritableFile>>()> create);

}  // namespace sstable

#endif  // SSTABLE_TABLE_SALVAGE_WRITE_SALVAGED_H_
