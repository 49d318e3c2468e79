// Reads a table: looks up keys through its filter, and iterates.
#ifndef SSTABLE_TABLE_READER_H_
#define SSTABLE_TABLE_READER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "sstable/file.h"
#include "sstable/filter_block.h"
#include "sstable/format.h"
#include "sstable/internal_key.h"
#include "sstable/iterator.h"
#include "sstable/options.h"
#include "sstable/slice.h"
#include "sstable/table_iterator.h"
#include "sstable/version.h"

namespace sstable {

// The result of a lookup.
enum class Presence {
  kAbsent,
  kDeleted,  // the newest visible version is a deletion; only in tables of internal keys
  kFound,
};

// One key of TableReader::MultiGet().
struct LookupRequest {
  Slice key;
  std::string* value = nullptr;  // borrowed, not null; set if the key is found
  absl::StatusOr<Presence> presence = Presence::kAbsent;
};

// What a TableReader has done since it was opened.
struct ReaderStats {
  uint64_t lookups = 0;           // keys looked up without an error
  uint64_t filter_negatives = 0;  // lookups in which the filter ruled the key out
  uint64_t filter_positives = 0;  // lookups that the filter let through
  uint64_t false_positives = 0;   // positives whose block has no version of the key
  uint64_t blocks_read = 0;       // data blocks read, from the file or a mapping of it
  uint64_t bytes_read = 0;        // their stored bytes, trailers included
  uint64_t cache_hits = 0;        // data blocks found in the block cache, and so not read
  uint64_t cache_misses = 0;      // blocks read that could have been in the cache
};

// Threads:   any number may use a reader at once. Once index and filter are loaded, the only lock
//            is a short one when a block is added to a block cache.
// Ownership: owns its file; borrows comparator and filter policies, which must outlive it.
// Errors:    name the file, the block and its offset. Damage in one block leaves the others
//            readable. DataLoss: the bytes are wrong. Unimplemented: a codec that can't be read.
//            FailedPrecondition, from every search: the index is not in the comparator's order, or
//            has another kind of keys; only the first lookups may still find a key. The wrong order
//            or kind goes unnoticed if the index happens to fit it, as an index with a single entry
//            does, or one of internal keys that are read as plain keys. Then a key of the table may
//            be reported as absent; CheckTable() detects that. Other errors are the file's: what
//            could not be read is read again when it is next needed.
class SSTABLE_EXPORT TableReader {
 public:
  // Reads only the footer and the metaindex block.
  //
  // The first lookups of single keys search the index block as it is in the file, and use no
  // filter. A file that is still to be mapped gets one such lookup, plus one for each 64 KiB; any
  // other file gets one for each 256 KiB. The next lookup loads index and filter. Other calls that
  // need them load them at once, but if the file is still to be mapped, as many first seeks of
  // iterators load only the index. A file that is to be mapped is mapped when the filter is loaded,
  // or before; see FileAccess in sstable/file.h.
  //
  // Errors: those of opening and reading the file; DataLoss if it is not a LevelDB table,
  // Unimplemented if it is another program's file; InvalidArgument if the file, the comparator or a
  // policy is null, if the comparator is an InternalKeyComparator, or if keys are internal and a
  // policy is an InternalFilterPolicy. Damage to the metaindex block is not an error here: see
  // metaindex_status().
  static absl::StatusOr<std::unique_ptr<TableReader>> Open(Slice path,
                                                           const TableReaderOptions& options = {});
  static absl::StatusOr<std::unique_ptr<TableReader>> Open(std::unique_ptr<RandomAccessFile> file,
                                                           const TableReaderOptions& options = {});
  virtual ~TableReader();
  TableReader(const TableReader&) = delete;
  TableReader& operator=(const TableReader&) = delete;

  // Looks up `key`, a user key if the table has internal keys. On kFound, sets `*value`, reusing
  // its memory; otherwise leaves it unchanged. Allocates no other memory if the data block is
  // cached, or stored raw in a file in memory, and keys have at most 192 bytes. With internal keys,
  // finds the newest version that the snapshot sees: Unimplemented if that is neither a value nor a
  // deletion.
  absl::StatusOr<Presence> Get(Slice key, std::string* value,
                               const ReadOptions& options = {}) const;

