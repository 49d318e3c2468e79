#include "tools/files/exhaustive_lookup.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "report/text/words.h"
#include "sstable/check.h"
#include "sstable/comparator.h"
#include "sstable/experimental/key_guess.h"
#include "sstable/experimental/table_filter.h"
#include "sstable/filter_block.h"
#include "sstable/format.h"
#include "table/block/seek_key.h"
#include "table/index/table_index.h"
#include "table/inspect/verified_scan.h"
#include "table/table_internals.h"
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

std::string LookupTarget::Target(const TableReader& reader) const {
  return SeekKey(KeyOrderOf(reader), key, snapshot.value_or(kMaxSequence));
}

bool LookupTarget::IsKindOpen(const OpenedTable& table) const {
  return table.keys.kind_known_by == KnownBy::kNothing && !snapshot.has_value();
}

namespace {

// Describes the order on which a lookup relies, and how it is known.
std::string DescribeOrder(const OpenedTable& table) {
  const std::string order = OrderName(*table.keys.comparator);
  if (table.keys.order_known_by == KnownBy::kCaller) return absl::StrCat(order, ", as given");
  return absl::StrCat(order, ", which ", table.keys.sampled_blocks, " of its ",
                      Count(IndexOf(*table.reader)->size(), "data block"), " show");
}

}  // namespace

absl::StatusOr<ExhaustiveLookup::Match> ExhaustiveLookup::Search(const OpenedTable& table,
                                                                 Extent extent) const {
  const TableReader& reader = *table.reader;
  const std::string& key = target_.key;
  const bool is_open = target_.IsKindOpen(table);
  const KeyKind kind = KeyOrderOf(reader).kind();
  Match match;
  absl::Status unreadable;  // why a version of the key can't be read
  bool is_damaged = false;  // for the block being read
  const auto look_at = [&](size_t block, absl::string_view entry_key, absl::string_view value) {
    const bool is_key =
        (is_open || kind == KeyKind::kPlain) && entry_key == key && !match.plain.has_value();
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
    std::optional<Version>& seen = is_key ? match.plain : match.newest;
    if (!is_key && version->sequence > target_.snapshot.value_or(kMaxSequence)) return true;
    if (seen.has_value() && seen->sequence >= version->sequence) return true;
    seen = *std::move(version);
    match.block = block;
    match.is_misplaced = is_damaged;
    match.entry_key = std::string(entry_key);
    return true;
  };
  const KeyTrust known =
      is_open && table.key_trust == KeyTrust::kOrdered ? KeyTrust::kUnordered : table.key_trust;
  bool is_of_key = true;  // the block being read may have the key
  VerifiedScan scan(&reader, known, VerifiedScan::Misplaced::kVisit,
                    [&](const absl::Status& status) {
                      if (is_of_key || IsReadFailure(status)) match.damage.Update(status);
                      match.is_whole = false;
                      is_damaged = true;
                    });
  VerifiedScan::Blocks of_key = {0, scan.block_count()};
  if (table.searchable() && !is_open) of_key = scan.BlocksBetween(key, key);
  const VerifiedScan::Blocks blocks =
      extent == Extent::kWhole ? VerifiedScan::Blocks{0, scan.block_count()} : of_key;
  if (blocks.end - blocks.first < scan.block_count()) match.is_whole = false;
  for (size_t i = blocks.first; i < blocks.end; ++i) {
    is_damaged = false;
    is_of_key = of_key.first <= i && i < of_key.end;
    const bool goes_on = scan.Visit(i, [&](absl::string_view entry_key, absl::string_view value) {
      return look_at(i, entry_key, value);
    });
    if (!goes_on) break;
  }
  RETURN_IF_ERROR(unreadable);
  return match;
}

ExhaustiveLookup::FoundVersion ExhaustiveLookup::SearchAll(const OpenedTable& table,
                                                           absl::string_view why) const {
  const std::string& name = table.reader->file().name();
  console_->Say(absl::StrCat(name, ": ", why, ", so all of it is searched"));
  ASSIGN_OR_RETURN(const Match match, Search(table, Extent::kWhole));
  if (match.plain.has_value() && match.newest.has_value()) {
    return absl::FailedPreconditionError(absl::StrCat(name, ": has ", ShowBytes(target_.key),
                                                      " as a plain key and as the user key of an ",
                                                      "internal key; choose one with --keys"));
  }
  if (target_.IsKindOpen(table) && match.version().has_value()) {
    console_->Say(
        absl::StrCat(name, ": ", ShowBytes(target_.key), " is there as ",
                     match.plain.has_value() ? "a plain key" : "the user key of an internal key"));
  }
  if (match.plain.has_value() && !match.is_misplaced) return match.plain;
  return DespiteDamage(match.version(), match.damage);
}

ExhaustiveLookup::FoundVersion ExhaustiveLookup::DespiteDamage(std::optional<Version> found,
                                                               const absl::Status& damage) const {
  if (damage.ok()) return found;
  if (!found.has_value() || found->deleted) return damage;
  console_->Fail(damage);
  found->is_suspect = true;
  found->is_read_failed = IsReadFailure(damage);
  return found;
}

ExhaustiveLookup::FoundVersion ExhaustiveLookup::Confirm(const OpenedTable& table,
                                                         FoundVersion found) {
  const TableReader& reader = *table.reader;
  const bool is_small = reader.file().size() <= bytes_left_;
  if (is_small) bytes_left_ -= reader.file().size();
  ASSIGN_OR_RETURN(const Match match,
                   Search(table, is_small ? Extent::kWhole : Extent::kBlocksOfKey));
  const std::optional<Version>& version = match.version();
  if (!found.ok()) return DespiteDamage(version, found.status());
  if (version.has_value() && (!found->has_value() || (*found)->sequence < version->sequence)) {
    const BlockHandle handle = IndexOf(reader)->record(match.block).handle();
    const TableFilter* const table_filter = LoadNow(reader).table_filter.filter.get();
    const bool is_denied =
        (table_filter != nullptr &&
         !table_filter->MayMatch(TableFilterHash(KeyOrderOf(reader).UserKey(match.entry_key)))) ||
        (reader.filter() != nullptr &&
         !reader.filter()->KeyMayMatch(handle.offset, match.entry_key));
    console_->Say(
        absl::StrCat(reader.file().name(), ": ", DescribeBlock(BlockKind::kData, handle), ": has ",
                     ShowBytes(target_.key), ", but a lookup does not find it: ",
                     is_denied ? "the filter has a false negative" : "keys are out of order"));
    if (!match.damage.ok()) console_->Fail(match.damage);
    found = version;
    (*found)->is_suspect = true;
    return found;
  }
  if (!match.is_whole) assumption_ = DescribeOrder(table);
  return DespiteDamage(*std::move(found), match.damage);
}

}  // namespace sstable::tools
