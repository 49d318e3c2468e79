// The private half of a reader. Internal to the files of reader, lookups and iterator.
#ifndef SSTABLE_TABLE_TABLE_READER_IMPL_H_
#define SSTABLE_TABLE_TABLE_READER_IMPL_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/base/optimization.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "filter/bloom.h"
#include "filter/bloom_kernels.h"
#include "filter/filter_window.h"
#include "sstable/file.h"
#include "sstable/filter_block.h"
#include "sstable/filter_policy.h"
#include "sstable/format.h"
#include "sstable/options.h"
#include "sstable/table_reader.h"
#include "table/block/block.h"
#include "table/block/block_io.h"
#include "table/block/block_search.h"
#include "table/block/key_order.h"
#include "table/cached_blocks.h"
#include "table/index_in_place.h"
#include "table/metaindex.h"
#include "table/reader_stats_counter.h"
#include "table/table_filter_block.h"
#include "table/table_index.h"
#include "table/table_loader.h"
#include "util/bytes.h"

namespace sstable {

// Values of one size are common: then there is nothing to allocate or to zero, and no call.
inline void AssignValue(absl::string_view bytes, std::string* value) {
  if (value->size() == bytes.size()) {
    CopySmall(&(*value)[0], bytes.data(), bytes.size());
  } else {
    value->assign(bytes.data(), bytes.size());
  }
}

// Every TableReader is one of these: a lookup finds its state in the object that it was called on,
// not behind a pointer or a virtual call.
class TableReader::Impl final : public TableReader {
 public:
  Impl(const TableReaderOptions& options, std::unique_ptr<RandomAccessFile> file);

  static const Impl& Of(const TableReader& reader) { return static_cast<const Impl&>(reader); }

  using Loaded = LoadedTable;

  // In the file, or in the cache, or in a buffer here.
  struct DataBlock {
    explicit DataBlock(FillCache fill = FillCache::kYes) : fill_cache(fill) {}

    FillCache fill_cache;
    // The file, if it is in memory and the block is one of many that are read in order.
    const char* scan_bytes = nullptr;
    Block block;
    BlockContents contents;
    PinnedBlock pin;
  };

  absl::Status ReadFooter();
  absl::Status ReadMetaindex();
  // Errors do not name file and block.
  absl::StatusOr<BlockContents> ReadBlock(BlockKind kind, const BlockHandle& handle,
                                          bool verify = true,
                                          BlockAccess access = BlockAccess::kLookup) const {
    return sstable::ReadBlock(
        *file_, kind, handle,
        {verify, options_.max_uncompressed_block_size, metaindex_.dialect(), access, work_.get()});
  }

  // A LookupKey goes by value into what is in line, and by reference, as a copy made for the call,
  // into what is not: so it stays in registers until then.

  // TableIndex::Find(), with the place in its errors. `*is_last`: no later block has versions of
  // the key.
  absl::Status FindBlock(const TableIndex& index, LookupKey key, size_t* block,
                         bool* is_last) const {
    *is_last = true;
    if (ABSL_PREDICT_TRUE(index.TryFind(key.user_key, block))) return absl::OkStatus();
    return FindBlockSlowly(index, LookupKey(key), block, is_last);
  }
  absl::Status FindBlock(const TableIndex& index, absl::string_view key, size_t* block) const {
    bool is_last;
    return FindBlock(index, order_.Split(key), block, &is_last);
  }
  void LookUpTogether(absl::Span<LookupRequest> requests, uint64_t snapshot) const;
  absl::Status FindBlockSlowly(const TableIndex& index, const LookupKey& key, size_t* block,
                               bool* is_last) const;

  void Prefetch(const Loaded& loaded, const char* start, size_t size) const;
  enum class FilterAnswer { kAbsent, kMayMatch, kNotAsked };
  FilterAnswer AskTableFilter(const Loaded& loaded, absl::string_view user_key) const;
  FilterAnswer AskFilter(const Loaded& loaded, const IndexRecord& record,
                         absl::string_view user_key, uint32_t hash) const;

  // Errors do not name file and block.
  absl::Status ReadDataBlock(const Loaded& loaded, const IndexRecord& record,
                             DataBlock* data) const;
  absl::Status ReadDataBlockSlowly(const Loaded& loaded, const IndexRecord& record,
                                   DataBlock* data) const;

