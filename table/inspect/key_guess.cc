#include "sstable/experimental/key_guess.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "sstable/filter_block.h"
#include "sstable/filter_policy.h"
#include "sstable/internal_key.h"
#include "sstable/table_iterator.h"
#include "sstable/table_reader.h"
#include "table/block/block_iterator.h"
#include "table/block/key_order.h"
#include "table/block/limits.h"
#include "table/index/table_index.h"
#include "table/inspect/order_evidence.h"
#include "table/table_internals.h"
#include "util/status_util.h"

namespace sstable {
namespace {

struct SampledKey {
  std::string key;
  uint64_t block_offset;
};

// A sample of a table's keys, and the evidence in it of their kind and order.
struct KeySample {
  std::vector<SampledKey> keys;  // the first keys of each block, in table order

  // Counts over all entries of those blocks.
  uint64_t entries = 0;
  uint64_t tagged = 0;  // keys that end in a valid tag; the next four are subsets
  uint64_t deletions = 0;
  uint64_t deletions_with_value = 0;  // LevelDB writes none
  uint64_t high_sequences = 0;        // higher than any database has reached
  uint64_t repeated_sequences = 0;    // already seen in an earlier key
  OrderEvidence plain{KeyKind::kPlain};
  OrderEvidence internal{KeyKind::kInternal};

  uint64_t blocks = 0;
  // Counts over the index keys of those blocks. Leaves out those that equal the last key of the
  // block or another sampled key: that could be the last key of a misplaced block.
  uint64_t shortened_as_internal = 0;  // by IsShortened()
  uint64_t shortened_as_plain = 0;     // by IsShortened(), and not as internal keys

  // How many of `keys`, read as either kind, the filter rules out; nullopt if there is no filter to
  // consult.
  std::optional<size_t> unknown_as_plain, unknown_as_internal;

  const OrderEvidence& order(KeyKind kind) const {
    return kind == KeyKind::kInternal ? internal : plain;
  }
  IndexKeyEvidence plain_index{KeyKind::kPlain};
  IndexKeyEvidence internal_index{KeyKind::kInternal};
  const IndexKeyEvidence& index(KeyKind kind) const {
    return kind == KeyKind::kInternal ? internal_index : plain_index;
  }

  // Adds an entry to everything except `keys` and the index keys.
  void Add(absl::string_view key, absl::string_view value);
  // Call when `keys` is complete.
  void AddIndexKey(absl::string_view index_key, absl::string_view last_key);

