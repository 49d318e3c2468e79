#include "tools/input_table.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "sstable/check.h"
#include "table/index/table_index.h"
#include "table/table_internals.h"
#include "util/status_util.h"

namespace sstable::tools {

std::string OrderName(const Comparator& comparator) {
  if (&comparator == BytewiseComparator()) return "bytewise order";
  if (&comparator == ReverseBytewiseComparator()) return "reverse bytewise order";
  return absl::StrCat("the order ", comparator.Name());
}

namespace {

KeyTrust JudgeKeys(const TableKeys& keys, bool index_in_order) {
  if (!keys.kind_fits) return KeyTrust::kUnknown;
  return keys.comparator != nullptr && index_in_order ? KeyTrust::kOrdered : KeyTrust::kUnordered;
}

std::string WhyNotSearchable(const TableKeys& keys, bool index_in_order) {
  if (keys.comparator == nullptr) {
    return absl::StrCat("the order of its keys is not known (", keys.order_reason, ")");
  }
  if (keys.has_out_of_order) {
    return absl::StrCat("some of its keys are out of order (", keys.order_reason, ")");
  }
  if (!index_in_order) return "its index is in another order";
  return keys.kind_fits ? "" : "its keys are not of the kind given";
}

}  // namespace

absl::StatusOr<InputTable> OpenInputTable(
    absl::FunctionRef<absl::StatusOr<std::unique_ptr<RandomAccessFile>>()> new_file,
    const GivenKeys& given, std::optional<uint64_t> max_uncompressed_block_size,
    std::optional<uint32_t> max_work) {
  InputTable table;
  TableReaderOptions options;
  options.max_uncompressed_block_size = max_uncompressed_block_size;
  options.max_work = max_work;
  ASSIGN_OR_RETURN(std::unique_ptr<RandomAccessFile> file, new_file());
  ASSIGN_OR_RETURN(table.reader, TableReader::Open(std::move(file), options));
  absl::StatusOr<TableKeys> keys = ResolveKeys(*table.reader, given);
  table.keys_status = keys.status();
  if (!keys.ok()) return table;
  table.keys = *std::move(keys);
  options.key_kind = table.keys.key_kind;
  if (table.keys.comparator != nullptr) options.comparator = table.keys.comparator;
  ASSIGN_OR_RETURN(file, new_file());
  ASSIGN_OR_RETURN(table.reader, TableReader::Open(std::move(file), options));
  const TableIndex* index = IndexOf(*table.reader);
  const bool index_in_order = index == nullptr || index->order_status().ok();
  table.key_trust = JudgeKeys(table.keys, index_in_order);
  table.why_not_searchable = WhyNotSearchable(table.keys, index_in_order);
  return table;
}

}  // namespace sstable::tools
