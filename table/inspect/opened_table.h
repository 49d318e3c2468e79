// A table opened with the kind and order of its keys, as given or as detected.
#ifndef SSTABLE_TABLE_INSPECT_OPENED_TABLE_H_
#define SSTABLE_TABLE_INSPECT_OPENED_TABLE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "sstable/check.h"
#include "sstable/comparator.h"
#include "sstable/experimental/key_guess.h"
#include "sstable/file.h"
#include "sstable/table_reader.h"
#include "table/block/key_order.h"

namespace sstable {

// "bytewise order", "the order idb_cmp1", for messages.
std::string OrderName(const Comparator& comparator);

struct OpenedTable {
  std::unique_ptr<TableReader> reader;
  TableKeys keys;            // as given, or as detected; `reader` was opened with these
  absl::Status keys_status;  // the error if the index can't be read, so that nothing is known of
                             // the keys

  // Whether the keys can show that a block is in the wrong place.
  KeyTrust key_trust = KeyTrust::kOrdered;

  // A clause that says why a search may miss keys, judging by the sampled ones. Such a table can
  // only be scanned. Empty if a search finds every key.
  std::string why_not_searchable;
  bool searchable() const { return why_not_searchable.empty(); }
};

// Opens a table. Unless both kind and order of its keys are given, opens it first to examine the
// keys, then again with the kind and order found. `new_file` opens its file.
// Errors: those of `new_file`; DataLoss if it is not a table.
absl::StatusOr<OpenedTable> OpenDetectingKeys(
    absl::FunctionRef<absl::StatusOr<std::unique_ptr<RandomAccessFile>>()> new_file,
    const GivenKeys& given, std::optional<uint64_t> max_uncompressed_block_size = std::nullopt,
    std::optional<uint32_t> max_work = std::nullopt);

}  // namespace sstable

#endif  // SSTABLE_TABLE_INSPECT_OPENED_TABLE_H_