  // Returns the value; nullopt if the key is absent or deleted.
  absl::StatusOr<std::optional<std::string>> Get(Slice key, const ReadOptions& options = {}) const;
  // Get(key, {}) would pass a null value, not default options.
  void Get(Slice key, std::nullptr_t value) const = delete;

  // Get() for each of `requests`, in any order; each has its own status. If an exception (such as
  // std::bad_alloc) leaves the call, all requests have its status. Much faster than single lookups
  // if the table is larger than the processor's cache, with 32 keys or more at a time.
  void MultiGet(absl::Span<LookupRequest> requests, const ReadOptions& options = {}) const;

  // Makes the same lookup as Get(), but as in LevelDB, passes the first entry whose key is not
  // below `key` to `visit`. It may pass nothing if the filter or the index rules out `key` itself.
  // `key` is an internal key if the table has those: InvalidArgument without a tag. The views are
  // valid until `visit` returns.
  absl::Status InternalGet(
      Slice key,
      absl::FunctionRef<void(absl::string_view key, absl::string_view value)> visit) const;

  // An iterator over all entries; keys are internal keys if the table has those. The reader must
  // outlive it.
  std::unique_ptr<TableIterator> NewIterator(const ReadOptions& options = {}) const;

  // Asks the table's filter for a prefix: false if no user key begins with `prefix`. It can only be
  // false if the table was made with TableBuilderOptions::table_filter_prefixes, and `prefix` has
  // such a prefix. Loads index and filter first; errors: those of LoadIndex().
  absl::StatusOr<bool> ProbePrefix(Slice prefix) const;

  // An iterator over the entries whose user keys begin with `prefix`; SeekToFirst() moves to the
  // first of these, Seek() to the first of these that is not below its target, and so on. If the
  // table's filter rules the prefix out, it reads no data block. FailedPrecondition, as its status,
  // if user keys are not in bytewise order. The reader must outlive it.
  std::unique_ptr<Iterator> NewPrefixIterator(Slice prefix, const ReadOptions& options = {}) const;

  // Approximately where in the file `key` is or would be, in bytes from its start. `key` is an
  // internal key if the table has those.
  absl::StatusOr<uint64_t> ApproximateOffsetOf(Slice key) const;

  // Loads index and filter now instead of after the first lookups. Returns OK, or why the index
  // can't be read; lookups report an index that is out of order. Once OK, it stays OK. While the
  // filter or one of the first data blocks can't be read from the file, lookups use no filter; the
  // second, fourth, eighth and so on of them try again, and so does this call.
  absl::Status LoadIndex() const;

  // Loads index and filter as LoadIndex() does. OK if lookups consult a filter; otherwise the
  // reason why they don't. The errors of LoadIndex() come first. NotFound: the table has none.
  // FailedPrecondition: the options turn it off, or the filter does not contain keys of the table,
  // so it was made with another kind of keys, policy or hash. Unimplemented: unknown policy.
  // DataLoss: it is damaged. Other errors: the filter, the index or one of the first data blocks
  // can't be read from the file now. If the table has a filter block and a filter for the whole
  // table, and one of them is damaged or can't be read, the status is that one's; lookups still
  // consult the other.
  absl::Status LoadFilter() const;

  // The filter block if it is loaded and LoadFilter() does not reject it, otherwise null. Lookups
  // consult it if the index can be read, too. Lives as long as the reader.
  const FilterBlockReader* filter() const;

  // The file's parts, as found at open. They live as long as the reader.
  const RandomAccessFile& file() const;
  const Footer& footer() const;
  const std::vector<MetaBlock>& meta_blocks() const;
  const absl::Status& metaindex_status() const;
  CompressionNumbering dialect() const;
  const TableReaderOptions& options() const;

  // The contents of a meta block, verified. NotFound if the metaindex has none of that name.
  absl::StatusOr<std::string> ReadMetaBlock(Slice name) const;

  // What the reader has done so far, except for calls in progress.
  ReaderStats stats() const;

  class Impl;  // the private half: every reader is one, so no call goes through a pointer

 private:
  TableReader() = default;
};

}  // namespace sstable

#endif  // SSTABLE_TABLE_READER_H_
