#include "table/inspect/key_sample.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "sstable/filter_block.h"
#include "sstable/filter_policy.h"
#include "sstable/internal_key.h"
#include "sstable/table_iterator.h"
#include "table/block/block_iterator.h"
#include "table/block/limits.h"
#include "table/index/table_index.h"
#include "table/table_internals.h"
#include "util/status_util.h"

namespace sstable {
namespace {

constexpr size_t kSampledBlocks = 16;
constexpr size_t kKeysPerBlock = 256;  // keys to look up in a filter

constexpr uint32_t kMaxWork = kDefaultMaxWork / 8;  // a sample needs no more

// A million writes a second would take nine years to reach this.
constexpr uint64_t kHighSequence = uint64_t{1} << 48;

// Returns how many of the keys, read as this kind, the table's filter rules out; nullopt if there
// is no filter to consult.
std::optional<size_t> CountUnknownToFilter(const TableReader& reader,
                                           const std::vector<SampledKey>& sample, KeyKind kind) {
  const Metaindex::Filter found = MetaindexOf(reader).FindFilter(reader.options().filter_policies);
  if (found.policy == nullptr) return std::nullopt;
  const absl::StatusOr<BlockContents> contents = MetaBlockOf(reader, found.block->name);
  if (!contents.ok()) return std::nullopt;
  const InternalFilterPolicy internal_policy(found.policy);
  const absl::StatusOr<FilterBlockReader> filter = FilterBlockReader::Parse(
      kind == KeyKind::kInternal ? &internal_policy : found.policy, contents->bytes);
  if (!filter.ok()) return std::nullopt;
  return std::count_if(sample.begin(), sample.end(), [&filter](const SampledKey& sampled) {
    return !filter->KeyMayMatch(sampled.block_offset, sampled.key);
  });
}

}  // namespace

void KeySample::Add(absl::string_view key, absl::string_view value) {
  ++entries;
  plain.Add(key);
  internal.Add(key);
  const std::optional<ParsedInternalKey> parsed = ParseInternalKey(key);
  if (!parsed.has_value()) return;
  ++tagged;
  if (parsed->type == ValueType::kDeletion) {
    ++deletions;
    if (!value.empty()) ++deletions_with_value;
  }
  if (parsed->sequence >= kHighSequence) ++high_sequences;
  if (!sequences_.insert(parsed->sequence).second) ++repeated_sequences;
}

void KeySample::AddIndexKey(absl::string_view index_key, absl::string_view last_key) {
  plain_index.Add(index_key, last_key);
  internal_index.Add(index_key, last_key);
  const bool is_key = std::any_of(keys.begin(), keys.end(), [&](const SampledKey& sampled) {
    return sampled.key == index_key;
  });
  if (is_key) return;
  if (IsShortened(KeyKind::kInternal, index_key, last_key)) {
    ++shortened_as_internal;
  } else if (IsShortened(KeyKind::kPlain, index_key, last_key)) {
    ++shortened_as_plain;
  }
}

absl::StatusOr<KeySample> TakeKeySample(const TableReader& reader) {
  RETURN_IF_ERROR(reader.LoadIndex());
  const TableIndex& index = *IndexOf(reader);
  KeySample sample;
  const size_t block_count = std::min(kSampledBlocks, index.size());
  const std::unique_ptr<TableIterator> it = reader.NewIterator(ReadOptions::ForScan());
  BlockIterator index_entries(&KeyOrderOf(reader), index.block());
  size_t index_position = index.size();
  std::string last_key;
  std::vector<std::pair<std::string, std::string>>
      index_keys;  // with the last keys of their blocks
  WorkMeter work(std::make_shared<WorkBudget>(reader.file().size(), kMaxWork));
  const auto sample_block = [&](size_t block) {  // false if a hostile table has too many keys
    if (block < index_position) {
      index_entries.SeekToFirst();
      index_position = 0;
    }
    for (; index_position < block; ++index_position) index_entries.Next();
    const size_t wanted = sample.keys.size() + kKeysPerBlock;
    bool is_empty = true;
    sample.plain.BeginBlock();
    sample.internal.BeginBlock();
    for (it->SeekToBlock(block); it->Valid() && it->block_index() == block; it->Next()) {
      if (!work.TakeKey(it->key().size())) return false;
      is_empty = false;
      sample.Add(it->key(), it->value());
      last_key.assign(it->key().data(), it->key().size());
      if (sample.keys.size() < wanted) {
        sample.keys.push_back({last_key, index.record(block).block_offset});
      }
    }
    if (!is_empty && it->status().ok()) index_keys.emplace_back(index_entries.key(), last_key);
    return true;
  };
  for (size_t n = 0; n < block_count; ++n) {
    // Includes the first and the last block, since only the last index key is certainly shortened.
    const size_t block = block_count == 1 ? 0 : n * (index.size() - 1) / (block_count - 1);
    if (!sample_block(block)) break;
  }
  // If those are damaged, take the first block that can be read.
  for (size_t block = 0; block < index.size() && sample.entries == 0; ++block) {
    if (!sample_block(block)) break;
  }
  for (const auto& [index_key, last] : index_keys) sample.AddIndexKey(index_key, last);
  sample.blocks = block_count;
  sample.unknown_as_plain = CountUnknownToFilter(reader, sample.keys, KeyKind::kPlain);
  sample.unknown_as_internal = CountUnknownToFilter(reader, sample.keys, KeyKind::kInternal);
  return sample;
}

}  // namespace sstable
