// Access to a table's internals for the library's own code, its tools and its tests.
#ifndef SSTABLE_TABLE_TABLE_INTERNALS_H_
#define SSTABLE_TABLE_TABLE_INTERNALS_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

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
#include "table/index/table_index.h"
#include "table/metaindex.h"
#include "table/table_loader.h"
#include "util/bytes.h"

namespace sstable {

// Returns the index, or null if it can't be read; TableReader::LoadIndex() then returns the reason.
// Lives as long as the reader.
const TableIndex* IndexOf(const TableReader& reader);

// Returns everything that lookups use. Reads missing parts again, like TableReader::LoadIndex().
// Lives as long as the reader.
const LoadedTable& LoadNow(const TableReader& reader);

// The comparator and kind of the table's keys. Lives as long as the reader.
const KeyOrder& KeyOrderOf(const TableReader& reader);

// Returns true if a key ends in a tag with a type that the table's writer may use. RocksDB has
// many.
inline bool HasTag(absl::string_view key, CompressionNumbering dialect) {
  return dialect == CompressionNumbering::kRocksDb ? MayHaveTag(key)
                                                   : ParseInternalKey(key).has_value();
}

// Returns the work budget of the reader or, for a reader without a limit, a new one of the default
// size.
std::shared_ptr<WorkBudget> WorkOf(const TableReader& reader);

// The part of the metaindex that could be read when the table was opened. Lives as long as the
// reader.
const Metaindex& MetaindexOf(const TableReader& reader);

// TableReader::ReadMetaBlock() without a copy: the view is valid while both the result and the
// reader live.
absl::StatusOr<BlockContents> MetaBlockOf(const TableReader& reader, absl::string_view name);

// The newest version of a user key found so far, while tables and logs are searched.
struct NewestVersion {
  std::string* value;  // borrowed; set if the version is a value
  Presence presence = Presence::kAbsent;
  uint64_t sequence = 0;

  bool is_found() const { return presence != Presence::kAbsent; }
  // Ignores older versions.
  void Update(const ParsedInternalKey& key, absl::string_view bytes) {
    if (is_found() && key.sequence <= sequence) return;
    sequence = key.sequence;
    presence = key.type == ValueType::kValue ? Presence::kFound : Presence::kDeleted;
    if (presence == Presence::kFound) AssignValue(bytes, value);
  }
};

// TableReader::Get() in a table of internal keys, for a version newer than `*newest`. The key's
// snapshot is at most kMaxSequence.
absl::Status FindNewer(const TableReader& reader, const LookupKey& key, NewestVersion* newest);

// A data block that a lookup visits. Valid only during the visit.
struct LookupStep {
  size_t block_index = 0;
  const absl::Status* status = nullptr;  // the search's result; null: the filter rules the key out
  // Only if that is OK: the block, and the entry found in it.
  const Block* block = nullptr;
  const BlockSearchResult* found = nullptr;
  KeyBuffer* scratch = nullptr;  // buffer of the search

  // True for the last step, if it has the first entry that is not below the key.
  bool has_entry() const { return found != nullptr && found->entry != nullptr; }
  bool has_user_key() const { return has_entry() && found->has_user_key; }
  absl::string_view BuildKey() const { return found->BuildKey(scratch); }
};

// InternalGet() with index and filter loaded; passes each step to `visit`.
absl::Status TraceInternalGet(const TableReader& reader, absl::string_view key,
                              absl::FunctionRef<void(const LookupStep&)> visit);

// The data block that `it` is in, or whose damage stopped it; nullopt if it is in none.
std::optional<BlockHandle> DataBlockOf(const TableIterator& it);

// After damage in a data block has ended a move backward: moves to the last entry before that
// block, to damage before it, or past the end if there is neither. Damage after that entry in its
// block is passed to `report`. If no block stopped the iterator, returns false and does nothing.
bool SkipDamageBackward(TableIterator* it, absl::FunctionRef<void(const absl::Status&)> report);

// The data block that `it` is in. `it` must be Valid(); the block is valid until it next moves.
const Block& BlockOf(const TableIterator& it);

}  // namespace sstable

#endif  // SSTABLE_TABLE_TABLE_INTERNALS_H_