  // Where a key is, if the table has it.
  struct Place {
    uint32_t hash = 0;     // the key's, for a Bloom filter
    size_t block = 0;      // the first block to look into; their number if there is none
    bool is_last = false;  // no later block has versions of the key
    // Of that block's filter, or the table's: kAbsent if one of them says so.
    FilterAnswer answer = FilterAnswer::kNotAsked;
  };
  absl::Status FindPlace(const Loaded& loaded, LookupKey key, Place* place) const;
  bool MayGoOnBehind(const TableIndex& index, size_t block, absl::string_view user_key) const;
  // What an entry with the key, or a version of it, says.
  absl::StatusOr<Presence> TakeVersion(const BlockSearchResult& found, KeyBuffer* scratch,
                                       std::string* value) const;
  absl::StatusOr<Presence> TakeFound(const BlockSearchResult& found, KeyBuffer* scratch,
                                     std::string* value) const;
  absl::Status SearchOneBlock(const Loaded& loaded, const IndexRecord& record, const LookupKey& key,
                              KeyBuffer* scratch, DataBlock* data, BlockSearchResult* found) const;
  template <typename Visit>
  absl::Status SearchBlocks(const Loaded& loaded, const Place& place, const LookupKey& key,
                            KeyBuffer* scratch, DataBlock* data, BlockSearchResult* found,
                            Visit visit) const;
  template <typename Visit>
  absl::Status SearchTable(const Loaded& loaded, const LookupKey& key, KeyBuffer* scratch,
                           DataBlock* data, BlockSearchResult* found, Visit visit) const;
  // kFound: an entry of `key`, or an older version of it; kUnknown: only a search of the loaded
  // index can say.
  enum class Located { kFound, kAbsent, kUnknown };
  // While nothing is loaded: by the index block in place (table_first_lookups.cc). kUnknown: that
  // can't say, and `*loaded` is what can; nothing is in `*found`. The error is that
  // of reading a data block.
  absl::StatusOr<Located> LookUpInPlace(const LookupKey& key, KeyBuffer* scratch, DataBlock* data,
                                        BlockSearchResult* found, const Loaded** loaded) const;
  absl::StatusOr<Located> SearchInPlace(IndexInPlace* index, const LookupKey& key,
                                        KeyBuffer* scratch, DataBlock* data,
                                        BlockSearchResult* found) const;
  // Find() by it; nullopt if it can't say.
  std::optional<absl::StatusOr<Presence>> FindInPlace(const LookupKey& key, std::string* value,
                                                      const Loaded** loaded) const;
  absl::Status LookUp(const LookupKey& key, KeyBuffer* scratch, DataBlock* data,
                      BlockSearchResult* found) const;
  template <KeyKind kKind>
  absl::StatusOr<Presence> FindKey(LookupKey key, std::string* value) const;
  absl::StatusOr<Presence> FindInternal(absl::string_view user_key, std::string* value,
                                        uint64_t snapshot) const;
  absl::StatusOr<Presence> FindInBlock(const Loaded& loaded, const Place& place,
                                       const LookupKey& key, std::string* value) const;
  absl::StatusOr<Presence> FindInBlocks(const Loaded& loaded, const Place& place,
                                        const LookupKey& key, std::string* value) const;

  const TableReaderOptions options_;
  const KeyOrder order_;
  const std::unique_ptr<RandomAccessFile> file_;
  const std::shared_ptr<WorkBudget> work_;  // null: no bound
  const BloomKernels* const bloom_kernels_ = &BestBloomKernels();
  Footer footer_;
  Metaindex metaindex_;
  absl::Status metaindex_status_;

  mutable TableLoader loader_{this};
  mutable ReaderStatsCounter stats_;
};

// Asks the processor for the parts of a block that a search will touch.
inline void TableReader::Impl::Prefetch(const Loaded& loaded, const char* start,
                                        size_t size) const {
  ForEachPrefetch(size, loaded.search_stride,
                  [start](size_t offset) { __builtin_prefetch(start + offset); });
}

inline TableReader::Impl::FilterAnswer TableReader::Impl::AskTableFilter(
    const Loaded& loaded, absl::string_view user_key) const {
  if (loaded.table_filter.filter == nullptr) return FilterAnswer::kNotAsked;
  return loaded.table_filter.filter->MayMatch(TableFilterHash(user_key)) ? FilterAnswer::kMayMatch
                                                                         : FilterAnswer::kAbsent;
}

inline TableReader::Impl::FilterAnswer TableReader::Impl::AskFilter(const Loaded& loaded,
                                                                    const IndexRecord& record,
                                                                    absl::string_view user_key,
                                                                    uint32_t hash) const {
  if (record.filter_size == 0 || !loaded.filter.has_value()) return FilterAnswer::kNotAsked;
  const absl::string_view filter(loaded.filter->contents().data() + record.filter_offset,
                                 record.filter_size);
  bool may_match;
  if (ABSL_PREDICT_TRUE(record.filter_probe_count > 0)) {
    const auto bit_count = static_cast<uint32_t>(BloomView(filter).bit_count());
    const auto probe = [&](uint32_t key_hash) {
      return bloom_kernels_->probe(filter.data(), bit_count, record.filter_reciprocal,
                                   record.filter_probe_count, key_hash);
    };
    may_match =
        probe(hash) ||
        (loaded.bloom->hash == BloomHash::kEitherTail &&
         probe(BloomKeyHash<HashTail::kSigned>(WithoutIgnoredSuffix(*loaded.bloom, user_key))));
  } else {
    may_match = FilterMayMatch(*loaded.filter_policy, filter, user_key);
  }
  return may_match ? FilterAnswer::kMayMatch : FilterAnswer::kAbsent;
}

inline absl::StatusOr<Presence> TableReader::Impl::TakeFound(const BlockSearchResult& found,
                                                             KeyBuffer* scratch,
                                                             std::string* value) const {
  if (order_.kind() == KeyKind::kInternal) return TakeVersion(found, scratch, value);
  AssignValue(found.value, value);
  return Presence::kFound;
}

}  // namespace sstable

#endif  // SSTABLE_TABLE_TABLE_READER_IMPL_H_
