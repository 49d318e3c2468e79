// What the library's own code, its tools and its tests may ask of a table beyond the API.
#ifndef SSTABLE_TABLE_TABLE_INTERNALS_H_
#define SSTABLE_TABLE_TABLE_INTERNALS_H_

#include <cstddef>
#include <cstdint>
#include <memory>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "sstable/format.h"
#include "sstable/internal_key.h"
#include "sstable/table_iterator.h"
#include "sstable/table_reader.h"
#include "table/block/block.h"
#include "table/block/block_io.h"
#include "table/block/block_search.h"
#include "table/block/key_order.h"
#include "table/block/limits.h"
#include "table/metaindex.h"
#include "table/table_index.h"
#include "table/table_loader.h"

namespace sstable {

// The index, or null if it can't be read; TableReader::LoadIndex() says why. Lives as long as the
// reader.
const TableIndex* IndexOf(const TableReader& reader);

// What a lookup uses. What is missing and may be read by now is read, as by
// TableReader::LoadIndex(). Lives as long as the reader.
const LoadedTable& LoadNow(const TableReader& reader);

// Comparator and kind of its keys. Lives as long as the reader.
const KeyOrder& KeyOrderOf(const TableReader& reader);

// Whether a key ends in a tag of a type that the table's writer has. RocksDB's are many.
inline bool HasTag(absl::string_view key, TypeByteDialect dialect) {
  return dialect == TypeByteDialect::kRocksDb ? key.size() >= kTagSize
                                              : ParseInternalKey(key).has_value();
}

// What may still be done with the table: that of its reader, or for a reader without a bound, a new
// budget of the default size.
std::shared_ptr<WorkBudget> WorkOf(const TableReader& reader);

// As much of it as could be read when the table was opened. Lives as long as the reader.
const Metaindex& MetaindexOf(const TableReader& reader);

// TableReader::ReadMetaBlock() without a copy: the view is valid while both it and the reader live.
absl::StatusOr<BlockContents> MetaBlockOf(const TableReader& reader, absl::string_view name);

// A data block that a lookup comes to. Valid only while it is visited.
struct LookupStep {
  size_t block_index = 0;
  const absl::Status* status = nullptr;  // the search's; null: the block's filter says no
  // If that is OK: the block, and what of it is found.
  const Block* block = nullptr;
  const BlockSearchResult* found = nullptr;
  KeyBuffer* scratch = nullptr;  // the search's

  // Whether it is the last step, and has the first entry that is not below the key.
  bool has_entry() const { return found != nullptr && found->entry != nullptr; }
  bool has_user_key() const { return has_entry() && found->has_user_key; }
  absl::string_view TakeKey() const { return found->TakeKey(scratch); }
};

// Does what InternalGet() does, with index and filter loaded, and shows each step.
absl::Status TraceInternalGet(const TableReader& reader, absl::string_view key,
                              absl::FunctionRef<void(const LookupStep&)> visit);

// The data block that `it` is in. Only while it is Valid(); valid until it next moves.
const Block& BlockOf(const TableIterator& it);

}  // namespace sstable

#endif  // SSTABLE_TABLE_TABLE_INTERNALS_H_
