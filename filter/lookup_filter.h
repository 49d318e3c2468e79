// A filter block as lookups ask it: as FilterBlockReader::KeyMayMatch() does, with the part that is
// the same for every lookup done once. Where that says no because a window has no filter, or one
// without bits, lookups read the block: it has keys, which are in no filter.
//
// When a table's index is decoded, BlockFilterDecoder finds the window of each data block and puts
// where its filter is beside the block's handle. A lookup hashes its key once, and then asks the
// filter of each block that it comes to.
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
#include "sstable/filter_block.h"
#include "sstable/filter_policy.h"

namespace sstable {

enum class FilterAnswer { kAbsent, kMayMatch, kNotAsked };

// The filter of one data block.
struct BlockFilter {
  BlockFilter() {}  // so that a derived class may use the tail, in any GCC

  uint32_t filter_offset = 0;  // in the filter block
  uint32_t filter_size = 0;    // 0: no filter to ask, so any key may be in the data block

  // Of a Bloom filter that kernels can probe (filter/bloom_kernels.h); else 0.
  uint32_t filter_reciprocal = 0;
  uint8_t filter_probe_count = 0;
};

// Borrows `reader`.
class BlockFilterDecoder {
 public:
  explicit BlockFilterDecoder(const FilterBlockReader* reader)
      : reader_(*reader), is_bloom_(reader->policy()->bloom() != nullptr) {}

  // Inline, since loading an index calls it for each data block. Leaves `*filter` without one if
  // there is none to ask.
  void Decode(uint64_t block_offset, BlockFilter* filter) {
    const FilterWindow window = FindFilterWindow(reader_, reader_.WindowIndex(block_offset));
    if (!IsAsked(window, is_bloom_)) return;
    const BloomView bloom(window.filter);
    filter->filter_offset = static_cast<uint32_t>(window.filter.data() - reader_.contents().data());
    filter->filter_size = static_cast<uint32_t>(window.filter.size());
    if (!is_bloom_ || !bloom.is_probeable()) return;
    // Most filters have one of few sizes, so the division is seldom made.
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

// Lookups have user keys, with the tag apart. So internal keys are asked for by the policy that the
// reader's InternalFilterPolicy wraps.
//
// Ownership: borrows the policies, and the filter block's contents, which kBloomLoadSize readable
//            bytes follow.
// Threads:   immutable.
class LookupFilter {
 public:
  LookupFilter() = default;  // without a filter: none is asked
  LookupFilter(const FilterBlockReader& reader, const FilterPolicy* user_policy)
      : reader_(reader), user_policy_(user_policy), bloom_(user_policy->bloom()) {}

  // Null if there is no filter.
  const FilterBlockReader* reader() const { return reader_.has_value() ? &*reader_ : nullptr; }

  // What Ask() needs of the key. 0 where that is nothing.
  uint32_t Hash(absl::string_view user_key) const {
    return bloom_ != nullptr ? BloomCreationHash(*bloom_, user_key) : 0;
  }

  // Whether a key may be in the data block of `filter`.
  FilterAnswer Ask(const BlockFilter& filter, absl::string_view user_key, uint32_t hash) const {
    if (filter.filter_size == 0 || !reader_.has_value()) return FilterAnswer::kNotAsked;
    const bool may_match = ABSL_PREDICT_TRUE(filter.filter_probe_count > 0)
                               ? Probe(filter, user_key, hash)
                               : FilterMayMatch(*user_policy_, BytesOf(filter), user_key);
    return may_match ? FilterAnswer::kMayMatch : FilterAnswer::kAbsent;
  }

  absl::string_view BytesOf(const BlockFilter& filter) const {
    return {reader_->contents().data() + filter.filter_offset, filter.filter_size};
  }

  // The share of absent keys that a block's filter lets through, by a sample of its bits.
  double PassRate(const BlockFilter& filter) const;

 private:
  bool Probe(const BlockFilter& filter, absl::string_view user_key, uint32_t hash) const {
    const absl::string_view bytes = BytesOf(filter);
    const auto bit_count = static_cast<uint32_t>(BloomView(bytes).bit_count());
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
  const BloomTraits* bloom_ = nullptr;  // the policy's, if it is a Bloom filter
  const BloomKernels* kernels_ = &BestBloomKernels();
};

}  // namespace sstable

#endif  // SSTABLE_FILTER_LOOKUP_FILTER_H_
