// The private half of a reader. Internal to the files of reader, lookups and iterator.
#ifndef SSTABLE_TABLE_TABLE_READER_IMPL_H_
#define SSTABLE_TABLE_TABLE_READER_IMPL_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/base/optimization.h"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "sstable/file.h"
#include "sstable/internal_key.h"
#include "sstable/options.h"
#include "sstable/table_reader.h"
#include "table/block/block_search.h"
#include "table/block/key_order.h"
#include "table/index/table_index.h"
#include "table/loaded_table.h"
#include "table/table_internals.h"
#include "table/table_loader.h"
#include "table/table_parts.h"

namespace sstable {

// Every TableReader is one of these: a lookup finds its state in the object itself, without a
// pointer or a virtual call.
class TableReader::Impl final : public TableReader {
 public:
  Impl(const TableReaderOptions& options, std::unique_ptr<RandomAccessFile> file)
      : parts_(options, std::move(file)) {}

  static const Impl& Of(const TableReader& reader) { return static_cast<const Impl&>(reader); }

  // LookupKeys are passed by value to inline functions, and to other functions by reference to a
  // copy, so that the original stays in registers.

  // The first block that can have a key.
  struct BlockPosition {
    size_t block = 0;      // the number of blocks if there is none
    bool is_last = false;  // no later block has versions of the key
  };
  // TableIndex::Find(), with the block's name in its errors.
  absl::Status FindBlock(const TableIndex& index, LookupKey key, BlockPosition* at) const {
    at->is_last = true;
    if (ABSL_PREDICT_TRUE(index.TryFind(key.user_key, &at->block))) return absl::OkStatus();
    return FindBlockSlowly(index, LookupKey(key), at);
  }
  absl::Status FindBlockSlowly(const TableIndex& index, const LookupKey& key,
                               BlockPosition* at) const;

  // Internal keys: versions of a user key may continue in the next block if the index key between
  // the two has this user key. LevelDB and goleveldb write no such index key; others do.
  static bool VersionsMayContinue(const TableIndex& index, size_t block,
                                  absl::string_view user_key) {
    return index.SeparatorHasUserKey(block, user_key);
  }

  // A lookup (table_lookup.cc). Passes its steps to `visit`; an error that `visit` returns ends the
  // lookup.
  template <KeyKind kKind, typename Visit>
  absl::Status LookUp(LookupKey key, Visit visit) const;
  // LookUp() for a full key of the table.
  absl::Status LookUpKey(absl::string_view key,
                         absl::FunctionRef<absl::Status(const LookupStep&)> visit) const;
  // FindNewer() and Get() in a table of internal keys.
  absl::Status FindVersion(LookupKey key, NewestVersion* newest) const;
  absl::StatusOr<Presence> GetVersion(Slice key, std::string* value, uint64_t snapshot) const;

  // The result of a lookup in a data block.
  struct BlockAnswer {
    bool has_entry = false;  // the block has an entry that is not below the key
    // The block has a version of the key. If a filter was asked, versions newer than the snapshot
    // count, too.
    bool has_user_key = false;
  };
  template <typename Visit>
  absl::Status SearchDataBlock(const LoadedTable& table, size_t block, const LookupKey& key,
                               BlockAnswer* answer, const Visit& visit) const;

  // The result of a lookup before anything is loaded (first_lookups.cc).
  struct FirstLookup {
    std::optional<absl::Status> status;  // the result, if there is one
    const LoadedTable* table = nullptr;  // otherwise, for a full lookup
  };
  FirstLookup FirstLookUp(const LookupKey& key,
                          absl::FunctionRef<absl::Status(const LookupStep&)> visit) const;
  std::optional<absl::Status> LookUpInRawIndex(
      RawIndex* index, const LookupKey& key,
      absl::FunctionRef<absl::Status(const LookupStep&)> visit) const;

  // True if the block has versions of the user key that are newer than `key`. Takes a search of the
  // block, so it is called only for a lookup of an old version that a filter let through.
  bool HasNewerVersion(const LoadedTable& table, const Block& block, const LookupKey& key,
                       KeyBuffer* scratch) const;

  // Copies the version that was found to `*newest` if it is newer.
  absl::Status DecodeVersion(const BlockSearchResult& found, KeyBuffer* scratch,
                             NewestVersion* newest) const;

  void LookUpTogether(absl::Span<LookupRequest> requests, uint64_t snapshot) const;

  TableParts parts_;
  mutable TableLoader loader_{&parts_};
};

}  // namespace sstable

#endif  // SSTABLE_TABLE_TABLE_READER_IMPL_H_
