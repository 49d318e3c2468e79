#include "sstable/experimental/table_stats.h"

#include <algorithm>
#include <utility>

#include "absl/strings/string_view.h"
#include "filter/bloom.h"
#include "sstable/check.h"
#include "sstable/experimental/filter_report.h"
#include "sstable/experimental/layout.h"
#include "sstable/filter_block.h"
#include "sstable/format.h"
#include "sstable/internal_key.h"
#include "table/block/block_iterator.h"
#include "table/inspect/block_identity.h"
#include "table/inspect/block_visits.h"
#include "table/inspect/origin.h"
#include "table/table_internals.h"
#include "util/status_util.h"

namespace sstable {
namespace {

class Collector {
 public:
  Collector(const TableReader& reader, KeyTrust keys)
      : reader_(reader), verifier_(&reader, keys), filter_(FilterOf(reader)) {
    stats_.file_size = reader.file().size();
  }

  TableStats Run() {
    VisitBlocks(reader_, &verifier_, [this](const VisitedBlock& block) { Count(block); });
    stats_.status.Update(verifier_.index_status());
    stats_.status.Update(reader_.metaindex_status());
    LookAtFilter();
    stats_.origin = NameWriters(evidence_);
    return std::move(stats_);
  }

 private:
  void Count(const VisitedBlock& block) {
    const BlockInfo& info = block.info;
    stats_.status.Update(AtBlock(reader_.file(), info.kind, info.handle, info.status));
    const bool has_entries = info.kind == BlockKind::kData || info.kind == BlockKind::kIndex ||
                             info.kind == BlockKind::kMetaindex;
    if (has_entries && info.status.ok()) {
      evidence_.AddBlock(info.type, info.codec, info.handle.size, info.raw_size);
    }
    switch (info.kind) {
      case BlockKind::kData:
        ++stats_.data_blocks;
        if (!info.status.ok()) {
          if (!IsLimit(info.status)) ++stats_.damaged_data_blocks;
          return;
        }
        return CountDataBlock(info, *block.parsed);
      case BlockKind::kIndex:
        stats_.index_size = info.handle.size;
        evidence_.index_shares_prefixes = info.entry_count > info.restart_count;
        return;
      case BlockKind::kMetaindex:
        evidence_.metaindex_without_restart = info.status.ok() && info.restart_count == 0;
        return;
      case BlockKind::kFilter:
        stats_.filter_size += info.handle.size;
        return;
      case BlockKind::kMeta:
        return;
    }
  }

  void CountDataBlock(const BlockInfo& info, const Block& block) {
    stats_.data_stored_size += info.handle.size;
    stats_.data_raw_size += info.raw_size;
    ++stats_.blocks_by_codec[std::string(info.codec_name)];
    if (info.entry_count == 0) evidence_.has_empty_data_block = true;
    const FilterWindow window = BloomWindow(info.handle.offset);
    BlockIterator entries(&KeyOrderOf(reader_), block);
    for (entries.SeekToFirst(); entries.Valid(); entries.Next()) {
      if (stats_.entries == 0 && KeyOrderOf(reader_).kind() == KeyKind::kPlain) {
        evidence_.is_tensorflow = IsTensorFlowHeader(entries.key(), entries.value());
      }
      if (window.state == FilterWindow::State::kPresent) {
        hash_.Add(window.filter, KeyOrderOf(reader_).UserKey(entries.key()));
      }
      ++stats_.entries;
      stats_.key_sizes.Add(entries.key().size());
      stats_.value_sizes.Add(entries.value().size());
      if (KeyOrderOf(reader_).kind() == KeyKind::kInternal) CountInternalKey(entries.key());
    }
  }

  void CountInternalKey(absl::string_view key) {
    const uint64_t tag = ExtractTag(key);
    const uint64_t sequence = tag >> 8;
    if ((tag & 0xff) == static_cast<uint8_t>(ValueType::kDeletion)) ++stats_.deletions;
    stats_.min_sequence = stats_.entries == 1 ? sequence : std::min(stats_.min_sequence, sequence);
    stats_.max_sequence = std::max(stats_.max_sequence, sequence);
    const absl::string_view user_key = ExtractUserKey(key);
    if (stats_.entries == 1 || user_key != last_user_key_) {
      ++stats_.distinct_user_keys;
      last_user_key_.assign(user_key.data(), user_key.size());
    }
  }

  // Returns the filter of the block at this offset, if it is a Bloom filter.
  FilterWindow BloomWindow(uint64_t block_offset) const {
    if (filter_ == nullptr || !BloomTraitsOf(*filter_->policy()).has_value()) return {};
    return filter_->Window(filter_->WindowIndex(block_offset));
  }

  void LookAtFilter() {
    const Metaindex::Filter found =
        MetaindexOf(reader_).FindFilter(reader_.options().filter_policies);
    if (found.block != nullptr) evidence_.filter_policy = std::string(found.policy_name);
    evidence_.has_table_filter =
        MetaindexOf(reader_).FindTableFilter(reader_.options().table_filter_policies).block !=
        nullptr;
    evidence_.dialect = reader_.dialect();
    if (filter_ == nullptr) return;
    evidence_.filter_base_lg = filter_->base_lg();
    evidence_.filter_hash = hash_.Verdict();
  }

  // This also returns a filter that lookups reject because it does not contain keys of the table.
  static const FilterBlockReader* FilterOf(const TableReader& reader) {
    const LoadedTable& loaded = LoadNow(reader);
    return loaded.rejected_filter.has_value() ? &*loaded.rejected_filter : reader.filter();
  }

  const TableReader& reader_;
  TableVerifier verifier_;
  const FilterBlockReader* const filter_;
  TableStats stats_;
  WriterEvidence evidence_;
  FilterHashEvidence hash_;
  std::string last_user_key_;
};

}  // namespace

void SizeHistogram::Add(uint64_t size) {
  ++count;
  sum += size;
  min = std::min(min, size);
  max = std::max(max, size);
  ++by_bit_width[size == 0 ? 0 : 64 - __builtin_clzll(size)];
}

TableStats CollectStats(const TableReader& reader, KeyTrust keys) {
  return Collector(reader, keys).Run();
}

}  // namespace sstable
