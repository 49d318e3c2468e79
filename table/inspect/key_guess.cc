#include "sstable/experimental/key_guess.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "table/inspect/key_sample.h"
#include "table/inspect/order_evidence.h"
#include "util/status_util.h"

namespace sstable {
namespace {

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
