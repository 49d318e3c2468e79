// The filter block as lookups consult it. When a table's index is decoded, BlockFilterDecoder finds
// the window of each data block and stores the position of its filter with the block's handle. A
// lookup hashes its key once, and then consults the filter of each block that it comes to.
//
// The answers are those of FilterBlockReader::KeyMayMatch(), with one exception: if a Bloom filter
// is empty or has no bits, KeyMayMatch() returns false, but lookups read the block, since its keys
// are in no filter.
#ifndef SSTABLE_FILTER_LOOKUP_FILTER_H_
#define SSTABLE_FILTER_LOOKUP_FILTER_H_

#include <cstddef>
#include <cstdint>
#include <optional>

#include "absl/base/optimization.h"
#include "absl/strings/string_view.h"
#include "filter/bloom.h"
#include "filter/bloom_kernels.h"
#include "filter/bloom_view.h"
#include "filter/filter_window.h"
#include "sstable/experimental/table_filter.h"
#include "sstable/filter_block.h"
#include "sstable/filter_policy.h"

namespace sstable {

// One bit each, for FilterOutcome.
enum class FilterAnswer : unsigned { kAbsent = 1, kMayMatch = 2, kNotAsked = 4 };

// The filter of one data block.
struct BlockFilter {
  BlockFilter() {}  // lets derived classes use the tail padding, in any GCC

  uint32_t filter_offset = 0;  // in the filter block
  uint32_t filter_size = 0;    // 0: no filter to ask, so any key may be in the data block

  // Set if kernels can probe the filter (filter/bloom_kernels.h); otherwise 0.
  uint32_t filter_reciprocal = 0;
  uint8_t filter_probe_count = 0;
};

// Asks the filter of a whole table, which is null if the table has none.
inline FilterAnswer AskTableFilter(const TableFilter* filter, absl::string_view user_key) {
  if (filter == nullptr) return FilterAnswer::kNotAsked;
  return filter->MayMatch(TableFilterHash(user_key)) ? FilterAnswer::kMayMatch
                                                     : FilterAnswer::kAbsent;
}

// Borrows `reader`.
class BlockFilterDecoder {
 public:
  explicit BlockFilterDecoder(const FilterBlockReader* reader)
      : reader_(*reader), is_bloom_(BloomTraitsOf(*reader->policy()).has_value()) {}

  // Inline, since loading an index calls it for each data block. Leaves `*filter` empty if there is
  // none to consult.
  void Decode(uint64_t block_offset, BlockFilter* filter) {
    const FilterWindow window = FindFilterWindow(reader_, reader_.WindowIndex(block_offset));
    if (!IsAsked(window, is_bloom_)) return;
    const BloomView bloom(window.filter);
    filter->filter_offset = static_cast<uint32_t>(window.filter.data() - reader_.contents().data());
    filter->filter_size = static_cast<uint32_t>(window.filter.size());
    if (!is_bloom_ || !bloom.is_probeable()) return;
    // Nearly all filters have one of a few sizes, so the division is rare.
    if (window.filter.size() != last_size_) {
      last_size_ = window.filter.size();
      last_reciprocal_ = BloomProbe::Reciprocal(static_cast<uint32_t>(bloom.bit_count()));
    }
    filter->filter_reciprocal = last_reciprocal_;
    filter->filter_probe_count = static_cast<uint8_t>(bloom.probe_count());
  }

 private:
  const FilterBlockReader& reader_;
  bool is_bloom_;
  size_t last_size_ = 0;
  uint32_t last_reciprocal_ = 0;
};

// Answers for user keys. For a table of internal keys, `user_policy` is the policy that the
// reader's InternalFilterPolicy wraps.
//
// Ownership: borrows the policies, and the filter block's contents, which must be followed by
//            kBloomLoadSize readable bytes.
// Threads:   immutable.
class LookupFilter {
 public:
  LookupFilter() = default;  // has no filter to consult
  LookupFilter(const FilterBlockReader& reader, const FilterPolicy* user_policy)
      : reader_(reader), user_policy_(user_policy), bloom_(BloomTraitsOf(*user_policy)) {}

  // Null if there is no filter.
  const FilterBlockReader* reader() const { return reader_.has_value() ? &*reader_ : nullptr; }

  // Returns the hash that Ask() needs, or 0 if it needs none.
  uint32_t Hash(absl::string_view user_key) const {
    return bloom_.has_value() ? BloomCreationHash(*bloom_, user_key) : 0;
  }

  // Asks whether a key may be in the data block of `filter`.
  FilterAnswer Ask(const BlockFilter& filter, absl::string_view user_key, uint32_t hash) const {
    if (filter.filter_size == 0 || !reader_.has_value()) return FilterAnswer::kNotAsked;
    const bool may_match = ABSL_PREDICT_TRUE(filter.filter_probe_count > 0)
                               ? Probe(filter, user_key, hash)
                               : user_policy_->KeyMayMatch(user_key, BytesOf(filter));
    return may_match ? FilterAnswer::kMayMatch : FilterAnswer::kAbsent;
  }

  absl::string_view BytesOf(const BlockFilter& filter) const {
    return {reader_->contents().data() + filter.filter_offset, filter.filter_size};
  }

  // Estimates the share of absent keys that a block's filter lets through, from a sample of its
  // bits.
  double PassRate(const BlockFilter& filter) const;

 private:
  bool Probe(const BlockFilter& filter, absl::string_view user_key, uint32_t hash) const {
    const absl::string_view bytes = BytesOf(filter);
    const uint32_t bit_count = 8 * (filter.filter_size - 1);  // the last byte is the probe count
    const auto probe = [&](uint32_t key_hash) {
      return kernels_->probe(bytes.data(), bit_count, filter.filter_reciprocal,
                             filter.filter_probe_count, key_hash);
    };
    return probe(hash) ||
           (bloom_->hash == BloomHash::kEitherTail &&
            probe(BloomKeyHash<HashTail::kSigned>(WithoutIgnoredSuffix(*bloom_, user_key))));
  }

  std::optional<FilterBlockReader> reader_;
  const FilterPolicy* user_policy_ = nullptr;
  std::optional<BloomTraits> bloom_;  // set if the policy is a Bloom filter
  const BloomKernels* kernels_ = &BestBloomKernels();
};

}  // namespace sstable

#endif  // SSTABLE_FILTER_LOOKUP_FILTER_H_
