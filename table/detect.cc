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

struct Sample {
  std::vector<SampledKey> keys;          // the first ones of evenly spread blocks, in table order
  bool has_shortened_index_key = false;  // one that is not the last key of its block
};

absl::StatusOr<Sample> TakeSample(const TableReader& reader) {
  RETURN_IF_ERROR(reader.LoadIndex());
  const TableIndex& index = *reader.index();
  Sample sample;
  const size_t block_count = std::min(kSampledBlocks, index.size());
  const std::unique_ptr<TableIterator> it = reader.NewIterator(FillCache::kNo);
  BlockIterator index_entries(&reader.order(), index.block());
  index_entries.SeekToFirst();
  size_t index_position = 0;
  std::string last_key;
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
      last_key.assign(it->key().data(), it->key().size());
      if (sample.keys.size() < wanted) {
        sample.keys.push_back({last_key, index.record(block).block_offset});
      }
    }
    if (!is_empty && it->status().ok() && index_entries.key() != last_key) {
      sample.has_shortened_index_key = true;
    }
  }
  return sample;
}

size_t CountOutOfOrder(const std::vector<SampledKey>& sample, const Comparator* user_comparator,
                       KeyKind kind) {
  const KeyOrder order(user_comparator, kind);
  size_t count = 0;
  for (size_t i = 1; i < sample.size(); ++i) {
    if (order.Compare(sample[i - 1].key, sample[i].key) >= 0) ++count;
  }
  return count;
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

// Out-of-order pairs in the more fitting of the two known orders.
struct OrderFit {
  const Comparator* comparator;
  size_t out_of_order;
};

OrderFit FitOrder(const std::vector<SampledKey>& sample, KeyKind kind) {
  const size_t bytewise = CountOutOfOrder(sample, BytewiseComparator(), kind);
  const size_t reverse = CountOutOfOrder(sample, ReverseBytewiseComparator(), kind);
  return reverse < bytewise ? OrderFit{ReverseBytewiseComparator(), reverse}
                            : OrderFit{BytewiseComparator(), bytewise};
}

struct KindGuess {
  KeyKind kind;
  bool certain;
  std::string reason;
};

KindGuess GuessKind(const TableReader& reader, const std::vector<SampledKey>& sample) {
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
  const OrderFit internal = FitOrder(sample, KeyKind::kInternal);
  const OrderFit plain = FitOrder(sample, KeyKind::kPlain);
  if (plain.out_of_order == 0 && internal.out_of_order > 0) {
    return {KeyKind::kPlain, true, "the keys ascend only with their last 8 bytes taken as a part"};
  }
  return {KeyKind::kInternal, sample.size() > 1,
          absl::StrFormat("all %d sampled keys end in a valid tag", sample.size())};
}

}  // namespace

absl::StatusOr<KeyGuess> GuessKeys(const TableReader& reader) {
  ASSIGN_OR_RETURN(const Sample sample, TakeSample(reader));
  KindGuess kind = GuessKind(reader, sample.keys);
  KeyGuess guess;
  guess.key_kind = kind.kind;
  guess.certain = kind.certain;
  guess.reason = std::move(kind.reason);
  const OrderFit fit = FitOrder(sample.keys, kind.kind);
  if (fit.out_of_order == 0) {
    guess.comparator = fit.comparator;
  } else {
    guess.comparator = sample.has_shortened_index_key ? BytewiseComparator() : nullptr;
  }
  return guess;
}

}  // namespace sstable
