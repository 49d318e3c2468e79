#include "table/inspect/opened_table.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "sstable/check.h"
#include "table/index/table_index.h"
#include "table/table_internals.h"
#include "util/status_util.h"

namespace sstable {

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

absl::StatusOr<OpenedTable> OpenDetectingKeys(
    absl::FunctionRef<absl::StatusOr<std::unique_ptr<RandomAccessFile>>()> new_file,
    const GivenKeys& given, std::optional<uint64_t> max_uncompressed_block_size,
    std::optional<uint32_t> max_work) {
  OpenedTable table;
  TableReaderOptions options;
  options.max_uncompressed_block_size = max_uncompressed_block_size;
  options.max_work = max_work;
  const auto open = [&](KeyKind kind, const Comparator* comparator) -> absl::Status {
    options.key_kind = kind;
    if (comparator != nullptr) options.comparator = comparator;
    ASSIGN_OR_RETURN(std::unique_ptr<RandomAccessFile> file, new_file());
    ASSIGN_OR_RETURN(table.reader, TableReader::Open(std::move(file), options));
    return absl::OkStatus();
  };
  const bool are_given = given.key_kind.has_value() && given.comparator != nullptr;
  RETURN_IF_ERROR(are_given ? open(*given.key_kind, given.comparator)
                            : open(KeyKind::kPlain, nullptr));
  absl::StatusOr<TableKeys> keys = ResolveKeys(*table.reader, given);
  table.keys_status = keys.status();
  if (!keys.ok()) return table;
  table.keys = *std::move(keys);
  if (!are_given) RETURN_IF_ERROR(open(table.keys.key_kind, table.keys.comparator));
  const TableIndex* index = IndexOf(*table.reader);
  const bool index_in_order = index == nullptr || index->order_status().ok();
  table.key_trust = JudgeKeys(table.keys, index_in_order);
  table.why_not_searchable = WhyNotSearchable(table.keys, index_in_order);
  return table;
}

}  // namespace sstable
