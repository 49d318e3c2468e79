// The path of a lookup, as in LevelDB's Table::InternalGet(): find the block in the index, ask its
// filter, search the block for the first entry that is not below the key. Each step is passed to a
// visitor; LevelDB's callback would get only the step with an entry.
#include <cstddef>
#include <optional>
#include <utility>

#include "absl/base/attributes.h"
#include "absl/base/optimization.h"
#include "absl/strings/str_cat.h"
#include "sstable/slice.h"
#include "sstable/table_reader.h"
#include "table/block/show_key.h"
#include "table/reader_stats_counter.h"
#include "table/table_internals.h"
#include "table/table_reader_impl.h"
#include "util/bytes.h"
#include "util/status_util.h"

namespace sstable {

template <KeyKind kKind, typename Visit>
ABSL_ATTRIBUTE_ALWAYS_INLINE inline absl::Status TableReader::Impl::LookUp(LookupKey key,
                                                                           Visit visit) const {
  const LoadedTable* table = loader_.loaded();
  if (ABSL_PREDICT_FALSE(table == nullptr)) {
    const auto first = FirstLookUp(LookupKey(key), Visit(visit));
    if (first.status.has_value()) return *first.status;
    table = first.table;
  }
  FilterOutcome outcome(AskTableFilter(table->table_filter.filter.get(), key.user_key));
  if (!outcome.table_rules_out()) {
    const TableIndex& index = *table->index;
    const uint32_t hash = table->filter.Hash(key.user_key);
    BlockPosition at;
    RETURN_IF_ERROR(FindBlock(index, key, &at));
    for (; at.block < index.size(); ++at.block) {
      if (outcome.RulesOut(table->filter.Ask(index.record(at.block), key.user_key, hash))) {
        RETURN_IF_ERROR(visit(LookupStep{at.block}));
      } else {
        BlockAnswer answer;
        RETURN_IF_ERROR(SearchDataBlock(*table, at.block, LookupKey(key), &answer, visit));
        if (answer.has_user_key) outcome.set_has_key();
        if (answer.has_entry) break;
      }
      if (kKind == KeyKind::kPlain || at.is_last) break;
      if (!VersionsMayContinue(index, at.block, key.user_key)) break;
    }
  }
  outcome.Count(&parts_.stats.ForThisThread());
  return absl::OkStatus();
}

absl::Status TableReader::Impl::FindBlockSlowly(const TableIndex& index, const LookupKey& key,
                                                BlockPosition* at) const {
  absl::Status status = index.Find(key, &at->block, &at->is_last);
  if (status.ok()) return status;
  return AtBlock(*parts_.file, BlockKind::kIndex, parts_.footer.index, status);
}

// Not inline, so that a lookup that ends at the filter does not set up this stack frame.
template <typename Visit>
ABSL_ATTRIBUTE_NOINLINE absl::Status TableReader::Impl::SearchDataBlock(const LoadedTable& table,
                                                                        size_t block,
                                                                        const LookupKey& key,
                                                                        BlockAnswer* answer,
                                                                        const Visit& visit) const {
  KeyBuffer scratch;
  DataBlock data;
  BlockSearchResult found;
  const IndexRecord& record = table.index->record(block);
  table.Prefetch(record);
  absl::Status status = table.ReadDataBlock(parts_, record, &data);
  if (ABSL_PREDICT_TRUE(status.ok())) {
    status = SearchBlock(data.block, parts_.order, key, &scratch, &found);
  }
  if (ABSL_PREDICT_FALSE(!status.ok())) {
    status = AtBlock(*parts_.file, BlockKind::kData, record.handle(), status);
    RETURN_IF_ERROR(visit(LookupStep{block, &status}));
    return status;
  }
  answer->has_entry = found.entry != nullptr;
  answer->has_user_key = found.has_user_key;
  status = visit(LookupStep{block, &status, &data.block, &found, &scratch});
  if (ABSL_PREDICT_FALSE(key.tag < kNewestTag) && !found.has_user_key) {
    answer->has_user_key = HasNewerVersion(table, data.block, key, &scratch);
  }
  return status;
}

ABSL_ATTRIBUTE_NOINLINE bool TableReader::Impl::HasNewerVersion(const LoadedTable& table,
                                                                const Block& block,
                                                                const LookupKey& key,
                                                                KeyBuffer* scratch) const {
  if (table.filter.reader() == nullptr && table.table_filter.filter == nullptr) return false;
  BlockSearchResult found;
  return SearchBlock(block, parts_.order, {key.user_key}, scratch, &found).ok() &&
         found.has_user_key;
}

namespace {

// Errors are made by functions of their own, so that a lookup's stack frame has no buffer for them.
ABSL_ATTRIBUTE_NOINLINE absl::Status NotAVersion(const TableParts& parts, absl::string_view key) {
  return absl::UnimplementedError(absl::StrCat(parts.file->name(), ": key ",
                                               ShowKey(parts.order, key),
                                               " is not an internal key of a value or a deletion"));
}

ABSL_ATTRIBUTE_NOINLINE absl::Status SnapshotTooHigh(uint64_t snapshot) {
  return absl::InvalidArgumentError(
      absl::StrCat("snapshot ", snapshot, " is above the highest sequence, ", kMaxSequence));
}

}  // namespace

absl::Status TableReader::Impl::DecodeVersion(const BlockSearchResult& found, KeyBuffer* scratch,
                                              NewestVersion* newest) const {
  // The stored suffix includes the tag, unless the entry shares part of the tag with the previous
  // version.
  std::optional<ParsedInternalKey> parsed = ParseInternalKey(found.key_suffix);
  if (ABSL_PREDICT_FALSE(!parsed.has_value())) {
    const absl::string_view key = found.BuildKey(scratch);
    parsed = ParseInternalKey(key);
    // RocksDB has more types than values and deletions; a table of plain keys has none.
    if (!parsed.has_value()) return NotAVersion(parts_, key);
  }
  newest->Update(*parsed, found.value);
  return absl::OkStatus();
}

// Inlined into both callers: a call would slow down misses.
ABSL_ATTRIBUTE_ALWAYS_INLINE inline absl::Status TableReader::Impl::FindVersion(
    LookupKey key, NewestVersion* newest) const {
  return LookUp<KeyKind::kInternal>(key, [this, newest](const LookupStep& step) {
    return step.has_user_key() ? DecodeVersion(*step.found, step.scratch, newest)
                               : absl::OkStatus();
  });
}

ABSL_ATTRIBUTE_NOINLINE absl::Status FindNewer(const TableReader& reader, const LookupKey& key,
                                               NewestVersion* newest) {
  return TableReader::Impl::Of(reader).FindVersion(key, newest);
}

ABSL_ATTRIBUTE_NOINLINE absl::StatusOr<Presence> TableReader::Impl::GetVersion(
    Slice key, std::string* value, uint64_t snapshot) const {
  if (ABSL_PREDICT_FALSE(snapshot > kMaxSequence)) return SnapshotTooHigh(snapshot);
  NewestVersion newest{value};
  absl::Status status = FindVersion({key, SeekTag(snapshot)}, &newest);
  if (ABSL_PREDICT_FALSE(!status.ok())) return status;
  return newest.presence;
}

absl::StatusOr<Presence> TableReader::Get(Slice key, std::string* value,
                                          const ReadOptions& options) const {
  const Impl& self = Impl::Of(*this);
  if (self.parts_.order.kind() == KeyKind::kInternal) {
    return self.GetVersion(key, value, options.snapshot);
  }
  Presence presence = Presence::kAbsent;
  const auto take_value = [value, &presence](const LookupStep& step) {
    if (!step.has_user_key()) return absl::OkStatus();
    presence = Presence::kFound;
    AssignValue(step.found->value, value);
    return absl::OkStatus();
  };
  absl::Status status = self.LookUp<KeyKind::kPlain>({key}, take_value);
  if (ABSL_PREDICT_FALSE(!status.ok())) return status;
  return presence;
}

absl::StatusOr<std::optional<std::string>> TableReader::Get(Slice key,
                                                            const ReadOptions& options) const {
  std::string value;
  ASSIGN_OR_RETURN(const Presence presence, Get(key, &value, options));
  if (presence != Presence::kFound) return std::nullopt;
  return value;
}

absl::Status TableReader::Impl::LookUpKey(
    absl::string_view key, absl::FunctionRef<absl::Status(const LookupStep&)> visit) const {
  const LookupKey target = parts_.order.Split(key);
  return parts_.order.kind() == KeyKind::kPlain ? LookUp<KeyKind::kPlain>(target, visit)
                                                : LookUp<KeyKind::kInternal>(target, visit);
}

absl::Status TableReader::InternalGet(
    Slice key,
    absl::FunctionRef<void(absl::string_view key, absl::string_view value)> visit) const {
  RETURN_IF_ERROR(Impl::Of(*this).parts_.CheckHasTag(key));
  return Impl::Of(*this).LookUpKey(key, [visit](const LookupStep& step) {
    if (step.has_entry()) visit(step.BuildKey(), step.found->value);
    return absl::OkStatus();
  });
}

absl::Status TraceInternalGet(const TableReader& reader, absl::string_view key,
                              absl::FunctionRef<void(const LookupStep&)> visit) {
  LoadNow(reader);  // the first lookups take no such steps
  return TableReader::Impl::Of(reader).LookUpKey(key, [visit](const LookupStep& step) {
    visit(step);
    return absl::OkStatus();
  });
}

}  // namespace sstable