 private:
  absl::flat_hash_set<uint64_t> sequences_;
};

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

// Samples all entries of up to 16 evenly spread data blocks, skipping those that can't be read. If
// none of these has readable entries, samples the first block in the table that has. Errors: those
// of the index.
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

// This many keys with consistent tags are not a coincidence.
constexpr uint64_t kEnoughTags = 8;

// Returns true if `part` is too large a share of `whole` to be a few damaged entries.
bool IsShare(uint64_t part, uint64_t whole) { return part > 0 && part >= whole / 16; }

struct KindGuess {
  KeyKind kind;
  KnownBy known_by;
  std::string reason;
};

// Returns true if one reading has far fewer faults than the other.
bool IsFarFewer(uint64_t a, uint64_t b) { return b > 0 && a <= b / 10; }

// Returns evidence that keys, all of which have tags, are not internal keys.
std::vector<std::string> AgainstInternal(const KeySample& sample) {
  std::vector<std::string> against;
  if (IsShare(sample.deletions_with_value, sample.deletions) &&
      IsShare(sample.deletions_with_value, sample.entries)) {
    against.push_back(
        absl::StrFormat("%d keys would be deletions with values", sample.deletions_with_value));
  }
  if (IsShare(sample.high_sequences, sample.entries)) {
    against.push_back(
        absl::StrFormat("%d sequences would be higher than any database's", sample.high_sequences));
  }
  const uint64_t internal_faults =
      sample.internal.out_of_order_keys() + sample.internal.rising_versions();
  // A pair of swapped entries makes one fault in either reading.
  if (internal_faults > 1 &&
      IsFarFewer(sample.plain.out_of_order_keys() + sample.plain.rising_versions(),
                 internal_faults)) {
    against.emplace_back("the keys are in order only with their last 8 bytes");
  }
  return against;
}

// Returns evidence that the keys are internal keys.
std::vector<std::string> ForInternal(const KeySample& sample) {
  std::vector<std::string> for_internal;
  const uint64_t internal_faults =
      sample.internal.out_of_order_keys() + sample.internal.rising_versions();
  if (IsFarFewer(internal_faults, sample.plain.out_of_order_keys())) {
    for_internal.emplace_back("the keys are in order only without their last 8 bytes");
  }
  if (sample.internal.falling_versions() > 0 && sample.internal.rising_versions() == 0) {
    for_internal.emplace_back("versions of a key follow newer ones");
  }
  if (sample.tagged >= kEnoughTags && sample.repeated_sequences == 0 &&
      sample.high_sequences == 0) {
    for_internal.push_back(
        absl::StrFormat("all %d keys end in a valid tag, each of its own sequence", sample.tagged));
  }
  return for_internal;
}

std::optional<KindGuess> AskFilter(const KeySample& sample) {
  if (!sample.unknown_as_plain.has_value() || !sample.unknown_as_internal.has_value()) {
    return std::nullopt;
  }
  if (IsFarFewer(*sample.unknown_as_internal, *sample.unknown_as_plain)) {
    return KindGuess{KeyKind::kInternal, KnownBy::kEvidence,
                     "the filter contains the keys without their tags"};
  }
  if (IsFarFewer(*sample.unknown_as_plain, *sample.unknown_as_internal)) {
    return KindGuess{KeyKind::kPlain, KnownBy::kEvidence,
                     "the filter contains the keys as they are"};
  }
  return std::nullopt;
}

KindGuess GuessKindOfTagged(const KeySample& sample) {
  const std::vector<std::string> against = AgainstInternal(sample);
  const std::vector<std::string> in_favour = ForInternal(sample);
  if (in_favour.empty() && !against.empty()) {
    return {KeyKind::kPlain, KnownBy::kEvidence, absl::StrJoin(against, "; ")};
  }
  if (against.empty() && !in_favour.empty()) {
    return {KeyKind::kInternal, KnownBy::kEvidence, absl::StrJoin(in_favour, "; ")};
  }
  if (against.empty()) {
    return {KeyKind::kInternal, KnownBy::kNothing,
            absl::StrFormat("%d of %d keys end in a valid tag, which is not conclusive",
                            sample.tagged, sample.entries)};
  }
  return {against.size() > in_favour.size() ? KeyKind::kPlain : KeyKind::kInternal,
          KnownBy::kNothing,
          absl::StrCat(absl::StrJoin(in_favour, "; "), "; but ", absl::StrJoin(against, "; "))};
}

KindGuess GuessKind(const KeySample& sample, bool rocksdb) {
  if (sample.entries == 0) return {KeyKind::kPlain, KnownBy::kNothing, "there are no entries"};
  if (rocksdb) {  // RocksDB has more value types, so tags are weaker evidence
    bool have_room = true;
    for (const SampledKey& sampled : sample.keys) have_room &= sampled.key.size() >= kTagSize;
    if (have_room) {
      return {KeyKind::kInternal, KnownBy::kEvidence, "RocksDB's tables have internal keys"};
    }
  }
  const uint64_t untagged = sample.entries - sample.tagged;
  const auto by_filter = AskFilter(sample);
  // A filter made with another hash may by chance match a key without its last bytes.
  const bool lacks_tags = IsShare(untagged, sample.entries);
  if (by_filter.has_value() && (by_filter->kind == KeyKind::kPlain || !lacks_tags)) {
    return *by_filter;
  }
  if (sample.shortened_as_internal > sample.shortened_as_plain && sample.tagged >= untagged) {
    return {KeyKind::kInternal, KnownBy::kEvidence, "shortened index keys have the tag of a seek"};
  }
  if (sample.shortened_as_internal == 0 && IsShare(sample.shortened_as_plain, sample.blocks)) {
    return {KeyKind::kPlain, KnownBy::kEvidence, "shortened index keys have no tag of a seek"};
  }
  if (lacks_tags) {
    return {KeyKind::kPlain, KnownBy::kEvidence,
            absl::StrFormat("%d of %d sampled keys have no valid tag", untagged, sample.entries)};
  }
  return GuessKindOfTagged(sample);
}

}  // namespace

absl::StatusOr<TableKeys> ResolveKeys(const TableReader& reader, const GivenKeys& given) {
  TableKeys keys;
  if (!given.key_kind.has_value() || given.comparator == nullptr) {
    ASSIGN_OR_RETURN(const KeySample sample, TakeKeySample(reader));
    KindGuess kind = GuessKind(sample, reader.dialect() == CompressionNumbering::kRocksDb);
    keys.key_kind = given.key_kind.value_or(kind.kind);
    keys.kind_known_by = kind.known_by;
    keys.kind_reason = std::move(kind.reason);
    keys.kind_fits = keys.key_kind == kind.kind || kind.known_by == KnownBy::kNothing;
    const OrderGuess order = WeighOrder(sample.order(keys.key_kind), sample.index(keys.key_kind));
    keys.comparator = order.comparator;
    keys.order_known_by = sample.order(keys.key_kind).keys() < 2 || order.comparator == nullptr
                              ? KnownBy::kNothing
                              : KnownBy::kEvidence;
    keys.has_out_of_order = order.has_out_of_order;
    keys.order_reason = order.reason;
    keys.sampled_blocks = sample.blocks;
  }
  if (given.key_kind.has_value()) {
    keys.key_kind = *given.key_kind;
    keys.kind_known_by = KnownBy::kCaller;
    keys.kind_reason = "as given";
  }
  if (given.comparator != nullptr) {
    keys.comparator = given.comparator;
    keys.order_known_by = KnownBy::kCaller;
    keys.has_out_of_order = false;
    keys.order_reason = "as given";
  }
  return keys;
}

}  // namespace sstable
