// The first lookups in a table: in the index block as it stands in the file, without a filter.
//
// They answer only if the answer is sure, and leave all else, most errors included, to a lookup in
// the loaded table. A plain key that is found needs no proof that the index is in order. A key that
// is absent does, and so do internal keys: in an index out of order, a newer version may be
// elsewhere.
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "table/block/block_search.h"
#include "table/index_in_place.h"
#include "table/table_reader_impl.h"
#include "util/status_util.h"

namespace sstable {

absl::StatusOr<TableReader::Impl::Located> TableReader::Impl::SearchInPlace(
    IndexInPlace* index, const LookupKey& key, KeyBuffer* scratch, DataBlock* data,
    BlockSearchResult* found) const {
  const bool is_internal = order_.kind() == KeyKind::kInternal;
  if (is_internal && !index->IsInOrder()) return Located::kUnknown;
  BlockSearchResult entry;
  if (!SearchBlock(index->block(), order_, key, scratch, &entry).ok()) return Located::kUnknown;
  if (entry.entry == nullptr) {  // The key is past every block.
    return index->IsInOrder() ? Located::kAbsent : Located::kUnknown;
  }
  absl::string_view bytes = entry.value;
  const absl::StatusOr<BlockHandle> handle = BlockHandle::Parse(&bytes);
  // No block is that large. A record of a loaded index has no room for such a size.
  if (!handle.ok() || handle->size > std::numeric_limits<uint32_t>::max()) {
    return Located::kUnknown;
  }
  const bool may_go_on_behind = is_internal && entry.has_user_key;  // see MayGoOnBehind()

  absl::StatusOr<BlockContents> contents =
      ReadBlock(BlockKind::kData, *handle, options_.verify_checksums != VerifyChecksums::kNever,
                BlockAccess::kFew);
  if (!contents.ok()) {
    // A read that fails is reported, not tried again, unless it is the index that may be at fault.
    if (!IsTransient(contents.status()) && !index->IsInOrder()) return Located::kUnknown;
    return AtBlock(*file_, BlockKind::kData, *handle, contents.status());
  }
  data->contents = *std::move(contents);
  ReaderStatsCounter::Shard& stats = stats_.ForThisThread();
  stats.Add(ReaderStatsCounter::kBlocksRead);
  stats.Add(ReaderStatsCounter::kBytesRead, handle->size + kBlockTrailerSize);
  if (!Block::TryParse(data->contents.bytes, &data->block) ||
      !SearchBlock(data->block, order_, key, scratch, found).ok() ||
      (found->entry == nullptr && may_go_on_behind)) {
    return Located::kUnknown;
  }
  index->ChargeCopy(data->contents.buffer.size());
  if (found->entry != nullptr && found->has_user_key) return Located::kFound;
  if (!index->IsInOrder()) return Located::kUnknown;
  index->ChargeMiss();
  return Located::kAbsent;
}

absl::StatusOr<TableReader::Impl::Located> TableReader::Impl::LookUpInPlace(
    const LookupKey& key, KeyBuffer* scratch, DataBlock* data, BlockSearchResult* found,
    const Loaded** loaded) const {
  const std::shared_ptr<IndexInPlace> index = loader_.InPlaceOrLoad(loaded);
  if (index == nullptr) return Located::kUnknown;
  index->Charge(IndexInPlace::kSearchCost);
  if (!index->IsTimeToLoad()) {
    ASSIGN_OR_RETURN(const Located located, SearchInPlace(index.get(), key, scratch, data, found));
    if (located != Located::kUnknown) {
      stats_.ForThisThread().Add(ReaderStatsCounter::kUnfilteredLookups);
      return located;
    }
    *found = {};
  }
  *loaded = &loader_.Load();
  return Located::kUnknown;
}

std::optional<absl::StatusOr<Presence>> TableReader::Impl::FindInPlace(
    const LookupKey& key, std::string* value, const Loaded** loaded) const {
  KeyBuffer scratch;
  DataBlock data;
  BlockSearchResult found;
  const absl::StatusOr<Located> located = LookUpInPlace(key, &scratch, &data, &found, loaded);
  if (!located.ok()) return located.status();
  if (*located == Located::kUnknown) return std::nullopt;
  if (*located == Located::kAbsent) return Presence::kAbsent;
  return TakeFound(found, &scratch, value);
}

}  // namespace sstable
