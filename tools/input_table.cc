#include "tools/input_table.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "table/table_index.h"
#include "table/table_internals.h"
#include "util/status_util.h"

namespace sstable::tools {

std::string OrderName(const Comparator& comparator) {
  if (&comparator == BytewiseComparator()) return "bytewise order";
  if (&comparator == ReverseBytewiseComparator()) return "reverse bytewise order";
  return absl::StrCat("the order ", comparator.Name());
}

std::string InputTable::WhyNotSearchable() const {
  if (keys.comparator == nullptr) {
    return absl::StrCat("the order of its keys is not known (", keys.order_reason, ")");
  }
  if (keys.has_strays)
    return absl::StrCat("some of its keys are out of order (", keys.order_reason, ")");
  return "its index is in another order";
}

absl::StatusOr<InputTable> OpenInputTable(
    absl::FunctionRef<absl::StatusOr<std::unique_ptr<RandomAccessFile>>()> new_file,
    const GivenKeys& given, std::optional<uint64_t> max_uncompressed_block_size) {
  InputTable table;
  TableReaderOptions options;
  options.max_uncompressed_block_size = max_uncompressed_block_size;
  ASSIGN_OR_RETURN(std::unique_ptr<RandomAccessFile> file, new_file());
  ASSIGN_OR_RETURN(table.reader, TableReader::Open(options, std::move(file)));
  absl::StatusOr<TableKeys> keys = ResolveKeys(*table.reader, given);
  table.keys_status = keys.status();
  if (!keys.ok()) return table;
  table.keys = *std::move(keys);
  options.key_kind = table.keys.key_kind;
  if (table.keys.comparator != nullptr) options.comparator = table.keys.comparator;
  ASSIGN_OR_RETURN(file, new_file());
  ASSIGN_OR_RETURN(table.reader, TableReader::Open(options, std::move(file)));
  const TableIndex* index = IndexOf(*table.reader);
  table.index_in_order = index == nullptr || index->order_status().ok();
  return table;
}

}  // namespace sstable::tools
