// The lookups of a TableReader: index, filter, block.
#include <cstddef>
#include <optional>
#include <utility>

#include "absl/base/attributes.h"
#include "absl/base/optimization.h"
#include "absl/strings/str_cat.h"
#include "filter/bloom.h"
#include "sstable/table_reader.h"
#include "table/block/show_key.h"
#include "table/table_internals.h"
#include "table/table_reader_impl.h"
#include "util/bytes.h"
#include "util/status_util.h"

namespace sstable {
namespace {

constexpr auto kVisitNothing = [](size_t, const absl::Status*) {};

}  // namespace

absl::Status TableReader::Impl::ReadDataBlock(const Loaded& loaded, const IndexRecord& record,
                                              DataBlock* data) const {
  data->pin.Release();
  ReaderStatsCounter::Shard& stats = stats_.ForThisThread();
  if (loaded.cached_blocks.has_value() && !record.state.Has(BlockState::kDirect)) {
    const size_t i = loaded.index->BlockIndex(record);
    loaded.cached_blocks->PrefetchSlot(i);
    loaded.cached_blocks->PrefetchBlock(i, loaded.search_stride);
    data->pin = loaded.cached_blocks->Find(i);
    if (ABSL_PREDICT_TRUE(data->pin.has_block())) {
      stats.Add(ReaderStatsCounter::kCacheHits);
      data->block = data->pin.block();
      return absl::OkStatus();
    }
  }
  stats.Add(ReaderStatsCounter::kBlocksRead);
  stats.Add(ReaderStatsCounter::kBytesRead, record.block_size + kBlockTrailerSize);
  if (ABSL_PREDICT_TRUE(record.state.Has(BlockState::kDirect))) {
    const char* const file = data->scan_bytes != nullptr ? data->scan_bytes : loaded.file_bytes;
    const absl::string_view bytes(file + record.block_offset, record.block_size);
    if (ABSL_PREDICT_TRUE(Block::TryParse(bytes, &data->block, record.restart_count.get()))) {
      return absl::OkStatus();
    }
  }
  return ReadDataBlockSlowly(loaded, record, data);
}

absl::Status TableReader::Impl::ReadDataBlockSlowly(const Loaded& loaded, const IndexRecord& record,
                                                    DataBlock* data) const {
  const bool verify = options_.verify_checksums == VerifyChecksums::kAlways ||
                      (options_.verify_checksums == VerifyChecksums::kFirstTouch &&
                       !record.state.Has(BlockState::kVerified));
  const bool in_scan = data->scan_bytes != nullptr;
  ASSIGN_OR_RETURN(data->contents, ReadBlock(BlockKind::kData, record.handle(), verify,
                                             in_scan ? BlockAccess::kScan : BlockAccess::kLookup));
  const bool is_for_cache = loaded.cached_blocks.has_value() && data->contents.buffer.size() > 0;
  if (is_for_cache && data->fill_cache == FillCache::kYes) data->contents.ShrinkBuffer();
  ASSIGN_OR_RETURN(data->block, Block::Parse(data->contents.bytes));
  if (verify) record.state.Set(BlockState::kVerified);
  const char* const file = in_scan ? data->scan_bytes : loaded.file_bytes;
  const bool is_direct =
      file != nullptr && data->contents.bytes.data() == file + record.block_offset;
  if (is_direct && options_.verify_checksums != VerifyChecksums::kAlways) {
    if (data->block.contents_size() == record.block_size) {  // else a hash index is in between
      record.restart_count.Set(data->block.restart_count());
    }
    record.state.Set(BlockState::kDirect);
  }
  if (is_for_cache) {
    stats_.ForThisThread().Add(ReaderStatsCounter::kCacheMisses);
    if (data->fill_cache == FillCache::kYes) {
      data->pin = loaded.cached_blocks->Insert(loaded.index->BlockIndex(record), data->block,
                                               &data->contents.buffer);
      if (data->pin.has_block()) data->block = data->pin.block();
    }
  }
  return absl::OkStatus();
}

absl::Status TableReader::Impl::FindBlockSlowly(const TableIndex& index, const LookupKey& key,
                                                size_t* block, bool* is_last) const {
  absl::Status status = index.Find(key, block, is_last);
  if (order_.kind() == KeyKind::kPlain) *is_last = true;
  if (status.ok()) return status;
  return AtBlock(*file_, BlockKind::kIndex, footer_.index, status);
}

// Asks the table's filter whether it has `key`, the index where it would be, and the filter there.
// Most keys that are not in the table are ruled out here, so this part needs no buffers.
ABSL_ATTRIBUTE_ALWAYS_INLINE inline absl::Status TableReader::Impl::FindPlace(const Loaded& loaded,
                                                                              LookupKey key,
                                                                              Place* place) const {
  if (ABSL_PREDICT_FALSE(!loaded.index.has_value())) return loaded.index_status.At(*file_);
  const TableIndex& index = *loaded.index;
  place->answer = AskTableFilter(loaded, key.user_key);
  if (place->answer == FilterAnswer::kAbsent) {
    place->block = index.size();
    place->is_last = true;
    return absl::OkStatus();
  }
  if (loaded.bloom != nullptr) place->hash = BloomCreationHash(*loaded.bloom, key.user_key);
  if (absl::Status status = FindBlock(index, key, &place->block, &place->is_last);
      ABSL_PREDICT_FALSE(!status.ok())) {
    return status;
  }
  if (ABSL_PREDICT_TRUE(place->block < index.size())) {
    const FilterAnswer answer =
        AskFilter(loaded, index.record(place->block), key.user_key, place->hash);
    if (answer != FilterAnswer::kNotAsked) place->answer = answer;
  }
  return absl::OkStatus();
}

// Versions of a user key may go on in the next block, where the index key between the two
// belongs to it. LevelDB and goleveldb write no such index key; others do.
bool TableReader::Impl::MayGoOnBehind(const TableIndex& index, size_t block,
                                      absl::string_view user_key) const {
  return order_.kind() == KeyKind::kInternal && index.SeparatorHasUserKey(block, user_key);
}

// `found->entry` is null if every key of the block is below `key`.
inline absl::Status TableReader::Impl::SearchOneBlock(const Loaded& loaded,
                                                      const IndexRecord& record,
                                                      const LookupKey& key, KeyBuffer* scratch,
                                                      DataBlock* data,
                                                      BlockSearchResult* found) const {
  if (ABSL_PREDICT_TRUE(record.state.Has(BlockState::kDirect))) {
    Prefetch(loaded, loaded.file_bytes + record.block_offset, record.block_size);
  }
  absl::Status status = ReadDataBlock(loaded, record, data);
  if (ABSL_PREDICT_TRUE(status.ok())) {
    status = SearchBlock(data->block, order_, key, scratch, found);
    if (ABSL_PREDICT_TRUE(status.ok())) return status;
  }
  return AtBlock(*file_, BlockKind::kData, record.handle(), status);
}

// Searches the blocks from `place` on. `found->entry` is null if the table doesn't have the key.
// Calls `visit` with each block and the status of reading and searching it, null if it is not read.
template <typename Visit>
absl::Status TableReader::Impl::SearchBlocks(const Loaded& loaded, const Place& place,
                                             const LookupKey& key, KeyBuffer* scratch,
                                             DataBlock* data, BlockSearchResult* found,
                                             Visit visit) const {
  const TableIndex& index = *loaded.index;
  // A lookup counts by what the filters of its blocks said: yes, no, or nothing.
  ReaderStatsCounter::Counter outcome = ReaderStatsCounter::kUnfilteredLookups;
  FilterAnswer answer = place.answer;
  if (place.block == index.size() && answer == FilterAnswer::kAbsent) {
    outcome = ReaderStatsCounter::kFilterNegatives;  // the table's filter said so
  }
  for (size_t i = place.block; i < index.size();) {
    const IndexRecord& record = index.record(i);
    if (answer == FilterAnswer::kAbsent) {
      if (outcome == ReaderStatsCounter::kUnfilteredLookups) {
        outcome = ReaderStatsCounter::kFilterNegatives;
      }
      visit(i, nullptr);
    } else {
      if (answer == FilterAnswer::kMayMatch) {
        outcome = ReaderStatsCounter::kFilterPositives;
      } else if (outcome == ReaderStatsCounter::kFilterNegatives) {
        outcome = ReaderStatsCounter::kUnfilteredLookups;  // the "no" did not settle it
      }
      absl::Status status = SearchOneBlock(loaded, record, key, scratch, data, found);
      visit(i, &status);
      if (ABSL_PREDICT_FALSE(!status.ok())) return status;
      if (found->entry != nullptr) break;
    }
    if (i == place.block && place.is_last) break;
    if (!MayGoOnBehind(index, i, key.user_key) || ++i == index.size()) break;
    answer = AskFilter(loaded, index.record(i), key.user_key, place.hash);
  }
  ReaderStatsCounter::Shard& stats = stats_.ForThisThread();
  stats.Add(outcome);
  if (outcome == ReaderStatsCounter::kFilterPositives &&
      !(found->entry != nullptr && found->has_user_key)) {
    stats.Add(ReaderStatsCounter::kFalsePositives);
  }
  return absl::OkStatus();
}

// Find(), compiled for each kind of keys.
template <KeyKind kKind>
ABSL_ATTRIBUTE_ALWAYS_INLINE inline absl::StatusOr<Presence> TableReader::Impl::FindKey(
    LookupKey key, std::string* value) const {
  const Loaded* known = loader_.loaded();
  if (ABSL_PREDICT_FALSE(known == nullptr)) {
    auto presence = FindInPlace(LookupKey(key), value, &known);
    if (presence.has_value()) return *std::move(presence);
  }
  const Loaded& loaded = *known;
  Place place;
  if (absl::Status status = FindPlace(loaded, key, &place); ABSL_PREDICT_FALSE(!status.ok())) {
    return status;
  }
  if (kKind == KeyKind::kInternal && ABSL_PREDICT_FALSE(!place.is_last)) {
    return FindInBlocks(loaded, place, LookupKey(key), value);
  }
  if (place.answer == FilterAnswer::kAbsent) {
    stats_.ForThisThread().Add(ReaderStatsCounter::kFilterNegatives);
    return Presence::kAbsent;
  }
  return FindInBlock(loaded, place, LookupKey(key), value);
}

absl::StatusOr<Presence> TableReader::Find(absl::string_view key, std::string* value,
                                           uint64_t snapshot) const {
  const Impl& self = Impl::Of(*this);
  if (ABSL_PREDICT_FALSE(self.order_.kind() == KeyKind::kInternal)) {
    return self.FindInternal(key, value, snapshot);
  }
  return self.FindKey<KeyKind::kPlain>({key}, value);
}

absl::StatusOr<Presence> TableReader::Impl::FindInternal(absl::string_view user_key,
                                                         std::string* value,
                                                         uint64_t snapshot) const {
  if (ABSL_PREDICT_FALSE(snapshot > kMaxSequence)) {
    return absl::InvalidArgumentError(
        absl::StrCat("snapshot ", snapshot, " is above the highest sequence, ", kMaxSequence));
  }
  return FindKey<KeyKind::kInternal>({user_key, SeekTag(snapshot)}, value);
}

// The rest of Find() for a key that can be in one block only.
absl::StatusOr<Presence> TableReader::Impl::FindInBlock(const Loaded& loaded, const Place& place,
                                                        const LookupKey& key,
                                                        std::string* value) const {
  KeyBuffer scratch;
  DataBlock data;
  BlockSearchResult found;
  if (ABSL_PREDICT_TRUE(place.block < loaded.index->size())) {
    absl::Status status =
        SearchOneBlock(loaded, loaded.index->record(place.block), key, &scratch, &data, &found);
    if (ABSL_PREDICT_FALSE(!status.ok())) return status;
  }
  const bool is_found = found.entry != nullptr && found.has_user_key;
  ReaderStatsCounter::Shard& stats = stats_.ForThisThread();
  if (place.answer == FilterAnswer::kMayMatch) {
    stats.Add(ReaderStatsCounter::kFilterPositives);
    if (!is_found) stats.Add(ReaderStatsCounter::kFalsePositives);
  } else {
    stats.Add(ReaderStatsCounter::kUnfilteredLookups);
  }
  if (!is_found) return Presence::kAbsent;
  return TakeFound(found, &scratch, value);
}

// The same for one whose versions may go on in the next block.
ABSL_ATTRIBUTE_NOINLINE absl::StatusOr<Presence> TableReader::Impl::FindInBlocks(
    const Loaded& loaded, const Place& place, const LookupKey& key, std::string* value) const {
  KeyBuffer scratch;
  DataBlock data;
  BlockSearchResult found;
  RETURN_IF_ERROR(SearchBlocks(loaded, place, key, &scratch, &data, &found, kVisitNothing));
  if (found.entry == nullptr || !found.has_user_key) return Presence::kAbsent;
  return TakeFound(found, &scratch, value);
}

// TakeFound() for internal keys.
absl::StatusOr<Presence> TableReader::Impl::TakeVersion(const BlockSearchResult& found,
                                                        KeyBuffer* scratch,
                                                        std::string* value) const {
  // The bytes that an entry stores have the tag, unless it shares some with the version before.
  std::optional<ParsedInternalKey> parsed = ParseInternalKey(found.key_suffix);
  if (ABSL_PREDICT_FALSE(!parsed.has_value())) {
    const absl::string_view key = found.TakeKey(scratch);
    parsed = ParseInternalKey(key);
    // RocksDB has more types than values and deletions, and a table of plain keys has none.
    if (!parsed.has_value()) {
      return absl::UnimplementedError(
          absl::StrCat(file_->name(), ": key ", ShowKey(order_, key),
                       " is not an internal key of a value or a deletion"));
    }
  }
  if (parsed->type == ValueType::kDeletion) return Presence::kDeleted;
  AssignValue(found.value, value);
  return Presence::kFound;
}

// Looks `key` up through index, filter and block. `found->entry` is null if the table doesn't
// have it.
template <typename Visit>
absl::Status TableReader::Impl::SearchTable(const Loaded& loaded, const LookupKey& key,
                                            KeyBuffer* scratch, DataBlock* data,
                                            BlockSearchResult* found, Visit visit) const {
  Place place;
  if (absl::Status status = FindPlace(loaded, key, &place); ABSL_PREDICT_FALSE(!status.ok())) {
    return status;
  }
  return SearchBlocks(loaded, place, key, scratch, data, found, visit);
}

// Looks first in the index block in place, if nothing is loaded.
ABSL_ATTRIBUTE_ALWAYS_INLINE inline absl::Status TableReader::Impl::LookUp(
    const LookupKey& key, KeyBuffer* scratch, DataBlock* data, BlockSearchResult* found) const {
  const Loaded* known = loader_.loaded();
  if (ABSL_PREDICT_FALSE(known == nullptr)) {
    ASSIGN_OR_RETURN(const Located located, LookUpInPlace(key, scratch, data, found, &known));
    if (located != Located::kUnknown) return absl::OkStatus();
  }
  return SearchTable(*known, key, scratch, data, found, kVisitNothing);
}

absl::StatusOr<std::optional<std::string>> TableReader::Get(absl::string_view key) const {
  std::string value;
  ASSIGN_OR_RETURN(const Presence presence, Find(key, &value));
  if (presence != Presence::kFound) return std::nullopt;
  return value;
}

absl::Status TableReader::InternalGet(
    absl::string_view key,
    absl::FunctionRef<void(absl::string_view key, absl::string_view value)> visit) const {
  KeyBuffer scratch;
  Impl::DataBlock data;
  BlockSearchResult found;
  const Impl& self = Impl::Of(*this);
  RETURN_IF_ERROR(self.LookUp(self.order_.Split(key), &scratch, &data, &found));
  if (found.entry != nullptr) visit(found.TakeKey(&scratch), found.value);
  return absl::OkStatus();
}

absl::Status TraceInternalGet(const TableReader& reader, absl::string_view key,
                              absl::FunctionRef<void(const LookupStep&)> visit) {
  KeyBuffer scratch;
  TableReader::Impl::DataBlock data;
  BlockSearchResult found;
  const auto& self = TableReader::Impl::Of(reader);
  return self.SearchTable(
      self.loader_.Load(), self.order_.Split(key), &scratch, &data, &found,
      [&](size_t block_index, const absl::Status* status) {
        const bool is_found = status != nullptr && status->ok() && found.entry != nullptr;
        visit({block_index, status, data.block, found, is_found ? found.TakeKey(&scratch) : ""});
      });
}

}  // namespace sstable
