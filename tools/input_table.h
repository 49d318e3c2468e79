// A table that is opened with the kind and the order of its keys, as they are given or detected.
#ifndef SSTABLE_TOOLS_INPUT_TABLE_H_
#define SSTABLE_TOOLS_INPUT_TABLE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "sstable/comparator.h"
#include "sstable/file.h"
#include "sstable/key_guess.h"
#include "sstable/table_reader.h"
#include "table/block/key_order.h"

namespace sstable::tools {

// "bytewise order", "the order idb_cmp1", for messages.
std::string OrderName(const Comparator& comparator);

struct InputTable {
  std::unique_ptr<TableReader> reader;
  TableKeys keys;            // as the options say, or by looking; `reader` is opened with these
  absl::Status keys_status;  // why nothing is known of them: that the index can't be read

  // How far the keys show where a block belongs.
  KeysKnown keys_known = KeysKnown::kInOrder;

  // Why a search may miss keys, judging by those sampled, in a clause; such a table can only be
  // scanned. Empty if a search finds every key.
  std::string why_not_searchable;
  bool searchable() const { return why_not_searchable.empty(); }
};

// Opens a table: once to look at its keys, and once more with what is known of them. `new_file`
// opens its file.
// Errors: those of `new_file`; DataLoss if it is not a table.
absl::StatusOr<InputTable> OpenInputTable(
    absl::FunctionRef<absl::StatusOr<std::unique_ptr<RandomAccessFile>>()> new_file,
    const GivenKeys& given, std::optional<uint64_t> max_uncompressed_block_size = std::nullopt,
    std::optional<uint32_t> max_work = std::nullopt);

}  // namespace sstable::tools

#endif  // SSTABLE_TOOLS_INPUT_TABLE_H_
