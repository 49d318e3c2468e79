// Reads a table: looks keys up through its filter, and iterates.
#ifndef SSTABLE_TABLE_TABLE_READER_H_
#define SSTABLE_TABLE_TABLE_READER_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "absl/base/optimization.h"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "filter/bloom_kernels.h"
#include "filter/filter_block_reader.h"
#include "filter/internal_filter_policy.h"
#include "table/block/block.h"
#include "table/block/block_io.h"
#include "table/block/block_search.h"
#include "table/block/format.h"
#include "table/block/key_order.h"
#include "table/block_cache.h"
#include "table/metaindex.h"
#include "table/options.h"
#include "table/reader_stats.h"
#include "table/table_index.h"
#include "util/file.h"
#include "util/internal_key.h"

namespace sstable {

class TableIterator;

// What a lookup says of a key.
enum class Presence {
  kAbsent,
  kDeleted,  // the newest visible version is a deletion; only in tables of internal keys
  kFound,
};

// One key of TableReader::MultiGet().
struct LookupRequest {
  absl::string_view key;
  std::string* value = nullptr;  // borrowed, not null; set where the key is found
  absl::StatusOr<Presence> presence = Presence::kAbsent;
};

// Whether an iterator puts blocks into TableReaderOptions::block_cache. It uses what is there
// anyway.
enum class FillCache {
  kYes,
  kNo,  // for a scan of more than will soon be asked for again
};

// Threads:   any number may use a reader at once; nothing they share is locked once index and
//            filter are loaded, but for a moment where a block is put into a block cache.
// Ownership: owns its file; borrows comparator and filter policies, which must outlive it.
// Errors:    name the file, the block and its offset. Damage in one block leaves the others
//            readable. DataLoss: the bytes are wrong. Unimplemented: a codec that can't be read.
//            FailedPrecondition, from all that searches: the index is not in the comparator's
//            order, or of another kind of keys. An index may be in that order by chance, and with
//            one entry always is: then a key that the table has may be called absent. CheckTable()
//            tells. Others are the file's: what could not be read is read again by whatever next
//            needs it.
class TableReader {
 public:
  // Reads the footer and the metaindex block, no more; index and filter are loaded by what first
  // needs them. Maps the file; see FileAccess in util/file.h for that. Errors: those of opening and
  // reading the file; DataLoss if it is no LevelDB table; InvalidArgument if the comparator is
  // null. Damage to the metaindex block is no error here: see metaindex_status().
  static absl::StatusOr<std::unique_ptr<TableReader>> Open(const TableReaderOptions& options,
                                                           absl::string_view path);
  static absl::StatusOr<std::unique_ptr<TableReader>> Open(const TableReaderOptions& options,
                                                           std::unique_ptr<RandomAccessFile> file);
  ~TableReader();
  TableReader(const TableReader&) = delete;
  TableReader& operator=(const TableReader&) = delete;

  // Looks `key` up, a user key if the table has internal keys. On kFound puts its value into
  // `*value`, whose memory it reuses; else leaves that alone. Takes no other memory, if the data
  // block is in the cache, or is stored raw and the file is in memory, and keys have at most 192
  // bytes. Of internal keys it finds the newest version with a sequence of at most `snapshot`:
  // InvalidArgument above kMaxSequence, Unimplemented if that version is neither value nor
  // deletion. With plain keys `snapshot` does not matter.
  absl::StatusOr<Presence> Find(absl::string_view key, std::string* value,
                                uint64_t snapshot = kMaxSequence) const;

  // The same in short: the value, or nullopt if the key is absent or deleted.
  absl::StatusOr<std::optional<std::string>> Get(absl::string_view key) const;

  // Find() for each of `requests`, in any order; each has a status of its own. If it ends by an
  // exception (std::bad_alloc, say), all of them have that one's. Faster by far than
  // one by one where the table is larger than the processor's cache, with 32 keys or more at a
  // time.
  void MultiGet(absl::Span<LookupRequest> requests, uint64_t snapshot = kMaxSequence) const;

