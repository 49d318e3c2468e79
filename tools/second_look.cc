#include "tools/second_look.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "sstable/check.h"
#include "sstable/comparator.h"
#include "sstable/experimental/key_guess.h"
#include "sstable/experimental/table_filter.h"
#include "sstable/filter_block.h"
#include "sstable/format.h"
#include "sstable/table_iterator.h"
#include "table/block/block.h"
#include "table/block/block_io.h"
#include "table/block/block_iterator.h"
#include "table/block/seek_key.h"
#include "table/index/table_index.h"
#include "table/inspect/guarded_scan.h"
#include "table/inspect/placement.h"
#include "table/table_internals.h"
#include "tools/cli/words.h"
#include "util/descriptor.h"
#include "util/escape.h"
#include "util/status_util.h"

namespace sstable::tools {

absl::StatusOr<Version> ReadVersion(const TableReader& reader, KeyKind kind,
                                    absl::string_view entry_key, absl::string_view value) {
  Version version;
  version.file = reader.file().name();
  version.value = std::string(value);
  if (kind == KeyKind::kPlain) return version;
  const std::optional<ParsedInternalKey> parsed = ParseInternalKey(entry_key);
  if (!parsed.has_value()) {
    return absl::UnimplementedError(
        absl::StrCat(version.file, ": the key has a version of type ", ExtractTag(entry_key) & 0xff,
                     " at sequence ", ExtractTag(entry_key) >> 8, ", which is not LevelDB's"));
  }
  version.sequence = parsed->sequence;
  version.deleted = parsed->type == ValueType::kDeletion;
  return version;
}

std::string WantedKey::Target(const TableReader& reader) const {
  return SeekKey(KeyOrderOf(reader), key, snapshot.value_or(kMaxSequence));
}

bool WantedKey::IsKindOpen(const InputTable& table) const {
  return table.keys.kind_known_by == KnownBy::kNothing && !snapshot.has_value();
}

namespace {

// Checks that the keys of a block ascend.
absl::Status CheckOrderWithin(const KeyOrder& order, const Block& block, WorkMeter* work) {
  std::string last;
  bool has_last = false;
  BlockIterator entries(&order, block);
  for (entries.SeekToFirst(); entries.Valid(); entries.Next()) {
    if (!work->TakeKey(entries.key().size())) return work->Error();
    if (has_last) RETURN_IF_ERROR(CheckAscends(order, last, entries.key()));
    last.assign(entries.key().data(), entries.key().size());
    has_last = true;
  }
  return entries.status();
}

// Checks that the blocks that a lookup visits, from `first` up to `end`, are those that the index
// means, and that they and their neighbours are in order: a key that changed places with the next
// one is in one of them.
absl::Status CheckPlaces(const TableReader& reader, size_t first, size_t end) {
  PlacementChecker placement(&reader, /*order_known=*/true);
  WorkMeter work(WorkOf(reader));
  const auto it = reader.NewIterator();
  end = std::min(end + 1, IndexOf(reader)->size());
  for (size_t i = first == 0 ? 0 : first - 1; i < end; ++i) {
    it->SeekToBlock(i);
    if (it->Valid() && it->block_index() == i) {
      absl::Status status = placement.Check(i, BlockOf(*it));
      status.Update(CheckOrderWithin(KeyOrderOf(reader), BlockOf(*it), &work));
      RETURN_IF_ERROR(
          AtBlock(reader.file(), BlockKind::kData, IndexOf(reader)->record(i).handle(), status));
    }
  }
  return absl::OkStatus();
}

// Describes the order on which a lookup relies, and how it is known.
std::string DescribeOrder(const InputTable& table) {
  const std::string order = OrderName(*table.keys.comparator);
  if (table.keys.order_known_by == KnownBy::kCaller) return absl::StrCat(order, ", as given");
  return absl::StrCat(order, ", which ", table.keys.sampled_blocks, " of its ",
                      Count(IndexOf(*table.reader)->size(), "data block"), " show");
}

}  // namespace

absl::StatusOr<SecondLook::BlockRange> SecondLook::BlocksFor(const TableReader& reader) const {
  const TableIndex& index = *IndexOf(reader);
  const std::string target = wanted_.Target(reader);
  BlockRange range;
  RETURN_IF_ERROR(index.Find(KeyOrderOf(reader).Split(target), &range.first));
  range.end = std::min(range.first + 1, index.size());
  if (KeyOrderOf(reader).kind() == KeyKind::kPlain) return range;
  const absl::string_view user_key = KeyOrderOf(reader).UserKey(target);
  while (range.end < index.size() && index.SeparatorHasUserKey(range.end - 1, user_key)) {
    ++range.end;
  }
  return range;
}

// Reads blocks entry by entry, so that no order matters.
absl::StatusOr<SecondLook::Sighting> SecondLook::ReadBlocks(const InputTable& table,
                                                            BlockRange range) const {
  const TableReader& reader = *table.reader;
  const std::string& key = wanted_.key;
  const bool is_open = wanted_.IsKindOpen(table);
  const KeyKind kind = KeyOrderOf(reader).kind();
  Sighting sighting;
  absl::Status unreadable;  // a version of the key
  bool is_damaged = false;  // in the block being read
  const auto look_at = [&](size_t block, absl::string_view entry_key, absl::string_view value) {
    const bool is_key =
        (is_open || kind == KeyKind::kPlain) && entry_key == key && !sighting.plain.has_value();
    const bool has_user_key =
        (is_open ? ParseInternalKey(entry_key).has_value() : kind == KeyKind::kInternal) &&
        ExtractUserKey(entry_key) == key;
    if (!is_key && !has_user_key) return true;
    absl::StatusOr<Version> version =
        ReadVersion(reader, is_key ? KeyKind::kPlain : KeyKind::kInternal, entry_key, value);
    if (!version.ok()) {
      unreadable = version.status();
      return false;
    }
    std::optional<Version>& seen = is_key ? sighting.plain : sighting.newest;
    if (!is_key && version->sequence > wanted_.snapshot.value_or(kMaxSequence)) return true;
    if (seen.has_value() && seen->sequence >= version->sequence) return true;
    seen = *std::move(version);
    sighting.block = block;
    sighting.is_misplaced = is_damaged;
    sighting.entry_key = std::string(entry_key);
    return true;
  };
  const KeyTrust known =
      is_open && table.key_trust == KeyTrust::kOrdered ? KeyTrust::kUnordered : table.key_trust;
  GuardedScan scan(&reader, known, GuardedScan::Misplaced::kVisit, [&](const absl::Status& status) {
    sighting.damage.Update(status);
    is_damaged = true;
  });
  for (size_t i = range.first; i < range.end && i < scan.block_count(); ++i) {
    is_damaged = false;
    const bool goes_on = scan.Visit(i, [&](absl::string_view entry_key, absl::string_view value) {
      return look_at(i, entry_key, value);
    });
    if (!goes_on) break;
  }
  RETURN_IF_ERROR(unreadable);
  return sighting;
}

SecondLook::FoundVersion SecondLook::Scan(const InputTable& table, absl::string_view why) const {
  const std::string& name = table.reader->file().name();
  console_->Say(absl::StrCat(name, ": ", why, ", so all of it is searched"));
  ASSIGN_OR_RETURN(const Sighting seen, ReadBlocks(table, {0, IndexOf(*table.reader)->size()}));
  if (seen.plain.has_value() && seen.newest.has_value()) {
    return absl::FailedPreconditionError(absl::StrCat(name, ": has ", ShowBytes(wanted_.key),
                                                      " as a plain key and as the user key of an ",
                                                      "internal key; choose one with --keys"));
  }
  if (wanted_.IsKindOpen(table) && seen.version().has_value()) {
    console_->Say(
        absl::StrCat(name, ": ", ShowBytes(wanted_.key), " is there as ",
                     seen.plain.has_value() ? "a plain key" : "the user key of an internal key"));
  }
  if (seen.plain.has_value() && !seen.is_misplaced) return seen.plain;
  return DespiteDamage(seen.version(), seen.damage);
}

SecondLook::FoundVersion SecondLook::DespiteDamage(std::optional<Version> found,
                                                   const absl::Status& damage) const {
  if (damage.ok()) return found;
  if (!found.has_value() || found->deleted) return damage;
  console_->Fail(damage);
  found->is_suspect = true;
  found->is_read_failed = IsReadFailure(damage);
  return found;
}

SecondLook::FoundVersion SecondLook::ReadDamaged(const InputTable& table,
                                                 const absl::Status& damage) const {
  const absl::StatusOr<BlockRange> range = BlocksFor(*table.reader);
  if (!range.ok()) return damage;
  ASSIGN_OR_RETURN(const Sighting seen, ReadBlocks(table, *range));
  return DespiteDamage(seen.version(), damage);
}

SecondLook::FoundVersion SecondLook::LookForMissed(const InputTable& table, BlockRange range,
                                                   std::optional<Version> found) {
  const TableReader& reader = *table.reader;
  ASSIGN_OR_RETURN(Sighting seen, ReadBlocks(table, range));
  absl::Status damage = seen.damage;
  const bool is_small = reader.file().size() <= bytes_left_;
  bool is_whole = is_small;
  if (is_small) {
    bytes_left_ -= reader.file().size();
    ASSIGN_OR_RETURN(seen, ReadBlocks(table, {0, IndexOf(reader)->size()}));
    is_whole = seen.damage.ok();
    if (IsReadFailure(seen.damage)) damage.Update(seen.damage);
  }
  const std::optional<Version>& version = seen.version();
  const bool is_missed =
      version.has_value() && (!found.has_value() || found->sequence < version->sequence);
  if (is_missed) {
    const BlockHandle handle = IndexOf(reader)->record(seen.block).handle();
    const TableFilter* const table_filter = LoadNow(reader).table_filter.filter.get();
    const bool is_denied =
        (table_filter != nullptr &&
         !table_filter->MayMatch(TableFilterHash(KeyOrderOf(reader).UserKey(seen.entry_key)))) ||
        (reader.filter() != nullptr &&
         !reader.filter()->KeyMayMatch(handle.offset, seen.entry_key));
    console_->Say(
        absl::StrCat(reader.file().name(), ": ", DescribeBlock(BlockKind::kData, handle), ": has ",
                     ShowBytes(wanted_.key), ", but a lookup does not find it: ",
                     is_denied ? "the filter has a false negative" : "keys are out of order"));
    found = *version;
    found->is_suspect = true;
    return found;
  }
  if (!is_whole) assumption_ = DescribeOrder(table);
  return DespiteDamage(std::move(found), damage);
}

SecondLook::FoundVersion SecondLook::Confirm(const InputTable& table,
                                             std::optional<Version> found) {
  ASSIGN_OR_RETURN(const BlockRange range, BlocksFor(*table.reader));
  const absl::Status places = CheckPlaces(*table.reader, range.first, range.end);
  if (IsLimit(places)) return places;
  if (places.ok()) return LookForMissed(table, range, std::move(found));
  const FoundVersion scanned = Scan(table, "keys near it are out of order");
  if (!scanned.ok() || !scanned->has_value()) return places;
  // If the order was not given, keys may be in another one, and nothing is wrong.
  const bool is_damage = table.keys.order_known_by == KnownBy::kCaller;
  return is_damage && !(*scanned)->is_suspect ? DespiteDamage(*scanned, places) : scanned;
}

}  // namespace sstable::tools
