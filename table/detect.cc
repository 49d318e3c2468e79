#include "table/detect.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"
#include "filter/filter_policy_registry.h"
#include "filter/internal_filter_policy.h"
#include "table/block_iterator.h"
#include "table/limits.h"
#include "table/table_iterator.h"
#include "util/internal_key.h"
#include "util/status_util.h"

namespace sstable {
namespace {

constexpr size_t kSampledBlocks = 16;
constexpr size_t kKeysPerBlock = 256;

struct SampledKey {
  std::string key;
  uint64_t block_offset;
};

// How many keys are not above the one before them.
struct Disorder {
  size_t bytewise = 0;
  size_t reverse = 0;
};

struct Sample {
  std::vector<SampledKey> keys;          // the first ones of evenly spread blocks, in table order
  bool has_shortened_index_key = false;  // one that is not the last key of its block

  // Of all keys of those blocks, taken for plain or for internal keys.
  Disorder plain, internal;

  const Disorder& disorder(KeyKind kind) const {
    return kind == KeyKind::kInternal ? internal : plain;
  }
};

void Compare(absl::string_view key_before, absl::string_view key, KeyKind kind,
             Disorder* disorder) {
  if (KeyOrder(BytewiseComparator(), kind).Compare(key_before, key) >= 0) ++disorder->bytewise;
  if (KeyOrder(ReverseBytewiseComparator(), kind).Compare(key_before, key) >= 0) {
    ++disorder->reverse;
  }
}

absl::StatusOr<Sample> TakeSample(const TableReader& reader) {
  RETURN_IF_ERROR(reader.LoadIndex());
  const TableIndex& index = *reader.index();
  Sample sample;
  const size_t block_count = std::min(kSampledBlocks, index.size());
  const std::unique_ptr<TableIterator> it = reader.NewIterator(FillCache::kNo);
  BlockIterator index_entries(&reader.order(), index.block());
  index_entries.SeekToFirst();
  size_t index_position = 0;
  std::optional<std::string> last_key;
  KeyBudget key_bytes(reader.file().size());
  for (size_t n = 0; n < block_count; ++n) {
    const size_t block = n * index.size() / block_count;
    while (index_position < block) {
      index_entries.Next();
      ++index_position;
    }
    const size_t wanted = sample.keys.size() + kKeysPerBlock;
    bool is_empty = true;
    for (it->SeekToBlock(block); it->Valid() && it->block_index() == block; it->Next()) {
      if (!key_bytes.Take(it->key().size())) return sample;  // of a table made for this
      is_empty = false;
      if (last_key.has_value()) {
        Compare(*last_key, it->key(), KeyKind::kPlain, &sample.plain);
        Compare(*last_key, it->key(), KeyKind::kInternal, &sample.internal);
      }
      last_key.emplace(it->key().data(), it->key().size());
      if (sample.keys.size() < wanted) {
        sample.keys.push_back({*last_key, index.record(block).block_offset});
      }
    }
    if (!is_empty && it->status().ok() && index_entries.key() != *last_key) {
      sample.has_shortened_index_key = true;
    }
  }
  return sample;
}

// How many of the keys the table's filter does not know, taken as keys of this kind; nullopt
// without a filter that can be asked.
std::optional<size_t> CountUnknownToFilter(const TableReader& reader,
                                           const std::vector<SampledKey>& sample, KeyKind kind) {
  for (const MetaBlock& block : reader.meta_blocks()) {
    absl::string_view name = block.name;
    if (!absl::ConsumePrefix(&name, kFilterKeyPrefix)) continue;
    const FilterPolicy* policy = FindFilterPolicy(name, reader.options().filter_policies);
    if (policy == nullptr) continue;
    const absl::StatusOr<BlockContents> contents = reader.ReadMetaBlock(block.name);
    if (!contents.ok()) return std::nullopt;
    const InternalFilterPolicy internal_policy(policy);
    const absl::StatusOr<FilterBlockReader> filter = FilterBlockReader::Parse(
        kind == KeyKind::kInternal ? &internal_policy : policy, contents->bytes);
    if (!filter.ok()) return std::nullopt;
    return std::count_if(sample.begin(), sample.end(), [&filter](const SampledKey& sampled) {
      return !filter->KeyMayMatch(sampled.block_offset, sampled.key);
    });
  }
  return std::nullopt;
}

struct KindGuess {
  KeyKind kind;
  bool certain;
  std::string reason;
};

KindGuess GuessKind(const TableReader& reader, const Sample& taken) {
  const std::vector<SampledKey>& sample = taken.keys;
  if (sample.empty()) return {KeyKind::kPlain, false, "there are no entries to tell by"};
  const bool rocksdb = reader.dialect() == TypeByteDialect::kRocksDb;
  const auto tagged = static_cast<size_t>(
      std::count_if(sample.begin(), sample.end(), [rocksdb](const SampledKey& sampled) {
        // RocksDB has more value types.
        return rocksdb ? sampled.key.size() >= kTagSize : ParseInternalKey(sampled.key).has_value();
      }));
  if (tagged < sample.size()) {
    return {KeyKind::kPlain, true,
            absl::StrFormat("%d of %d sampled keys have no valid tag", sample.size() - tagged,
                            sample.size())};
  }
  if (rocksdb) return {KeyKind::kInternal, true, "RocksDB's tables have internal keys"};
  const auto plain_unknown = CountUnknownToFilter(reader, sample, KeyKind::kPlain);
  const auto internal_unknown = CountUnknownToFilter(reader, sample, KeyKind::kInternal);
  if (plain_unknown.has_value() && (*plain_unknown == 0) != (*internal_unknown == 0)) {
    return *internal_unknown == 0
               ? KindGuess{KeyKind::kInternal, true, "the filter knows the keys without their tags"}
               : KindGuess{KeyKind::kPlain, true, "the filter knows the keys as they are"};
  }
  const bool ascends_as_plain = std::min(taken.plain.bytewise, taken.plain.reverse) == 0;
  const bool ascends_as_internal = std::min(taken.internal.bytewise, taken.internal.reverse) == 0;
  if (ascends_as_plain && !ascends_as_internal) {
    return {KeyKind::kPlain, true, "the keys ascend only with their last 8 bytes taken as a part"};
  }
  return {KeyKind::kInternal, sample.size() > 1,
          absl::StrFormat("all %d sampled keys end in a valid tag", sample.size())};
}

}  // namespace

absl::StatusOr<KeyGuess> GuessKeys(const TableReader& reader) {
  ASSIGN_OR_RETURN(const Sample sample, TakeSample(reader));
  KindGuess kind = GuessKind(reader, sample);
  KeyGuess guess;
  guess.key_kind = kind.kind;
  guess.certain = kind.certain;
  guess.reason = std::move(kind.reason);
  const Disorder& disorder = sample.disorder(kind.kind);
  if (disorder.bytewise == 0) {
    guess.comparator = BytewiseComparator();
  } else if (disorder.reverse == 0) {
    guess.comparator = ReverseBytewiseComparator();
  } else {
    guess.comparator = sample.has_shortened_index_key ? BytewiseComparator() : nullptr;
  }
  return guess;
}

}  // namespace sstable