  // The primitive under Find(), as LevelDB has it: passes the first entry whose key is not below
  // `key` to `visit`, unless the filter or the index say that the table has no such key as `key`
  // itself; then the entry may not be passed. `key` is an internal key if the table has those. The
  // views are good until `visit` returns.
  absl::Status InternalGet(
      absl::string_view key,
      absl::FunctionRef<void(absl::string_view key, absl::string_view value)> visit) const;

  // An iterator over all entries; keys are internal keys if the table has those. The reader must
  // outlive it.
  std::unique_ptr<TableIterator> NewIterator(FillCache fill_cache = FillCache::kYes) const;

  // About where in the file `key` is or would be, in bytes from its start. An internal key if the
  // table has those.
  absl::StatusOr<uint64_t> ApproximateOffsetOf(absl::string_view key) const;

  // Loads index and filter now. OK, or why the index can't be read; whether it is in order, its
  // order_status() says. Otherwise the first lookup does it. Once it was OK, it stays so. As long
  // as the filter, or the first data block, can't be read from the file, lookups do without a
  // filter; the second of them, the fourth, eighth and so on try again, and so does this.
  absl::Status LoadIndex() const;

  // OK if lookups consult a filter; else why they don't. NotFound: the table has none.
  // FailedPrecondition: the options turn it off, or the filter lacks the table's first key, so that
  // kind of keys or policy are not what it was made with. Unimplemented: unknown policy. DataLoss:
  // it is damaged. Others: it can't be read from the file now, or index or first data block can't.
  absl::Status filter_status() const;

  // The filter block, if lookups consult it; else null. Lives as long as the reader.
  const FilterBlockReader* filter() const;

  // The index, or null if it can't be read; LoadIndex() says why. Lives as long as the reader.
  const TableIndex* index() const;

  // The file's parts, as found at open. They live as long as the reader.
  const RandomAccessFile& file() const { return *file_; }
  const Footer& footer() const { return footer_; }
  const std::vector<MetaBlock>& meta_blocks() const { return meta_blocks_; }
  const absl::Status& metaindex_status() const { return metaindex_status_; }
  TypeByteDialect dialect() const { return dialect_; }
  const KeyOrder& order() const { return order_; }
  const TableReaderOptions& options() const { return options_; }

  // The contents of a meta block, verified; their view is good while both they and the reader live.
  // NotFound if the metaindex has none of that name.
  absl::StatusOr<BlockContents> ReadMetaBlock(absl::string_view name) const;

  // What the reader has done so far, but for what other threads are adding.
  ReaderStats stats() const { return stats_.Sum(); }

 private:
  friend class TableIterator;

  struct Loaded;
  class LockStep;
  // In the file, or in the cache, or in a buffer here.
  struct DataBlock {
    explicit DataBlock(FillCache fill = FillCache::kYes) : fill_cache(fill) {}

    FillCache fill_cache;
    Block block;
    BlockContents contents;
    PinnedBlock pin;
  };

  TableReader(const TableReaderOptions& options, std::unique_ptr<RandomAccessFile> file);

  absl::Status ReadFooter();
  absl::Status ReadMetaindex();
  BlockReadOptions ReadOptions(bool verify) const;

  enum class Retry { kAtTimes, kNow };  // where only the filter is missing
  // Errors: the index could not be read from the file this time. Once it could be, it is there.
  absl::StatusOr<const Loaded*> Load(Retry retry = Retry::kAtTimes) const {
    const Loaded* loaded = loaded_.load(std::memory_order_acquire);
    if (ABSL_PREDICT_TRUE(loaded != nullptr)) return loaded;
    return LoadNow(retry);
  }
  absl::StatusOr<const Loaded*> LoadNow(Retry retry) const;
  absl::StatusOr<std::unique_ptr<Loaded>> ReadLoaded() const;
  void LoadFilter(Loaded* loaded) const;
  void LookAtFirstBlock(Loaded* loaded) const;
  void DropFilterUnlessItKnows(absl::string_view first_key, Loaded* loaded) const;
  static void DropFilter(absl::Status reason, Loaded* loaded);

