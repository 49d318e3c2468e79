#include "db/salvage/merge_tables.h"

#include <memory>
#include <string>
#include <utility>

#include "db/folder.h"
#include "sstable/database_files.h"
#include "sstable/internal_key.h"
#include "sstable/iterator.h"
#include "sstable/options.h"
#include "sstable/table_builder.h"
#include "sstable/table_iterator.h"
#include "sstable/table_reader.h"
#include "table/merging_iterator.h"
#include "util/status_util.h"

namespace sstable {

absl::StatusOr<NewTable> MergeTables(const std::vector<NewTable>& tables,
                                     const std::vector<size_t>& group, RescueContext* context) {
  std::vector<std::unique_ptr<TableReader>> readers;
  std::vector<std::unique_ptr<Iterator>> children;
  for (const size_t i : group) {
    ASSIGN_OR_RETURN(auto reader,
                     OpenNewTable(context->new_folder, tables[i], context->comparator));
    children.push_back(reader->NewIterator(ReadOptions::ForScan()));
    readers.push_back(std::move(reader));
  }
  MergingIterator it(context->comparator, KeyKind::kInternal, std::move(children));
  NewTable merged;
  merged.number = context->next_number++;
  merged.name = TableFileName(merged.number);
  TableBuilderOptions options;
  options.comparator = context->comparator;
  options.key_kind = KeyKind::kInternal;
  ASSIGN_OR_RETURN(const auto builder,
                   TableBuilder::Create(PathIn(context->new_folder, merged.name), options));
  const InternalKeyComparator order(context->comparator);
  bool is_first = true;
  for (it.SeekToFirst(); it.Valid(); it.Next()) {
    if (!is_first && order.Compare(merged.largest, it.key()) == 0) continue;
    if (is_first) merged.smallest = std::string(it.key());
    is_first = false;
    merged.largest.assign(it.key().data(), it.key().size());
    RETURN_IF_ERROR(context->Advance(it.key().size() + it.value().size()));
    RETURN_IF_ERROR(builder->Add(it.key(), it.value()));
  }
  RETURN_IF_ERROR(it.status());
  RETURN_IF_ERROR(builder->Finish());
  merged.size = builder->FileSize();
  return merged;
}

}  // namespace sstable
