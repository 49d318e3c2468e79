#include "db/sorted_table.h"

#include "absl/strings/str_cat.h"
#include "sstable/internal_key.h"
#include "sstable/table_iterator.h"
#include "table/block/show_key.h"
#include "table/index/table_index.h"
#include "table/table_internals.h"
#include "util/status_util.h"

namespace sstable {

absl::StatusOr<LogEntries> SortTable(const TableReader& reader, uint32_t table,
                                     const KeyOrder* order, uint64_t* bytes_left,
                                     const std::function<void(const absl::Status&)>& on_damage) {
  RETURN_IF_ERROR(reader.LoadIndex());
  LogEntries entries;
  const auto it = reader.NewIterator(ReadOptions::ForScan());
  for (it->SeekToFirst(); it->Valid() || !it->status().ok();) {
    if (!it->Valid()) {
      if (IsLimit(it->status())) return it->status();
      on_damage(it->status());
      if (!it->SkipDamage()) break;
      continue;
    }
    const uint64_t size = sizeof(LogEntries::Entry) + it->key().size() + it->value().size();
    if (size > *bytes_left) return absl::ResourceExhaustedError("it is too large to be sorted");
    *bytes_left -= size;
    const uint64_t offset = IndexOf(reader)->record(it->block_index()).handle().offset;
    if (const auto key = ParseInternalKey(it->key())) {
      entries.Add({key->sequence, key->type, key->user_key, it->value()}, table, offset);
    } else {
      on_damage(absl::DataLossError(
          absl::StrCat(reader.file().name(), ": data block at offset ", offset, ": key ",
                       ShowKey(KeyKind::kInternal, it->key()), " is not an internal key")));
    }
    it->Next();
  }
  entries.Sort(order);
  return entries;
}

}  // namespace sstable