  // TableIndex::Find(), with the place in its errors.
  absl::Status FindBlock(const TableIndex& index, absl::string_view key, size_t* block) const {
    if (ABSL_PREDICT_TRUE(index.TryFind(key, block))) return absl::OkStatus();
    return FindBlockSlowly(index, key, block);
  }
  void LookUpTogether(absl::Span<LookupRequest> requests, uint64_t snapshot) const;
  absl::Status FindBlockSlowly(const TableIndex& index, absl::string_view key, size_t* block) const;

  void Prefetch(const Loaded& loaded, const char* start, size_t size) const;
  enum class FilterAnswer { kAbsent, kMayMatch, kNotAsked };
  FilterAnswer AskFilter(const Loaded& loaded, const IndexRecord& record, absl::string_view key,
                         uint32_t hash) const;

  absl::Status ReadDataBlock(const Loaded& loaded, const IndexRecord& record,
                             DataBlock* data) const;
  absl::Status ReadDataBlockSlowly(const Loaded& loaded, const IndexRecord& record,
                                   DataBlock* data) const;
  bool HasUserKey(const BlockSearchResult& found, absl::string_view user_key,
                  KeyBuffer* scratch) const;

  // Where a key is, if the table has it.
  struct Place {
    uint32_t hash = 0;  // the key's, for a Bloom filter
    size_t block = 0;   // the first block to look into; their number if there is none
    FilterAnswer answer = FilterAnswer::kNotAsked;  // of that block's filter
  };
  absl::Status FindPlace(const Loaded& loaded, absl::string_view key, Place* place) const;
  bool MayGoOnBehind(const TableIndex& index, size_t block, absl::string_view key) const;
  absl::Status SearchOneBlock(const Loaded& loaded, const IndexRecord& record,
                              absl::string_view key, KeyBuffer* scratch, DataBlock* data,
                              BlockSearchResult* found) const;
  absl::Status SearchBlocks(const Loaded& loaded, const Place& place, absl::string_view key,
                            KeyBuffer* scratch, DataBlock* data, BlockSearchResult* found) const;
  absl::Status SearchTable(absl::string_view key, KeyBuffer* scratch, DataBlock* data,
                           BlockSearchResult* found) const;
  absl::StatusOr<Presence> FindInBlock(const Loaded& loaded, const Place& place,
                                       absl::string_view key, std::string* value) const;
  absl::StatusOr<Presence> FindInternal(absl::string_view user_key, std::string* value,
                                        uint64_t snapshot) const;

  const TableReaderOptions options_;
  const KeyOrder order_;
  const std::unique_ptr<RandomAccessFile> file_;
  const BloomKernels* const bloom_kernels_ = &BestBloomKernels();
  Footer footer_;
  std::vector<MetaBlock> meta_blocks_;
  absl::Status metaindex_status_;
  TypeByteDialect dialect_ = TypeByteDialect::kLevelDb;

  // Set once, to all that there is to load: when none of it need be tried again.
  mutable std::atomic<const Loaded*> loaded_{nullptr};
  // Until then, for one thread at a time. A std::mutex, since ThreadSanitizer sees it.
  mutable std::mutex load_mutex_;
  mutable std::unique_ptr<Loaded> complete_;  // loaded_
  mutable std::unique_ptr<Loaded>
      incomplete_;                          // an index without its filter; others may be using it
  mutable uint64_t calls_until_retry_ = 0;  // if there is an incomplete one
  mutable uint64_t retry_distance_ = 1;
  mutable ReaderStatsCounter stats_;
};

}  // namespace sstable

#endif  // SSTABLE_TABLE_TABLE_READER_H_
